"""Going on from another place of the tree: what is asked first, and what becomes of the editor."""

from typing import TYPE_CHECKING

from pi_tui.runtime.branch_summary import BranchSummary
from pi_tui.runtime.navigation import (
    NO_SUMMARY,
    SUMMARY_CHOICES,
    Destination,
    SummaryChoice,
    destination,
    label,
    left_behind,
    move_to,
)
from pi_tui.session.errors import SessionError
from pi_tui.tui.picker.dialogs import ConfirmDialog
from pi_tui.tui.picker.list import PickerItem
from pi_tui.tui.picker.picker import Picker
from pi_tui.tui.questions import ask_text
from pi_tui.tui.tree.screen import TreeDeeds, TreeScreen
from pi_tui.tui.tree.summary_wait import SummaryWait

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


def open_tree(app: "PiApp", argument: str = "") -> None:
    """Shows the session's tree."""
    log = app.session.log
    if not log.entry_ids:
        app.status.remark("there is nothing in this session yet")
        return

    outline = app.outlines.of(log)
    outline.update()

    async def go_to(entry_id: str) -> bool:
        return await go_on_from(app, entry_id)

    def set_label(entry_id: str, text: str) -> str | None:
        try:
            label(app.session, entry_id, text)
        except SessionError as error:
            return str(error)
        return None

    app.push_screen(
        TreeScreen(
            outline,
            TreeDeeds(go_to, set_label, app.put_on_clipboard),
            palette=app.palette,
            bindings=app.setup.bindings,
            mode=app.session.services.settings.tree_filter_mode,
        )
    )


async def go_on_from(app: "PiApp", entry_id: str) -> bool:
    """Moves to an entry after asking what there is to ask; False if the user wants to stay in the tree."""
    log = app.session.log
    goal = destination(log, entry_id)
    if goal.leaf_id == log.leaf_id and not goal.text and not goal.images:
        app.status.remark("the conversation is at this place already")
        return True
    if app.session.running and not await _stop_run(app):
        return False
    summary = None
    if left_behind(log, goal.leaf_id):
        choice = await _ask_for_summary(app)
        if choice is None:
            return False
        if choice.wanted:
            summary = await _summarised(app, goal, choice)
            if summary is None:
                return False
    take_to_editor(app, move_to(app.session, entry_id, summary))
    return True


async def _stop_run(app: "PiApp") -> bool:
    """Asks whether to stop the run that is going, and waits until it has."""
    stop = await app.push_screen_wait(
        ConfirmDialog(
            "A run is going",
            "It has to stop before the conversation can go on somewhere else. What came so far is kept.",
            palette=app.palette,
            bindings=app.setup.bindings,
            yes="stop it and go there",
            no="let it run",
        )
    )
    if not stop:
        return False
    app.session.abort()
    await app.session.wait_settled()
    app.give_back_queued()
    return True


async def _ask_for_summary(app: "PiApp") -> SummaryChoice | None:
    """What becomes of the branch that is left; None if the user wants to stay."""
    if app.session.services.settings.branch_summary.skip_prompt:
        return NO_SUMMARY
    items = [PickerItem(choice, choice.name, choice.description) for choice in SUMMARY_CHOICES]
    return await app.push_screen_wait(
        Picker("Summarise the branch you leave?", items, palette=app.palette, bindings=app.setup.bindings)
    )


async def _summarised(app: "PiApp", goal: Destination, choice: SummaryChoice) -> BranchSummary | None:
    """The summary of the branch that is left; None if the user goes back to the tree."""
    focus = ""
    if choice.focused:
        asked = await ask_text(app, "What should the summary mind?")
        if asked is None:
            return None
        focus = asked
    return await app.push_screen_wait(
        SummaryWait(app.session, goal.leaf_id, focus, app.palette, app.setup.bindings)
    )


def take_to_editor(app: "PiApp", goal: Destination) -> None:
    """Puts the text and images of the chosen message into the editor.

    A draft stays where it is if there is nothing to put there; else it becomes the newest prompt of the history.
    """
    editor = app.editor
    editor.focus()
    if not goal.text and not goal.images:
        app.status.remark("the conversation goes on from here")
        return
    draft = editor.markers.expand(editor.text).strip()
    editor.restore_prompt(goal.text, goal.images)
    if draft and draft != goal.text.strip():
        editor.remember(draft)
        app.status.remark("your draft is the newest prompt in the history: up brings it back")
    else:
        app.status.remark("change it and send it: a new branch begins here")
