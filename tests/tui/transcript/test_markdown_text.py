"""What Markdown looks like."""

import pytest
from rich.style import Style

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.line import Line
from pi_tui.tui.transcript.markdown import MarkdownText
from tests.tui.transcript.unwrapped import copied_text

BASE = Style(color="#eeeeee")


def lines_of(text: str, palette: Palette, width: int = 60) -> list[Line]:
    markdown = MarkdownText(text)
    markdown.finish()
    return markdown.lines(width, palette, BASE)


def shown(text: str, palette: Palette, width: int = 60) -> str:
    return "\n".join(line.text.rstrip() for line in lines_of(text, palette, width))


def style_of(text: str, part: str, palette: Palette) -> Style:
    for line in lines_of(text, palette):
        for segment in line:
            if part in segment.text:
                assert segment.style is not None
                return segment.style
    raise AssertionError(f"{part!r} is not shown")


def test_paragraphs_keep_their_line_breaks_and_are_set_apart(palette: Palette) -> None:
    assert shown("one\ntwo\n\nthree", palette) == "one\ntwo\n\nthree"


def test_a_heading_stands_close_to_its_text(palette: Palette) -> None:
    assert shown("intro\n\n## Title\n\ntext", palette) == "intro\n\nTitle\ntext"
    style = style_of("## Title", "Title", palette)
    assert style.bold
    assert style.color == palette.style("mdHeading").color


def test_emphasis_sets_attributes(palette: Palette) -> None:
    text = "**bold** *italic* ~~gone~~ `code`"
    assert style_of(text, "bold", palette).bold
    assert style_of(text, "italic", palette).italic
    assert style_of(text, "gone", palette).strike
    assert style_of(text, "code", palette).color == palette.style("mdCode").color


def test_lists_nest_and_number(palette: Palette) -> None:
    text = "- a\n- b\n  - c\n\n3. x\n4. y"
    assert shown(text, palette) == "• a\n• b\n  • c\n\n3. x\n4. y"


def test_numbers_of_a_long_list_line_up(palette: Palette) -> None:
    text = "\n".join(f"{number}. x" for number in range(1, 11))
    assert shown(text, palette).split("\n")[0] == " 1. x"
    assert shown(text, palette).split("\n")[-1] == "10. x"


def test_tasks_show_their_boxes(palette: Palette) -> None:
    assert shown("- [x] done\n- [ ] open", palette) == "☑ done\n☐ open"


def test_a_wrapped_item_is_indented(palette: Palette) -> None:
    assert shown("- one two three four five six", palette, 18) == "• one two three\n  four five six"


def test_quotes_have_a_bar(palette: Palette) -> None:
    assert shown("> said\n> so", palette) == "▎ said\n▎ so"


def test_code_has_its_language_and_a_bar(palette: Palette) -> None:
    assert shown("```python\nx = 1\n\ty\n```", palette) == "python\n│ x = 1\n│     y"
    assert style_of("```python\nx = 1\n```", "1", palette).color == palette.style("syntaxNumber").color


def test_code_of_an_unknown_language_is_shown_plainly(palette: Palette) -> None:
    assert style_of("```nosuch\nx = 1\n```", "x = 1", palette).color == palette.style("mdCodeBlock").color


def test_a_table_that_fits_has_columns(palette: Palette) -> None:
    table = "| a | b |\n|---|--:|\n| one | 2 |\n| three | 44 |"
    assert shown(table, palette) == "a     │  b\n──────┼───\none   │  2\nthree │ 44"


def test_a_table_shrinks_its_widest_columns_first(palette: Palette) -> None:
    table = "| k | text |\n|---|---|\n| id | some words that are too long to fit here |"
    rows = shown(table, palette, 30).split("\n")
    assert rows[0].startswith("k  │ ")
    assert all(len(row) <= 30 for row in rows)
    assert " ".join(row[5:].strip() for row in rows[2:]) == "some words that are too long to fit here"


