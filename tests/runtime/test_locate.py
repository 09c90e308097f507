"""Which session a launch opens, and what the user has to decide first."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.resources.settings import Settings
from pi_tui.runtime.launch import ChoiceNeeded, Launch, LaunchError
from pi_tui.runtime.locate import open_log, sessions_of
from pi_tui.session.log import SessionLog


class Places:
    """A working directory, another one, and their sessions."""

    def __init__(self, root: Path) -> None:
        self.agent_dir = root / "agent"
        self.here, self.other = root / "here", root / "other"
        for folder in (self.here, self.other):
            folder.mkdir(parents=True)
        self.launch = Launch(cwd=self.here)

    def folder(self, cwd: Path) -> Path:
        return sessions_of(Launch(cwd=cwd), self.agent_dir, Settings())

    def session(self, session_id: str, cwd: Path | None = None) -> Path:
        cwd = cwd or self.here
        log = SessionLog.create(cwd, self.folder(cwd), session_id=session_id)
        log.append_message(UserMessage(f"first words of {session_id}"))
        log.append_message(AssistantMessage([TextContent("yes")], api="x", provider="p", model="m"))
        log.append_session_info(f"name of {session_id}")
        log.close()
        assert log.path is not None
        return log.path

    def open(self, **options: object) -> SessionLog:
        return open_log(replace(self.launch, **options), self.agent_dir, Settings())


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def header(path: Path) -> dict[str, object]:
    return json.loads(path.read_bytes().split(b"\n")[0])


def test_an_ambiguous_prefix_lists_what_fits_and_opens_nothing(places: Places) -> None:
    places.session("abc1")
    places.session("abc2")
    with pytest.raises(LaunchError) as raised:
        places.open(session="abc")
    assert not isinstance(raised.value, ChoiceNeeded)
    lines = str(raised.value).split("\n")
    assert sorted(lines[1:]) == ["  abc1  name of abc1", "  abc2  name of abc2"]


def test_a_prefix_here_counts_before_one_elsewhere(places: Places) -> None:
    path = places.session("abc1")
    places.session("abc2", places.other)
    log = places.open(session="abc")
    assert log.path == path
    log.close()


def test_another_folders_session_can_be_forked_here_or_opened_there(places: Places) -> None:
    path = places.session("abc1", places.other)
    bytes_before = path.read_bytes()
    with pytest.raises(ChoiceNeeded, match="--fork abc1") as raised:
        places.open(session="abc1")
    assert [answer.value for answer in raised.value.answers] == ["fork", "there"]
    there = places.open(session="abc1", when_elsewhere="there")
    assert there.path == path
    there.close()
    fork = places.open(session="abc1", when_elsewhere="fork")
    assert fork.path is not None and fork.path.parent == places.folder(places.here)
    assert (fork.cwd, fork.header.parent_session, fork.name) == (places.here, str(path), "name of abc1")
    fork.close()
    assert path.read_bytes() == bytes_before


def test_by_its_path_another_folders_session_is_opened(places: Places) -> None:
    path = places.session("abc1", places.other)
    log = places.open(session=str(path))
    assert (log.path, log.cwd) == (path, places.other)
    log.close()


def test_a_session_whose_folder_is_gone_is_continued_here_or_forked(places: Places) -> None:
    gone = places.here.parent / "gone"
    path = places.session("abc1", gone)
    bytes_before = path.read_bytes()
    with pytest.raises(ChoiceNeeded, match=r"gone.*--fork") as raised:
        places.open(session="abc1")
    assert [answer.value for answer in raised.value.answers] == ["here", "fork"]
    log = places.open(session="abc1", when_gone="here")
    assert log.path == path
    log.close()
    fork = places.open(session="abc1", when_gone="fork")
    assert fork.cwd == places.here
    assert fork.header.parent_session == str(path)
    fork.close()
    assert path.read_bytes() == bytes_before


def test_a_session_that_is_open_elsewhere_is_forked_or_only_read(places: Places) -> None:
    path = places.session("abc1")
    holder = SessionLog.open(path)
    for options in ({"session": "abc1"}, {"continue_last": True}):
        with pytest.raises(ChoiceNeeded, match=r"open in another pi.*--fork") as raised:
            places.open(**options)
        assert [answer.value for answer in raised.value.answers] == ["fork", "read_only"]
    reader = places.open(session="abc1", when_busy="read_only")
    assert reader.read_only
    reader.close()
    fork = places.open(session="abc1", when_busy="fork")
    assert fork.header.parent_session == str(path)
    fork.close()
    holder.close()


def test_fork_finds_sessions_of_any_folder_and_takes_an_id(places: Places) -> None:
    path = places.session("abc1", places.other)
    fork = places.open(fork="abc", session_id="mine")
    assert fork.path is not None
    assert header(fork.path)["parentSession"] == str(path)
    assert (fork.id, fork.cwd) == ("mine", places.here)
    fork.close()
    with pytest.raises(LaunchError, match="already"):
        places.open(fork="abc1", session_id="mine")


def test_fork_needs_a_session(places: Places, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text("hello\n")
    for reference, says in (
        ("nothing", "--fork nothing"),
        (str(notes), "not a session"),
        ("x/y", "no such file"),
    ):
        with pytest.raises(LaunchError, match=says):
            places.open(fork=reference)
    assert notes.read_text() == "hello\n"


def test_a_session_id_opens_exactly_that_session_or_makes_it(places: Places) -> None:
    places.session("abc1")
    made = places.open(session_id="abc")
    assert (made.id, made.entry_ids) == ("abc", [])
    opened = places.open(session_id="abc1")
    assert opened.name == "name of abc1"
    opened.close()


def test_an_empty_file_becomes_a_session_of_this_folder(places: Places, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    log = places.open(session=str(empty))
    assert log.cwd == places.here
    log.close()
    assert empty.stat().st_size == 0
