"""The command line as typed data."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_tui.cli.arguments import names_in
from pi_tui.cli.contradictions import refuse_contradictions
from pi_tui.resources.paths import resolve
from pi_tui.runtime.launch import Launch

_TEXTS = ("name", "provider", "model", "models", "api_key", "tools", "exclude_tools", "system_prompt")
"""What is stored or sent, unlike the names of files."""


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
    export: str | None = None
    """A session file, or the beginning of an id."""
    completions: str | None = None
    """A shell."""
    tools: str | None = None
    exclude_tools: str | None = None
    no_tools: bool = False
    no_builtin_tools: bool = False
    no_extensions: bool = False
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
            session_dir=resolve(self.session_dir, cwd) if self.session_dir else None,
            in_memory=self.no_session or self.demo,
            name=self.name,
            provider=self.provider,
            model=self.model,
            models=names_in(self.models),
            api_key=self.api_key,
            thinking=self.thinking,
            tools=self._tools(),
            exclude_tools=names_in(self.exclude_tools) or [],
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

    def _tools(self) -> list[str] | None:
        wanted = names_in(self.tools)
        if self.no_tools:
            return []
        if not self.no_builtin_tools:
            return wanted
        # All tools there are so far are built in: the set that `+` and `-` change is empty.
        return [name.removeprefix("+") for name in wanted or [] if not name.startswith("-")]


def options_from(given: Mapping[str, object]) -> Options:
    """The options that `parse_arguments` found.

    Raises:
        UsageError: A value that does not fit, or two options that contradict.
    """
    options = msgspec.convert(given, Options)
    arguments = given["arguments"]
    assert isinstance(arguments, list)
    for field in _TEXTS:
        if (text := getattr(options, field)) is not None:
            setattr(options, field, _legal(text))
    options.append_system_prompt = [_legal(text) for text in options.append_system_prompt]
    options.files = [text[1:] for text in arguments if text.startswith("@")]
    options.messages = [_legal(text) for text in arguments if not text.startswith("@")]
    refuse_contradictions(options)
    return options


def _legal(text: str) -> str:
    """Text from the command line whose bytes were not UTF-8, made storable."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
