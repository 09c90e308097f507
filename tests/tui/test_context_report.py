"""What `/context` and `/changelog` say."""

from pathlib import Path

import pytest

from pi_tui import __version__
from pi_tui.llm.messages import (
    AssistantMessage,
    CompactionSummaryMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.runtime.context_size import ContextFigure, Measurement
from pi_tui.session.context import Projection
from pi_tui.tui.context_report import context_report
from tests.tui.test_find import client, until


def measurement(*, estimated: bool = False) -> Measurement:
    messages = [
        CompactionSummaryMessage("what was before", 9_000),
        UserMessage("hello `there` | <b>"),
        AssistantMessage([TextContent("an answer")]),
        ToolResultMessage("id", "read", [TextContent("x" * 500)], False),
        UserMessage("again"),
    ]
    projection = Projection(messages, list("abcde"), None, "off")
    return Measurement(projection, [100, 20, 30, 800, 10], 500, 0, ContextFigure(1_460, estimated))


def test_each_kind_has_its_tokens_and_the_rest_is_free() -> None:
    report = context_report(measurement(), 10_000)
    assert "**1,460** of 10,000 tokens, 14.6%" in report
    rows = [[cell.strip() for cell in row.split("|")[1:4]] for row in report.splitlines() if row[:2] == "| "]
    assert rows[1:] == [
        ["system prompt and tools", "500", "5.0%"],
        ["your messages (2)", "30", "0.3%"],
        ["answers (1)", "30", "0.3%"],
        ["tool results (1)", "800", "8.0%"],
        ["summaries (1)", "100", "1.0%"],
        ["free", "8,540", "85.4%"],
    ]


def test_the_largest_messages_are_named_and_are_no_markdown() -> None:
    lines = context_report(measurement(estimated=True), 10_000).splitlines()
    named = [line for line in lines if line.startswith("- ")]
    assert named[0].startswith("- 800 tokens: `result of read: xxx")
    assert "- 20 tokens: `yours: hello 'there' | <b>`" in named
    assert any(line.startswith("About **1,460**") for line in lines)


@pytest.mark.parametrize(
    ("command", "says"), [("/context", "system prompt and tools"), ("/changelog", __version__)]
)
async def test_the_commands_answer(tmp_path: Path, command: str, says: str) -> None:
    async with client(tmp_path, blocks=0) as (app, pilot):
        app.editor.set_prompt(command)
        await pilot.press("enter")
        await until(pilot, lambda: any(says in block.text() for block in app.transcript.blocks[1:]))
