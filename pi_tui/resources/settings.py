"""The settings, with the reference's names and defaults, merged from the user's file and the project's.

A project's file takes effect only once the project is trusted.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from pi_tui.llm.model import ThinkingLevel
from pi_tui.llm.problems import Problem, line_of
from pi_tui.resources.selection import absolute
from pi_tui.resources.settings_file import SettingsFileError, read_settings

DEFAULT_TOOLS = ("read", "bash", "edit", "write")

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0)]
Delivery: TypeAlias = Literal["one-at-a-time", "all"]


class _Section(Struct, rename="camel", kw_only=True):
    pass


class ProviderRetry(_Section):
    timeout_ms: Milliseconds | None = None
    """Milliseconds of silence that end a request to a model; `httpIdleTimeoutMs` where None, 0 for no limit."""
    max_retries: Count = 0
    max_retry_delay_ms: Milliseconds = 60_000
    """The longest wait a server may ask for; 0 for any."""


class Retry(_Section):
    enabled: bool = True
    max_retries: Count = 3
    base_delay_ms: Milliseconds = 2_000
    max_agent_delay_ms: Milliseconds = 60_000
    provider: ProviderRetry = msgspec.field(default_factory=ProviderRetry)


class Images(_Section):
    auto_resize: bool = True
    block_images: bool = False
    """Never send images to a model."""


class TokenBudgets(_Section):
    """Tokens; None leaves it to the settings for all models, and then to the size of the window."""

    reserve_tokens: Count | None = None
    """What stays free: a fuller context is compacted."""
    keep_recent_tokens: Count | None = None
    """The newest part that is not summarised."""


class Compaction(TokenBudgets):
    enabled: bool = True
    """Whether the context is compacted when it is full; `/compact` works in any case."""
    model_overrides: dict[str, TokenBudgets] = msgspec.field(default_factory=dict)
    """By `provider/modelId`."""

    def tokens_for(self, model: str) -> TokenBudgets:
        """What is set for a model; each figure of its own falls back on its own."""
        own = self.model_overrides.get(model, TokenBudgets())
        return TokenBudgets(
            reserve_tokens=self.reserve_tokens if own.reserve_tokens is None else own.reserve_tokens,
            keep_recent_tokens=(
                self.keep_recent_tokens if own.keep_recent_tokens is None else own.keep_recent_tokens
            ),
        )


class BranchSummary(_Section):
    reserve_tokens: Count | None = None
    """Tokens of the window that the summarised branch leaves free."""
    skip_prompt: bool = False
    """Do not ask for a summary when a branch is left; none is made."""


class Settings(_Section):
    default_provider: str | None = None
    default_model: str | None = None
    default_thinking_level: ThinkingLevel = "medium"
    model_thinking_levels: dict[str, ThinkingLevel] = msgspec.field(default_factory=dict)
    """By `provider/modelId`."""
    thinking_budgets: dict[str, Count] = msgspec.field(default_factory=dict)
    """Tokens by level."""
    enabled_models: list[str] = msgspec.field(default_factory=list)
    hide_thinking_block: bool = False

    steering_mode: Delivery = "one-at-a-time"
    follow_up_mode: Delivery = "one-at-a-time"
    external_editor: str | None = None
    double_escape_action: Literal["tree", "fork", "none"] = "tree"
    tree_filter_mode: Literal["default", "no-tools", "user-only", "labeled-only", "all"] = "default"
    compaction: Compaction = msgspec.field(default_factory=Compaction)
    branch_summary: BranchSummary = msgspec.field(default_factory=BranchSummary)
    default_project_trust: Literal["ask", "always", "never"] = "ask"

    default_tools: list[str] = msgspec.field(default_factory=lambda: list(DEFAULT_TOOLS))
    """Names of tools; every `+name` and `-name` of the files is already worked in."""
    shell_path: str | None = None
    shell_command_prefix: str | None = None

    session_dir: str | None = None

    theme: str = "system"
    themes: list[str] = msgspec.field(default_factory=list)
    """Theme files and folders, as `selection.Selection` takes them; the paths of this and the next two are absolute."""
    skills: list[str] = msgspec.field(default_factory=list)
    prompts: list[str] = msgspec.field(default_factory=list)
    enable_skill_commands: bool = True
    """Whether `/skill:name` is offered while one types; written in full it always works."""
    quiet_startup: bool | Literal["header"] = False
    fullscreen_copy_on_select: bool = True
    autocomplete_max_visible: Annotated[int, Meta(ge=3, le=20)] = 5
    images: Images = msgspec.field(default_factory=Images)

    http_proxy: str | None = None
    http_connect_timeout_ms: Milliseconds = 15_000
    http_idle_timeout_ms: Milliseconds | Literal["disabled"] = 300_000
    retry: Retry = msgspec.field(default_factory=Retry)

    @property
    def connect_timeout(self) -> float | None:
        """Seconds a connection may take; None for no limit."""
        return self.http_connect_timeout_ms / 1000 or None

    @property
    def idle_timeout(self) -> float | None:
        """Seconds of silence that end a request; None for no limit."""
        if self.retry.provider.timeout_ms is not None:
            return self.retry.provider.timeout_ms / 1000 or None
        if self.http_idle_timeout_ms in ("disabled", 0):
            return None
        assert isinstance(self.http_idle_timeout_ms, int)
        return self.http_idle_timeout_ms / 1000


USER_ONLY = ("defaultProjectTrust", "httpProxy")
"""Settings a project may not decide."""
_ADD_UP = ("skills", "prompts", "themes")
"""Lists of resources: the user's and the project's are all loaded."""


class LoadedSettings(Struct):
    settings: Settings
    problems: list[Problem]


def load_settings(user_file: Path, project_file: Path | None = None) -> LoadedSettings:
    """The settings of the user and, where it is trusted, of the project.

    A value that does not fit is reported with its file and key; what it would have replaced stays.
    """
    problems: list[Problem] = []
    user = _usable(user_file, problems)
    project = {} if project_file is None else _usable(project_file, problems)
    for key in USER_ONLY:
        if project.pop(key, None) is not None:
            problems.append(Problem(str(project_file), None, key, f"counts only in {user_file}; left out"))
    merged = _merged(user, project)
    tools = list(DEFAULT_TOOLS)
    for layer in (user, project):
        tools = change_selection(tools, layer.get("defaultTools"))
    merged["defaultTools"] = tools
    return LoadedSettings(msgspec.convert(merged, Settings), problems)


def misfit(key: str, value: object) -> str | None:
    """Why a value cannot be that of a setting; None if it can.

    Args:
        key: With dots for what is inside an object.
    """
    data: Any = value
    for name in reversed(key.split(".")):
        data = {name: data}
    found: list[str] = []
    _fitting(Settings, data, (), lambda keys, message: found.append(message.removesuffix("; left out")))
    return found[0] if found else None


def change_selection(selection: Sequence[str], entries: Sequence[str] | None) -> list[str]:
    """A selection of tools after a list of plain names (they replace it), `+name` and `-name` (in order)."""
    if entries is None:
        return list(selection)
    plain = [entry for entry in entries if entry[:1] not in ("+", "-")]
    changes = [entry for entry in entries if entry[:1] in ("+", "-")]
    chosen = plain if plain or not changes else list(selection)
    for change in changes:
        name = change[1:]
        if change[0] == "-":
            chosen = [one for one in chosen if one != name]
        elif name not in chosen:
            chosen = [*chosen, name]
    return chosen


def _usable(path: Path, problems: list[Problem]) -> dict[str, Any]:
    try:
        data, text = read_settings(path)
    except SettingsFileError as error:
        problems.append(Problem(str(path), error.line, "", f"{error}; none of it takes effect"))
        return {}

    def report(keys: Sequence[str], message: str) -> None:
        problems.append(Problem(str(path), line_of(text, keys), ".".join(keys), message))

    good = _fitting(Settings, data, (), report)
    return good | {key: absolute(good[key], path.parent) for key in _ADD_UP if key in good}


def _fitting(
    section: type[Struct],
    data: dict[str, Any],
    inside: tuple[str, ...],
    report: Callable[[Sequence[str], str], None],
) -> dict[str, Any]:
    """What of `data` has the right type. Keys we do not know are left out here; the file keeps them."""
    good: dict[str, Any] = {}
    for field in msgspec.structs.fields(section):
        key = field.encode_name
        if key not in data or data[key] is None:
            continue
        value, keys = data[key], (*inside, key)
        inner = field.type if isinstance(field.type, type) and issubclass(field.type, Struct) else None
        if inner is not None and isinstance(value, dict):
            good[key] = _fitting(inner, value, keys, report)
            continue
        try:
            msgspec.convert(value, field.type)
        except msgspec.ValidationError as error:
            report(keys, f"{_lower_first(str(error))}; left out")
        else:
            good[key] = value
    return good


def _merged(user: dict[str, Any], project: dict[str, Any]) -> dict[str, Any]:
    merged = dict(user)
    for key, value in project.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = _merged(before, value)
        elif key in _ADD_UP and isinstance(before, list):
            merged[key] = before + [one for one in value if one not in before]
        else:
            merged[key] = value
    return merged


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
