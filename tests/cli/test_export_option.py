"""`pi --export` as a process: what is written where, what is refused, and the exit codes."""

from pathlib import Path

import pytest

from pi_tui.session.log import SessionLog
from tests.cli.test_main import pi, stored_session


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session file in the working directory of these tests."""
    stored = stored_session("abc123", tmp_path, "<b>words</b> to find")
    path = tmp_path / "talk.jsonl"
    path.write_bytes(stored.read_bytes())
    return path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


def test_without_a_name_it_is_a_page_beside_where_one_is(tmp_path: Path, session: Path) -> None:
    done = pi("--export", "talk.jsonl", cwd=tmp_path)
    page = tmp_path / "pi-session-talk.html"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{page}\n", "")
    assert page.read_text().startswith("<!doctype html>")
    again = pi("--export", "talk.jsonl", cwd=tmp_path)
    assert again.stdout == f"{tmp_path / 'pi-session-talk-2.html'}\n"


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("x.html", "<!doctype html>"),
        ("x.HTM", "<!doctype html>"),
        ("a b.md", "# "),
        ("x.jsonl", '{"type":"session"'),
    ],
)
def test_the_name_says_what_is_written(tmp_path: Path, session: Path, name: str, begins: str) -> None:
    done = pi("--export", "abc1", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / name).read_text().startswith(begins)


def test_a_session_open_elsewhere_can_be_exported(tmp_path: Path, session: Path) -> None:
    holder = SessionLog.open(session)
    try:
        assert pi("--export", "talk.jsonl", "x.md", cwd=tmp_path).returncode == 0
    finally:
        holder.close()


def test_the_page_has_the_colours_of_the_theme(tmp_path: Path, session: Path) -> None:
    for name in ("high-contrast", "dark"):
        assert pi("--export", "talk.jsonl", f"{name}.html", "--use-theme", name, cwd=tmp_path).returncode == 0
    assert (tmp_path / "high-contrast.html").read_text() != (tmp_path / "dark.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["talk.jsonl", "talk.jsonl"], 1, "is the session itself"),
        (["talk.jsonl", "./talk.jsonl"], 1, "is the session itself"),
        (["talk.jsonl", "there.md"], 1, "is there already"),
        (["talk.jsonl", "x.txt"], 1, ".html, .md or .jsonl"),
        (["talk.jsonl", "x"], 1, ".html, .md or .jsonl"),
        (["talk.jsonl", "none/x.html"], 1, "no folder"),
        (["talk.jsonl", "x.html", "--use-theme", "nope"], 1, "no theme 'nope'"),
        (["none.jsonl"], 2, "no such file"),
        (["a" * 300], 2, "File name too long"),
        (["~nobody-of-this-name/x.jsonl"], 2, "no such file"),
        (["zzz"], 2, "no session has an id"),
        (["./"], 1, "not a regular file"),
        (["empty.jsonl"], 1, "is empty"),
        (["there.md"], 1, "not a session file"),
        (["binary.jsonl"], 1, "not a session file"),
        (["foreign.jsonl"], 1, "not a session file"),
        (["talk.jsonl", "a.html", "b.html"], 2, "one file"),
        (["talk.jsonl", "-c"], 2, "--continue"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_line_and_leaves_nothing(
    tmp_path: Path, session: Path, arguments: list[str], code: int, says: str
) -> None:
    (tmp_path / "there.md").write_text("mine")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "binary.jsonl").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "foreign.jsonl").write_text('{"a": 1}\n[2]\n')
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    done = pi("--export", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("pi: ") and done.stderr.count("\n") == 1
    assert says in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_into_a_folder_it_goes_under_its_default_name(tmp_path: Path, session: Path) -> None:
    (tmp_path / "out").mkdir()
    assert pi("--export", "talk.jsonl", "out", cwd=tmp_path).returncode == 0
    assert files(tmp_path / "out") == {"pi-session-talk.html"}


def test_damage_is_told_and_the_rest_is_exported(tmp_path: Path, session: Path) -> None:
    session.write_bytes(session.read_bytes() + b"{half a line\n")
    done = pi("--export", "talk.jsonl", "x.md", cwd=tmp_path)
    assert done.returncode == 0
    assert "Line " in done.stderr
    assert "words" in (tmp_path / "x.md").read_text()
