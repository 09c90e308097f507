"""The resume picker in a running client, and the commands that lead to another session."""

import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from textual import events

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.session import browsing
from pi_tui.session.copying import fork
from pi_tui.session.listing import read_info
from pi_tui.session.log import SessionLog
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.resume.screen import ResumeScreen
from pi_tui.tui.theme.discover import discover_themes

MODELS = {
    "providers": {
        "local": {
            "baseUrl": "http://127.0.0.1:9/v1",
            "api": "openai-completions",
            "apiKey": "key",
            "models": [{"id": "one"}],
        }
    }
}


class Desk:
    """A project with sessions, and the client on it."""

    def __init__(self, root: Path, agent_dir: Path) -> None:
        agent_dir.mkdir(parents=True)
        (agent_dir / "models.json").write_text(json.dumps(MODELS))
        (agent_dir / "settings.json").write_text('{"defaultProvider":"local","defaultModel":"one"}')
        self.project, self.other = root / "project", root / "other"
        for folder in (self.project, self.other):
            folder.mkdir()
        self.sessions = agent_dir / "sessions"

    def session(
        self, prompt: str, *, cwd: Path | None = None, name: str = "", answer: str = "yes"
    ) -> SessionLog:
        """A stored session, closed."""
        from pi_tui.session.folder import session_folder

        cwd = cwd or self.project
        log = SessionLog.create(cwd, session_folder(self.sessions.parent, cwd, None))
        log.append_message(UserMessage(prompt))
        log.append_message(AssistantMessage([TextContent(answer)], api="x", provider="local", model="one"))
        if name:
            log.append_session_info(name)
        log.close()
        return log


class Client:
    def __init__(self, app: PiApp, pilot: Any) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen_text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def until(self, what: Callable[[], bool]) -> None:
        until = monotonic() + 30
        while not what():
            if monotonic() > until:
                raise AssertionError(f"never so:\n{self.screen_text}")
            await self.pilot.pause(0.01)

    async def shows(self, *texts: str, without: str | None = None) -> None:
        await self.until(
            lambda: (
                all(text in self.screen_text for text in texts)
                and (without is None or without not in self.screen_text)
            )
        )

    async def command(self, text: str) -> None:
        self.app.editor.set_prompt(text)
        await self.press("enter")


@pytest.fixture
def desk(tmp_path: Path, home: Path) -> Desk:
    return Desk(tmp_path, home / ".pi" / "agent")


