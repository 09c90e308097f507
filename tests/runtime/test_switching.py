"""From one session to another within a process: resume, fork, clone, import, export."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pi_tui.llm.messages import AssistantMessage, ImageContent, TextContent, UserMessage
from pi_tui.runtime.events import SessionReplaced
from pi_tui.runtime.launch import ChoiceNeeded, Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import AlreadyRunning, Session, Unsaved
from pi_tui.runtime.switching import NothingToCopy, earlier_prompts
from pi_tui.session.errors import NotASession, SessionReadOnly
from pi_tui.session.log import SessionLog

MODELS = {
    "providers": {
        "local": {
            "baseUrl": "http://127.0.0.1:9/v1",
            "api": "openai-completions",
            "apiKey": "key",
            "models": [{"id": "one"}, {"id": "two", "reasoning": True}],
        }
    }
}


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    agent_dir = home / ".pi" / "agent"
    agent_dir.mkdir(parents=True)
    (agent_dir / "models.json").write_text(json.dumps(MODELS))
    (agent_dir / "settings.json").write_text('{"defaultProvider":"local","defaultModel":"one"}')
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def session(project: Path) -> Any:
    opened = open_session(Launch(cwd=project, offline=True))
    yield opened
    opened.close()


def say(log: SessionLog, *texts: str, model: str = "one") -> list[str]:
    """Prompts, each with an answer; the ids of the prompts."""
    ids = []
    for text in texts:
        ids.append(log.append_message(UserMessage([TextContent(text)])))
        log.append_message(
            AssistantMessage([TextContent(f"re {text}")], api="x", provider="local", model=model)
        )
    return ids


def stored(cwd: Path, folder: Path, *texts: str, model: str = "two", level: str = "high") -> Path:
    log = SessionLog.create(cwd, folder)
    log.append_model_change("local", model)
    log.append_thinking_level(level)
    say(log, *texts, model=model)
    log.close()
    assert log.path is not None
    return log.path


def texts(session: Session) -> list[str]:
    return [prompt.text for prompt in earlier_prompts(session.log)]


async def test_resuming_takes_over_model_level_and_folder(
    session: Session, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "AGENTS.md").write_text("rules of the other folder")
    path = stored(other, tmp_path / "there", "hello")
    events = session.subscribe()
    await session.resume(path)
    assert (session.log.path, session.cwd) == (path, other)
    assert session.model is not None
    assert (session.model.id, session.thinking_level) == ("two", "high")
    assert "rules of the other folder" in session.services.prompt.text
    assert any(isinstance(event, SessionReplaced) for event in events.take())
    session.start_new()
    assert session.log.path is not None
    assert "other" in session.log.path.parent.name


async def test_resuming_the_session_that_is_open_changes_nothing(session: Session) -> None:
    say(session.log, "one")
    log = session.log
    assert log.path is not None
    await session.resume(log.path)
    assert session.log is log


async def test_resuming_asks_when_the_folder_is_gone_or_the_file_is_busy(
    session: Session, tmp_path: Path
) -> None:
    gone = stored(tmp_path / "gone", tmp_path / "there", "hello")
    before = session.log
    with pytest.raises(ChoiceNeeded) as raised:
        await session.resume(gone)
    assert raised.value.field == "when_gone"
    assert session.log is before
    holder = SessionLog.open(gone)
    with pytest.raises(ChoiceNeeded) as raised:
        await session.resume(gone, when_gone="here")
    assert raised.value.field == "when_busy"
    await session.resume(gone, when_gone="here", when_busy="read_only")
    assert session.cwd == before.cwd
    holder.close()


async def test_a_read_only_session_refuses_prompts_and_leaves_no_trace(
    session: Session, project: Path
) -> None:
    path = stored(project, project, "hello")
    bytes_before = path.read_bytes()
    holder = SessionLog.open(path)
    await session.resume(path, when_busy="read_only")
    with pytest.raises(SessionReadOnly, match="read-only"):
        await session.prompt("more")
    with pytest.raises(SessionReadOnly):
        session.set_name("x")
    assert not session.running
    session.set_thinking_level("low")
    session.start_new()
    holder.close()
    assert path.read_bytes() == bytes_before


async def test_a_fork_holds_the_path_before_the_message_and_is_written_to_from_then_on(
    session: Session,
) -> None:
    first, second = say(session.log, "one", "two")
    old = session.log
    old.append_label(first, "start")
    old.append_session_info("the name")
    assert old.path is not None
    bytes_before = old.path.read_bytes()
    message = session.fork(second)
    assert message.content == [TextContent("two")]
    assert texts(session) == ["one"]
    log = session.log
    assert log.path is not None and log.path.exists() and log.path != old.path
    assert (log.header.parent_session, log.labels, log.name) == (str(old.path), {first: "start"}, "the name")
    say(log, "instead")
    assert old.path.read_bytes() == bytes_before
    assert log.path.read_bytes().count(b'"type":"session"') == 1


async def test_a_fork_before_the_first_message_is_empty_and_still_linked(session: Session) -> None:
    image = ImageContent("aGk=", "image/png")
    first = session.log.append_message(UserMessage([TextContent("look"), image]))
    old = session.log.path
    assert session.fork(first).content == [TextContent("look"), image]
    assert texts(session) == []
    say(session.log, "other")
    assert session.log.path is not None
    assert json.loads(session.log.path.read_bytes().split(b"\n")[0])["parentSession"] == str(old)


async def test_messages_of_all_branches_can_be_forked_from(session: Session) -> None:
    say(session.log, "one", "two")
    session.log.move_to(None)
    say(session.log, "three")
    assert texts(session) == ["one", "two", "three"]


async def test_a_clone_has_the_active_branch(session: Session) -> None:
    with pytest.raises(NothingToCopy):
        session.clone()
    ids = say(session.log, "one", "two")
    session.log.move_to(session.log.parent(ids[1]))
    old = session.log
    session.clone()
    assert texts(session) == ["one"]
    assert session.log.header.parent_session == str(old.path)
    assert session.log.leaf_id == old.parent(ids[1])


async def test_leaving_a_branch_by_a_fork_keeps_the_place_in_the_old_file(session: Session) -> None:
    ids = say(session.log, "one", "two")
    session.log.move_to(session.log.parent(ids[1]))
    place, old = session.log.leaf_id, session.log.path
    session.clone()
    assert old is not None
    again = SessionLog.open(old)
    assert place in again.branch() and ids[1] not in again.branch()
    again.close()


async def test_an_import_is_a_copy(session: Session, project: Path, tmp_path: Path) -> None:
    source = stored(project, tmp_path / "mail", "hello")
    bytes_before = source.read_bytes()
    await session.import_file(source)
    assert session.log.path == session.services.sessions / source.name  # type: ignore[operator]
    assert texts(session) == ["hello"]
    say(session.log, "more")
    assert source.read_bytes() == bytes_before


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"type":"other"}\n'])
async def test_what_is_no_session_is_not_imported(session: Session, tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_bytes(content)
    log = session.log
    with pytest.raises(NotASession):
        await session.import_file(source)
    assert source.read_bytes() == content
    assert session.log is log
    assert session.services.sessions is not None
    assert not session.services.sessions.exists()


async def test_an_import_asks_before_there_is_a_copy(session: Session, project: Path, tmp_path: Path) -> None:
    source = stored(tmp_path / "their-machine", tmp_path / "mail", "hello")
    with pytest.raises(ChoiceNeeded):
        await session.import_file(source)
    assert session.services.sessions is not None
    assert not session.services.sessions.exists()
    await session.import_file(source, when_gone="fork")
    assert (session.log.cwd, session.log.header.parent_session) == (project, str(source))
    assert len(list(session.services.sessions.iterdir())) == 1


async def test_nothing_takes_the_place_of_a_running_session(
    session: Session, tmp_path: Path, project: Path
) -> None:
    path = stored(project, tmp_path / "x", "hello")
    (first,) = say(session.log, "one")
    log = session.log
    run = asyncio.create_task(session.prompt("go"))
    await asyncio.sleep(0)
    for leave in (lambda: session.fork(first), session.clone, session.start_new):
        with pytest.raises(AlreadyRunning):
            leave()
    for opening in (session.resume(path), session.import_file(path)):
        with pytest.raises(AlreadyRunning):
            await opening
    assert session.log is log
    session.abort()
    await run


async def test_what_could_not_be_saved_is_not_left_behind(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(session.log, "one")

    def full(_file: object, _lines: bytes) -> bytes:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("pi_tui.session.file.SessionFile.append", full)
        say(session.log, "two")
        with pytest.raises(Unsaved, match="make room"):
            session.start_new()
    session.start_new()
    assert texts(session) == []
