"""Markdown that comes in pieces ends as the same Markdown that comes whole, and costs no more than its length."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.theme.palette import TOKENS, Palette
from pi_tui.tui.transcript import markdown as markdown_module
from pi_tui.tui.transcript.highlight import Highlighter
from pi_tui.tui.transcript.line import Line
from pi_tui.tui.transcript.markdown import MarkdownText
from pi_tui.tui.transcript.markdown_mend import mended
from pi_tui.tui.transcript.markdown_split import WINDOW

BASE = Style(color="#eeeeee")
PALETTE = Palette("streaming", "dark", {token: f"#8080{number:02x}" for number, token in enumerate(TOKENS)})

DOCUMENT = """# Title *em*

Para **bold** `code` [link](https://x.y/z) https://a.b/c.
Second line
Setext
===

- a
- b
  - c **d**

    more
- [x] done

+ other list
1. one
   ```python
   def f(): pass
   ```
2. two
> quote
lazy
> - inner

| a | b | c |
|---|:-:|--:|
| 1 | `2` | 3 |
text right after

```python
def f(x):
    \"\"\"doc
    more\"\"\"
    return x /* no */
```
~~~
```
not the end
~~~
    indented code

---
***
<b>html</b>
![image](https://x.y/i.png) end **open
"""


def streamed(chunks: list[str], looks: list[bool]) -> list[list[Segment]]:
    markdown = MarkdownText()
    for chunk, look in zip(chunks, looks, strict=True):
        markdown.append(chunk)
        if look:
            markdown.lines(50, PALETTE, BASE)
    markdown.finish()
    return contents(markdown.lines(50, PALETTE, BASE))


def contents(lines: list[Line]) -> list[list[Segment]]:
    return [list(line) for line in lines]


def whole(text: str) -> list[list[Segment]]:
    return streamed([text], [False])


def cut(text: str, seed: int) -> tuple[list[str], list[bool]]:
    chance = random.Random(seed)
    chunks: list[str] = []
    position = 0
    while position < len(text):
        size = chance.choice([1, 2, 3, 4, 7, 20, 200])
        chunks.append(text[position : position + size])
        position += size
    return chunks, [chance.random() < 0.6 for _ in chunks]


@pytest.mark.parametrize("seed", range(15))
def test_any_chunking_ends_as_the_whole(seed: int) -> None:
    assert streamed(*cut(DOCUMENT, seed)) == whole(DOCUMENT)


LINES = """text|- a|  - b|1. c|   d|    e|```|```py|~~~|> q|# h|---|===|***|[r]: /u|**b|`c|+|-|<div>|</div>|***x"""
TABLE_LINES = ["| a | b |", "|---|---|", "| 1 | 2 |", "", "", "\tt"]
markdown_lines = st.lists(st.sampled_from([*LINES.split("|"), *TABLE_LINES]), max_size=14)


@given(markdown_lines, st.integers(0, 1_000_000))
@settings(max_examples=120, deadline=None)
def test_any_lines_in_any_chunking_end_as_the_whole(lines: list[str], seed: int) -> None:
    text = "\n".join(lines)
    assert streamed(*cut(text, seed)) == whole(text)


LONG = {
    "paragraph": "word and `code` more **bold** text " * 300,
    "one word": "x" * 9_000,
    "list": "- item one `two` three\n" * 500,
    "loose list": "- item one\n\n  second paragraph\n\n" * 300,
    "table": "| a | b |\n|---|---|\n" + "| foo | bar baz |\n" * 500,
    "fence in a list": "- a\n  ```py\n" + "  x = 1\n" * 1_200 + "  ```\n- b\n",
    "quote": "> said and done\n" * 600,
    "fence": "```python\n" + "x = 1  # y\n" * 900 + "```\nafter",
    "fence of one line": "```\n" + "y" * 9_000,
}


@pytest.mark.parametrize("name", LONG)
def test_long_blocks_end_as_the_whole_too(name: str) -> None:
    text = LONG[name]
    assert len(text) > 2 * WINDOW
    chunks, looks = cut(text, 1)
    looks = [look and number % 30 == 0 for number, look in enumerate(looks)]
    assert streamed(chunks, looks) == whole(text)


def test_a_list_that_was_cut_shows_all_its_items() -> None:
    text = "\n".join(f"{number}. item {number}" for number in range(1, 800))
    shown = ["".join(segment.text for segment in line).strip() for line in whole(text)]
    assert [line for line in shown if line] == [f"{number}. item {number}" for number in range(1, 800)]


def test_a_table_that_was_cut_shows_its_head_once() -> None:
    shown = ["".join(segment.text for segment in line) for line in whole(LONG["table"])]
    assert sum(line.startswith("a ") for line in shown) == 1
    assert sum(line.startswith("foo") for line in shown) == 500


def test_code_within_a_list_that_was_cut_stays_code() -> None:
    shown = ["".join(segment.text for segment in line) for line in whole(LONG["fence in a list"])]
    assert sum("x = 1" in line and "│" in line for line in shown) == 1_200


def test_finished_blocks_are_never_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    original = markdown_module.parse
    monkeypatch.setattr(markdown_module, "parse", lambda source: parsed.append(source) or original(source))
    markdown = MarkdownText("first paragraph\n\n" + "second one\n\n")
    markdown.lines(50, PALETTE, BASE)
    parsed.clear()
    for word in ("third ", "grows ", "and ", "grows"):
        markdown.append(word)
        markdown.lines(50, PALETTE, BASE)
    assert not any("first" in source for source in parsed)


def test_the_lines_of_finished_blocks_are_the_same_objects() -> None:
    markdown = MarkdownText("first\n\n```python\nx = 1\ny = 2\n")
    before = list(markdown.lines(50, PALETTE, BASE))
    markdown.append("z = 3\n")
    after = markdown.lines(50, PALETTE, BASE)
    assert len(before) == 5
    assert all(old is new for old, new in zip(before, after[:5], strict=True))


@pytest.mark.parametrize("name", ["paragraph", "one word", "list", "table", "quote", "fence in a list"])
def test_a_repaint_parses_no_more_than_a_window(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    original = markdown_module.parse
    monkeypatch.setattr(
        markdown_module, "parse", lambda source: parsed.append(len(source)) or original(source)
    )
    markdown = MarkdownText()
    text = LONG[name]
    for position in range(0, len(text), 500):
        parsed.clear()
        markdown.append(text[position : position + 500])
        markdown.lines(100, PALETTE, BASE)
        assert sum(parsed) <= 2 * WINDOW


def test_an_open_fence_colours_only_its_new_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured: list[str] = []
    original = Highlighter.line
    monkeypatch.setattr(Highlighter, "line", lambda self, line: coloured.append(line) or original(self, line))
    markdown = MarkdownText("```python\n")
    for number in range(300):
        markdown.append(f"x = {number}\ny")
        markdown.lines(100, PALETTE, BASE)
        markdown.append(" = 0\n")
    assert len(coloured) < 300 * 3


@pytest.mark.parametrize(
    ("tail", "shown"),
    [
        ("some **bold te", "some **bold te**"),
        ("some **", "some"),
        ("some `co", "some `co`"),
        ("a *b", "a *b*"),
        ("2 * 3", "2 * 3"),
        ("snake_case", "snake_case"),
        ("see [docs](https://exa", "see docs"),
        ("see [do", "see do"),
        ("para\n-", "para"),
        ("para\n---", "para"),
        ("para\n1.", "para"),
        ("para\n\n##", "para\n"),
        ("text\n\n```py", "text\n"),
        ("| a | b |", "| a | b |\n|---|---|\n"),
        ("| a | b |\n|--", "| a | b |\n|---|---|\n"),
        ("whole line\n", "whole line\n"),
    ],
)
def test_open_markup_is_closed_or_held_back(tail: str, shown: str) -> None:
    assert mended(tail) == shown


def heights(text: str) -> list[int]:
    markdown = MarkdownText()
    found: list[int] = []
    for character in text:
        markdown.append(character)
        found.append(len(markdown.lines(40, PALETTE, BASE)))
    return found


def test_a_growing_text_does_not_jump_up_and_down() -> None:
    text = (
        "Intro line\n- item **bold** one\n- two `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## End\ntext\n"
    )
    found = heights(text)
    drops = [after - before for before, after in pairwise(found) if after < before]
    assert min(drops, default=0) >= -1
    assert len(drops) <= 2


def test_a_new_width_and_new_colours_render_all_anew(palette: Palette, other_palette: Palette) -> None:
    markdown = MarkdownText("one two three four five\n\n```py\nx = 1\n")
    wide = [line.text for line in markdown.lines(40, palette, BASE)]
    narrow = [line.text for line in markdown.lines(12, palette, BASE)]
    assert len(narrow) > len(wide)
    again = markdown.lines(40, other_palette, BASE)
    assert [line.text for line in again] == wide
    number = next(segment for line in again for segment in line if segment.text == "1")
    assert number.style is not None
    assert number.style.color == other_palette.style("syntaxNumber").color


def test_a_forgotten_text_renders_the_same_again(palette: Palette) -> None:
    markdown = MarkdownText(DOCUMENT)
    markdown.finish()
    before = contents(markdown.lines(50, palette, BASE))
    markdown.forget()
    assert contents(markdown.lines(50, palette, BASE)) == before
    assert markdown.source == DOCUMENT
