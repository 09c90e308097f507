"""The command line as typed data, with its contradictions refused."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_tui.cli.arguments import UsageError
from pi_tui.runtime.launch import Launch

_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

_EXCLUSIVE = (
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


class Options(Struct, kw_only=True):
    """One command line. None or empty where nothing was said."""

    print: bool = False
    mode: str | None = None
    demo: bool = False
    offline: bool = False
    verbose: bool = False
    continue_last: bool = False
    resume: bool = False
    session: str | None = None
    session_id: str | None = None
    fork: str | None = None
    session_dir: str | None = None
    no_session: bool = False
    name: str | None = None
    provider: str | None = None
    model: str | None = None
    models: str | None = None
    api_key: str | None = None
    thinking: str | None = None
    list_models: str | None = None
    """What to search for; empty lists them all."""
    tools: str | None = None
    exclude_tools: str | None = None
    no_tools: bool = False
    no_context_files: bool = False
    system_prompt: str | None = None
    append_system_prompt: list[str] = msgspec.field(default_factory=list)
    skill: list[str] = msgspec.field(default_factory=list)
    no_skills: bool = False
    prompt_template: list[str] = msgspec.field(default_factory=list)
    no_prompt_templates: bool = False
    approve: bool = False
    no_approve: bool = False
    theme: list[str] = msgspec.field(default_factory=list)
    no_themes: bool = False
    use_theme: str | None = None
    files: list[str] = msgspec.field(default_factory=list)
    """The `@files`, without the sign."""
    messages: list[str] = msgspec.field(default_factory=list)

    def launch(self, cwd: Path) -> Launch:
        """What the runtime is asked to open; relative paths are meant from `cwd`."""
        return Launch(
            cwd=cwd,
            continue_last=self.continue_last,
            session=self.session,
            fork=self.fork,
            resume=self.resume,
            session_id=self.session_id,
            session_dir=cwd / Path(self.session_dir).expanduser() if self.session_dir else None,
            in_memory=self.no_session or self.demo,
            name=self.name,
            provider=self.provider,
            model=self.model,
            models=_names(self.models),
            api_key=self.api_key,
            thinking=self.thinking,
            tools=[] if self.no_tools else _names(self.tools),
            exclude_tools=_names(self.exclude_tools) or [],
            context_files=not self.no_context_files,
            system_prompt=self.system_prompt,
            append_system_prompt=self.append_system_prompt,
            skills=self.skill,
            discover_skills=not self.no_skills,
            templates=self.prompt_template,
            discover_templates=not self.no_prompt_templates,
            approve=True if self.approve else False if self.no_approve else None,
            demo=self.demo,
            offline=self.offline or bool(os.environ.get("PI_OFFLINE")),
        )


def options_from(given: Mapping[str, object]) -> Options:
    """The options that `parse_arguments` found.

    Raises:
        UsageError: A value that does not fit, or two options that contradict.
    """
    options = msgspec.convert(given, Options)
    arguments = given["arguments"]
    assert isinstance(arguments, list)
    options.files = [text[1:] for text in arguments if text.startswith("@")]
    options.messages = [_legal(text) for text in arguments if not text.startswith("@")]
    _check(options)
    return options


def _check(options: Options) -> None:
    for one, other in _EXCLUSIVE:
        if _given(options, one) and _given(options, other):
            raise UsageError(f"{_spelled(one)} and {_spelled(other)} cannot be used together")
    _check_mode(options)
    if options.provider is not None and options.model is None:
        raise UsageError("--provider needs --model: it says where to look for that model")
    if options.api_key is not None and options.model is None and options.models is None:
        raise UsageError("--api-key needs --model, to know whose key it is")
    if options.session_id is not None and not _SESSION_ID.fullmatch(options.session_id):
        raise UsageError(
            "--session-id takes letters, digits, '.', '_' and '-', and begins and ends with no sign"
        )
    changes = [name[0] in "+-" for name in _names(options.tools) or []]
    if any(changes) and not all(changes):
        raise UsageError("--tools takes either plain names or +name and -name, not both")


def _check_mode(options: Options) -> None:
    if options.mode not in (None, "text", "json", "rpc"):
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


def _given(options: Options, field: str) -> bool:
    return getattr(options, field) not in (None, False)


def _spelled(field: str) -> str:
    return "--continue" if field == "continue_last" else "--" + field.replace("_", "-")


def _names(listed: str | None) -> list[str] | None:
    if listed is None:
        return None
    return [name for part in listed.split(",") if (name := part.strip())]


def _legal(text: str) -> str:
    """Text from the command line whose bytes were not UTF-8, made storable."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
