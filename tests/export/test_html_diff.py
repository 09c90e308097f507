"""Stored diffs as lines."""

from pi_tui.export.html.diff import MAX_LINES, DiffLine, counts, diff_html, read_diff, replaced


def test_a_unified_diff_has_the_numbers_of_both_files() -> None:
    text = "--- a\n+++ b\n@@ -3,2 +3,3 @@ def f():\n same\n-old\n+new\n+more\n@@ -9 +10 @@\n-x\n\\ No newline at end\n"
    assert read_diff(text) == [
        DiffLine(" ", "3", "same"),
        DiffLine("-", "4", "old"),
        DiffLine("+", "4", "new"),
        DiffLine("+", "5", "more"),
        DiffLine("…", "", ""),
        DiffLine("-", "9", "x"),
    ]
    assert counts(read_diff(text)) == (2, 2)


def test_a_diff_of_numbered_lines_is_read_too() -> None:
    assert read_diff(" 1 a\n-2 b\n+ 2 c\n   ...\n+12\nodd") == [
        DiffLine(" ", "1", "a"),
        DiffLine("-", "2", "b"),
        DiffLine("+", "2", "c"),
        DiffLine("…", "", ""),
        DiffLine("+", "12", ""),
        DiffLine(" ", "", "odd"),
    ]


def test_a_long_diff_says_that_there_is_more() -> None:
    lines = read_diff("@@ -1 +1 @@\n" + "+x\n" * (2 * MAX_LINES))
    assert len(lines) == MAX_LINES
    assert lines[-1].text == f"more than {MAX_LINES:,} lines"


def test_an_edit_without_a_diff_is_all_of_the_old_and_all_of_the_new() -> None:
    assert [(line.sign, line.text) for line in replaced("a\nb", "c")] == [("-", "a"), ("-", "b"), ("+", "c")]


def test_a_diffs_lines_are_escaped_one_by_one() -> None:
    lines = read_diff("@@ -1 +1 @@\n-</span><b>&\n+\u2028\r\n")
    assert str(diff_html(lines)) == (
        '<span class="ds"><span class="dn">1</span>- &lt;/span&gt;&lt;b&gt;&amp;\n</span>'
        '<span class="da"><span class="dn">1</span>+ \n</span>'
    )
