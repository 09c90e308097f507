"""While a branch is summarised: what is going on, and Esc to go back to the tree."""

from textual import events
from textual.app import ComposeResult

from pi_tui.runtime.branch_summary import BranchSummary, BranchSummaryStopped, summarise_branch
from pi_tui.runtime.session import AlreadyRunning, NoModel, Session
from pi_tui.runtime.summarising import SummaryFailed
from pi_tui.session.errors import SessionError
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.screen import BottomPanel
from pi_tui.tui.theme.palette import Palette

WORKING = "The branch you leave is being summarised …"


class SummaryWait(BottomPanel[BranchSummary | None]):
    """Has the summary made. Its result is None if the user stopped it, or has read why there is none."""

    def __init__(
        self, session: Session, leaf_id: str | None, focus: str, palette: Palette, bindings: KeyBindings
    ) -> None:
        super().__init__("Branch summary", palette, bindings)
        self._session = session
        self._leaf_id = leaf_id
        self._focus = focus
        self._failed = False

    def compose_body(self) -> ComposeResult:
        yield self.line("body", WORKING, "text")

    def hint(self) -> str:
        return self.key_hint("tui.select.cancel", "back to the tree, with nothing changed")

    def on_mount(self) -> None:
        self.run_worker(self._make(), name="branch summary")

    async def _make(self) -> None:
        try:
            self.dismiss(await summarise_branch(self._session, self._leaf_id, self._focus))
        except BranchSummaryStopped:
            self.dismiss(None)
        except (SummaryFailed, AlreadyRunning, NoModel, SessionError) as error:
            self._failed = True
            self.say("body", f"No summary: {error}")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if not self.bindings.match("tui.select.cancel", event.key):
            return
        if self._failed:
            self.dismiss(None)
        else:
            self._session.abort()
