"""Fork, clone, export and import: what the copy holds, byte for byte."""

import json
from pathlib import Path

import pytest

from pi_tui.llm.messages import UserMessage
from pi_tui.session.copying import clone, copy_all, export_jsonl, fork, import_session
from pi_tui.session.errors import NotASession
from pi_tui.session.log import SessionLog
from tests.session.conftest import OpenBytes
from tests.session.session_lines import HEADER, entry_line, label_line, user_line

A = user_line("aaaaaaaa", None, "first")
B = user_line("bbbbbbbb", "aaaaaaaa", "second")


def body(log: SessionLog) -> list[bytes]:
    assert log.path is not None
    return log.path.read_bytes().split(b"\n")[1:-1]


def test_a_path_is_copied_byte_for_byte(open_bytes: OpenBytes, tmp_path: Path) -> None:
    spaced = A.replace(b'":', b'" : ').replace(b"first", b"\\u0066irst")
    log = open_bytes(HEADER + spaced + b"\n" + B + b"\n" + user_line("cccccccc", "aaaaaaaa") + b"\n")
    assert body(fork(log, "bbbbbbbb", tmp_path)) == [spaced, B]


def test_a_fork_names_its_parent_and_has_one_header(open_bytes: OpenBytes, tmp_path: Path) -> None:
    log = open_bytes(HEADER + A + b"\n")
    copy = fork(log, "aaaaaaaa", tmp_path)
    assert copy.path is not None
    lines = [json.loads(line) for line in copy.path.read_bytes().split(b"\n")[:-1]]
    assert [line["type"] for line in lines] == ["session", "message"]
    assert lines[0]["parentSession"] == str(log.path)
    assert lines[0]["id"] != log.id
    assert lines[0]["cwd"] == "/project"
    copy.append_message(UserMessage(content="more"))
    assert copy.path.read_bytes().count(b'"type":"session"') == 1
    assert log.path is not None
    assert log.path.read_bytes() == HEADER + A + b"\n"


def test_a_fork_before_the_first_message_waits_for_one(open_bytes: OpenBytes, tmp_path: Path) -> None:
    model = entry_line("model_change", "99999999", None, '"provider":"p","modelId":"m"')
    log = open_bytes(HEADER + model + b"\n" + user_line("aaaaaaaa", "99999999") + b"\n")
    copy = fork(log, "99999999", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    copy.append_message(UserMessage(content="other"))
    assert body(copy)[0] == model
    assert copy.header.parent_session == str(log.path)


def test_a_fork_from_no_entry_is_empty(open_bytes: OpenBytes, tmp_path: Path) -> None:
    copy = fork(open_bytes(HEADER + A + b"\n"), None, tmp_path)
    assert copy.entry_ids == []


def test_a_session_in_memory_can_be_forked(tmp_path: Path) -> None:
    log = SessionLog.create(Path("/project"), None)
    first = log.append_message(UserMessage(content="one"))
    log.append_message(UserMessage(content="two"))
    copy = fork(log, first, None)
    assert (copy.branch(), copy.path, copy.header.parent_session) == ([first], None, None)


def test_children_of_a_left_out_label_hang_on_its_parent(open_bytes: OpenBytes, tmp_path: Path) -> None:
    """The label's target is on another branch; only the parent's id changes in what follows it."""
    other = user_line("cccccccc", "aaaaaaaa", "other branch")
    label = label_line("dddddddd", "aaaaaaaa", "cccccccc", "there")
    after = user_line("eeeeeeee", "dddddddd").replace(b'"parentId":', b'"parentId" :  ')
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in (A, other, label, after)))
    copy = fork(log, "eeeeeeee", tmp_path)
    assert body(copy) == [A, after.replace(b"dddddddd", b"aaaaaaaa")]
    assert copy.labels == {}


def test_a_compaction_that_kept_from_a_left_out_entry_keeps_from_the_next(
    open_bytes: OpenBytes, tmp_path: Path
) -> None:
    other = user_line("cccccccc", "aaaaaaaa", "other branch")
    label = label_line("dddddddd", "aaaaaaaa", "cccccccc", "there")
    kept = user_line("eeeeeeee", "dddddddd", "kept")
    compaction = entry_line(
        "compaction", "ffffffff", "eeeeeeee", '"summary":"s","firstKeptEntryId":"dddddddd","tokensBefore":1'
    )
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in (A, other, label, kept, compaction)))
    copy = fork(log, "ffffffff", tmp_path)
    assert json.loads(copy.raw("ffffffff"))["firstKeptEntryId"] == "eeeeeeee"
    assert copy.project().entry_ids == ["ffffffff", "eeeeeeee"] == log.project().entry_ids


def test_labels_and_name_are_those_of_the_session_not_of_the_branch(
    open_bytes: OpenBytes, tmp_path: Path
) -> None:
    lines = [
        A,
        label_line("11111111", "aaaaaaaa", "aaaaaaaa", "old"),
        B.replace(b'"aaaaaaaa"', b'"11111111"'),
        label_line("22222222", "aaaaaaaa", "aaaaaaaa", "new"),
        label_line("33333333", "22222222", "bbbbbbbb", "second"),
        entry_line("session_info", "44444444", "33333333", '"name":"the name"'),
    ]
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in lines))
    copy = fork(log, "bbbbbbbb", tmp_path)
    assert body(copy)[:3] == lines[:3]
    assert (copy.labels, copy.name) == ({"aaaaaaaa": "new", "bbbbbbbb": "second"}, "the name")
    assert copy.branch() == copy.entry_ids
    copy.close()
    again = SessionLog.open(copy.path or Path())
    assert (again.labels, again.name) == (copy.labels, copy.name)


