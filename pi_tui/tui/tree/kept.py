"""The outline of the session, made while nobody waits for it and kept from one look at the tree to the next."""

import asyncio
from importlib import import_module
from typing import Final

from pi_tui.session.log import SessionLog
from pi_tui.session.outline.outline import Outline

BREATH: Final = 0.01
"""Seconds that keys have between two slices of work nobody waits for."""


class KeptOutline:
    """One outline, of the session that was asked for last."""

    def __init__(self) -> None:
        self._outline: Outline | None = None

    def of(self, log: SessionLog) -> Outline:
        """The outline as it was left; call its `update`."""
        if self._outline is None or self._outline.log is not log:
            self._outline = Outline(log)
        return self._outline

    async def prepare(self, log: SessionLog) -> None:
        """Does in small slices what opening the tree would wait for."""
        outline = self.of(log)
        for _ in outline.read():
            await asyncio.sleep(BREATH)
        outline.update()
        await asyncio.to_thread(import_module, "pi_tui.tui.tree.moving")
