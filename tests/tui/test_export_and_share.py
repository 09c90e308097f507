"""`/export` and `/share` in the client, with a `gh` that never reaches a network."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pi_tui.export import gist
from pi_tui.tui.app import PiApp
from pi_tui.tui.export_commands import written_path
from pi_tui.tui.picker.picker import Picker
from tests.tui.written_client import client, shown, submit, until

KEY = "sk-" + "ant-api03-" + "aB3dE6gH9" * 10
ADDRESS = "https://gist.github.com/someone/0123456789abcdef"

GH = """#!{python}
import json, os, pathlib, sys, time
here = pathlib.Path({folder!r})
page = pathlib.Path(sys.argv[-1])
(here / "called.json").write_text(json.dumps([sys.argv[1:], sys.stdin.read()]))
(here / "page.html").write_bytes(page.read_bytes())
{deed}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "FakeGh":
    return FakeGh(tmp_path / "gh", monkeypatch)


class FakeGh:
    """A program that stands for GitHub's: it notes how it was called, and does what a test wants."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        folder.mkdir()
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def will(self, deed: str) -> None:
        path = self.folder / "gh"
        path.write_text(GH.format(python=sys.executable, folder=str(self.folder), deed=deed))
        path.chmod(0o755)

    @property
    def called(self) -> list[str]:
        return json.loads((self.folder / "called.json").read_text())[0]

    @property
    def page(self) -> str:
        return (self.folder / "page.html").read_text()


async def question(pilot: Pilot[int], app: PiApp) -> Picker[str]:
    """The question that is asked next."""
    async with asyncio.timeout(30):
        while not isinstance(app.screen, Picker):
            await pilot.pause()
    await pilot.pause()
    return app.screen


async def answered(pilot: Pilot[int], app: PiApp, label: str) -> None:
    asked = await question(pilot, app)
    for letter in label:
        await pilot.press("space" if letter == " " else letter)
    await pilot.press("enter")
    async with asyncio.timeout(30):
        while app.screen is asked:
            await pilot.pause()


# --- /export


@pytest.mark.parametrize(
    ("written", "name", "begins"),
    [
        ("x.html", "x.html", "<!doctype html>"),
        ("x.md", "x.md", "# "),
        ("x.jsonl", "x.jsonl", "{"),
        ("a name.md", "a name.md", "# "),
        ('"a name.md"', "a name.md", "# "),
        (r"a\ name.md", "a name.md", "# "),
    ],
)
async def test_a_session_is_written_as_its_name_says(
    project: Path, written: str, name: str, begins: str
) -> None:
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, f"/export {written}")
        await until(pilot, app, str(project / name))
        assert (project / name).read_text().startswith(begins)


async def test_without_a_name_it_is_a_page_in_the_working_directory(project: Path) -> None:
    async with client(project, "hello") as (app, pilot):
        for number in ("", "-2"):
            await submit(pilot, app, "/export")
            await until(pilot, app, str(project / f"pi-session-{app.session.log.id}{number}.html"))


def test_paths_may_begin_at_home(home: Path, project: Path) -> None:
    assert written_path("~/x y.md", project) == home / "x y.md"


async def test_a_file_that_is_there_is_replaced_only_by_who_says_so(project: Path) -> None:
    target = project / "notes.md"
    target.write_text("mine")
    async with client(project, "hello") as (app, pilot):
        for key, kept in (("n", True), ("y", False)):
            await submit(pilot, app, "/export notes.md")
            async with asyncio.timeout(30):
                while len(app.screen_stack) == 1:
                    await pilot.pause()
            await pilot.press(key)
            if not kept:
                await until(pilot, app, str(target))
            assert (target.read_text() == "mine") is kept


@pytest.mark.parametrize(
    ("written", "says"),
    [("x.txt", ".html, .md or .jsonl"), ("none/x.md", "no folder"), ("x", ".html, .md or .jsonl")],
)
async def test_an_export_that_cannot_be_is_refused_with_its_reason(
    project: Path, written: str, says: str
) -> None:
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, f"/export {written}")
        await until(pilot, app, says)
    assert list(project.iterdir()) == []


async def test_the_file_of_the_session_itself_is_never_replaced(project: Path) -> None:
    async with client(project, "hello", stored=True) as (app, pilot):
        path = app.session.log.path
        assert path is not None
        before = path.read_bytes()
        await submit(pilot, app, f"/export {path}")
        await until(pilot, app, "is the session itself")
        assert path.read_bytes() == before


async def test_an_empty_session_is_not_exported(project: Path) -> None:
    async with client(project) as (app, pilot):
        await submit(pilot, app, "/export x.md")
        await until(pilot, app, "nothing in this session yet")
        assert not (project / "x.md").exists()


# --- /share


async def test_a_session_without_secrets_is_shared_after_a_question(project: Path, gh: FakeGh) -> None:
    gh.will(f"print({ADDRESS!r})")
    async with client(project, "hello there") as (app, pilot):
        app.session.log.append_session_info("My talk")
        await submit(pilot, app, "/share")
        await answered(pilot, app, "share it")
        await until(pilot, app, ADDRESS)
        assert "gh gist delete 0123456789abcdef" in shown(app)
        assert gh.called[:3] == ["gist", "create", "--desc=My talk"]
        assert "--public" not in gh.called
        assert "hello there" in gh.page
        assert not Path(gh.called[-1]).exists()


async def test_secrets_are_told_by_kind_and_place_and_never_in_full(project: Path, gh: FakeGh) -> None:
    gh.will(f"print({ADDRESS!r})")
    async with client(project, f"my key is\n{KEY}") as (app, pilot):
        await submit(pilot, app, "/share")
        await until(pilot, app, "Anthropic key")
        entry_id = app.session.log.entry_ids[0]
        assert f"your message {entry_id}, line 2" in shown(app).rpartition("seems to hold")[2]
        assert KEY not in shown(app).rpartition("seems to hold")[2]
        await question(pilot, app)
        # What Enter says is no.
        await pilot.press("enter")
        await pilot.pause()
        assert not (gh.folder / "called.json").exists()


@pytest.mark.parametrize(("answer", "there"), [("masked", False), ("as it is", True)])
async def test_secrets_are_shared_only_as_the_user_says(
    project: Path, gh: FakeGh, answer: str, there: bool
) -> None:
    gh.will(f"print({ADDRESS!r})")
    async with client(project, f"my key is {KEY}") as (app, pilot):
        await submit(pilot, app, "/share")
        await answered(pilot, app, answer)
        await until(pilot, app, ADDRESS)
        assert (KEY in gh.page) is there
        assert "my key is" in gh.page


async def test_esc_at_the_question_shares_nothing(project: Path, gh: FakeGh) -> None:
    gh.will(f"print({ADDRESS!r})")
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await question(pilot, app)
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1
    assert not (gh.folder / "called.json").exists()


async def test_without_gh_it_is_said_how_to_go_on(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await until(pilot, app, "needs gh")
        assert "gh auth login" in shown(app) and "/export" in shown(app)


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("sys.exit(4)", "gh is not logged in"),
        (
            "print('To get started with GitHub CLI, please run: gh auth login', file=sys.stderr); sys.exit(1)",
            "gh is not logged in",
        ),
        ("print('\\x1b[31mHTTP 502: bad gateway', file=sys.stderr); sys.exit(1)", "HTTP 502: bad gateway"),
        ("sys.exit(3)", "ended with code 3"),
        ("print('done')", "no address"),
        ("os.kill(os.getpid(), 9)", "ended with code -9"),
    ],
)
async def test_when_gh_fails_its_reason_is_told(project: Path, gh: FakeGh, deed: str, says: str) -> None:
    gh.will(deed)
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await answered(pilot, app, "share it")
        await until(pilot, app, says)
        assert "\x1b" not in shown(app)


async def test_a_gh_that_cannot_be_started_is_told(project: Path, gh: FakeGh) -> None:
    (gh.folder / "gh").write_text("#!/nowhere/at/all\n")
    (gh.folder / "gh").chmod(0o755)
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await answered(pilot, app, "share it")
        await until(pilot, app, "cannot be started")


async def test_esc_ends_gh_and_what_it_started(project: Path, gh: FakeGh) -> None:
    gh.will(
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "(here / 'pids').write_text(f'{os.getpid()} {child.pid}')\n"
        "os.rename(here / 'pids', here / 'going')\n"
        "time.sleep(600)"
    )
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await answered(pilot, app, "share it")
        async with asyncio.timeout(30):
            while not (gh.folder / "going").exists():
                await pilot.pause(0.01)
        pids = [int(pid) for pid in (gh.folder / "going").read_text().split()]
        await pilot.press("escape")
        async with asyncio.timeout(30):
            while len(app.screen_stack) > 1 or any(map(alive, pids)):
                await pilot.pause(0.01)
        assert not Path(gh.called[-1]).exists()


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_a_page_too_large_for_a_gist_is_not_sent(
    project: Path, gh: FakeGh, monkeypatch: pytest.MonkeyPatch
) -> None:
    gh.will(f"print({ADDRESS!r})")
    monkeypatch.setattr(gist, "MAX_GIST_BYTES", 1024)
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await answered(pilot, app, "share it")
        await until(pilot, app, "/export")
    assert not (gh.folder / "called.json").exists()


async def test_a_gh_that_does_not_answer_is_given_up(
    project: Path, gh: FakeGh, monkeypatch: pytest.MonkeyPatch
) -> None:
    gh.will("time.sleep(600)")
    monkeypatch.setattr(gist, "GIST_SECONDS", 0.3)
    async with client(project, "hello") as (app, pilot):
        await submit(pilot, app, "/share")
        await answered(pilot, app, "share it")
        await until(pilot, app, "did not answer")


async def test_an_empty_session_is_not_shared(project: Path, gh: FakeGh) -> None:
    gh.will(f"print({ADDRESS!r})")
    async with client(project) as (app, pilot):
        await submit(pilot, app, "/share")
        await until(pilot, app, "nothing in this session yet")
