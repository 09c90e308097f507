"""While something takes its time: what is going on, and Esc to stop it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.worker import Worker

from pi_tui.export.errors import ExportError
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.screen import BottomPanel
from pi_tui.tui.theme.palette import Palette

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

T = TypeVar("T")


class Waiting(BottomPanel[bool], Generic[T]):
    """Has some work done. It is dismissed with True when that has ended, and with False when it was stopped."""

    def __init__(
        self, title: str, text: str, work: Callable[[], Awaitable[T]], palette: Palette, bindings: KeyBindings
    ) -> None:
        super().__init__(title, palette, bindings)
        self.outcome: T | ExportError | None = None
        self._text = text
        self._work = work
        self._worker: Worker[None] | None = None

    def compose_body(self) -> ComposeResult:
        yield self.line("body", self._text, "text")

    def hint(self) -> str:
        return self.key_hint("tui.select.cancel", "stop")

    def on_mount(self) -> None:
        self._worker = self.run_worker(self._run(), name="work that is waited for")

    async def _run(self) -> None:
        done = False
        try:
            self.outcome = await self._work()
            done = True
        except ExportError as error:
            self.outcome = error
            done = True
        finally:
            self.dismiss(done)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if self._worker is not None and self.bindings.match("tui.select.cancel", event.key):
            self._worker.cancel()


async def while_waiting(app: "PiApp", title: str, text: str, work: Callable[[], Awaitable[T]]) -> T | None:
    """What some work gives, with a panel that tells of it and lets the user stop it; None if they did.

    Raises:
        ExportError: The work did.
    """
    panel = Waiting(title, text, work, app.palette, app.setup.bindings)
    if not await app.push_screen_wait(panel):
        return None
    if isinstance(panel.outcome, ExportError):
        raise panel.outcome
    return panel.outcome