def test_a_label_cleared_on_another_branch_stays_cleared(open_bytes: OpenBytes, tmp_path: Path) -> None:
    lines = [
        A,
        label_line("11111111", "aaaaaaaa", "aaaaaaaa", "old"),
        label_line("22222222", "aaaaaaaa", "aaaaaaaa", None),
    ]
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in lines))
    assert fork(log, "11111111", tmp_path).labels == {}


def test_mended_damage_is_sound_in_the_copy(open_bytes: OpenBytes, tmp_path: Path) -> None:
    """A missing parent, and an id that occurs twice with a label on the second."""
    lines = [
        A,
        user_line("cccccccc", "gone0000", "orphan"),
        user_line("aaaaaaaa", "cccccccc", "same id"),
        label_line("dddddddd", "aaaaaaaa", "aaaaaaaa~2", "here"),
    ]
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in lines))
    assert log.branch() == ["aaaaaaaa", "cccccccc", "aaaaaaaa~2", "dddddddd"]
    copy = clone(log, tmp_path)
    assert len(set(copy.entry_ids)) == 4
    renamed = copy.entry_ids[2]
    assert "~" not in renamed
    assert copy.labels == {renamed: "here"}
    copy.close()
    again = SessionLog.open(copy.path or Path())
    assert (again.notices, again.branch(), again.labels) == ([], copy.branch(), copy.labels)


def test_the_clone_of_a_clone_is_the_same(open_bytes: OpenBytes, tmp_path: Path) -> None:
    log = open_bytes(
        HEADER + A + b"\n" + B + b"\n" + label_line("cccccccc", "bbbbbbbb", "aaaaaaaa", "x") + b"\n"
    )
    first = clone(log, tmp_path)
    assert body(clone(first, tmp_path)) == body(first) == body(log)


def test_an_export_keeps_the_id_and_drops_the_way_to_the_parent(
    open_bytes: OpenBytes, tmp_path: Path
) -> None:
    header = HEADER.replace(b"}\n", b',"parentSession":"/secret/place.jsonl","more":{"a": 1}}\n')
    log = open_bytes(header + A + b"\n" + B + b"\n" + user_line("cccccccc", "aaaaaaaa", "active") + b"\n")
    path = tmp_path / "out.jsonl"
    export_jsonl(log, path)
    lines = path.read_bytes().split(b"\n")
    assert lines[0] == header.rstrip(b"\n").replace(b',"parentSession":"/secret/place.jsonl"', b"")
    assert lines[1:] == [A, user_line("cccccccc", "aaaaaaaa", "active"), b""]
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        export_jsonl(log, path)


def test_an_import_is_a_copy_of_the_bytes_under_a_free_name(tmp_path: Path) -> None:
    source = tmp_path / "shared.jsonl"
    data = HEADER + A + b"\nrubbish\n" + B[:30]
    source.write_bytes(data)
    folder = tmp_path / "sessions"
    places = [import_session(source, folder) for _ in range(3)]
    assert [place.name for place in places] == ["shared.jsonl", "shared-1.jsonl", "shared-2.jsonl"]
    for place in places:
        assert place.read_bytes() == data
        assert place.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"hello\n", A + b"\n"])
def test_what_is_no_session_is_not_imported(data: bytes, tmp_path: Path) -> None:
    source = tmp_path / "shared.jsonl"
    source.write_bytes(data)
    with pytest.raises(NotASession):
        import_session(source, tmp_path / "sessions")
    assert not (tmp_path / "sessions").exists()


def test_a_copy_of_all_has_every_branch_label_and_name(open_bytes: OpenBytes, tmp_path: Path) -> None:
    lines = [
        A,
        B,
        user_line("cccccccc", "aaaaaaaa", "other branch"),
        label_line("dddddddd", "cccccccc", "bbbbbbbb", "there"),
        entry_line("session_info", "eeeeeeee", "bbbbbbbb", '"name":"the name"'),
        entry_line("future", "ffffffff", "bbbbbbbb", '"kept":{"a": 1}'),
    ]
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in lines))
    copy = copy_all(log, tmp_path / "new", cwd=Path("/elsewhere"), session_id="mine")
    assert body(copy) == lines
    assert (copy.id, copy.cwd, copy.header.parent_session) == ("mine", Path("/elsewhere"), str(log.path))
    assert (copy.labels, copy.name, copy.leaf_id) == (log.labels, log.name, log.leaf_id)


def test_a_copy_of_all_has_no_orphans(open_bytes: OpenBytes, tmp_path: Path) -> None:
    lines = [A, user_line("cccccccc", "gone0000", "orphan"), user_line("aaaaaaaa", "cccccccc", "same id")]
    log = open_bytes(HEADER + b"".join(line + b"\n" for line in lines))
    copy = copy_all(log, tmp_path / "new", cwd=log.cwd)
    copy.close()
    again = SessionLog.open(copy.path or Path())
    assert again.notices == []
    assert [again.parent(entry_id) for entry_id in again.entry_ids] == [None, *again.entry_ids[:2]]
    again.close()


def test_an_import_that_fails_leaves_no_copy(
    open_bytes: OpenBytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_bytes(HEADER + A + b"\n")
    folder = tmp_path / "sessions"
    monkeypatch.setattr("pi_tui.session.copying.COPY_PIECE", "none")
    with pytest.raises(TypeError):
        import_session(log.path or Path(), folder)
    assert list(folder.iterdir()) == []
