"""What the templates draw: an entry and the blocks it is made of, as plain data."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass
class Prose:
    """Markdown that was cleaned, or text as it was written."""

    kind: ClassVar[str] = "prose"
    html: "Markup | str"
    verbatim: bool = False


@dataclass
class Folded:
    """What is closed until somebody opens it: thinking, a summary, a record's fields."""

    kind: ClassVar[str] = "folded"
    look: Literal["thinking", "summary", "record"]
    title: str
    note: str = ""
    html: "Markup | str" = ""
    verbatim: bool = False


@dataclass
class Image:
    kind: ClassVar[str] = "image"
    url: str | None
    """None: it is named, not shown."""
    name: str


@dataclass
class Note:
    """A line about what happened."""

    kind: ClassVar[str] = "note"
    text: str
    level: Literal["info", "error"] = "info"


@dataclass
class Tool:
    """A tool's call, its result, or the user's own command."""

    kind: ClassVar[str] = "tool"
    state: Literal["done", "failed", "pending"]
    title: list[tuple[str, str]]
    """Texts, each with its class."""
    outcome: str = ""
    command: "Markup | str" = ""
    """More of what was asked for than the title has room for."""
    diff: "Markup | str" = ""
    diff_lines: int = 0
    output: "Markup | str" = ""
    lines: int = 0
    """Lines of the output."""
    added: int = 0
    removed: int = 0
    images: list[Image] = field(default_factory=list)
    answers: str = ""
    """Id of the call, where no result is shown with it."""


Block: TypeAlias = Prose | Folded | Image | Note | Tool


@dataclass
class EntryView:
    """An entry as the page shows it."""

    id: str
    role: Literal["user", "assistant", "tool", "command", "custom", "summary", "record"]
    who: str
    time: str
    """ISO 8601; empty if unknown."""
    blocks: list[Block]
    label: str = ""
    note: str = ""

    @property
    def clock(self) -> str:
        """Hours and minutes, UTC."""
        return self.time[11:16] if len(self.time) >= 16 and self.time[10:11] == "T" else ""
