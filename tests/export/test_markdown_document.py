"""The Markdown of a session: everything that was said, and nothing said that changes the document."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pi_tui.export.markdown import markdown_of
from pi_tui.export.markdown_text import fence, nested, quoted
from pi_tui.llm.messages import (
    AssistantMessage,
    BashExecutionMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.session.log import SessionLog

READER = MarkdownIt("commonmark", {"html": True}).enable("table")
"""As a browser's renderer reads it: HTML counts."""

OUR_HTML = {"<details>", "</details>"}

HOSTILE = [
    "<script>alert(1)</script>",
    "</details></details>\n\n## Forged heading",
    "text\n# One\n## Two\n\nThree\n===\n\nFour\n---\n",
    "- ## in a list\n> # in a quote\n> - # in both\n\n1) # numbered",
    "two lines\nof a heading\n----",
    "```\nnever closed\n\n## swallowed?",
    "~~~~\n~~~\n## inside",
    "````py\n```\n</details>\n````\n<b>after</b>",
    "`` ` <i> `` and `open <img src=x onerror=alert(1)>",
    "| a | b |\n|--|--|\n| `a | <img src=x> ` |",
    r"\<b> \\<i> \`<u>`",
    "<!-- a comment that does not end",
    "<![CDATA[ <?php <!DOCTYPE x",
    "<https://example.com> <a@example.com>",
    "[x]: <javascript:alert(1)>\n[x]",
    "    <indented>\n\n<div>\n",
    "- a\n\n      <code in a list>\n\n  <p>",
    "\x1b[31mred\x1b[0m \x00 \x9b31m\u202e",
    "a\r\n## b\r<c>",
    "> lazy\ncontinued\n===\n",
    "===\n---\n***",
    "\t## tab\n \t> ## x",
    "`a\n\n<b>`",
    "- `a\n- <b>`",
    "``~~~`\n<!--`",
    "```\n```\n    ",
]


def session(*messages: object) -> SessionLog:
    log = SessionLog.create(Path("/srv/project"), None, session_id="s1")
    for message in messages:
        log.append_message(message)  # type: ignore[arg-type]
    return log


def document(log: SessionLog) -> str:
    return "".join(markdown_of(log))


def shape(markdown: str) -> tuple[list[str], list[str]]:
    """The headings of the first two levels, wherever they stand, and all HTML that is meant as such."""
    tokens = READER.parse(markdown)
    headings = [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in ("h1", "h2")
    ]
    html = [token.content for token in tokens if token.type == "html_block"]
    html += [
        child.content for token in tokens for child in token.children or () if child.type == "html_inline"
    ]
    return headings, html


def everything(text: str) -> SessionLog:
    """A session in which a text is in every place that a model, a tool or a user can write to."""
    log = session(
        UserMessage(text),
        AssistantMessage(
            [
                ThinkingContent(text),
                TextContent(text),
                ToolCall("1", text or "t", {"short": text.partition("\n")[0], text or "a": text}),
            ],
            model=text,
        ),
        ToolResultMessage("1", text, [TextContent(text), ImageContent("AAAA", text)], True, {"diff": text}),
        AssistantMessage([TextContent("The end.")], model="m", stop_reason="error", error_message=text),
        BashExecutionMessage(text, text, 0),
    )
    log.append_custom_message(text, text, display=True)
    log.append_branch_summary(text, None)
    log.append_label(log.entry_ids[0], text)
    log.append_session_info(text)
    return log


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_session_holds_cannot_change_the_document(text: str) -> None:
    headings, html = shape(document(everything(text)))
    calm, calm_html = shape(document(everything("calm")))
    assert [one.partition(",")[0] for one in headings[1:]] == [one.partition(",")[0] for one in calm[1:]]
    assert len(html) == len(calm_html)
    assert all(re.fullmatch(r"<details>\n<summary>[^<>]*</summary>\n|</details>\n", one) for one in html)


PIECES = [
    *"`a |\\\n\t",
    "``",
    "```",
    "~~~",
    "\n\n",
    "<b>",
    "<!--",
    "# ",
    "## x",
    "---",
    "===",
    "> ",
    "- ",
    "    ",
    "1. ",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    for part in (nested(text), quoted(text)):
        headings, html = shape(f"before\n\n{part}\n## ours\n")
        assert (headings, html) == (["ours"], [])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, "x"]), max_size=14).map("".join))
def test_a_fence_holds_whatever_is_put_into_it(text: str) -> None:
    [token] = READER.parse(fence(text + "x"))
    assert token.type == "fence"
    assert token.content.replace("\t", " ").split() == (text + "x").split()


def test_code_stays_as_it_is() -> None:
    text = "Use `a < b` here:\n\n```html\n# no heading\n<b>&</b>\n```\n\n    <indented># x\n"
    assert nested(text) == text


def test_text_without_markup_stays_as_it_is() -> None:
    assert nested("1 - 2 = *three*, see [there](https://example.com)") == (
        "1 - 2 = *three*, see [there](https://example.com)\n"
    )


def test_every_kind_of_block_is_there() -> None:
    log = session(
        SystemMessage([TextContent("Be brief.")]),
        UserMessage([TextContent("What is in it?"), ImageContent("AAAA", "image/png")]),
        AssistantMessage(
            [ThinkingContent("I shall look."), ToolCall("1", "bash", {"command": "ls\n-l", "timeout": 5})],
            model="m1",
        ),
        ToolResultMessage("1", "bash", [TextContent("a.txt\nb.txt")], False),
        AssistantMessage([TextContent("Two *files*.")], model="m1"),
        BashExecutionMessage("make", "done", 2),
    )
    log.append_compaction("What was done.", None, 1000)
    log.append_session_info("My session")
    made = document(log)
    for text in (
        "# My session\n",
        "Be brief.",
        "> What is in it?",
        "(an image: image/png, 3 bytes)",
        "<summary>Thinking</summary>\n\nI shall look.",
        '"timeout": 5',
        "```\nls\n-l\n```",
        "<summary>Result of bash</summary>\n\n```\na.txt\nb.txt\n```",
        "## Assistant, m1",
        "Two *files*.",
        "```sh\nmake\n```",
        "<summary>Output, exit code 2</summary>",
        "## Summary of what was before\n\nWhat was done.",
    ):
        assert text in made
    assert made.count("## Assistant, m1") == 1


def test_only_the_active_branch_is_written() -> None:
    log = session(UserMessage("first"), UserMessage("left behind"))
    log.move_to(log.entry_ids[0])
    log.append_message(UserMessage("taken instead"))
    made = document(log)
    assert "taken instead" in made
    assert "left behind" not in made


def test_terminal_sequences_do_not_reach_the_document() -> None:
    made = document(everything("\x1b]0;title\x07a\x1b[2Jb\x9b31mc\x00"))
    assert not set(made) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}
