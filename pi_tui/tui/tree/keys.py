"""The keys of the tree, and the line that tells them."""

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from pi_tui.session.outline.kinds import FilterMode
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.keys.names import readable_key
from pi_tui.tui.theme.palette import Palette

FILTER_ACTIONS: Final[dict[str, FilterMode]] = {
    "app.tree.filter.default": "default",
    "app.tree.filter.noTools": "no-tools",
    "app.tree.filter.userOnly": "user-only",
    "app.tree.filter.labeledOnly": "labeled-only",
    "app.tree.filter.all": "all",
}
LETTER_ACTIONS: Final = ("app.tree.editLabel", "app.tree.toggleLabelTimestamp")
"""On a key that is a letter too: once a search has begun, the letter belongs to it."""
ACTIONS: Final = (
    *FILTER_ACTIONS,
    *LETTER_ACTIONS,
    "app.tree.filter.cycleForward",
    "app.tree.filter.cycleBackward",
    "app.tree.foldOrUp",
    "app.tree.unfoldOrDown",
    "app.tree.previewUp",
    "app.tree.previewDown",
    "app.message.copy",
    "tui.select.up",
    "tui.select.down",
    "tui.select.pageUp",
    "tui.select.pageDown",
    "tui.select.confirm",
    "tui.select.cancel",
)
_HINTS: Final = (
    ("tui.select.confirm", "go there"),
    ("tui.select.cancel", "back"),
    ("app.tree.foldOrUp", "fold"),
    ("app.tree.editLabel", "label"),
    ("app.tree.filter.cycleForward", "filter"),
    ("app.message.copy", "copy"),
    ("app.tree.unfoldOrDown", "unfold"),
    ("app.tree.toggleLabelTimestamp", "label times"),
)
"""The most useful first: what does not fit is left out."""


def hint_line(bindings: KeyBindings, width: int, palette: Palette) -> Text:
    """As many of the keys as fit on one line."""
    line = Text()
    for part in _hints(bindings):
        added = f" · {part}" if line else part
        if line.cell_len + len(added) > width:
            break
        line.append(added, palette.style("dim"))
    return line


def _hints(bindings: KeyBindings) -> Iterable[str]:
    for action, text in _HINTS:
        keys = bindings.keys(action)
        if keys:
            yield f"{readable_key(keys[0])} {text}"
