"""Command lines that cannot be meant as they stand: each is refused with one line that names the options."""

import re
from typing import TYPE_CHECKING

from pi_tui.cli.arguments import SHELLS, UsageError, names_in

if TYPE_CHECKING:
    from pi_tui.cli.options import Options

EXCLUSIVE = (
    ("continue_last", "resume"),
    ("continue_last", "session"),
    ("continue_last", "fork"),
    ("resume", "session"),
    ("resume", "fork"),
    ("session", "fork"),
    ("session_id", "continue_last"),
    ("session_id", "resume"),
    ("session_id", "session"),
    ("no_session", "continue_last"),
    ("no_session", "resume"),
    ("no_session", "session"),
    ("no_session", "fork"),
    ("print", "resume"),
    ("no_tools", "tools"),
    ("approve", "no_approve"),
    ("demo", "continue_last"),
    ("demo", "resume"),
    ("demo", "session"),
    ("demo", "session_id"),
    ("demo", "fork"),
    ("demo", "provider"),
    ("demo", "model"),
    ("demo", "models"),
    ("demo", "api_key"),
)
"""Options that cannot both be meant."""

INSTEAD_OF_A_CONVERSATION = {
    "completions": frozenset[str](),
    "list_models": frozenset({"offline", "verbose", "approve", "no_approve"}),
    "export": frozenset(
        {"session_dir", "theme", "use_theme", "no_themes", "offline", "verbose", "approve", "no_approve"}
    ),
}
"""Options after which the program ends, and what may stand beside them."""

NEEDS_A_VALUE = (
    *("session", "fork", "export", "session_dir", "provider", "model", "models", "api_key", "use_theme"),
    *("theme", "skill", "prompt_template", "completions"),
)
"""Options for which an empty text can only be a variable that was not set."""

MODES = ("text", "json", "rpc")

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def refuse_contradictions(options: "Options") -> None:
    """Looks whether a command line can be followed.

    Raises:
        UsageError: Options that contradict, lack another one, or have a value that does not fit.
    """
    _check_values(options)
    for one, other in EXCLUSIVE:
        if is_given(options, one) and is_given(options, other):
            raise UsageError(f"{spelled(one)} and {spelled(other)} cannot be used together")
    _check_what_stands_alone(options)
    _check_mode(options)
    if options.provider is not None and options.model is None:
        raise UsageError("--provider needs --model: it says where to look for that model")
    if options.api_key is not None and options.model is None and options.models is None:
        raise UsageError("--api-key needs --model, to know whose key it is")


def is_given(options: "Options", field: str) -> bool:
    """Whether an option is on the command line."""
    return getattr(options, field) not in (None, False, [])


def spelled(field: str) -> str:
    """An option as it is written."""
    return "--continue" if field == "continue_last" else "--" + field.replace("_", "-")


def _check_values(options: "Options") -> None:
    for field in NEEDS_A_VALUE:
        value = getattr(options, field)
        if value is not None and "" in ([value] if isinstance(value, str) else value):
            raise UsageError(f"{spelled(field)} needs a value, and was given an empty one")
    if options.session_id is not None and not _SESSION_ID.fullmatch(options.session_id):
        raise UsageError(
            "--session-id takes letters, digits, '.', '_' and '-', and begins and ends with no sign"
        )
    changes = [name[0] in "+-" for name in names_in(options.tools) or []]
    if any(changes) and not all(changes):
        raise UsageError("--tools takes either plain names or +name and -name, not both")


def _check_what_stands_alone(options: "Options") -> None:
    for field, beside in INSTEAD_OF_A_CONVERSATION.items():
        if not is_given(options, field):
            continue
        for other in options.__struct_fields__:
            if other in beside or other in (field, "files", "messages") or not is_given(options, other):
                continue
            raise UsageError(f"{spelled(field)} and {spelled(other)} cannot be used together")
        _check_arguments(options, field)


def _check_arguments(options: "Options", field: str) -> None:
    if options.files:
        raise UsageError(f"{spelled(field)} takes no @files")
    if field == "export" and len(options.messages) > 1:
        raise UsageError("--export takes a session and one file to write; quote names with spaces")
    if field == "list_models" and options.messages:
        raise UsageError("--list-models takes one search: put several words in quotes")
    if field == "completions" and options.messages:
        raise UsageError(f"--completions takes one shell: {', '.join(SHELLS)}")


def _check_mode(options: "Options") -> None:
    if options.mode not in (None, *MODES):
        raise UsageError(f"--mode: there is no mode {options.mode!r}; there are text, json and rpc")
    if options.mode in ("json", "rpc") and options.resume:
        raise UsageError(
            f"--mode {options.mode} and --resume cannot be used together: name the session with --session"
        )
    if options.mode != "rpc":
        return
    if options.print:
        raise UsageError("--mode rpc and --print cannot be used together: it runs until its input ends")
    if options.messages or options.files:
        raise UsageError("--mode rpc takes prompts as commands on standard input, not on the command line")