@asynccontextmanager
async def client(
    desk: Desk, *, resume: bool = False, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[Client]:
    session = open_session(Launch(cwd=desk.project, resume=resume, offline=True))
    app = PiApp(session, ClientSetup(shelf=discover_themes([]), resume=resume, offline=True))
    async with app.run_test(size=size) as pilot:
        yield Client(app, pilot)
    session.close()


async def test_the_list_shows_this_folder_and_tab_all_of_them(desk: Desk) -> None:
    desk.session("words of here")
    desk.session("words of elsewhere", cwd=desk.other)
    async with client(desk, resume=True) as user:
        await user.shows("words of here", "this folder · 1", without="words of elsewhere")
        await user.press("tab")
        await user.shows("words of here", "words of elsewhere", "all folders · 2")
        await user.press("tab")
        await user.shows("this folder · 1", without="words of elsewhere")


async def test_a_chosen_session_is_open_afterwards(desk: Desk) -> None:
    log = desk.session("words of here", answer="the answer was given")
    async with client(desk) as user:
        await user.command("/resume")
        await user.shows("words of here")
        await user.press("enter")
        await user.shows("the answer was given", without="Resume a session")
        assert user.app.session.log.path == log.path


async def test_what_is_done_with_a_list_that_is_closed_ends_nothing(desk: Desk) -> None:
    desk.session("words of here")
    async with client(desk) as user:
        await user.command("/resume")
        await user.shows("words of here")
        screen = user.app.screen
        assert isinstance(screen, ResumeScreen)
        # Of a screen that is closed its widgets go first.
        await screen.query("#panel").remove()
        screen.remark("deleted, too late to be read")


async def test_enter_right_after_the_last_letter_opens_what_was_typed(desk: Desk) -> None:
    wanted = desk.session("alpha words")
    desk.session("beta words")
    async with client(desk) as user:
        await user.command("/resume")
        await user.shows("alpha words", "beta words")
        for letter in "alpha":
            user.app.post_message(events.Key(letter, letter))
        user.app.post_message(events.Key("enter", None))
        await user.until(lambda: user.app.session.saved)
        assert user.app.session.log.path == wanted.path


async def test_a_session_of_another_folder_runs_in_that_folder(desk: Desk) -> None:
    desk.session("words of elsewhere", cwd=desk.other)
    async with client(desk, resume=True) as user:
        await user.press("tab")
        await user.shows("words of elsewhere")
        await user.press("enter")
        await user.until(lambda: user.app.session.cwd == desk.other)
        await user.until(lambda: user.app.editor.cwd == desk.other)


async def test_leaving_the_list_at_the_start_leaves_the_client(desk: Desk) -> None:
    desk.session("words")
    async with client(desk, resume=True) as user:
        await user.shows("words")
        await user.press("escape")
        await user.until(lambda: user.app.return_code == 0 and not user.app.is_running)


async def test_nothing_is_said_to_be_missing_while_it_is_still_looked_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    stamps = browsing.stamps
    monkeypatch.setattr(browsing, "stamps", lambda folders: (gate.wait(10), stamps(folders))[1])
    async with client(desk, resume=True) as user:
        await user.shows("Looking for sessions")
        assert "no sessions" not in user.screen_text
        gate.set()
        await user.shows("There are no sessions of this folder yet")


async def test_typing_finds_names_first_messages_and_texts(desk: Desk) -> None:
    desk.session("first alpha", answer="about zebras")
    desk.session("second beta", name="Holiday plan")
    async with client(desk, resume=True) as user:
        await user.shows("first alpha", "Holiday plan")
        for query, found, hidden in (
            ("zebras", "first alpha", "Holiday plan"),
            ("holiday", "Holiday plan", "first alpha"),
            ("beta", "Holiday plan", "first alpha"),
        ):
            await user.press(*query)
            await user.shows(found, "1 of 2", without=hidden)
            await user.press("ctrl+u")
            await user.shows("first alpha", "Holiday plan")
        await user.press(*"nowhere")
        await user.shows("No session fits")


async def test_named_only_sort_and_paths(desk: Desk) -> None:
    desk.session("first alpha", name="Holiday plan")
    log = desk.session("second beta")
    assert log.path is not None
    async with client(desk, resume=True, size=(120, 30)) as user:
        await user.shows("Holiday plan", "second beta")
        await user.press("ctrl+n")
        await user.shows("named only", "Holiday plan", without="second beta")
        await user.press("ctrl+n", "ctrl+s")
        await user.shows("newest first")
        await user.press("ctrl+p")
        await user.shows(log.path.name[-20:])


async def test_forks_are_listed_under_their_parents(desk: Desk) -> None:
    log = desk.session("the root")
    assert log.path is not None
    parent = SessionLog.open(log.path)
    made = fork(parent, parent.leaf_id, log.path.parent)
    made.append_session_info("the fork")
    made.close()
    parent.close()
    async with client(desk, resume=True) as user:
        await user.shows("the root", "└ the fork")


async def test_renaming_writes_the_name_into_the_file(desk: Desk) -> None:
    log = desk.session("words")
    assert log.path is not None
    async with client(desk, resume=True) as user:
        await user.shows("words")
        await user.press("ctrl+r", *"new", "enter")
        await user.shows("new")
        info = read_info(log.path)
        assert info is not None and info.name == "new"


async def test_deleting_asks_and_the_open_session_stays(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_tui.session.housekeeping.TRASH_COMMANDS", ())
    first, second = desk.session("older words"), desk.session("newer words")
    assert first.path is not None and second.path is not None
    async with client(desk) as user:
        await user.app.session.resume(second.path)
        await user.command("/resume")
        await user.shows("older words", "●")
        await user.press("ctrl+d")
        await user.shows("it cannot be deleted")
        await user.press("down", "ctrl+d")
        await user.shows("Delete “older words”?", "for good")
        await user.press("n")
        await user.shows("older words", without="for good")
        await user.press("ctrl+d")
        await user.shows("Delete “older words”?")
        await user.press("y")
        await user.until(lambda: isinstance(user.app.screen, ResumeScreen))
        await user.shows("newer words", without="older words")
        assert (first.path.exists(), second.path.exists()) == (False, True)


async def test_a_session_that_another_process_has_open_is_neither_renamed_nor_deleted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_tui.session.housekeeping.TRASH_COMMANDS", ())
    log = desk.session("words")
    assert log.path is not None
    holder = SessionLog.open(log.path)
    bytes_before = log.path.read_bytes()
    async with client(desk, resume=True, size=(140, 30)) as user:
        await user.shows("words")
        await user.press("ctrl+r", *"new", "enter")
        await user.shows("Not renamed")
        await user.press("ctrl+d")
        await user.shows("Delete “words”?")
        await user.press("y")
        await user.shows("Not deleted")
        await user.press("enter")
        await user.shows("This session is open in another pi.", "read-only")
        await user.press("down", "enter")
        await user.until(lambda: user.app.session.log.read_only)
        await user.command("more")
        await user.shows("Not sent", "read-only")
    holder.close()
    assert log.path.read_bytes() == bytes_before


@pytest.mark.parametrize("size", [(80, 24), (40, 24), (40, 8), (20, 6)])
async def test_it_fits_any_terminal(desk: Desk, size: tuple[int, int]) -> None:
    for number in range(12):
        desk.session(f"[b]wide 你好[/] \x1b[31m {number} " + "word " * 30)
    async with client(desk, resume=True, size=size) as user:
        await user.shows("❯")
        await user.press("down")
        lines = user.screen_text.split("\n")
        assert all("\x1b" not in line for line in lines)
        if size[1] >= 24:
            assert "[b]wide" in user.screen_text
            assert "12" in user.screen_text


async def test_fork_puts_the_message_into_the_editor_of_a_new_session(desk: Desk) -> None:
    log = desk.session("first words")
    assert log.path is not None
    again = SessionLog.open(log.path)
    again.append_message(UserMessage("second words"))
    again.close()
    async with client(desk) as user:
        await user.app.session.resume(log.path)
        await user.command("/fork")
        await user.shows("Fork before which", "first words", "second words")
        await user.press("enter")
        await user.until(lambda: user.app.editor.text == "second words")
        assert user.app.session.log.header.parent_session == str(log.path)
        assert not user.app.session.running


async def test_clone_new_name_and_export(desk: Desk) -> None:
    log = desk.session("first words")
    assert log.path is not None
    async with client(desk) as user:
        await user.command("/clone")
        await user.shows("nothing in this session")
        await user.app.session.resume(log.path)
        await user.command("/clone")
        await user.until(lambda: user.app.session.log.header.parent_session == str(log.path))
        await user.command("/name the copy")
        await user.shows("the copy")
        await user.command("/export out.jsonl")
        await user.until((desk.project / "out.jsonl").exists)
        await user.command("/export out.jsonl")
        await user.shows("Replace the file?")
        await user.press("n")
        await user.command("/new")
        await user.until(lambda: user.app.session.log.entry_ids == [])


async def test_an_import_of_something_else_is_refused(desk: Desk) -> None:
    notes = desk.project / "notes.jsonl"
    notes.write_text("hello\n")
    async with client(desk) as user:
        await user.command("/import notes.jsonl")
        await user.shows("not a session file")
        await user.command("/import gone.jsonl")
        await user.shows("No such file")
    assert notes.read_text() == "hello\n"
    assert not desk.sessions.exists()


async def test_an_import_from_another_machine_asks_where_it_runs(desk: Desk) -> None:
    log = desk.session("from afar", cwd=desk.project / "gone", answer="the answer was given")
    assert log.path is not None
    async with client(desk) as user:
        await user.command(f"/import {log.path}")
        await user.shows("The folder of this session is gone")
        await user.press("enter")
        await user.shows("the answer was given")
        assert user.app.session.cwd == desk.project
