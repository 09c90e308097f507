"""`edit` on real files: what it writes, what it says, and that calls never tread on each other."""

import asyncio
import os
import stat
import threading

import pytest

from pi_tui.agent.tools import file_edit, limits


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"\xef\xbb\xbfa\r\nb\r\n", "a\nb", "A\nB", b"\xef\xbb\xbfA\r\nB\r\n", id="BOM and CRLF"),
        pytest.param(b"a\r\nb\nc\r\n", "b", "B", b"a\r\nB\nc\r\n", id="mixed line ends"),
        pytest.param(b"a\nb", "b", "B", b"a\nB", id="no final newline"),
        pytest.param(b"caf\xe9\nx\n", "x", "y", b"caf\xe9\ny\n", id="Latin-1"),
        pytest.param(
            b"\xff\xfe\x80\nx\n\xc3\n", "x", "y", b"\xff\xfe\x80\ny\n\xc3\n", id="bytes that are no UTF-8"
        ),
        pytest.param(b"a\0b\nx\n", "x", "y", b"a\0b\ny\n", id="NUL"),
        pytest.param(b"all", "all", "", b"", id="to empty"),
        pytest.param("“q”  \nx\n".encode(), '"q"', "q", b"q  \nx\n", id="typographic"),
        pytest.param(
            "“q”\nx — y\n".encode(), "x - y", "z", "“q”\nz\n".encode(), id="other lines stay typographic"
        ),
    ],
)
async def test_the_bytes_on_disk(call, workspace, before, old, new, after):
    path = workspace.cwd / "f"
    path.write_bytes(before)
    path.chmod(0o755)
    outcome = await call("edit", path="f", edits=[{"oldText": old, "newText": new}])
    assert not outcome.is_error, outcome.text
    assert path.read_bytes() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_the_result_tells_the_model_little_and_the_screen_the_diff(call, workspace):
    (workspace.cwd / "f").write_text("a\nb\nc\n")
    outcome = await call("edit", path="f", edits=[{"oldText": "b", "newText": "B\nB2"}])
    assert outcome.text == "Edited f."
    assert outcome.details == {
        "diff": "--- f\n+++ f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n",
        "firstChangedLine": 2,
        "added": 2,
        "removed": 1,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"oldText": "b", "newText": "B"}, id="a pair at top level"),
        pytest.param({"edits": {"oldText": "b", "newText": "B"}}, id="one object"),
    ],
)
async def test_a_single_edit_may_come_without_a_list(call, workspace, arguments):
    (workspace.cwd / "f").write_text("b\n")
    assert not (await call("edit", path="f", **arguments)).is_error
    assert (workspace.cwd / "f").read_text() == "B\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param({"path": "f"}, "edits is missing or empty", id="no edits"),
        pytest.param({"path": "f", "edits": []}, "edits is missing or empty", id="empty list"),
        pytest.param(
            {"path": "f", "edits": [{"oldText": "a"}]}, "edits[0].newText is missing", id="no newText"
        ),
        pytest.param(
            {"path": "f", "edits": [{"oldText": 1, "newText": ""}]}, "edits[0].oldText", id="not a string"
        ),
        pytest.param({"path": "f", "oldText": "a"}, "edits[0].newText is missing", id="half a pair"),
        pytest.param(
            {"path": "f", "oldText": "a", "newText": "\ud83d"},
            "half of a surrogate pair",
            id="half a character",
        ),
        pytest.param(
            {"path": "f", "oldText": "zzz", "newText": ""},
            "f was not changed. The edit was not found.",
            id="not found",
        ),
        pytest.param(
            {"path": "f", "oldText": "x", "newText": ""}, "found 2 times (lines 2, 3)", id="ambiguous"
        ),
        pytest.param({"path": "f", "oldText": "a", "newText": "a"}, "changes nothing", id="no change"),
        pytest.param(
            {"path": "g", "oldText": "a", "newText": "b"}, "To make a new file, use write.", id="missing"
        ),
        pytest.param(
            {"path": "folder", "oldText": "a", "newText": "b"}, "folder is a directory", id="directory"
        ),
        pytest.param({"path": "fifo", "oldText": "a", "newText": "b"}, "named pipe", id="FIFO"),
        pytest.param({"path": "/dev/null", "oldText": "a", "newText": "b"}, "character device", id="device"),
        pytest.param(
            {"path": "wide", "oldText": "text", "newText": "b"}, "not UTF-8 text but UTF-16 text", id="UTF-16"
        ),
        pytest.param({"path": "huge", "oldText": "a", "newText": "b"}, "more than the", id="too large"),
    ],
)
async def test_an_edit_that_cannot_be_made_changes_nothing(call, workspace, arguments, said):
    folder = workspace.cwd
    (folder / "f").write_text("a\nx\nx\n")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "wide").write_bytes("text\n".encode("utf-16"))
    with (folder / "huge").open("wb") as file:
        file.truncate(limits.EDIT_FILE_BYTES + 1)
    before = (folder / "f").stat()
    outcome = await asyncio.wait_for(call("edit", **arguments), 5)
    assert outcome.is_error
    assert said in outcome.text
    assert (folder / "f").stat() == before or (folder / "f").stat().st_mtime_ns == before.st_mtime_ns


