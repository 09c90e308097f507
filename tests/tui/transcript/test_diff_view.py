"""Diffs are read in both forms that session files hold, and shown with numbers and the words that changed."""

import pytest
from rich.cells import cell_len

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.diff_view import MAX_DIFF_LINES, DiffLine, diff_counts, diff_rows, read_diff

UNIFIED = """--- a/f.py
+++ b/f.py
@@ -8,4 +8,5 @@ def f():
 keep
-value = compute("fast")
+value = compute("safe")
+more
 end
\\ No newline at end of file
@@ -40 +41 @@
-x
+y
"""
NUMBERED = "      ...\n   8 keep\n-  9 old\n+  9 new\n  10 end\n      ..."


def test_a_unified_diff_is_read_with_its_numbers() -> None:
    assert read_diff(UNIFIED) == [
        DiffLine(" ", 8, "keep"),
        DiffLine("-", 9, 'value = compute("fast")'),
        DiffLine("+", 9, 'value = compute("safe")'),
        DiffLine("+", 10, "more"),
        DiffLine(" ", 11, "end"),
        DiffLine("…", None, ""),
        DiffLine("-", 40, "x"),
        DiffLine("+", 41, "y"),
    ]
    assert diff_counts(UNIFIED) == (3, 2)


def test_a_numbered_diff_is_read_too() -> None:
    assert read_diff(NUMBERED) == [
        DiffLine("…", None, ""),
        DiffLine(" ", 8, "keep"),
        DiffLine("-", 9, "old"),
        DiffLine("+", 9, "new"),
        DiffLine(" ", 10, "end"),
        DiffLine("…", None, ""),
    ]
    assert diff_counts(NUMBERED) == (1, 1)


def test_rows_have_number_sign_and_text(palette: Palette) -> None:
    rows = ["".join(s.text for s in row.segments) for row in diff_rows(read_diff(NUMBERED), 40, palette)]
    assert rows == ["   … ", " 8   keep", " 9 - old", " 9 + new", "10   end", "   … "]


def test_the_words_that_changed_stand_out(palette: Palette) -> None:
    text = "@@ -1 +1 @@\n-value = compute('fast')\n+value = compute('safe')\n"
    marked = [
        s.text for row in diff_rows(read_diff(text), 60, palette) for s in row.segments if s.style.reverse
    ]
    assert marked == ["fast", "safe"]


def test_the_words_that_changed_stand_out_where_lines_were_added_too(palette: Palette) -> None:
    text = "@@ -1 +1,2 @@\n-result = first * second\n+product = first * second\n+return product\n"
    marked = [
        s.text for row in diff_rows(read_diff(text), 60, palette) for s in row.segments if s.style.reverse
    ]
    assert marked == ["result", "product"]


def test_lines_with_nothing_in_common_are_not_compared(palette: Palette) -> None:
    text = "@@ -1 +1 @@\n-abc def ghi\n+1 + 2 == 3;\n"
    assert not any(s.style.reverse for row in diff_rows(read_diff(text), 60, palette) for s in row.segments)


@pytest.mark.parametrize("width", [1, 2, 5, 8, 10, 24, 40])
def test_rows_fit(palette: Palette, width: int) -> None:
    for text in (UNIFIED, NUMBERED, "@@ -1 +1 @@\n-中文\t✅\n+\x1b[31m中文 ㅤ\n", "no diff at all", ""):
        for row in diff_rows(read_diff(text), width, palette):
            shown = "".join(segment.text for segment in row.segments)
            assert cell_len(shown) <= width
            assert shown.isprintable() or "ㅤ" in shown


def test_a_huge_diff_is_bounded(palette: Palette) -> None:
    text = "@@ -1,9 +1,9 @@\n" + "".join(f"-old {n}\n+new {n}\n" for n in range(50_000)) + "+" + "x" * 100_000
    assert len(read_diff(text)) <= MAX_DIFF_LINES + 1
    assert len(diff_rows(read_diff(text), 80, palette)) <= MAX_DIFF_LINES + 1
