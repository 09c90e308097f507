"""Values of auth.json and models.json that stand for something else: `$NAME`, `${NAME}`, `!command`."""

import re
from collections.abc import Mapping

COMMAND_SECONDS = 30
MAX_VALUE = 64 * 1024

_VARIABLE = re.compile(r"\$(?:\$|!|\{(\w+)\}|([A-Za-z_]\w*))")


def is_command(value: str) -> bool:
    return value.startswith("!")


def interpolate(value: str, environ: Mapping[str, str]) -> str | None:
    """`value` with its variables filled in, `$$` and `$!` as `$` and `!`; None if a variable is not set."""
    missing = False

    def filled(found: re.Match[str]) -> str:
        nonlocal missing
        name = found[1] or found[2]
        if name is None:
            return found[0][1]
        if not environ.get(name):
            missing = True
        return environ.get(name, "")

    result = _VARIABLE.sub(filled, value)
    return None if missing or not result else result


def run(command: str, environ: Mapping[str, str]) -> str | None:
    """What a `!command` prints, stripped. None if it fails, prints nothing or takes too long. Blocks."""
    import subprocess

    try:
        done = subprocess.run(
            command.removeprefix("!"),
            shell=True,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout[:MAX_VALUE].decode("utf-8", "replace").strip()
    return text if done.returncode == 0 and text else None


def resolve(value: str, environ: Mapping[str, str]) -> str | None:
    """What `value` stands for, or None where it cannot be had. Blocks if it is a command."""
    return run(value, environ) if is_command(value) else interpolate(value, environ)
