"""The published client of the reference's RPC mode drives our program, unchanged."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown
from tests.support.written_models import PI, child_environment, write_models

pi_agent = pytest.importorskip("pi_agent", reason="pi-agent-python-sdk is not installed")

SUMMARISES = {"when": {"system_contains": "write summaries of conversations"}, "text": "They built a kite."}


@asynccontextmanager
async def client(cwd: Path, **options: Any) -> AsyncIterator[Any]:
    """A client with a process of ours; `model` is the scripted one if nothing else is said."""
    options = {"provider": "test", "model": "scripted", **options}
    async with pi_agent.AsyncPiClient(
        executable=PI,
        cwd=cwd,
        env=child_environment(),
        inherit_env=False,
        limits=pi_agent.Limits(event_queue_size=100_000, stderr_tail_bytes=10_000),
        **options,
    ) as pi:
        yield pi


def kinds(events: list[Any]) -> list[str]:
    return [event.type for event in events]


async def until(events: Any, kind: str) -> Any:
    """The next event of a kind."""
    async with asyncio.timeout(30):
        async for event in events:
            if event.type == kind:
                return event
    raise AssertionError(f"no {kind} came")


async def test_a_prompt_is_streamed_and_its_answer_and_usage_are_known(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "The kite is red.", "chunk": 3, "rate": 40, "usage": {"input": 70, "output": 5}})
    async with client(tmp_path) as pi:
        async with pi.stream("What colour?", timeout=30) as run:
            deltas = [event.text_delta async for event in run if event.text_delta]
            result = await run.result()
        assert "".join(deltas) == result.text == "The kite is red."
        assert len(deltas) > 1
        assert (result.stop_reason, result.usage.output_tokens) == ("stop", 5)
        assert [one["role"] for one in result.messages] == ["user", "assistant"]
        assert result.session.session_file == (await pi.get_state())["sessionFile"]
        assert await pi.get_last_assistant_text() == "The kite is red."


async def test_the_demo_needs_no_key_and_no_network(tmp_path: Path) -> None:
    async with client(tmp_path, provider=None, model=None, extra_args=["--demo"]) as pi:
        events = await pi.prompt_and_wait("Hello", timeout=60)
        assert kinds(events)[0] == "agent_start"
        assert await pi.get_last_assistant_text()


async def test_tools_tell_of_their_beginning_their_output_and_their_end(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm)
    call = {"name": "bash", "arguments": {"command": "echo one; echo two"}}
    fake_llm.push({"tool_calls": [call]}, {"text": "done"})
    async with client(tmp_path) as pi:
        events = await pi.prompt_and_wait("count", timeout=30)
    tools = [event.raw for event in events if event.type.startswith("tool_execution")]
    assert [one["type"] for one in (tools[0], tools[-1])] == ["tool_execution_start", "tool_execution_end"]
    assert tools[0]["args"] == {"command": "echo one; echo two"}
    assert tools[-1]["result"]["content"][0]["text"] == "one\ntwo"
    assert tools[-1]["isError"] is False
    assert {one["toolCallId"] for one in tools} == {tools[0]["toolCallId"]}


async def test_a_steering_message_goes_along_with_the_next_request(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    call = {"name": "bash", "arguments": {"command": "while [ ! -e go ]; do sleep 0.02; done"}}
    fake_llm.push({"tool_calls": [call]}, {"text": "turned left"})
    async with client(tmp_path) as pi, pi.events() as events, pi.stream("drive", timeout=30) as run:
        await until(events, "tool_execution_start")
        await pi.steer("turn left")
        assert (await until(events, "queue_update")).raw["steering"] == ["turn left"]
        (tmp_path / "go").touch()
        result = await run.result()
    assert result.text == "turned left"
    assert [one["role"] for one in result.messages] == [
        "user",
        "assistant",
        "toolResult",
        "user",
        "assistant",
    ]


async def test_a_follow_up_waits_for_the_end_of_the_run(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "first", "first_delay": 0.3}, {"text": "second"})
    async with client(tmp_path) as pi, pi.stream("one", timeout=30) as run:
        await pi.follow_up("two")
        result = await run.result()
    texts = [one["content"][0]["text"] for one in result.messages]
    assert texts == ["one", "first", "two", "second"]


async def test_what_is_queued_can_be_taken_back(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "slow", "hang_after": 0, "hang": 60})
    async with client(tmp_path) as pi:
        await pi.prompt("one")
        await pi.steer("left")
        await pi.follow_up("right")
        assert (await pi.get_state())["pendingMessageCount"] == 2
        assert await pi.clear_queue() == {"steering": ["left"], "followUp": ["right"]}
        await pi.abort()
        state = await pi.get_state()
        assert (state["isStreaming"], state["pendingMessageCount"]) == (False, 0)


async def test_an_abort_keeps_what_came_and_says_so(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "half of it and never more", "chunk": 4, "hang_after": 2, "hang": 60})
    async with client(tmp_path) as pi, pi.events() as events:
        await pi.prompt("go on")
        await until(events, "message_update")
        await pi.abort()
        settled = await until(events, "agent_settled")
        assert settled.raw["aborted"] is True
        (answer,) = [one for one in await pi.get_messages() if one["role"] == "assistant"]
        assert answer["stopReason"] == "aborted"


async def test_what_waits_in_the_queue_is_sent_after_an_abort(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "never all of it", "hang_after": 1, "hang": 60}, {"text": "now this"})
    async with client(tmp_path) as pi, pi.events() as events:
        await pi.prompt("one")
        await until(events, "message_update")
        await pi.follow_up("two")
        await pi.abort()
        await until(events, "agent_settled")
        await until(events, "agent_settled")
        assert await pi.get_last_assistant_text() == "now this"


async def test_model_and_thinking_level_are_changed_and_cycled(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        assert {one["id"] for one in await pi.get_available_models()} >= {"scripted", "thinker"}
        assert await pi.get_available_thinking_levels() == ["off"]
        assert await pi.cycle_thinking_level() is None
        model = await pi.set_model("test", "thinker")
        assert (model["reasoning"], model["contextWindow"]) == (True, 200_000)
        assert "high" in await pi.get_available_thinking_levels()
        await pi.set_thinking_level("low")
        assert (await pi.get_state())["thinkingLevel"] == "low"
        assert await pi.cycle_thinking_level() == {"level": "medium"}
        cycled = await pi.cycle_model()
        assert cycled is not None and cycled["model"]["id"] != "thinker"
        with pytest.raises(pi_agent.PiCommandError) as refused:
            await pi.set_model("test", "nothing")
        assert "modelId" in refused.value.error


async def test_a_compaction_gives_its_summary_and_figures(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm, compaction={"keepRecentTokens": 500})
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": markdown(1_000)}})
    async with client(tmp_path) as pi:
        for number in range(3):
            await pi.run(f"number {number}", timeout=30)
        result = await pi.compact(custom_instructions="the colours")
        assert result["summary"].startswith("They built a kite.")
        assert result["tokensBefore"] > result["estimatedTokensAfter"] > 0
        (summary,) = [one for one in await pi.get_messages() if one["role"] == "compactionSummary"]
        assert summary["summary"] == result["summary"]
        kept = [one["id"] for one in (await pi.get_entries())["entries"]]
        assert result["firstKeptEntryId"] in kept


async def test_forking_cloning_switching_and_beginning_anew(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.prompt_and_wait("first", timeout=30)
        await pi.prompt_and_wait("second", timeout=30)
        old = await pi.get_state()
        first, second = await pi.get_fork_messages()
        assert (first["text"], second["text"]) == ("first", "second")
        assert await pi.fork(second["entryId"]) == {"text": "second", "cancelled": False}
        forked = await pi.get_state()
        assert forked["sessionId"] != old["sessionId"]
        assert [one["text"] for one in await pi.get_fork_messages()] == ["first"]
        assert await pi.clone() == {"cancelled": False}
        assert (await pi.get_state())["sessionId"] not in (old["sessionId"], forked["sessionId"])
        assert await pi.switch_session(old["sessionFile"]) == {"cancelled": False}
        assert (await pi.get_state())["sessionId"] == old["sessionId"]
        assert await pi.get_last_assistant_text() == "echo: second"
        assert await pi.new_session(parent_session=old["sessionFile"]) == {"cancelled": False}
        assert (await pi.get_state())["messageCount"] == 0


async def test_statistics_name_and_entries(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    call = {"name": "bash", "arguments": {"command": "true"}}
    fake_llm.push({"tool_calls": [call, call]}, {"text": "done", "usage": {"input": 100, "output": 7}})
    async with client(tmp_path) as pi:
        await pi.set_session_name("kites")
        await pi.prompt_and_wait("go", timeout=30)
        stats = await pi.get_session_stats()
        figures = ("userMessages", "assistantMessages", "toolCalls", "toolResults")
        assert [stats[name] for name in figures] == [1, 2, 2, 2]
        assert stats["contextUsage"]["contextWindow"] == 200_000
        assert stats["contextUsage"]["tokens"] >= 107
        assert (await pi.get_state())["sessionName"] == "kites"
        found = await pi.get_entries()
        last = found["entries"][-1]
        assert (last["id"], last["message"]["role"]) == (found["leafId"], "assistant")
        assert await pi.get_entries(since=last["id"]) == {"entries": [], "leafId": last["id"]}
        stored = Path(stats["sessionFile"]).read_text().splitlines()[1:]
        assert found["entries"] == [json.loads(line) for line in stored]
        node, depth = (await pi.get_tree())["tree"][0], 1
        while node["children"]:
            (node,), depth = node["children"], depth + 1
        assert (node["entry"]["id"], depth) == (last["id"], len(found["entries"]))


async def test_a_command_of_the_user_streams_its_output_and_reaches_the_model(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi, pi.events() as events:
        result = await pi.bash("seq 3; exit 4")
        assert result == {"output": "1\n2\n3\n", "exitCode": 4, "cancelled": False, "truncated": False}
        assert (await until(events, "bash_execution_update")).raw["delta"] == "1\n2\n3\n"
        await pi.run("what did it say?", timeout=30)
        assert "seq 3" in json.dumps(fake_llm.bodies()[-1]["messages"])


async def test_a_command_of_the_user_can_be_stopped(tmp_path: Path, fake_llm: FakeLLM) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi, pi.events() as events:
        running = asyncio.create_task(pi.bash("echo begun; sleep 60"))
        await until(events, "bash_execution_update")
        await pi.abort_bash()
        async with asyncio.timeout(30):
            assert (await running)["cancelled"] is True


async def test_a_retry_can_be_called_off(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm, retry={"baseDelayMs": 60_000})
    fake_llm.push({"error": "overloaded"})
    async with client(tmp_path) as pi, pi.events() as events:
        await pi.prompt("try")
        await until(events, "auto_retry_start")
        await pi.abort_retry()
        assert (await until(events, "auto_retry_end")).raw["success"] is False
        await until(events, "agent_settled")


async def test_retries_and_compaction_can_be_switched_off(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"error": "overloaded"})
    async with client(tmp_path) as pi:
        await pi.set_auto_retry(False)
        await pi.set_auto_compaction(False)
        assert (await pi.get_state())["autoCompactionEnabled"] is False
        events = await pi.prompt_and_wait("try", timeout=30)
        assert "auto_retry_start" not in kinds(events)


async def test_queue_modes_are_taken_over(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.set_steering_mode("all")
        await pi.set_follow_up_mode("all")
        state = await pi.get_state()
        assert (state["steeringMode"], state["followUpMode"]) == ("all", "all")


async def test_skills_and_templates_are_listed_and_expanded(
    fake_llm: FakeLLM, tmp_path: Path, home: Path
) -> None:
    write_models(fake_llm)
    prompts = home / ".pi" / "agent" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "greet.md").write_text("---\ndescription: Greets\n---\nSay hello to $1.\n")
    async with client(tmp_path) as pi:
        (greet,) = [one for one in await pi.get_commands() if one["source"] == "prompt"]
        assert (greet["name"], greet["description"]) == ("greet", "Greets")
        await pi.run("/greet Ada", timeout=30)
        assert "Say hello to Ada." in json.dumps(fake_llm.bodies()[-1]["messages"])
