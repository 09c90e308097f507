"""What both services refuse in a request; the rest is in `judge_openai` and `judge_anthropic`."""

import itertools
import re
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


class Illegal(Exception):
    """A request the service would answer with 400."""


def require(condition: Any, message: str) -> None:
    if not condition:
        raise Illegal(message)


def only(where: str, given: Json, allowed: Iterable[str]) -> None:
    extra = sorted(set(given) - set(allowed))
    require(not extra, f"{where}{'.' if where else ''}{', '.join(extra)}: Extra inputs are not permitted")


def tool_names(names: list[str | None]) -> None:
    for name in names:
        require(name and NAME.match(name), f"tools: {name!r} does not match ^[a-zA-Z0-9_-]{{1,64}}$")
    require(len(set(names)) == len(names), "tools: Tool names must be unique.")


def alternates(where: str, roles: list[str]) -> None:
    """Strict chat templates refuse two user or two assistant messages in a row; hence so do we."""
    require(not roles or roles[0] == "user", f'{where}: first message must use the "user" role')
    for before, after in itertools.pairwise(roles):
        twice = before == after and before != "tool"
        require(not twice, f"{where}: roles must alternate, but found multiple {before!r} roles in a row")
