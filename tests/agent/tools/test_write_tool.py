"""`write`: whole files, new and replaced."""

import asyncio
import os
import stat

import pytest

from pi_tui.agent.tools import limits


async def test_a_new_file_with_its_folders(call, workspace):
    outcome = await call("write", path="a/b/f.txt", content="one\ntwo")
    assert outcome.text == "Wrote a/b/f.txt (7 bytes)."
    assert (workspace.cwd / "a/b/f.txt").read_bytes() == b"one\ntwo"
    assert outcome.details == {"created": True, "diff": None, "added": 2, "removed": 0, "firstChangedLine": 1}


async def test_an_existing_file_keeps_its_mode_and_the_screen_gets_a_diff(call, workspace):
    path = workspace.cwd / "run.sh"
    path.write_text("a\nb\n")
    path.chmod(0o750)
    outcome = await call("write", path="run.sh", content="a\nc\n")
    assert outcome.text == "Replaced run.sh (4 bytes)."
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert outcome.details == {
        "created": False,
        "diff": "--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        "firstChangedLine": 2,
        "added": 1,
        "removed": 1,
    }


@pytest.mark.parametrize(
    "content",
    ["", "\n", "a\r\nb\n", "\ufeffx", "你好", "no newline"],
    ids=["empty", "newline", "CRLF", "BOM", "UTF-8", "end"],
)
async def test_the_content_is_written_as_given(call, workspace, content):
    await call("write", path="f", content=content)
    assert (workspace.cwd / "f").read_bytes() == content.encode()


async def test_the_same_content_again_is_said_to_be_the_same(call, workspace):
    (workspace.cwd / "f").write_text("a\n")
    before = (workspace.cwd / "f").stat()
    outcome = await call("write", path="f", content="a\n")
    assert (outcome.text, outcome.is_error) == ("f had this content already.", False)
    assert (workspace.cwd / "f").stat().st_ino == before.st_ino


async def test_changes_of_others_that_are_overwritten_are_mentioned(call, workspace):
    path = workspace.cwd / "f"
    await call("write", path="f", content="mine\n")
    path.write_text("theirs\n")
    outcome = await call("write", path="f", content="mine again\n")
    assert "Something else had changed the file since you last saw it" in outcome.text
    assert path.read_text() == "mine again\n"
    assert "Something" not in (await call("write", path="f", content="third\n")).text


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        pytest.param("folder", "x", "folder is a directory", id="directory"),
        pytest.param("fifo", "x", "named pipe", id="FIFO"),
        pytest.param("/dev/null", "x", "character device", id="device"),
        pytest.param("f/x", "x", "a part of the path is a file", id="file as a folder"),
        pytest.param("circle", "x", "circle", id="link to itself"),
        pytest.param("n" * 300, "x", "the name is too long", id="name too long"),
        pytest.param("f", "\ud83d", "half of a surrogate pair (character 0)", id="half a character"),
        pytest.param("", "x", "path is empty", id="empty path"),
    ],
)
async def test_what_cannot_be_written_is_refused(call, workspace, path, content, said):
    (workspace.cwd / "f").write_text("old")
    (workspace.cwd / "folder").mkdir()
    (workspace.cwd / "circle").symlink_to("circle")
    os.mkfifo(workspace.cwd / "fifo")
    outcome = await asyncio.wait_for(call("write", path=path, content=content), 5)
    assert outcome.is_error
    assert said in outcome.text
    assert (workspace.cwd / "f").read_text() == "old"


@pytest.mark.parametrize(
    "old", [b"\0binary", b"x" * (limits.DIFF_FILE_BYTES + 1)], ids=["not text", "too large"]
)
async def test_without_a_diff_where_there_is_nothing_to_show(call, workspace, old):
    (workspace.cwd / "f").write_bytes(old)
    outcome = await call("write", path="f", content="text\n")
    assert (outcome.details["diff"], outcome.details["created"], outcome.details["added"]) == (None, False, 1)


async def test_writes_and_edits_of_one_file_wait_for_each_other(call, workspace):
    content = "".join(f"{n}\n" for n in range(2000))
    outcomes = await asyncio.gather(
        call("write", path="f", content=content),
        call("edit", path="f", oldText="\n1999\n", newText="\nlast\n"),
    )
    assert not [outcome.text for outcome in outcomes if outcome.is_error]
    assert (workspace.cwd / "f").read_text() == content.replace("1999", "last")
