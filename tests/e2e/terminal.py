"""The pseudo-terminal with a screen: what a person in front of it would see."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pyte

from tests.e2e.pseudo_terminal import PATIENCE, PseudoTerminal
from tests.e2e.terminal_protocol import Cells, Frame, ScreenSwitch

ANY_SEQUENCE = re.compile(
    rb"\x1b(?:\[([?><=!]?)[0-9;:]*([ -/]*[@-~])"
    rb"|(\])([0-9]*)[^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|([PX^_])[^\x1b]*\x1b\\"
    rb"|([ -/]*[0-~]))"
)
FOREIGN_CONTROLS = re.compile(rb"[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]")
"""Control characters that a full-screen program has no use for; BS, TAB, LF, CR and ESC are left out."""


class Terminal(PseudoTerminal):
    """A pseudo-terminal with a main and an alternate screen.

    Output is parsed when someone looks, in the looker's thread: the program is not slowed down by it. A frame is
    seen whole or not at all, as on terminals that know synchronized updates.
    """

    def __init__(self, command: Sequence[str], *, columns: int = 120, rows: int = 40, **options: Any) -> None:
        """Takes what `PseudoTerminal` takes."""
        self._screens = [pyte.Screen(columns, rows) for _ in ("main", "alternate")]
        self._streams = [pyte.ByteStream(screen) for screen in self._screens]
        self._shown = 0
        self._looking = threading.RLock()
        self._pending: list[Cells | tuple[int, int]] = []
        super().__init__(command, columns=columns, rows=rows, **options)

    def wait_for(
        self, wanted: str | re.Pattern[str] | Callable[[str], bool], timeout: float = PATIENCE
    ) -> str:
        """Waits until the screen shows a text or pattern or satisfies a predicate; returns its text."""
        text = ""

        def seen() -> bool:
            nonlocal text
            text = self.screen_text()
            if isinstance(wanted, str):
                return wanted in text
            if isinstance(wanted, re.Pattern):
                return wanted.search(text) is not None
            return wanted(text)

        name = getattr(wanted, "__name__", None) if callable(wanted) else repr(wanted)
        self.wait_until(seen, timeout, f"screen with {name}")
        return text

    def submit(self, prompt: str) -> None:
        """Types a line, looks that it is there, and presses Enter, as a person does."""
        self.send(prompt)
        self.wait_for(prompt)
        self.press("enter")

    def screen_lines(self) -> list[str]:
        with self._looking:
            self._catch_up()
            return [line.rstrip() for line in self._screens[self._shown].display]

    def screen_text(self) -> str:
        """The visible screen, lines without trailing blanks."""
        return "\n".join(self.screen_lines())

    def screen_cells(self) -> list[list[pyte.screens.Char]]:
        """The visible screen, cell by cell with its colours; the second cell of a wide character is empty."""
        with self._looking:
            self._catch_up()
            screen = self._screens[self._shown]
            return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]

    def describe(self) -> str:
        return "\n".join(f"|{line}" for line in self.screen_lines())

    def resize(self, columns: int, rows: int) -> None:
        with self.changed:
            self._pending.append((columns, rows))
        super().resize(columns, rows)

    def cursor_position(self) -> tuple[int, int]:
        with self._looking:
            self._catch_up()
            cursor = self._screens[self._shown].cursor
            return cursor.y + 1, cursor.x + 1

    def sequences(self) -> Counter[str]:
        """How often each kind of control sequence was written: `CSI m`, `CSI ?h`, `OSC 8`, `ESC 7`, `DCS`."""
        kinds: Counter[str] = Counter()
        for private, final, osc, number, string, escape in ANY_SEQUENCE.findall(self.raw):
            if final:
                kinds[f"CSI {(private + final).decode()}"] += 1
            elif osc:
                kinds[f"OSC {number.decode()}"] += 1
            elif string:
                kinds[{b"P": "DCS", b"X": "SOS", b"^": "PM", b"_": "APC"}[string]] += 1
            else:
                kinds[f"ESC {escape.decode()}"] += 1
        return kinds

    def foreign_controls(self) -> set[bytes]:
        """Control characters outside of sequences that a program should never let through."""
        return set(FOREIGN_CONTROLS.findall(ANY_SEQUENCE.sub(b"", self.raw)))

    def _show(self, cells: list[Cells]) -> None:
        self._pending.extend(cells)

    def _catch_up(self) -> None:
        with self.changed:
            whole = len(self._pending) if self._output_ended else self._whole_frames()
            pending, self._pending = self._pending[:whole], self._pending[whole:]
        for item in pending:
            if isinstance(item, bytes):
                self._streams[self._shown].feed(item)
            elif isinstance(item, tuple):
                for screen in self._screens:
                    screen.resize(item[1], item[0])
            elif item is ScreenSwitch.ALTERNATE:
                self._shown = 1
                self._screens[1].reset()
            elif item is ScreenSwitch.MAIN:
                self._shown = 0

    def _whole_frames(self) -> int:
        """How much of what is pending can be shown: all, or up to the frame that is still being drawn."""
        for index in range(len(self._pending) - 1, -1, -1):
            match self._pending[index]:
                case Frame.BEGIN:
                    return index
                case Frame.END:
                    break
        return len(self._pending)
