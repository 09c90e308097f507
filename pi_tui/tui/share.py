"""`/share`: this session as a page that whoever has its address can read."""

import asyncio
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pi_tui.export.errors import ExportError
from pi_tui.export.gist import create_gist, find_gh, refuse_too_large
from pi_tui.export.html import export_html
from pi_tui.export.secrets import FoundSecret, find_secrets
from pi_tui.session.log import SessionLog
from pi_tui.tui.picker.waiting import while_waiting
from pi_tui.tui.questions import Answer

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

TITLE = "Share this session"
MAX_TOLD = 20
"""Secrets that are told one by one."""
MAX_DESCRIPTION = 80
"""Characters of the session's name above the page."""

Choice = Literal["masked", "as it is"]

CLEAN_ANSWERS = (
    Answer("as it is", "share it", "all branches, with everything that tools read and printed"),
    Answer("", "do not share"),
)
FOUND_ANSWERS = (
    Answer("", "do not share"),
    Answer("masked", "share with these masked", "in the page; the session stays as it is"),
    Answer("as it is", "share it as it is"),
)


async def share_session(app: "PiApp", argument: str) -> None:
    """Looks for secrets, asks, and puts the page into a secret gist."""
    log = app.session.log
    try:
        if log.leaf_id is None:
            raise ExportError("there is nothing in this session yet")
        gh = find_gh()
        found = await while_waiting(
            app, TITLE, "Looking for keys, tokens and passwords …", lambda: _search(log)
        )
        choice = await _ask(app, found) if found is not None else None
        if found is None or choice is None:
            app.status.remark("nothing was shared")
            return
        masked = found if choice == "masked" else []
        address = await while_waiting(
            app, TITLE, "Putting the page into a secret gist …", lambda: _upload(app, log, gh, masked)
        )
    except ExportError as error:
        app.conversation.note(f"/share: {str(error).rstrip('.')}.", "error")
        return
    if address is None:
        app.status.remark("stopped; `gh gist list` shows whether a gist was made already", "warning")
        return
    app.conversation.note(
        f"This session is at {address}\n"
        "Whoever has this address can read it. It shows the page's source: download it and open it in a browser. "
        f"`gh gist delete {address.rpartition('/')[2]}` takes it back."
    )


async def _search(log: SessionLog) -> list[FoundSecret]:
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(find_secrets, log, given_up.is_set)
    finally:
        given_up.set()


async def _ask(app: "PiApp", found: Sequence[FoundSecret]) -> Choice | None:
    """How it is shared; None if it is not."""
    from pi_tui.tui.share_question import ShareQuestion

    lines = [f"{one.kind}  {one.masked}  in {one.place}" for one in found]
    if found:
        told = [*lines[:MAX_TOLD], *([f"and {len(found) - MAX_TOLD} more"] if len(found) > MAX_TOLD else [])]
        app.conversation.note("\n".join([f"This session seems to hold {_counted(found)}:", *told]), "warning")
        question = f"This session seems to hold {_counted(found)}. Share it as a secret gist?"
    else:
        question = "No key or password was found. Share this session as a secret gist?"
    answers = FOUND_ANSWERS if found else CLEAN_ANSWERS
    asked = ShareQuestion(question, lines, answers, palette=app.palette, bindings=app.setup.bindings)
    match await app.push_screen_wait(asked):
        case "masked":
            return "masked"
        case "as it is":
            return "as it is"
    return None


def _counted(found: Sequence[FoundSecret]) -> str:
    return "a secret" if len(found) == 1 else f"{len(found)} secrets"


async def _upload(app: "PiApp", log: SessionLog, gh: str, masked: Sequence[FoundSecret]) -> str:
    with tempfile.TemporaryDirectory(prefix="pi-share-") as folder:
        page = Path(folder) / f"pi-session-{log.id}.html"
        shown = log
        if masked:
            from pi_tui.export.masking import masked_copy

            shown = await asyncio.to_thread(masked_copy, log, masked, Path(folder) / "masked.jsonl")
        await export_html(shown, page, theme=app.palette)
        refuse_too_large(page)
        name = " ".join((shown.name or "").split())[:MAX_DESCRIPTION]
        return await create_gist(gh, page, name or "A session of pi")
