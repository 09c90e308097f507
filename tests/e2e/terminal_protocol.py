"""What a terminal keeps track of besides its cells: modes, keyboard protocols, and questions it is asked.

Sources: xterm's "Control Sequences" (DA, DSR, DECRQM, XTMODKEYS, XTWINOPS, OSC 10/11) and kitty's keyboard
protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

PROTOCOL_SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[[?><=][0-9;:]*[ -/]*[@-~]"  # private CSI: modes, kitty keys, queries
    rb"|\[[0-9;]*[ -/]+[@-~]"  # CSI with intermediates: cursor shape, soft reset
    rb"|\[[0-9;]*[cnt]"  # device attributes, status reports, window operations
    rb"|\[[0-9;]*:[0-9;:]*m"  # underline styles, which pyte would print
    rb"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC
    rb"|[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    rb")"
)
"""Every sequence that is not about cells: colours and cursor moves cost no more than a failed match."""

UNFINISHED_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;:?><= -/]*|[\]PX^_][^\x07\x1b]*\x1b?)?\Z")
LONGEST_UNFINISHED = 1 << 16
"""Bytes; an unended string longer than this is passed on as it is."""

ALTERNATE_SCREEN_MODES = (47, 1047, 1049)
GIVEN_BACK = {
    "alternate screen": ALTERNATE_SCREEN_MODES,
    "mouse reporting": (9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016),
    "focus events": (1004,),
    "bracketed paste": (2004,),
    "synchronized update": (2026,),
    "in-band resize": (2048,),
    "colour scheme reports": (2031,),
}
"""Modes that a program must have switched off when it leaves, by the name a failing test shows."""

KNOWN_MODES = {1, 7, 25, *(mode for modes in GIVEN_BACK.values() for mode in modes)} - {2048, 2031}


SYNCHRONIZED_UPDATE = 2026


class ScreenSwitch(Enum):
    ALTERNATE = auto()
    MAIN = auto()


class Frame(Enum):
    """Where a synchronized update begins and ends: what is in between is to be shown at once."""

    BEGIN = auto()
    END = auto()


Cells = bytes | ScreenSwitch | Frame


@dataclass
class TerminalModes:
    """What the program has switched on."""

    private: set[int] = field(default_factory=lambda: {7, 25})
    kitty_keyboard: dict[bool, list[int]] = field(default_factory=lambda: {False: [], True: []})
    """Stacks of flags of the main (False) and the alternate (True) screen."""
    modify_other_keys: int = 0

    @property
    def alternate_screen(self) -> bool:
        return any(mode in self.private for mode in ALTERNATE_SCREEN_MODES)

    @property
    def kitty_flags(self) -> int:
        stack = self.kitty_keyboard[self.alternate_screen]
        return stack[-1] if stack else 0

    def left_on(self) -> list[str]:
        """What a shell that gets the terminal now would suffer from; empty if it was given back."""
        left = [
            f"{name} (?{mode})"
            for name, modes in GIVEN_BACK.items()
            for mode in modes
            if mode in self.private
        ]
        if 25 not in self.private:
            left.append("cursor hidden")
        if 7 not in self.private:
            left.append("line wrap off")
        if depth := sum(map(len, self.kitty_keyboard.values())):
            left.append(f"kitty keyboard (depth {depth})")
        if self.modify_other_keys:
            left.append(f"modifyOtherKeys {self.modify_other_keys}")
        return left


class TerminalProtocol:
    """Sorts output into cells (for the screen), mode changes (kept here) and questions (answered)."""

    def __init__(
        self,
        *,
        size: Callable[[], tuple[int, int]],
        cursor: Callable[[], tuple[int, int]] = lambda: (1, 1),
        foreground: str = "d0d0d0",
        background: str = "101418",
        kitty_keyboard: bool = True,
    ) -> None:
        """`size` gives (columns, rows), `cursor` (row, column) from 1; colours are RRGGBB."""
        self.modes = TerminalModes()
        self._size = size
        self._cursor = cursor
        self._colours = {b"10": foreground, b"11": background, b"12": foreground}
        self._kitty = kitty_keyboard
        self._rest = b""

    def feed(self, data: bytes) -> tuple[list[Cells], bytes]:
        """Returns what concerns the screen, in order, and what the terminal answers."""
        data = self._rest + data
        self._rest = b""
        if (tail := UNFINISHED_SEQUENCE.search(data, max(0, len(data) - LONGEST_UNFINISHED))) is not None:
            self._rest = data[tail.start() :]
            data = data[: tail.start()]
        cells: list[Cells] = []
        answers: list[bytes] = []
        position = 0
        for match in PROTOCOL_SEQUENCE.finditer(data):
            if match.start() > position:
                cells.append(data[position : match.start()])
            position = match.end()
            sequence = match.group()
            was_alternate = self.modes.alternate_screen
            answers.append(self._answer(sequence))
            if self.modes.alternate_screen != was_alternate:
                cells.append(ScreenSwitch.MAIN if was_alternate else ScreenSwitch.ALTERNATE)
            elif re.fullmatch(rb"\x1b\[\?(?:1|3|5|6|7|25)[hl]", sequence):
                cells.append(sequence)
            elif sequence.startswith(b"\x1b[?%d" % SYNCHRONIZED_UPDATE) and sequence[-1:] in (b"h", b"l"):
                cells.append(Frame.BEGIN if sequence[-1:] == b"h" else Frame.END)
        if position < len(data):
            cells.append(data[position:])
        return cells, b"".join(answers)

    def _answer(self, sequence: bytes) -> bytes:
        if sequence.startswith(b"\x1b["):
            return self._control_sequence(sequence[2:])
        if sequence.startswith(b"\x1b]"):
            return self._colour_query(sequence[2:])
        if sequence.startswith(b"\x1bP+q"):
            return b"\x1bP0+r\x1b\\"
        if sequence.startswith(b"\x1bP$q"):
            return b"\x1bP0$r\x1b\\"
        return b""

    def _control_sequence(self, body: bytes) -> bytes:
        final = body[-1:]
        if body[:1] == b"?" and final in b"hl":
            self._set_modes(_numbers(body[1:-1]), on=final == b"h")
        elif body[:1] == b"?" and body.endswith(b"$p"):
            return self._mode_report(_numbers(body[1:-2]))
        elif final == b"u":
            return self._kitty_keyboard(body)
        elif body[:1] == b">" and final == b"m":
            numbers = _numbers(body[1:-1])
            if not numbers or numbers[0] == 4:
                self.modes.modify_other_keys = numbers[1] if len(numbers) > 1 else 0
        elif body == b"!p":
            self.modes = TerminalModes()
        return self._device_report(body)

    def _device_report(self, body: bytes) -> bytes:
        columns, rows = self._size()
        row, column = self._cursor() if body in (b"6n", b"?6n") else (1, 1)
        return {
            b"c": b"\x1b[?62;22c",
            b"0c": b"\x1b[?62;22c",
            b">c": b"\x1b[>1;10;0c",
            b">0c": b"\x1b[>1;10;0c",
            b">q": b"\x1bP>|pseudo-terminal 1\x1b\\",
            b">0q": b"\x1bP>|pseudo-terminal 1\x1b\\",
            b"5n": b"\x1b[0n",
            b"6n": b"\x1b[%d;%dR" % (row, column),
            b"?6n": b"\x1b[?%d;%d;1R" % (row, column),
            b"14t": b"\x1b[4;%d;%dt" % (rows * 20, columns * 10),
            b"16t": b"\x1b[6;20;10t",
            b"18t": b"\x1b[8;%d;%dt" % (rows, columns),
        }.get(body, b"")

    def _set_modes(self, modes: list[int], *, on: bool) -> None:
        if on:
            self.modes.private.update(modes)
        else:
            self.modes.private.difference_update(modes)

    def _mode_report(self, numbers: list[int]) -> bytes:
        mode = numbers[0] if numbers else 0
        state = 0 if mode not in KNOWN_MODES else 1 if mode in self.modes.private else 2
        return b"\x1b[?%d;%d$y" % (mode, state)

    def _kitty_keyboard(self, body: bytes) -> bytes:
        if not self._kitty:
            return b""
        stack = self.modes.kitty_keyboard[self.modes.alternate_screen]
        numbers = _numbers(body[1:-1])
        match body[:1]:
            case b">":
                stack.append(numbers[0] if numbers else 0)
            case b"<":
                del stack[max(0, len(stack) - (numbers[0] if numbers else 1)) :]
            case b"=" if numbers:
                stack[-1:] = [numbers[0]]
            case b"?":
                return b"\x1b[?%du" % self.modes.kitty_flags
        return b""

    def _colour_query(self, body: bytes) -> bytes:
        number, _, value = body.rstrip(b"\x07\x1b\\").partition(b";")
        if value != b"?" or number not in self._colours:
            return b""
        colour = self._colours[number]
        channels = "/".join(colour[i : i + 2] * 2 for i in (0, 2, 4)).encode()
        return b"\x1b]%b;rgb:%b\x1b\\" % (number, channels)


def _numbers(body: bytes) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in body.split(b";") if part]