async def test_one_bad_edit_spoils_all(call, workspace):
    (workspace.cwd / "f").write_text("a\nb\n")
    outcome = await call(
        "edit", path="f", edits=[{"oldText": "a", "newText": "A"}, {"oldText": "zz", "newText": "Z"}]
    )
    assert "edits[1] was not found" in outcome.text
    assert (workspace.cwd / "f").read_text() == "a\nb\n"


async def test_parallel_edits_of_one_file_are_all_made(call, workspace):
    names = [f"name{n:02}" for n in range(20)]
    (workspace.cwd / "f").write_text("".join(f"{name}\n" for name in names))
    (workspace.cwd / "link").symlink_to("f")
    paths = ["f", "./f", "link", str(workspace.cwd / "f")]
    outcomes = await asyncio.gather(
        *(call("edit", path=paths[n % 4], oldText=name, newText=name.upper()) for n, name in enumerate(names))
    )
    assert not [outcome.text for outcome in outcomes if outcome.is_error]
    assert (workspace.cwd / "f").read_text() == "".join(f"{name.upper()}\n" for name in names)


async def test_parallel_edits_through_hard_links_are_all_made(call, workspace):
    names = [f"name{n:02}" for n in range(10)]
    (workspace.cwd / "f").write_text("".join(f"{name}\n" for name in names))
    os.link(workspace.cwd / "f", workspace.cwd / "g")
    await asyncio.gather(
        *(call("edit", path="fg"[n % 2], oldText=name, newText=name.upper()) for n, name in enumerate(names))
    )
    assert (workspace.cwd / "g").read_text() == "".join(f"{name.upper()}\n" for name in names)


async def test_a_change_by_someone_else_is_kept_and_mentioned(call, workspace):
    path = workspace.cwd / "f"
    path.write_text("a\nb\n")
    await call("read", path="f")
    path.write_text("a\nb\ntheirs\n")
    outcome = await call("edit", path="f", oldText="a", newText="A")
    assert path.read_text() == "A\nb\ntheirs\n"
    assert "Something else had changed the file" in outcome.text
    again = await call("edit", path="f", oldText="b", newText="B")
    assert again.text == "Edited f."


async def test_a_mere_touch_is_no_change(call, workspace):
    path = workspace.cwd / "f"
    path.write_text("a\n")
    await call("read", path="f")
    os.utime(path, ns=(1, 1))
    assert (await call("edit", path="f", oldText="a", newText="b")).text == "Edited f."


@pytest.mark.parametrize("what", ["changed", "vanished"])
async def test_a_file_that_changes_between_look_and_write_is_left_to_whoever_did_it(
    call, workspace, monkeypatch, what
):
    path = workspace.cwd / "f"
    path.write_text("a\n")
    real = file_edit.apply_regions

    def meanwhile(text, regions):
        if what == "changed":
            path.write_text("theirs\n")
        else:
            path.unlink()
        return real(text, regions)

    monkeypatch.setattr(file_edit, "apply_regions", meanwhile)
    outcome = await call("edit", path="f", oldText="a", newText="b")
    assert outcome.is_error
    assert "changed by something else just now" in outcome.text
    assert path.read_text() == "theirs\n" if what == "changed" else not path.exists()


async def paused_edit(call, monkeypatch, name):
    """An edit that is cancelled while it is in `name` of the module."""
    inside, go_on = threading.Event(), threading.Event()
    real = getattr(file_edit, name)

    def wait(*arguments):
        inside.set()
        go_on.wait(5)
        return real(*arguments)

    monkeypatch.setattr(file_edit, name, wait)
    task = asyncio.create_task(call("edit", path="f", oldText="a", newText="b"))
    await asyncio.to_thread(inside.wait, 5)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    return task


async def test_cancelled_before_writing_nothing_is_written(call, workspace, monkeypatch):
    (workspace.cwd / "f").write_text("a\n")
    task = await paused_edit(call, monkeypatch, "find_regions")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (workspace.cwd / "f").read_text() == "a\n"


async def test_cancelled_while_writing_the_edit_is_made_and_told(call, workspace, monkeypatch):
    (workspace.cwd / "f").write_text("a\n")
    task = await paused_edit(call, monkeypatch, "write_file")
    outcome = await task
    assert outcome.is_error
    assert "The user stopped the run when this edit had just been made." in outcome.text
    assert outcome.details["added"] == 1
    assert (workspace.cwd / "f").read_text() == "b\n"
