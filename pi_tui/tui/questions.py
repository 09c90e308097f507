"""Questions to the user, asked over the client; their screens are imported when the first one is asked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


class Answer(NamedTuple):
    """One of several to choose from; `value` is what the program calls it."""

    value: str
    label: str
    description: str = ""


async def pick(app: "PiApp", title: str, answers: Sequence[Answer], current: str | None = None) -> str | None:
    """The value of the answer the user chose; None if none.

    Args:
        app: The client.
        title: What is chosen.
        answers: In the order they are shown.
        current: The value in use; it is marked, and chosen at first.
    """
    from pi_tui.tui.picker.list import PickerItem
    from pi_tui.tui.picker.picker import Picker

    items = [
        PickerItem(one.value, one.label, one.description, marker="✓" if one.value == current else " ")
        for one in answers
    ]
    picker = Picker(title, items, palette=app.palette, bindings=app.setup.bindings, current=current)
    return await app.push_screen_wait(picker)


async def ask_text(app: "PiApp", title: str, *, value: str = "", secret: bool = False) -> str | None:
    """A line of text from the user; None if they did not want to. `secret` shows dots instead."""
    from pi_tui.tui.picker.dialogs import TextDialog

    dialog = TextDialog(title, palette=app.palette, bindings=app.setup.bindings, value=value, secret=secret)
    return await app.push_screen_wait(dialog)


async def confirm(app: "PiApp", title: str, message: str) -> bool:
    """Whether the user says yes."""
    from pi_tui.tui.picker.dialogs import ConfirmDialog

    dialog = ConfirmDialog(title, message, palette=app.palette, bindings=app.setup.bindings)
    return await app.push_screen_wait(dialog)
