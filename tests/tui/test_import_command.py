"""`/import` in the client: a session is copied and opened, anything else is refused and leaves nothing behind."""

import os
from pathlib import Path

import pytest

from pi_tui.llm.messages import UserMessage
from pi_tui.session.log import SessionLog
from tests.tui.written_client import client, shown, submit, until


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def stored(folder: Path, cwd: Path, said: str, session_id: str = "theirs") -> Path:
    """A session file as somebody might send it."""
    log = SessionLog.create(cwd, folder, session_id=session_id)
    log.append_message(UserMessage(said))
    log.close()
    assert log.path is not None
    return log.path.rename(folder / "their talk.jsonl")


def everything_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "written", ["their talk.jsonl", '"their talk.jsonl"', r"their\ talk.jsonl", "./their talk.jsonl"]
)
async def test_a_session_is_copied_and_opened(project: Path, written: str) -> None:
    source = stored(project, project, "said elsewhere")
    before = source.read_bytes()
    async with client(project, "mine", stored=True) as (app, pilot):
        own = app.session.log.path
        await submit(pilot, app, f"/import {written}")
        await until(pilot, app, "said elsewhere")
        assert app.session.log.path not in (own, source)
        assert app.session.log.id == "theirs"
        app.session.log.append_message(UserMessage("more"))
    assert source.read_bytes() == before


async def test_a_session_that_is_here_already_gets_an_id_of_its_own(project: Path) -> None:
    source = stored(project, project, "said elsewhere")
    ids = []
    async with client(project, stored=True) as (app, pilot):
        for _ in range(2):
            await submit(pilot, app, f"/import {source}")
            await until(pilot, app, "said elsewhere")
            ids.append(app.session.log.id)
            await submit(pilot, app, "/new")
        await submit(pilot, app, f"/import {source}")
        await until(pilot, app, "an id of its own")
        ids.append(app.session.log.id)
    assert ids[0] == "theirs"
    assert len(set(ids)) == 3


async def test_the_copy_is_where_sessions_of_its_folder_are(
    project: Path, tmp_path: Path, home: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    source = stored(project, other, "said elsewhere")
    async with client(project, stored=True) as (app, pilot):
        await submit(pilot, app, f"/import {source}")
        await until(pilot, app, "said elsewhere")
        assert app.session.cwd == other
        from pi_tui.session.folder import latest, session_folder

        path = latest(session_folder(app.session.services.agent_dir, other, None), other)
        assert path == app.session.log.path


async def test_a_session_whose_folder_is_gone_may_go_on_here_for_good(project: Path, tmp_path: Path) -> None:
    source = stored(project, tmp_path / "their-machine", "said elsewhere")
    async with client(project, stored=True) as (app, pilot):
        await submit(pilot, app, f"/import {source}")
        while len(app.screen_stack) == 1:
            await pilot.pause()
        await pilot.press("enter")
        await until(pilot, app, "said elsewhere")
        path = app.session.log.path
        assert path is not None
    log = SessionLog.open(path)
    assert (log.id, log.cwd) == ("theirs", project)
    log.close()


BAD = {
    "empty.jsonl": b"",
    "words.jsonl": b"hello\n",
    "binary.jsonl": bytes(range(256)) * 64,
    "foreign.jsonl": b'{"a": 1}\n{"b": 2}\n',
    "list.jsonl": b"[1, 2, 3]\n",
    "entries.jsonl": b'{"type":"message","id":"a","parentId":null,"timestamp":"","message":{}}\n',
    "zip.jsonl": b"PK\x03\x04" + bytes(200),
}


@pytest.mark.parametrize(
    "name", [*BAD, "folder", "nothing.jsonl", "pipe.jsonl", "", "/dev/zero", "/dev/null"]
)
async def test_what_is_no_session_is_refused_and_leaves_nothing_behind(
    project: Path, home: Path, name: str
) -> None:
    for bad, content in BAD.items():
        (project / bad).write_bytes(content)
    (project / "folder").mkdir()
    os.mkfifo(project / "pipe.jsonl")
    async with client(project, "mine", stored=True) as (app, pilot):
        log, before = app.session.log, everything_in(home) | everything_in(project)
        await submit(pilot, app, f"/import {name}")
        await until(pilot, app, "/import")
        assert app.session.log is log
        assert "mine" in shown(app)
        assert everything_in(home) | everything_in(project) == before
        if name:
            assert Path(name).name in shown(app)


async def test_a_file_that_may_not_be_read_is_refused(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = stored(project, project, "said elsewhere")
    opened = os.open

    def refusing(path: object, *arguments: int, **options: int) -> int:
        if Path(str(path)) == source:
            raise PermissionError(13, "Permission denied", str(source))
        return opened(path, *arguments, **options)  # type: ignore[arg-type]

    async with client(project, "mine", stored=True) as (app, pilot):
        before = everything_in(home)
        monkeypatch.setattr(os, "open", refusing)
        await submit(pilot, app, f"/import {source}")
        await until(pilot, app, "Permission denied")
        assert everything_in(home) == before
