import base64
import os
import stat

import pytest

from pi_tui.tui.terminal.appearance import (
    appearance_of,
    color_depth,
    detect_appearance,
    parse_color_reply,
    relative_luminance,
)
from pi_tui.tui.terminal.clipboard import OSC52_LIMIT, copy_to_clipboard, local_tools, osc52
from pi_tui.tui.terminal.probe import read_answers


@pytest.mark.parametrize(
    ("reply", "color"),
    [
        ("rgb:0000/8080/ffff", (0, 128, 255)),
        ("rgb:00/80/ff", (0, 128, 255)),
        ("rgba:0000/0000/0000/ffff", (0, 0, 0)),
        ("rgb:f/f/f", (255, 255, 255)),
        ("#fdf6e3", (253, 246, 227)),
        ("nonsense", None),
        ("", None),
    ],
)
def test_colours_come_in_the_forms_of_x11(reply, color):
    assert parse_color_reply(reply) == color


def test_luminance_is_that_of_wcag():
    assert relative_luminance((255, 255, 255)) == pytest.approx(1)
    assert relative_luminance((0, 0, 0)) == 0
    assert relative_luminance((255, 0, 0)) == pytest.approx(0.2126)


@pytest.mark.parametrize(
    ("background", "expected"),
    [((0, 43, 54), "dark"), ((253, 246, 227), "light"), ((40, 44, 52), "dark"), ((200, 200, 200), "light")],
)
def test_solarized_and_others_are_what_people_call_them(background, expected):
    assert appearance_of(background) == expected


@pytest.mark.parametrize(
    ("background", "environ", "expected"),
    [
        ((255, 255, 255), {"COLORFGBG": "15;0"}, "light"),
        (None, {"COLORFGBG": "0;15"}, "light"),
        (None, {"COLORFGBG": "15;0"}, "dark"),
        (None, {"COLORFGBG": "12;default;8"}, "dark"),
        (None, {"COLORFGBG": "0;default"}, "dark"),
        (None, {}, "dark"),
    ],
)
def test_the_terminal_is_asked_first_then_the_environment_then_it_is_dark(background, environ, expected):
    assert detect_appearance(background, environ) == expected


@pytest.mark.parametrize(
    ("environ", "depth"),
    [
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "truecolor"),
        ({"TERM": "alacritty"}, "truecolor"),
        ({"TERM": "xterm-kitty"}, "truecolor"),
        ({"TERM": "linux"}, "standard"),
        ({"TERM": "screen.xterm-256color"}, "256"),
        ({}, "standard"),
    ],
)
def test_the_number_of_colours_is_known_from_the_names(environ, depth):
    assert color_depth(environ) == depth


def test_answers_are_taken_out_of_what_was_typed():
    answers = read_answers(b"he\x1b]11;rgb:ffff/ffff/ffff\x1b\\l\x1b[?5ulo\x1b[?62;22c\r")
    assert answers.colors == [("11", (255, 255, 255))]
    assert answers.kitty_keyboard is True
    assert answers.typed == b"hello\r"


def test_only_a_finished_answer_says_no():
    assert read_answers(b"").kitty_keyboard is None
    assert read_answers(b"\x1b[?1;2c").kitty_keyboard is False


def test_a_copy_goes_through_tmux():
    plain = osc52("héllo", {})
    assert plain == "\x1b]52;c;" + base64.b64encode("héllo".encode()).decode() + "\x07"
    wrapped = osc52("héllo", {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert wrapped.startswith(plain)
    assert wrapped.endswith("\x1bPtmux;" + plain.replace("\x1b", "\x1b\x1b") + "\x1b\\")


def test_what_is_too_long_for_the_terminal_is_said_when_no_tool_helps():
    written = []
    report = copy_to_clipboard("x" * OSC52_LIMIT, written.append, {})
    assert not report.ok
    assert "xclip" in report.text
    assert not written


def test_without_a_tool_the_terminal_gets_it_and_the_report_says_so():
    written = []
    report = copy_to_clipboard("text", written.append, {})
    assert report.ok
    assert "terminal" in report.text
    assert len(written) == 1


def test_nothing_is_not_copied():
    assert not copy_to_clipboard("", lambda _: None, {}).ok


def test_tools_are_those_of_the_machine():
    assert local_tools({}, "darwin") == [["pbcopy"]]
    assert [tool[0] for tool in local_tools({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux")] == [
        "wl-copy",
        "xclip",
        "xsel",
    ]
    assert local_tools({}, "linux") == []


@pytest.mark.parametrize("status", [0, 1])
def test_a_tool_that_fails_is_named(tmp_path, monkeypatch, status):
    tool = tmp_path / "xclip"
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/got\nexit {status}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr("sys.platform", "linux")
    report = copy_to_clipboard("téxt", lambda _: None, {"DISPLAY": ":0"})
    assert (tmp_path / "got").read_text() == "téxt"
    assert report.ok
    assert ("xclip: ended with status 1" in report.text) is bool(status)
