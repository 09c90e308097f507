"""The theme `system` in the real program: it takes the terminal's colours, and follows when they change."""

from __future__ import annotations

from collections.abc import Callable

from tests.e2e.terminal import Terminal

CYAN = "006464"
"""Dark enough to be read on white as it is."""


def answering(ansi: str) -> Callable[[bytes], bytes]:
    """What a white terminal answers whose 16 colours are all the same."""
    colours = {b"10": "000000", b"11": "ffffff"} | {b"4;%d" % number: ansi for number in range(16)}

    def answer(body: bytes) -> bytes:
        asked, _, mark = body.rstrip(b"\x07\x1b\\").rpartition(b";")
        if mark != b"?" or asked not in colours:
            return b""
        red, green, blue = (colours[asked][at : at + 2] for at in (0, 2, 4))
        return b"\x1b]%b;rgb:%b/%b/%b\x1b\\" % (asked, red.encode(), green.encode(), blue.encode())

    return answer


def inks(terminal: Terminal) -> set[str]:
    return {cell.fg for row in terminal.screen_cells() for cell in row if cell.data.strip()}


def test_the_colours_change_with_the_terminal(pi_terminal: Callable[..., Terminal]) -> None:
    terminal = pi_terminal("--demo", background="101418")
    terminal.wait_until(lambda: len(inks(terminal)) > 2, 10, "colours")
    assert CYAN not in inks(terminal)
    terminal._protocol._colour_query = answering(CYAN)  # type: ignore[method-assign]
    terminal.send("\x1b[?997;2n")
    terminal.wait_until(lambda: CYAN in inks(terminal), 10, "the terminal's own cyan")
    assert "997" not in terminal.screen_text()
    assert "rgb:" not in terminal.screen_text()
