"""The demo, driven by the real loop with simple tools on a real folder."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pi_tui.agent.abort import Abort
from pi_tui.agent.events import MessageEnd, MessageUpdate, TurnEnd
from pi_tui.agent.loop import Request, run
from pi_tui.agent.queue import MessageQueue
from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    CompactionSummaryMessage,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_tui.llm.stream import Context, MessageAssembler, StreamOptions
from pi_tui.llm.wires.demo import ENDLESS, TOUR, pace, stream
from pi_tui.llm.wires.demo.pace import pieces
from pi_tui.llm.wires.demo.prose import long_answer


@pytest.fixture(autouse=True)
def full_speed(monkeypatch):
    monkeypatch.setenv("PI_DEMO_SPEED", "inf")


class FolderTool:
    description = ""
    summary = ""
    rules = ()
    alone = False
    parameters: ClassVar = {"type": "object"}

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        if self.name == "bash":
            return await self._bash(arguments["command"])
        path = self.folder / arguments["path"]
        match self.name:
            case "write":
                path.write_text(arguments["content"])
            case "edit":
                text = path.read_text()
                for edit in arguments["edits"]:
                    assert text.count(edit["oldText"]) == 1
                    text = text.replace(edit["oldText"], edit["newText"])
                path.write_text(text)
            case "read":
                return text_result("".join(path.read_text().splitlines(True)[: arguments["limit"]]))
        return text_result("done")

    async def _bash(self, command: str) -> ToolResult:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", command, cwd=self.folder, stdout=pipe, stderr=pipe
        )
        out, _ = await process.communicate()
        if process.returncode:
            raise ToolError(f"exit code {process.returncode}", content=[TextContent(out.decode())])
        return text_result(out.decode())


ALL = ("bash", "read", "write", "edit")


async def play(folder, prompt, tools=ALL, history=(), level="off", model=TOUR):
    """The messages of a run; the history before it is not among them."""
    messages: list[AgentMessage] = list(history)
    offered = [FolderTool(name, folder) for name in tools]

    async def request() -> Request:
        return Request(model, list(messages), "You help.", offered, StreamOptions(thinking_level=level))

    prompts = [UserMessage([TextContent(prompt)], len(messages) + 1)] if prompt else []
    events = run(prompts=prompts, request=request, stream=stream, queue=MessageQueue(), abort=Abort())
    new = []
    async with aclosing(events):
        async for event in events:
            if isinstance(event, MessageEnd):
                messages.append(event.message)
                new.append(event.message)
    return new


def tools_of(messages):
    return [
        [call.name for call in message.tool_calls]
        for message in messages
        if isinstance(message, AssistantMessage) and message.tool_calls
    ]


def results_of(messages):
    return [message for message in messages if isinstance(message, ToolResultMessage)]


async def test_the_tour_really_uses_the_tools_and_ends_with_what_they_gave(tmp_path):
    (tmp_path / "README.md").write_text("# A project\n\nIt has words.\n")
    messages = await play(tmp_path, "tour please")
    assert tools_of(messages) == [["bash"], ["read", "bash"], ["write"], ["edit"], ["bash"]]
    assert not [result for result in results_of(messages) if result.is_error]
    assert "It has words." in text_of(results_of(messages)[1].content)
    greeting = "Hello from the demo, this folder has 2 entries."
    assert greeting in text_of(results_of(messages)[-1].content)
    report = messages[-1].text
    assert messages[-1].stop_reason == "stop"
    assert greeting in report and "| `write` | `pi-demo.py` |" in report
    assert "```text" in report and "\n- **" in report


async def test_the_tour_says_something_before_every_call(tmp_path):
    messages = await play(tmp_path, "tour")
    assert all(message.text for message in messages if isinstance(message, AssistantMessage))


async def test_the_tour_thinks_only_if_it_may(tmp_path):
    def thinks(messages):
        return any(
            isinstance(block, ThinkingContent) and block.thinking
            for message in messages
            if isinstance(message, AssistantMessage)
            for block in message.content
        )

    assert thinks(await play(tmp_path, "tour", level="medium"))
    assert not thinks(await play(tmp_path, "tour", level="off"))


async def test_a_file_that_is_there_is_never_written_over(tmp_path):
    (tmp_path / "pi-demo.py").write_text("mine")
    (tmp_path / "pi-demo-2.py").write_text("mine too")
    for number in range(50):
        (tmp_path / f"a{number}.bin").write_bytes(b"x")
    await play(tmp_path, "tour")
    assert (tmp_path / "pi-demo.py").read_text() == "mine"
    assert (tmp_path / "pi-demo-2.py").read_text() == "mine too"
    assert "Hello from the demo" in (tmp_path / "pi-demo-3.py").read_text()


async def test_a_second_tour_of_a_conversation_has_other_call_ids_and_another_file(tmp_path):
    first = await play(tmp_path, "tour")
    second = await play(tmp_path, "the tour again", history=first)
    ids = [result.tool_call_id for result in results_of(first + second)]
    assert len(ids) == len(set(ids)) == 2 * len(results_of(first))
    assert (tmp_path / "pi-demo-2.py").exists()


async def test_an_empty_folder_and_a_read_only_run_have_shorter_tours(tmp_path):
    assert tools_of(await play(tmp_path, "tour"))[1] == ["bash"]
    (tmp_path / "notes.txt").write_text("x")
    before = sorted(path.name for path in tmp_path.iterdir())
    assert tools_of(await play(tmp_path, "tour", tools=("bash", "read"))) == [["bash"], ["read"]]
    assert tools_of(await play(tmp_path, "tour", tools=())) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == before


async def test_a_tool_that_fails_is_told_in_the_report(tmp_path):
    class Refusing(FolderTool):
        async def execute(self, call_id, arguments, on_update):
            raise ToolError("disk full")

    messages: list[AgentMessage] = []
    tools = [FolderTool("bash", tmp_path), Refusing("write", tmp_path), FolderTool("edit", tmp_path)]

    async def request() -> Request:
        return Request(TOUR, list(messages), "", tools, StreamOptions())

    prompt = UserMessage("tour", 1)
    events = run(prompts=[prompt], request=request, stream=stream, queue=MessageQueue(), abort=Abort())
    async for event in events:
        if isinstance(event, MessageEnd):
            messages.append(event.message)
    assert tools_of(messages) == [["bash"], ["bash"], ["write"]]
    assert "failed" in messages[-1].text


async def test_a_tour_goes_on_after_its_beginning_was_compacted(tmp_path):
    whole = await play(tmp_path, "tour")
    edited = next(
        i for i, m in enumerate(whole) if isinstance(m, AssistantMessage) and "edit" in str(tools_of([m]))
    )
    kept = [CompactionSummaryMessage("They wanted to see something.", 9000, 5), *whole[edited : edited + 2]]
    rest = await play(tmp_path, "", history=kept)
    assert tools_of(rest) == [["bash"]]
    assert "Hello from the demo" in rest[-1].text


async def test_usage_is_what_was_sent_and_grows_from_turn_to_turn(tmp_path):
    (tmp_path / "README.md").write_text("word " * 400)
    messages = await play(tmp_path, "tour")
    usages = [message.usage for message in messages if isinstance(message, AssistantMessage)]
    totals = [usage.total_tokens for usage in usages]
    assert totals == sorted(totals) and totals[-1] > totals[0] + 400
    assert all(one.total_tokens == one.input + one.output + one.cache_read for one in usages)
    assert usages[0].cache_read == 0 and usages[-1].cache_read > 0


async def test_some_tours_fill_the_window_to_where_compaction_begins(tmp_path):
    (tmp_path / "README.md").write_text("A line of a file that tells what this folder is for.\n" * 200)
    history: list[AgentMessage] = []
    for _ in range(8):
        history += await play(tmp_path, "tour", history=history)
        if history[-1].usage.total_tokens > TOUR.context_window * 3 / 4:
            break
    assert history[-1].usage.total_tokens > TOUR.context_window * 3 / 4
    assert 2 <= len(re.findall("tour", str([m.content for m in history if isinstance(m, UserMessage)]))) <= 6


async def test_anything_else_is_answered_honestly(tmp_path):
    messages = await play(tmp_path, "fix the bug in `parser.c`, please")
    assert tools_of(messages) == []
    answer = messages[-1].text
    assert "demo" in answer and "/login" in answer and "ANTHROPIC_API_KEY" in answer and "parser.c" in answer


async def test_a_summary_request_gets_the_fixed_headings_and_what_was_done(tmp_path):
    request = (
        "<conversation>\n[User]: Make the parser faster\n\n[Assistant]: I look.\n\n"
        '[Assistant tool calls]: read(path="src/parser.c")\n\n[Tool result]: int main\n</conversation>\n\n'
        "<previous-summary>\n## Goal\n- Learn the code\n\n## Progress\n### Done\n- ls\n</previous-summary>"
    )
    (_, message) = await play(tmp_path, request)
    headings = re.findall(r"^#+ (.+)$", message.text, re.MULTILINE)
    assert headings == [
        "Goal",
        "Constraints & Preferences",
        "Progress",
        "Done",
        "In Progress",
        "Blocked",
        "Key Decisions",
        "Next Steps",
        "Critical Context",
    ]
    goal, _, rest = message.text.partition("## Constraints")
    assert "- Learn the code\n- Make the parser faster" in goal
    assert '- ls\n- read(path="src/parser.c")' in rest and "- File: src/parser.c" in rest


async def deltas(prompt) -> AsyncIterator[str]:
    message = MessageAssembler(ENDLESS)
    async for event in stream(ENDLESS, Context("", [UserMessage(prompt, 1)]), StreamOptions(), message):
        if event.__struct_config__.tag == "text_delta":
            yield event.delta
    assert message.stop_reason == "stop"


async def test_a_long_answer_has_as_many_tokens_as_were_asked_for():
    texts = [delta async for delta in deltas("stream 5,000 tokens")]
    assert len(texts) == 5000
    text = "".join(texts)
    assert "```python" in text and "|---|" in text and "\n- " in text and "\n## " in text
    assert text == "".join(long_answer(5000))


async def test_a_long_answer_keeps_to_the_rate_asked_for_however_late_it_wakes(monkeypatch):
    clock = 100.0

    async def sleep(seconds):
        nonlocal clock
        clock += seconds + 0.004

    monkeypatch.setattr(pace, "sleep", sleep)
    monkeypatch.setattr(pace, "monotonic", lambda: clock)
    monkeypatch.setenv("PI_DEMO_SPEED", "2")
    times = [clock async for _ in deltas("stream 1001 tokens at 100 tokens/s")]
    assert times[-1] - times[0] == pytest.approx(5.0, abs=0.01)


@pytest.mark.parametrize("speed", ["", "fast", "-1", "0", "nan"])
async def test_a_speed_that_is_no_positive_number_is_the_usual_one(monkeypatch, speed):
    monkeypatch.setenv("PI_DEMO_SPEED", speed)
    assert pace.speed() == 1.0


@pytest.mark.parametrize("text", ["", " ", "a", "\n\n  x\n", "word " * 9, "日本語のテキスト, 😀", "a\tb\r\n"])
def test_the_pieces_of_a_text_are_the_text(text):
    assert "".join(pieces(text)) == text


async def test_an_abort_in_mid_sentence_keeps_the_sentence(tmp_path):
    abort = Abort()

    async def request() -> Request:
        return Request(ENDLESS, [UserMessage("stream 100000 tokens", 1)], "", [], StreamOptions())

    async for event in run(prompts=[], request=request, stream=stream, queue=MessageQueue(), abort=abort):
        if isinstance(event, MessageUpdate):
            abort.request()
        if isinstance(event, TurnEnd):
            assert event.message.stop_reason == "aborted"
            assert 0 < event.message.usage.output < 100_000
