"""Properties of any session file: bytes survive, copies are whole."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_tui.llm.messages import UserMessage
from pi_tui.session.context import project_path
from pi_tui.session.copying import clone, copy_all, export_jsonl, fork
from pi_tui.session.log import SessionLog
from tests.session.random_trees import session_bytes

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def opened(data: bytes) -> Iterator[tuple[SessionLog, Path]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "one.jsonl").write_bytes(data)
        log = SessionLog.open(folder / "one.jsonl")
        try:
            yield log, folder
        finally:
            log.close()


def plain(line: bytes) -> dict[str, object]:
    found: dict[str, object] = json.loads(line)
    return found


def assert_whole(copy: SessionLog) -> None:
    """A copy read from its file has no orphan, no damage, and labels and edits of its own entries only."""
    assert copy.path is not None
    copy.close()
    again = SessionLog.open(copy.path, read_only=True)
    assert again.notices == []
    assert again.entry_ids == again.branch()
    assert set(again.labels) <= set(again.entry_ids)


@FEW
@given(session_bytes())
def test_load_append_load_keeps_every_byte(data: bytes) -> None:
    with opened(data) as (log, folder):
        before = {entry_id: log.raw(entry_id) for entry_id in log.entry_ids}
        for entry_id in log.entry_ids:
            log.entry(entry_id)
            log.project(entry_id)
        appended = log.append_message(UserMessage(content="more"))
        stored = (folder / "one.jsonl").read_bytes()
        assert stored.startswith(data)
        assert stored.count(b"\n") == data.count(b"\n") + 1
        again = SessionLog.open(folder / "one.jsonl", read_only=True)
        assert {entry_id: again.raw(entry_id) for entry_id in before} == before
        assert again.entry_ids == [*before, appended]
        assert again.labels == log.labels
        assert again.name == log.name


@FEW
@given(session_bytes(), st.data())
def test_a_fork_has_the_path_and_its_labels_and_no_orphan(data: bytes, choice: st.DataObject) -> None:
    with opened(data) as (log, folder):
        if not log.entry_ids:
            return
        leaf = choice.draw(st.sampled_from(log.entry_ids))
        copy = fork(log, leaf, folder)
        path = log.branch(leaf)
        kept = [entry_id for entry_id in copy.entry_ids if entry_id in path]
        left_out = set(path) - set(kept)
        assert kept == [entry_id for entry_id in path if entry_id not in left_out]
        assert {log.head(entry_id).type for entry_id in left_out} <= {"label"}
        assert copy.labels == {one: text for one, text in log.labels.items() if one in kept}
        assert copy.name == log.name
        for entry_id in kept:
            ours, theirs = plain(copy.raw(entry_id)), plain(log.raw(entry_id))
            for changed in ("parentId", "firstKeptEntryId"):
                ours.pop(changed, None)
                theirs.pop(changed, None)
            assert ours == theirs
        there, here = copy.project(), log.project(leaf)
        assert (there.messages, there.entry_ids) == (here.messages, here.entry_ids)
        assert (there.model, there.thinking_level) == (here.model, here.thinking_level)
        if copy.stored:
            assert copy.header.parent_session == str(log.path)
            assert_whole(copy)


@FEW
@given(session_bytes())
def test_a_line_of_a_copy_differs_only_where_it_was_rechained(data: bytes) -> None:
    with opened(data) as (log, folder):
        copy = clone(log, folder)
        chained = dict(zip(copy.entry_ids[1:], copy.entry_ids, strict=False))
        for entry_id in log.branch():
            if entry_id in copy and chained.get(entry_id) == log.head(entry_id).parent_id:
                kept_from = plain(log.raw(entry_id)).get("firstKeptEntryId")
                if kept_from is None or kept_from in copy or kept_from not in log.branch():
                    assert copy.raw(entry_id) == log.raw(entry_id)


@FEW
@given(session_bytes())
def test_a_copy_of_all_has_the_same_tree_and_the_bytes_of_sound_entries(data: bytes) -> None:
    with opened(data) as (log, folder):
        copy = copy_all(log, folder, cwd=log.cwd)
        assert len(copy.entry_ids) == len(log.entry_ids)
        same = dict(zip(log.entry_ids, copy.entry_ids, strict=True))
        for entry_id, copied in same.items():
            parent = log.parent(entry_id)
            assert copy.parent(copied) == (same[parent] if parent is not None else None)
            if (
                copied == entry_id
                and log.head(entry_id).parent_id == parent
                and not _names_renamed(log, entry_id, same)
            ):
                assert copy.raw(copied) == log.raw(entry_id)
        assert copy.name == log.name
        assert copy.labels == {same.get(target, target): label for target, label in log.labels.items()}


def _names_renamed(log: SessionLog, entry_id: str, same: dict[str, str]) -> bool:
    fields = plain(log.raw(entry_id))
    named = (fields.get("targetId"), fields.get("firstKeptEntryId"))
    return any(one in same and same[one] != one for one in named)


@FEW
@given(session_bytes())
def test_an_export_is_the_active_branch_as_a_session(data: bytes) -> None:
    with opened(data) as (log, folder):
        export_jsonl(log, folder / "out.jsonl")
        exported = SessionLog.open(folder / "out.jsonl", read_only=True)
        assert exported.notices == []
        assert exported.entry_ids == exported.branch()
        assert exported.project().messages == log.project().messages
        assert (exported.id, exported.name) == (log.id, log.name)
        assert plain((folder / "out.jsonl").read_bytes().split(b"\n")[0])["headerExtra"] == [1]


@FEW
@given(session_bytes(), st.data())
def test_any_cut_and_any_rubbish_is_survived(data: bytes, choice: st.DataObject) -> None:
    """Whatever happens behind the header, opening works, tells, and an append adds one line."""
    body = data.index(b"\n") + 1
    at = choice.draw(st.integers(body, len(data)))
    until = choice.draw(st.integers(at, min(len(data), at + 200)))
    damaged = data[:at] + choice.draw(st.binary(max_size=20)) + data[until:]
    with opened(damaged) as (log, folder):
        for entry_id in log.entry_ids:
            assert log.branch(entry_id)[-1] == entry_id
            log.project(entry_id)
        reachable = [entry_id for parent in [None, *log.entry_ids] for entry_id in log.children(parent)]
        assert sorted(reachable) == sorted(log.entry_ids)
        appended = log.append_message(UserMessage(content="more"))
        stored = (folder / "one.jsonl").read_bytes()
        assert stored.startswith(damaged)
        again = SessionLog.open(folder / "one.jsonl", read_only=True)
        assert again.entry_ids[-1] == appended
        assert again.branch() == log.branch()


@FEW
@given(session_bytes())
def test_a_projection_that_goes_on_is_the_one_made_anew(data: bytes) -> None:
    with opened(data) as (log, _folder):
        for entry_id in log.entry_ids:
            path = [(one, log.head(one).type) for one in log.branch(entry_id)]
            assert log.project(entry_id) == project_path(path, log.entry)
