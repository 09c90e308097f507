"""A large file is edited elsewhere, and nobody can tell but by the memory it does not take."""

import subprocess
import sys
from pathlib import Path

import pytest

from pi_tui.agent.tools import edit as edit_module
from pi_tui.agent.tools import large_edit, limits

FILLING = b"0123456789 abcdef\r\n" * 150_000
ENDS = b"first\r\n", "tr\u00e8s “last”".encode()


@pytest.fixture
def path(workspace) -> Path:
    path = workspace.cwd / "f"
    path.write_bytes(ENDS[0] + FILLING + ENDS[1])
    assert path.stat().st_size > limits.LARGE_EDIT_BYTES
    path.chmod(0o754)
    return path


@pytest.fixture(params=["elsewhere", "here"])
def where(request, monkeypatch) -> str:
    """The same must come of it whether a file counts as large or not."""
    if request.param == "here":
        monkeypatch.setattr(limits, "LARGE_EDIT_BYTES", limits.EDIT_FILE_BYTES)
    else:

        def refuse(*arguments):
            raise AssertionError("not in this process")

        monkeypatch.setattr(edit_module, "edit_file", refuse)
    return request.param


async def test_its_bytes_and_its_diff_are_as_ever(call, path, where) -> None:
    outcome = await call(
        "edit",
        path="f",
        edits=[{"oldText": "first\n", "newText": "1st\n"}, {"oldText": '"last"', "newText": "end"}],
    )
    assert outcome.text.startswith("Edited f in 2 places. oldText differed in")
    assert path.read_bytes() == b"1st\r\n" + FILLING + "tr\u00e8s end".encode()
    assert path.stat().st_mode & 0o777 == 0o754
    assert (outcome.details["added"], outcome.details["removed"], outcome.details["firstChangedLine"]) == (
        2,
        2,
        1,
    )
    assert "-first" in outcome.details["diff"] and "+tr\u00e8s end\n" in outcome.details["diff"]


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("none of it", "f was not changed. The edit was not found. "),
        ("abcdef", "f was not changed. The edit was found 1000 times or more (lines 2, 3, 4,"),
        ("", "f was not changed. The edit has an empty oldText."),
    ],
)
async def test_what_cannot_be_made_is_refused_with_the_same_words(call, path, where, old, said) -> None:
    before = path.read_bytes()
    outcome = await call("edit", path="f", oldText=old, newText="x")
    assert outcome.is_error
    assert outcome.text.startswith(said)
    assert path.read_bytes() == before


async def test_a_change_by_someone_else_is_mentioned(call, path, where) -> None:
    await call("read", path="f")
    path.write_bytes(path.read_bytes() + b"theirs")
    outcome = await call("edit", path="f", oldText="first", newText="1st")
    assert "Something else had changed the file" in outcome.text
    again = await call("edit", path="f", oldText="1st", newText="first")
    assert again.text == "Edited f."


async def test_its_memory_is_not_ours(call, path) -> None:
    path.write_bytes(FILLING * 7 + ENDS[1])
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    assert not (await call("edit", path="f", oldText="last", newText="end")).is_error
    assert peak() - before < 5_000


def peak() -> int:
    """The most memory this process has had, in KiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


async def test_work_that_is_broken_off_is_said_to_be(call, path, monkeypatch) -> None:
    before = path.read_bytes()
    monkeypatch.setattr(large_edit, "_FIRST", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    outcome = await call("edit", path="f", oldText="first", newText="1st")
    assert outcome.is_error
    assert outcome.text.startswith("Editing f was broken off (code -9)")
    assert path.read_bytes() == before


def test_the_other_process_needs_the_standard_library_alone(tmp_path) -> None:
    known = "import sys; from pi_tui.agent.tools import large_edit; "
    told = (
        known
        + "print([m for m in sys.modules if m.partition('.')[0] in ('msgspec', 'textual', 'rich', 'asyncio')])"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(large_edit._ROOT)!r}); {told}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
