"""Markdown on an exported page: what it becomes, and that nothing of it gets lost."""

import pytest

from pi_tui.export.html.code import LEAST_PAGE_CODE, MAX_CODE, CodePainter, language_of
from pi_tui.export.html.markdown import MAX_MARKDOWN, MarkdownWriter
from tests.support.exported_page import Element, parse


def rendered(text: str) -> Element:
    return parse(str(MarkdownWriter(CodePainter()).html(text)))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("plain\n\nwords", ["p", "p"]),
        ("**a** *b* ~~c~~ `d`", ["p", "strong", "em", "s", "code"]),
        ("# one\n\n###### six", ["h2", "h6"]),
        ("## two\n\n### three\n\n## two", ["h2", "h3", "h2"]),
        ("1. a\n\n> b", ["ol", "li", "blockquote", "p"]),
        ("a  \nb", ["p", "br"]),
    ],
)
def test_markdown_becomes_the_elements_it_means(text: str, tags: list[str]) -> None:
    assert [element.tag for element in rendered(text)] == tags


def test_links_to_sites_are_links_that_give_nothing_away() -> None:
    (link,) = rendered("see [the page](https://example.com/a?b=1&c=2)").all("a")
    assert link.attributes == {"href": "https://example.com/a?b=1&c=2", "rel": "noopener noreferrer nofollow"}
    assert [one.attributes["href"] for one in rendered("at https://example.com/x now").all("a")] == [
        "https://example.com/x"
    ]


@pytest.mark.parametrize(
    "text", ["[here](docs/a.md)", "![shot](a.png)", "[x](javascript:alert(1))", "[x]: http:y"]
)
def test_what_leads_nowhere_is_shown_as_it_was_written(text: str) -> None:
    assert rendered(text).text.strip() == text


def test_an_image_from_elsewhere_is_named_and_linked() -> None:
    root = rendered("![a **lamp**](https://example.com/lamp.png)")
    assert not root.all("img")
    assert root.all("a")[0].attributes["href"] == "https://example.com/lamp.png"
    assert root.all("span", class_="image")[0].text == "a lamp"


def test_a_table_keeps_its_alignment() -> None:
    cells = rendered("| a | b |\n|---|--:|\n| 1 | 2 |").all("td")
    assert [cell.attributes.get("align") for cell in cells] == [None, "right"]


def test_a_fence_has_the_colours_of_its_language_and_keeps_its_text() -> None:
    code = 'if a < b and "</code>":\n\treturn None  # ü\n'
    root = rendered(f"```python\n{code}```")
    assert root.all("code")[0].text == code
    assert [span.text.strip() for span in root.all("span", class_="hk")] == ["if", "and", "return"]


@pytest.mark.parametrize("mark", ["[", "<", "![[](", "_a ", "a@b.c ", "www.example.com.", "://"])
def test_no_sign_is_lost_however_often_it_comes(mark: str) -> None:
    text = f"x {mark * 1_000}".strip()
    assert rendered(text).text.strip() == text


def test_text_longer_than_markdown_is_read_is_shown_as_it_was_written() -> None:
    text = "**a** " * (MAX_MARKDOWN // 6 + 1)
    root = rendered(text)
    assert not root.all("strong")
    assert root.text.strip() == text.strip()


def test_colours_end_where_the_allowance_of_a_page_ends() -> None:
    painter = CodePainter(10**9)
    piece = "x = 1\n" * (MAX_CODE // 6)
    painted = [str(painter.paint(piece, "python")) for _ in range(LEAST_PAGE_CODE // len(piece) + 1)]
    assert "<span" in painted[0] and "<span" not in painted[-1]
    assert parse(painted[0]).text == parse(painted[-1]).text == piece
    assert "<span" not in CodePainter().paint(piece + piece, "python")
    assert CodePainter().paint("<b>", "no such language") == "&lt;b&gt;"


def test_languages_are_known_by_the_names_of_files() -> None:
    assert language_of("a.py") == language_of("b.c.py") == "python"
    assert language_of("Makefile") == "make"
    assert language_of("what.is-this") == language_of("") == ""
