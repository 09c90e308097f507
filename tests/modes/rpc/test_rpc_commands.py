"""What the commands do, through the server as a client meets it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_tui.modes.rpc.commands import COMMANDS
from tests.modes.front_ends import Rpc, rpc_mode
from tests.support.fakellm import FakeLLM
from tests.support.written_models import write_models

Record = dict[str, Any]
SUMMARISES = {"when": {"system_contains": "write summaries of conversations"}, "text": "They built a kite."}


class Client:
    """Sends commands and waits for their responses."""

    def __init__(self, rpc: Rpc) -> None:
        self.rpc = rpc
        self._number = 0

    async def ask(self, kind: str, **fields: Any) -> Record:
        self._number += 1
        command_id = f"c{self._number}"
        await self.rpc.command(kind, id=command_id, **fields)
        async with asyncio.timeout(30):
            while True:
                for record in self.rpc.records:
                    if record["type"] == "response" and record.get("id") == command_id:
                        assert record["command"] == kind
                        return record
                await self.rpc.changed()

    async def data(self, kind: str, **fields: Any) -> Any:
        response = await self.ask(kind, **fields)
        assert response["success"], response
        return response.get("data")

    async def error(self, kind: str, **fields: Any) -> str:
        response = await self.ask(kind, **fields)
        assert not response["success"], response
        return str(response["error"])

    async def run(self, message: str) -> None:
        """One prompt until it has settled."""
        settled = sum(one["type"] == "agent_settled" for one in self.rpc.records)
        await self.data("prompt", message=message)
        await self.rpc.told("agent_settled", settled + 1)


@asynccontextmanager
async def client(cwd: Path) -> AsyncIterator[Client]:
    async with rpc_mode(cwd) as rpc:
        yield Client(rpc)


async def test_moving_in_the_tree_gives_the_message_back_and_later_prompts_begin_a_branch(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.run("first")
        await pi.run("second")
        first, second = (await pi.data("get_fork_messages"))["messages"]
        moved = await pi.data("navigate_tree", entryId=second["entryId"])
        assert (moved["text"], moved["cancelled"]) == ("second", False)
        assert (await pi.data("get_tree"))["leafId"] == moved["leafId"]
        assert {"type": "session_replaced", "reason": "tree"} in pi.rpc.records
        await pi.run("another second")
        assert [one["text"] for one in (await pi.data("get_fork_messages"))["messages"]] == [
            "first",
            "another second",
        ]
        assert "no entry 'nope'" in await pi.error("navigate_tree", entryId="nope")
        assert first


async def test_a_branch_that_is_left_can_be_summarised(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.script({"rules": [SUMMARISES]})
    async with client(tmp_path) as pi:
        await pi.run("first")
        await pi.run("second")
        (first, _) = (await pi.data("get_fork_messages"))["messages"]
        await pi.data("navigate_tree", entryId=first["entryId"], summarize=True, customInstructions="colours")
        kinds = [one["type"] for one in pi.rpc.records]
        assert kinds.index("branch_summary_start") < kinds.index("branch_summary_end")
        (summary,) = [
            one for one in (await pi.data("get_messages"))["messages"] if one["role"] == "branchSummary"
        ]
        assert summary["summary"].startswith("They built a kite.")
        assert "colours" in json.dumps(fake_llm.bodies()[-1])


async def test_labels_are_set_shown_in_the_tree_and_taken_away(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.run("first")
        root = (await pi.data("get_tree"))["tree"][0]
        entry_id = root["entry"]["id"]
        await pi.data("set_label", entryId=entry_id, label="  here \n again ")
        root = (await pi.data("get_tree"))["tree"][0]
        assert (root["label"], bool(root["labelTimestamp"])) == ("here again", True)
        await pi.data("set_label", entryId=entry_id)
        assert "label" not in (await pi.data("get_tree"))["tree"][0]
        assert "no entry" in await pi.error("set_label", entryId="nope", label="x")


async def test_a_second_prompt_while_a_run_is_going_has_to_say_how(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "half of it and never more", "chunk": 4, "hang_after": 2, "hang": 60})
    async with client(tmp_path) as pi:
        await pi.data("prompt", message="go")
        assert (await pi.error("prompt", message="and?")).startswith("streamingBehavior:")
        queued = {"disposition": "queued"}
        assert await pi.data("prompt", message="left", streamingBehavior="steer") == queued
        assert await pi.data("prompt", message="then", streamingBehavior="followUp") == queued
        assert await pi.data("clear_queue") == {"steering": ["left"], "followUp": ["then"]}
        for command in ("new_session", "clone"):
            assert "a run is going" in await pi.error(command)
        await pi.data("abort")


async def test_two_prompts_in_one_breath_do_not_both_start(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        both = await asyncio.gather(pi.ask("prompt", message="one"), pi.ask("prompt", message="two"))
        assert sorted(one["success"] for one in both) == [False, True]
        await pi.rpc.told("agent_settled")


async def test_the_response_to_a_prompt_comes_before_its_events(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.run("go")
        assert [one["type"] for one in pi.rpc.records[:2]] == ["response", "agent_start"]


async def test_what_a_command_changes_is_told_before_its_response(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.data("set_session_name", name=" kites ")
        await pi.data("set_model", provider="test", modelId="thinker")
        kinds = [one["type"] for one in pi.rpc.records]
        assert kinds[:2] == ["session_info_changed", "response"]
        assert kinds.index("model_changed") < len(kinds) - 1 == kinds.index("response", 2)
        assert pi.rpc.records[0]["name"] == "kites"


async def test_every_byte_of_a_long_output_is_told(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        result = await pi.data("bash", command="seq 400000", excludeFromContext=True)
        told = "".join(one["delta"] for one in pi.rpc.records if one["type"] == "bash_execution_update")
        assert told == "".join(f"{number}\n" for number in range(1, 400_001))
        assert result["truncated"] is True
        assert Path(result["fullOutputPath"]).read_text() == told
        kinds = [one["type"] for one in pi.rpc.records]
        assert kinds[0] == "bash_execution_start"
        assert kinds[-2:] == ["bash_execution_end", "response"]
        assert set(kinds[1:-2]) == {"bash_execution_update"}
        assert all(one.get("id") for one in pi.rpc.records if one["type"] == "bash_execution_update")


async def test_a_command_that_floods_can_be_stopped(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        flood = asyncio.create_task(pi.data("bash", command="yes"))
        await pi.rpc.told("bash_execution_update")
        assert "still running" in await pi.error("bash", command="true")
        await pi.data("abort_bash")
        assert (await flood)["cancelled"] is True
        assert (await pi.data("bash", command="echo again"))["output"] == "again\n"


async def test_commands_that_take_long_do_not_keep_others_waiting(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        slow = asyncio.create_task(pi.data("bash", command="while [ ! -e go ]; do sleep 0.02; done"))
        await pi.rpc.told("bash_execution_start")
        assert (await pi.data("get_state"))["isStreaming"] is False
        assert (await pi.data("get_session_stats"))["totalMessages"] == 0
        (tmp_path / "go").touch()
        assert (await slow)["exitCode"] == 0


async def test_what_cannot_be_done_is_said_and_changes_nothing(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        before = await pi.data("get_state")
        assert "no file" in await pi.error("switch_session", sessionPath="gone.jsonl")
        (tmp_path / "x.jsonl").write_text("no session\n")
        assert "not a session file" in await pi.error("switch_session", sessionPath="x.jsonl")
        assert "nothing in this session" in await pi.error("clone")
        assert "entryId" in await pi.error("fork", entryId="nope")
        assert "since" in await pi.error("get_entries", since="nope")
        assert "name" in await pi.error("set_session_name", name="  ")
        assert "there is no model" in await pi.error("set_model", provider="test", modelId="x")
        assert "nothing to compact" in (await pi.error("compact")).lower()
        assert "no command 'reboot'" in await pi.error("reboot")
        assert await pi.data("get_state") == before


async def test_switches_hold_also_in_another_session(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.run("first")
        old = await pi.data("get_state")
        await pi.data("set_auto_compaction", enabled=False)
        await pi.data("new_session")
        await pi.data("switch_session", sessionPath=old["sessionFile"])
        state = await pi.data("get_state")
        assert (state["sessionId"], state["autoCompactionEnabled"]) == (old["sessionId"], False)


async def test_the_whole_tree_of_a_long_conversation_fits(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    lines = [
        {
            "type": "session",
            "version": 3,
            "id": "long",
            "timestamp": "2026-01-01T00:00:00Z",
            "cwd": str(tmp_path),
        }
    ]
    parent = None
    for number in range(5_000):
        message = {"role": "user", "content": [{"type": "text", "text": str(number)}], "timestamp": number}
        entry = {
            "type": "message",
            "id": f"e{number}",
            "parentId": parent,
            "timestamp": "2026-01-01T00:00:00Z",
        }
        lines.append({**entry, "message": message})
        parent = f"e{number}"
    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    async with rpc_mode(tmp_path, lenient=True) as rpc:
        await rpc.command("switch_session", sessionPath=str(path), id="s")
        await rpc.command("get_tree", id="t")
        async with asyncio.timeout(30):
            while not rpc.raw or b'"command":"get_tree"' not in rpc.raw[-1]:
                await rpc.changed()
        assert rpc.raw[-1].count(b'"children":[') == 5_000
        assert rpc.raw[-1].rstrip().endswith(b"]}" * 5_000 + b'],"leafId":"e4999"}}')


async def test_entries_of_a_damaged_file_have_the_ids_by_which_they_can_be_named(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm)
    header = {
        "type": "session",
        "version": 3,
        "id": "twice",
        "timestamp": "2026-01-01T00:00:00Z",
        "cwd": str(tmp_path),
    }
    message = {"role": "user", "content": "hi", "timestamp": 1}
    entry = {
        "type": "message",
        "id": "a",
        "parentId": None,
        "timestamp": "2026-01-01T00:00:00Z",
        "message": message,
    }
    path = tmp_path / "twice.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in (header, entry, entry)) + "\n")
    async with client(tmp_path) as pi:
        await pi.data("switch_session", sessionPath=str(path))
        found = (await pi.data("get_entries"))["entries"]
        assert [one["id"] for one in found] == ["a", "a~2"]
        await pi.data("set_label", entryId="a~2", label="the second")


async def test_answers_to_questions_nobody_asked_are_left_alone(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.rpc.command("extension_ui_response", id="q", value="x")
        await pi.data("get_state")
        assert [one.get("id") for one in pi.rpc.records] == ["c1"]


async def test_an_image_goes_along_with_a_prompt(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    image = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    async with client(tmp_path) as pi:
        await pi.data("prompt", message="look", images=[image])
        await pi.rpc.told("agent_settled")
        user = next(one for one in (await pi.data("get_messages"))["messages"] if one["role"] == "user")
        assert user["content"] == [{"type": "text", "text": "look"}, image]


@pytest.mark.parametrize("path", [None, "page.html"])
async def test_the_session_is_exported_as_a_page(fake_llm: FakeLLM, tmp_path: Path, path: str | None) -> None:
    write_models(fake_llm)
    async with client(tmp_path) as pi:
        await pi.run("first")
        written = Path((await pi.data("export_html", **({"outputPath": path} if path else {})))["path"])
        assert written.parent == tmp_path
        assert "echo: first" in written.read_text()


ODD = [None, True, -1, 1e300, "", "x", "a~2", "\u2028", "\ufffd" * 50, [], [{}], {}, {"a": {"b": []}}]
"""Values for fields, most of which fit nowhere."""


async def test_whatever_fields_a_command_has_it_is_answered_once(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    names = ["message", "images", "level", "mode", "enabled", "entryId", "since", "label", "name", "provider"]
    names += [
        "modelId",
        "sessionPath",
        "parentSession",
        "customInstructions",
        "summarize",
        "streamingBehavior",
    ]
    left_out = {"bash", "export_html", "extension_ui_response"}
    async with rpc_mode(tmp_path) as rpc:
        sent = []
        for kind in sorted(set(COMMANDS) - left_out):
            for number, value in enumerate(ODD):
                sent.append(f"{kind} {number}")
                fields = dict.fromkeys(names, value)
                await rpc.command(kind, id=sent[-1], **fields)
        async with asyncio.timeout(60):
            while sum(one["type"] == "response" for one in rpc.records) < len(sent):
                await rpc.changed()
    answered = [one.get("id") for one in rpc.records if one["type"] == "response"]
    assert sorted(answered, key=str) == sorted(sent)