def test_a_table_too_narrow_for_columns_becomes_records(palette: Palette) -> None:
    table = "| name | value |\n|---|---|\n| alpha beta | 1 |\n| gamma delta | 2 |"
    assert shown(table, palette, 12).startswith("name: alpha\nbeta\nvalue: 1")


def test_links_can_be_clicked_and_say_where_they_go(palette: Palette) -> None:
    text = "see [docs](https://example.com/a) now"
    assert shown(text, palette) == "see docs (https://example.com/a) now"
    assert style_of(text, "docs", palette).link == "https://example.com/a"


def test_a_bare_address_is_a_link_without_the_full_stop(palette: Palette) -> None:
    text = "at https://example.com/a_b(c)?q=1. Then (https://x.org/y)."
    assert style_of(text, "example", palette).link == "https://example.com/a_b(c)?q=1"
    assert style_of(text, "x.org", palette).link == "https://x.org/y"
    assert shown(text, palette, 80) == text


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "ssh://host", "vscode://x", "/etc/passwd"]
)
def test_other_schemes_are_never_links(url: str, palette: Palette) -> None:
    assert not any(
        segment.style and segment.style.link for line in lines_of(f"[x]({url})", palette) for segment in line
    )


def test_an_address_cannot_carry_an_escape(palette: Palette) -> None:
    text = "[x](<https://a.b/\x1b]0;t\x07\u202e>)"
    links = [segment.style.link for line in lines_of(text, palette) for segment in line if segment.style]
    assert links
    assert all(link is None or (link.isascii() and link.isprintable()) for link in links)


@pytest.mark.parametrize(
    "text", ["&#27;[31m", "&#x202e;abc", "\x1b[31mred", "a\x00b", "`\x1b[2J`", "```\n\x1b[2J\n```"]
)
def test_markup_cannot_make_controls(text: str, palette: Palette) -> None:
    for line in lines_of(text, palette):
        assert line.text.isprintable()


def test_textual_markup_is_text(palette: Palette) -> None:
    assert (
        shown("[red]x[/red] [/foo] [@click=app.quit]y[/]", palette)
        == "[red]x[/red] [/foo] [@click=app.quit]y[/]"
    )


def test_html_is_text(palette: Palette) -> None:
    assert shown("<b>x</b>\n\n<script>y</script>", palette) == "<b>x</b>\n\n<script>y</script>"


def test_code_is_copied_without_bar_and_wrapping(palette: Palette) -> None:
    code = "def f():\n    return 'a long line that does not fit on this narrow screen'"
    lines = lines_of(f"```python\n{code}\n```", palette, 24)
    assert copied_text(lines[1:]) == code


def test_a_paragraph_is_copied_unwrapped(palette: Palette) -> None:
    text = "some words that will be wrapped several times on this screen"
    assert copied_text(lines_of(text, palette, 15)) == text


@pytest.mark.parametrize("width", range(1, 11))
def test_everything_fits_on_narrow_screens(width: int, palette: Palette) -> None:
    text = (
        "# Title 中文\n\n- item ✅ one\n  1. two\n\n> quote ㅤㅤ✅\n\n| a | b |\n|---|---|\n| 1 | 👨‍👩‍👧 |\n\n"
        "```python\nprint('中文')\n```\n\n---\n\n[link](https://example.com/long/path) `code`\n\n- [x] ㅤㅤ✅"
    )
    markdown = MarkdownText(text)
    for finished in (False, True):
        if finished:
            markdown.finish()
        for line in markdown.lines(width, palette, BASE):
            assert line.within(width).cell_length <= width


def test_muted_text_has_one_style(palette: Palette) -> None:
    markdown = MarkdownText("# T\n\n`c` [l](https://a.b)\n", muted=True)
    markdown.finish()
    colours = {
        segment.style.color for line in markdown.lines(40, palette, BASE) for segment in line if segment.style
    }
    assert colours == {BASE.color}


def test_deep_nesting_is_bounded(palette: Palette) -> None:
    assert shown("> " * 500 + "x", palette)
    assert shown("[" * 5_000 + "x", palette)
    assert shown("".join("  " * depth + "- x\n" for depth in range(100)), palette)
