"""The settings that `/settings` offers: one table, from which the list and the questions are made."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pi_tui.llm.model import THINKING_LEVELS
from pi_tui.resources.settings import Settings

Choice: TypeAlias = str | bool

ON_OFF: Final = (True, False)
_DELIVERY: Final = ("one-at-a-time", "all")
_TREE_FILTERS: Final = ("default", "no-tools", "user-only", "labeled-only", "all")


class Row(NamedTuple):
    key: str
    """As it stands in the file, with dots for what is inside an object."""
    description: str
    choices: Sequence[Choice] = ()
    """What it can be; empty for what is typed."""
    is_number: bool = False


ROWS: Final = (
    Row("defaultThinkingLevel", "how much a model thinks in a new session", THINKING_LEVELS),
    Row("hideThinkingBlock", "hide what the model thinks", ON_OFF),
    Row("steeringMode", "steering messages that go along with one request", _DELIVERY),
    Row("followUpMode", "queued messages that are sent when a run ends", _DELIVERY),
    Row(
        "doubleEscapeAction",
        "what the key that stops does twice, in an empty editor",
        ("tree", "fork", "none"),
    ),
    Row("treeFilterMode", "what /tree shows at first", _TREE_FILTERS),
    Row("compaction.enabled", "compact a full context by itself", ON_OFF),
    Row("compaction.reserveTokens", "tokens that stay free", is_number=True),
    Row("compaction.keepRecentTokens", "newest tokens that are never summarised", is_number=True),
    Row("branchSummary.skipPrompt", "leave a branch without the question for a summary", ON_OFF),
    Row("retry.enabled", "try again when a provider fails for a while", ON_OFF),
    Row("retry.maxRetries", "how often", is_number=True),
    Row("images.autoResize", "make large images smaller before they are sent", ON_OFF),
    Row("images.blockImages", "never send images to a model", ON_OFF),
    Row("externalEditor", "the command that opens a prompt in your editor"),
    Row("autocompleteMaxVisible", "completions shown at a time, 3 to 20", is_number=True),
    Row("enableSkillCommands", "offer /skill:name while typing", ON_OFF),
    Row("defaultProjectTrust", "projects nobody decided about", ("ask", "always", "never")),
    Row("quietStartup", "what is not shown at the start", (False, True, "header")),
    Row("fullscreenCopyOnSelect", "copy what is selected with the mouse", ON_OFF),
    Row("httpIdleTimeoutMs", "milliseconds of silence that end a request, 0 for any", is_number=True),
    Row("httpProxy", "the proxy for requests to models"),
    Row("sessionDir", "the folder of session files"),
    Row("shellPath", "the shell of the bash tool"),
    Row("shellCommandPrefix", "what is put before each of its commands"),
)


def value_of(settings: Settings, key: str) -> object:
    """The value in use."""
    value: object = settings
    for name in key.split("."):
        value = getattr(value, _snake(name))
    return value


def stored_in(data: Mapping[str, Any], key: str) -> bool:
    """Whether the content of a settings file sets a key."""
    for name in key.split("."):
        if not isinstance(data, Mapping) or data.get(name) is None:
            return False
        data = data[name]
    return True


def shown(value: object) -> str:
    """A value as it is written in the list."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "not set" if value is None else str(value)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
