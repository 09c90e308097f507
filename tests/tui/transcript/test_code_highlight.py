"""Code is coloured line by line, as if it had been coloured whole."""

import pytest

from pi_tui.tui.transcript.highlight import MAX_LINE, Highlighter, Piece, language_of


def coloured(language: str, text: str) -> list[list[Piece]]:
    highlighter = Highlighter(language)
    return [highlighter.line(line) for line in text.split("\n")]


def token_of(language: str, text: str, part: str) -> str:
    for line in coloured(language, text):
        for piece in line:
            if part in piece.text:
                return piece.token
    raise AssertionError(f"{part!r} is not shown")


@pytest.mark.parametrize(
    ("language", "text", "part", "token"),
    [
        ("python", "def f(): pass", "def", "syntaxKeyword"),
        ("python", "x = 'a'", "'a'", "syntaxString"),
        ("python", '"""one\ntwo\nthree"""', "two", "syntaxString"),
        ("python", '"""one\ntwo"""\nx = 1', "1", "syntaxNumber"),
        ("js", "/* one\ntwo\n*/ let x", "two", "syntaxComment"),
        ("js", "/* one\ntwo\n*/ let x", "let", "syntaxKeyword"),
        ("js", "`one\ntwo`", "two", "syntaxString"),
        ("go", "/* one\ntwo */", "two", "syntaxComment"),
        ("css", "/* one\ntwo */", "two", "syntaxComment"),
        ("html", "<!-- one\ntwo -->", "two", "syntaxComment"),
        ("html", "<b>", "b", "syntaxKeyword"),
        ("bash", 'echo "one\ntwo"', "two", "syntaxString"),
        ("yaml", "key: value # note", "# note", "syntaxComment"),
        ("json", '{"a": true}', "true", "syntaxNumber"),
        ("diff", "-gone\n+new", "+new", "toolDiffAdded"),
        ("nosuch", "let x", "let x", ""),
        ("", "let x", "let x", ""),
    ],
)
def test_tokens(language: str, text: str, part: str, token: str) -> None:
    assert token_of(language, text, part) == token


def test_a_comment_sign_in_a_string_opens_no_comment() -> None:
    assert token_of("js", "x = '/*';\nlet y", "let") == "syntaxKeyword"


@pytest.mark.parametrize(
    "language", ["python", "js", "go", "html", "yaml", "bash", "json", "c", "php", "jinja"]
)
@pytest.mark.parametrize("text", ["'''", '"', "{% <b a='", "/*", "`${", "\\", "((([[[{{{", "<<EOF", "é中✅"])
def test_no_text_is_lost_or_made_up(language: str, text: str) -> None:
    lines = f"{text}\n{text} x\n\n{text}"
    assert ["".join(piece.text for piece in line) for line in coloured(language, lines)] == lines.split("\n")


def test_trying_a_line_changes_nothing() -> None:
    highlighter = Highlighter("python")
    highlighter.line('"""open')
    highlighter.fork().line('closed"""')
    assert highlighter.line("still text") == [Piece("still text", "syntaxString")]


def test_a_very_long_line_has_no_colours() -> None:
    line = "x = 1 " * MAX_LINE
    assert coloured("python", line) == [[Piece(line, "")]]


@pytest.mark.parametrize(
    ("name", "language"), [("a.py", "python"), ("b.ts", "typescript"), ("x.nosuch", ""), ("", "")]
)
def test_languages_by_file_name(name: str, language: str) -> None:
    assert language_of(name) == language
