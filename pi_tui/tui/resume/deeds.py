"""What can be done with a session in the list beside opening it."""

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pi_tui.runtime.locate import title_of
from pi_tui.runtime.switching import is_current
from pi_tui.session.errors import SessionError
from pi_tui.session.housekeeping import TrashFailed, delete, rename, trash_command
from pi_tui.session.listing import SessionInfo
from pi_tui.tui.questions import ask_text, confirm

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp
    from pi_tui.tui.resume.screen import ResumeScreen


class SessionDeeds:
    """Renames and deletes for the resume picker, with the questions that go before."""

    def __init__(self, app: "PiApp") -> None:
        self._app = app

    async def rename(self, screen: "ResumeScreen", info: SessionInfo) -> None:
        """Asks for a name and stores it in the session's file."""
        written = await ask_text(self._app, "Name of the session (empty: none)", value=info.name or "")
        if written is None or written.strip() == (info.name or ""):
            return
        name = written.strip()
        try:
            if is_current(self._app.session, info.path):
                self._app.session.set_name(name)
            else:
                await asyncio.to_thread(rename, info.path, name)
            status = await asyncio.to_thread(info.path.stat)
        except (SessionError, OSError) as error:
            screen.remark(f"Not renamed: {error}")
            return
        screen.replace(replace(info, name=name or None, size=status.st_size, modified=status.st_mtime))

    async def delete(self, screen: "ResumeScreen", info: SessionInfo) -> None:
        """Deletes a session after a question; the open one cannot be deleted."""
        if is_current(self._app.session, info.path):
            screen.remark("This session is open here: it cannot be deleted.")
            return
        has_trash = await asyncio.to_thread(trash_command) is not None
        title = f"Delete “{title_of(info)}”?"
        where = "It goes to the trash." if has_trash else "It is deleted for good: there is no trash here."
        if not await confirm(self._app, title, where):
            return
        try:
            await self._delete(info)
        except (SessionError, OSError) as error:
            screen.remark(f"Not deleted: {error}")
            return
        if not info.path.exists():
            screen.drop(info.path)

    async def _delete(self, info: SessionInfo) -> None:
        try:
            await asyncio.to_thread(delete, info.path)
        except TrashFailed as failure:
            if await confirm(self._app, "Delete it for good?", str(failure)):
                await asyncio.to_thread(delete, info.path, for_good=True)
