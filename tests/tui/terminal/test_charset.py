import ast
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

import pi_tui
from pi_tui.tui.terminal.charset import encoder

UTF8 = {"LANG": "de_DE.UTF-8", "TERM": "xterm-256color"}
OWN_SIGNS = re.compile(r"[←-⟿⠀-⣿]")
"""Arrows, lines, blocks, shapes, dingbats, braille: what the client draws with."""


@pytest.mark.parametrize(
    ("environ", "written"),
    [
        ({}, "─ é ✓".encode()),
        (UTF8, "─ é ✓".encode()),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, b"- ? +"),
        ({"LC_CTYPE": "C.UTF-8"}, "─ é ✓".encode()),
        ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, b"- ? +"),
        ({"LANG": "de_DE.ISO-8859-1@euro"}, b"- ? +"),
        ({"LANG": "de_DE"}, "─ é ✓".encode()),
        ({"LANG": "de_DE.utf8", "TERM": "linux"}, "─ é +".encode()),
    ],
)
def test_the_locale_and_the_terminal_say_what_can_be_shown(environ, written):
    assert encoder(environ)("─ é ✓") == written


def test_a_character_that_cannot_be_shown_keeps_its_cells():
    encode = encoder({"LANG": "C"})
    for text in ("漢字", "e\u0301", "🎉 ok", "plain"):
        assert len(encode(text)) == cell_len(text)


def test_lone_surrogates_end_nothing():
    assert encoder(UTF8)("a\ud800b") == b"a?b"
    assert len(encoder({"LANG": "C"})("a\ud800b")) >= 2


def test_every_sign_the_client_draws_with_has_one_in_ascii():
    encode = encoder({"LANG": "C"})
    for path in (Path(pi_tui.__file__).parent / "tui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for sign in OWN_SIGNS.findall(node.value):
                    assert encode(sign) != b"?", (path.name, sign)
                    assert cell_len(sign) == 1, (path.name, sign)
