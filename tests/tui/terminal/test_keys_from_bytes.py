"""What terminals send, and which key that is.

Sources: xterm's ctlseqs and "modified keys" pages, the kitty keyboard protocol's specification, rxvt's and
the Linux console's tables.
"""

import pytest
from textual import events

from pi_tui.tui.terminal.appearance import Appearance
from pi_tui.tui.terminal.events import TerminalAppearance, TerminalColorsTold, TerminalFocus
from pi_tui.tui.terminal.input import InputParser, looks_pasted


def read(*reads: str, flush: bool = True) -> list:
    parser = InputParser()
    found = [event for data in reads for event in parser.feed(data)]
    return [*found, *parser.flush()] if flush else found


def keys(*reads: str) -> list[str]:
    return [event.key for event in read(*reads) if isinstance(event, events.Key)]


LEGACY = {
    "a": "a",
    "A": "A",
    " ": "space",
    "é": "é",
    "/": "slash",
    "\r": "enter",
    "\n": "ctrl+j",
    "\t": "tab",
    "\x7f": "backspace",
    "\x01": "ctrl+a",
    "\x1a": "ctrl+z",
    "\x1f": "ctrl+underscore",
    "\x1d": "ctrl+right_square_bracket",
    "\x1b": "escape",
    "\x1b\x1b": "escape escape",
    "\x1b\r": "alt+enter",
    "\x1b\n": "alt+ctrl+j",
    "\x1b\x7f": "alt+backspace",
    "\x1bb": "alt+b",
    "\x1bf": "alt+f",
    "\x1bd": "alt+d",
    "\x1by": "alt+y",
    "\x1bB": "alt+shift+b",
    "\x1b\x1d": "alt+ctrl+right_square_bracket",
    "\x1b[": "alt+left_square_bracket",
    "\x1bO": "alt+shift+o",
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[Z": "shift+tab",
    "\x1b[H": "home",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[3~": "delete",
    "\x1b[5~": "pageup",
    "\x1b[1;3A": "alt+up",
    "\x1b[1;5D": "ctrl+left",
    "\x1b[1;6A": "ctrl+shift+up",
    "\x1b[1;5H": "ctrl+home",
    "\x1b[3;3~": "alt+delete",
    "\x1b\x1b[A": "alt+up",
    "\x1b[15;5~": "ctrl+f5",
    "\x1bOP": "f1",
    "\x1b[[A": "f1",
    "\x1b[1;2R": "shift+f3",
}
MODIFY_OTHER_KEYS = {
    "\x1b[27;2;13~": "shift+enter",
    "\x1b[27;3;13~": "alt+enter",
    "\x1b[27;5;13~": "ctrl+enter",
    "\x1b[27;6;13~": "ctrl+shift+enter",
    "\x1b[27;5;45~": "ctrl+minus",
    "\x1b[27;6;80~": "ctrl+shift+p",
    "\x1b[27;5;9~": "ctrl+tab",
    "\x1b[27;5;127~": "ctrl+backspace",
    "\x1b[27;5;47~": "ctrl+slash",
    "\x1b[27;5;106~": "ctrl+j",
}
KITTY = {
    "\x1b[13u": "enter",
    "\x1b[13;2u": "shift+enter",
    "\x1b[13;3u": "alt+enter",
    "\x1b[13;5u": "ctrl+enter",
    "\x1b[27u": "escape",
    "\x1b[9;2u": "shift+tab",
    "\x1b[127;3u": "alt+backspace",
    "\x1b[97;5u": "ctrl+a",
    "\x1b[98;3u": "alt+b",
    "\x1b[112:80;6u": "ctrl+shift+p",
    "\x1b[107;9u": "super+k",
    "\x1b[45;5u": "ctrl+minus",
    "\x1b[47:63;6u": "ctrl+question_mark",
    "\x1b[1089::99;5u": "ctrl+c",  # Ctrl and the key of C on a Russian layout
    "\x1b[57414u": "enter",  # on the keypad
    "\x1b[57400u": "1",
    "\x1b[1;1:1A": "up",
    "\x1b[97;5:2u": "ctrl+a",  # held down
    "\x1b[97;5:3u": "",  # let go
    "\x1b[57441;2u": "",  # Shift by itself
    "\x1b[32;2u": "space",
    "\x1b[97;129u": "a",  # num lock is no modifier
}


@pytest.mark.parametrize(
    ("sent", "key"), [*LEGACY.items(), *MODIFY_OTHER_KEYS.items(), *KITTY.items()], ids=repr
)
def test_a_key_is_known_by_what_the_terminal_sends(sent, key):
    assert " ".join(keys(sent)) == key


@pytest.mark.parametrize("sent", [*LEGACY, *MODIFY_OTHER_KEYS, *KITTY], ids=repr)
def test_a_key_is_the_same_in_whatever_pieces_it_is_read(sent):
    assert keys(*sent) == keys(sent)


@pytest.mark.parametrize(
    "noise",
    [
        "\x1b[?62;4c",
        "\x1b[?5u",
        "\x1b[>0;276;0c",
        "\x1bP1$r0m\x1b\\",
        "\x1b]10;rgb:0/0/0\x07",
        "\x1b_Gi=1;OK\x1b\\",
    ],
    ids=repr,
)
def test_answers_nobody_asked_for_never_become_text(noise):
    assert keys("a" + noise + "b") == ["a", "b"]
    assert keys(*("a" + noise + "b")) == ["a", "b"]


def test_the_torso_of_a_sequence_never_becomes_text():
    assert keys("\x1b[<35;4") == []
    assert keys("\x1b[27;2") == []


def test_an_endless_answer_is_thrown_away():
    assert keys("\x1b]11;" + "x" * 100_000, "y") == ["y"]


def test_typed_text_carries_its_characters():
    assert [event.character for event in read("aß👍")] == ["a", "ß", "👍"]


def test_a_paste_is_one_piece_however_it_is_read():
    sent = "x\x1b[200~A\r\n\x1b[Bé\x1b[201~y"
    for reads in ([sent], list(sent), [sent[:9], sent[9:]]):
        x, paste, y = read(*reads)
        assert (x.key, paste.text, y.key) == ("x", "A\r\n\x1b[Bé", "y")


def test_a_paste_whose_end_never_comes_is_not_lost():
    (paste,) = read("\x1b[200~half")
    assert paste.text == "half"


def test_a_large_paste_is_read_at_once():
    text = "line of text\n" * 200_000
    (paste,) = read("\x1b[200~" + text + "\x1b[201~")
    assert paste.text == text


@pytest.mark.parametrize(
    ("data", "pasted"),
    [
        ("A\rB", True),
        ("first\nsecond\nthird\nfourth\n", True),
        ("text", False),
        ("y\r", False),
        ("/quit\r", False),
        ("one\rtwo\r", False),
        ("\r", False),
        ("a\x1b[Ab\rc", False),
    ],
)
def test_a_paste_without_brackets_does_not_submit_its_first_line(data, pasted):
    assert looks_pasted(data) is pasted
    assert isinstance(read(data)[0], events.Paste) is pasted


def test_the_focus_of_the_terminal_does_not_restyle_the_app():
    inward, outward = read("\x1b[I\x1b[O")
    assert isinstance(inward, TerminalFocus)
    assert (inward.focused, outward.focused) == (True, False)


@pytest.mark.parametrize(
    ("reply", "appearance"),
    [
        ("\x1b[?997;1n", "dark"),
        ("\x1b[?997;2n", "light"),
    ],
    ids=repr,
)
def test_a_terminal_that_becomes_light_or_dark_is_an_event_and_no_text(reply: str, appearance: Appearance):
    a, event, b = read("a" + reply + "b")
    assert isinstance(event, TerminalAppearance)
    assert event.appearance == appearance
    assert (a.key, b.key) == ("a", "b")


def test_late_answers_about_colours_are_one_event_and_no_text():
    a, event, b = read(
        "a\x1b]10;rgb:0000/0000/0000\x07\x1b]11;rgb:fd/f6/e3\x1b\\\x1b]4;12;#0000ff\x07\x1b[?62;22cb"
    )
    assert isinstance(event, TerminalColorsTold)
    assert event.replies == [("10", (0, 0, 0)), ("11", (253, 246, 227)), ("4;12", (0, 0, 255))]
    assert (a.key, b.key) == ("a", "b")


def test_an_answer_about_the_terminal_alone_tells_no_colours():
    assert [event.key for event in read("a\x1b[?62;22cb")] == ["a", "b"]


def test_mouse_and_resize_are_read():
    down, up, scroll, resize = read("\x1b[<0;5;3M\x1b[<0;5;3m\x1b[<64;1;1M\x1b[48;30;100;600;1000t")
    assert (type(down), down.x, down.y) == (events.MouseDown, 4, 2)
    assert isinstance(up, events.MouseUp)
    assert isinstance(scroll, events.MouseScrollUp)
    assert resize.size == (100, 30)


def test_only_what_may_be_a_key_is_waited_for_shortly():
    parser = InputParser()
    assert parser.patience is None
    list(parser.feed("\x1b"))
    short = parser.patience
    list(parser.feed("[1;"))
    long = parser.patience
    assert short is not None
    assert long is not None
    assert short <= 0.1 < long
