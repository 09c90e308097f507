"""Unified diffs that are right, small and quick."""

import difflib
import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.diffs import Change, unified_diff


def applied(old: str, diff: str) -> str:
    """The new text, made from the old one and the diff alone."""
    lines = old.splitlines(keepends=True) if "\r" not in old else re.findall("[^\n]*\n|[^\n]+", old)
    result: list[str] = []
    at = 0
    body = diff.split("\n")[2:-1]
    for index, line in enumerate(body):
        if header := re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$", line):
            start = int(header[1]) - (header[2] != "0")
            result += lines[at:start]
            at = start
            continue
        end = "" if index + 1 < len(body) and body[index + 1].startswith("\\") else "\n"
        if line.startswith("+"):
            result.append(line[1:] + end)
        elif line.startswith((" ", "-")):
            assert lines[at] == line[1:] + end
            result += [lines[at]] if line[0] == " " else []
            at += 1
    return "".join(result + lines[at:])


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "x y", "d\r"]), max_size=25).map("\n".join)


@settings(max_examples=120, deadline=None)
@given(TEXTS, TEXTS, st.booleans())
def test_the_new_text_follows_from_the_old_one_and_the_diff(old, new, newline):
    old += "\n" * newline
    diff = unified_diff(old, new, "f")
    assert applied(old, diff.text) == new if old != new else diff.text == ""
    signs = [line[0] for line in diff.text.split("\n")[2:] if line]
    assert (signs.count("+"), signs.count("-")) == (diff.added, diff.removed)


@settings(max_examples=100, deadline=None)
@given(
    TEXTS,
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 8), st.sampled_from(["", "n", "n\nm\n", "\n"])),
        max_size=4,
    ),
)
def test_known_changes_give_a_right_diff_too(old, edits):
    new, end, changes = "", 0, []
    for start, size, text in sorted(edits):
        start, stop = min(start, len(old)), min(start + size, len(old))
        if start < end or (start == end and changes):
            continue
        new += old[end:start]
        changes.append(Change(start, stop, len(new), len(new) + len(text)))
        new, end = new + text, stop
    new += old[end:]
    diff = unified_diff(old, new, "f", changes)
    assert applied(old, diff.text) == new if old != new else diff.added == diff.removed == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a", "b"),
        ("", "a\n"),
        ("a\n", ""),
        ("a\n", "a"),
        ("1\n" * 9, "1\n" * 8 + "2\n"),
    ],
)
def test_the_diff_is_the_one_of_the_standard_library(old, new):
    reference = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "f", "f")
    expected = "".join(x if x.endswith("\n") else x + "\n\\ No newline at end of file\n" for x in reference)
    assert unified_diff(old, new, "f").text == expected


def test_patch_takes_it(tmp_path):
    old = "".join(f"line {n}\n" for n in range(200))
    new = old.replace("line 5\n", "").replace("line 100\n", "changed\nadded\n") + "no newline"
    (tmp_path / "f").write_text(old)
    diff = unified_diff(old, new, "f").text
    subprocess.run(["git", "apply", "-p0", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "f").read_text() == new


def test_counts_and_the_first_changed_line_are_those_of_the_new_text():
    diff = unified_diff("a\nb\nc\n", "a\nx\ny\nc\n", "f")
    assert (diff.added, diff.removed, diff.first_changed_line, diff.truncated) == (2, 1, 2, False)


def test_a_huge_diff_is_cut_at_a_line_and_still_counted():
    old = "".join(f"old {n} {'x' * 60}\n" for n in range(4000))
    new = "".join(f"new {n} {'y' * 60}\n" for n in range(4000))
    diff = unified_diff(old, new, "f")
    assert diff.truncated
    assert len(diff.text.encode()) <= limits.DIFF_BYTES
    assert diff.text.endswith("\n")
    assert (diff.added, diff.removed) == (4000, 4000)


def test_one_huge_line_does_not_make_a_huge_diff():
    diff = unified_diff("x" * 3_000_000, "x" * 3_000_000 + "y", "f")
    assert len(diff.text) < 2 * limits.DIFF_LINE_CHARS + 500
    assert (diff.added, diff.removed) == (1, 1)


def test_a_stretch_too_long_to_compare_is_replaced_whole():
    old = "".join(f"{n}\n" for n in range(limits.DIFF_COMPARED_LINES))
    diff = unified_diff("head\n" + old, "head\n" + "same\n" + old[::-1], "f")
    assert diff.removed > limits.DIFF_COMPARED_LINES * 0.9


def test_bytes_that_are_no_text_do_not_get_into_a_diff():
    unified_diff("caf\udce9\n", "caf\udce9s\n", "f").text.encode("utf-8")
