"""Where edits are found, what they leave alone, and what is said when they cannot be made."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pi_tui.agent.tools.edit_matching import Edit, EditError, apply_regions, find_regions


def edited(text: str, *pairs: tuple[str, str]) -> str:
    return apply_regions(text, find_regions(text, [Edit(old, new) for old, new in pairs]))


@pytest.mark.parametrize(
    ("text", "pairs", "expected"),
    [
        pytest.param("a\nb\nc\n", [("b", "B")], "a\nB\nc\n", id="one line"),
        pytest.param("abc", [("abc", "")], "", id="everything to nothing"),
        pytest.param("a\nb\n", [("b\n", "")], "a\n", id="a whole line removed"),
        pytest.param("a\nb", [("b", "b\n")], "a\nb\n", id="a final newline added"),
        pytest.param("a\nb\n", [("b\n", "b")], "a\nb", id="a final newline removed"),
        pytest.param("abcd", [("b", "B"), ("c", "C")], "aBCd", id="adjacent edits"),
        pytest.param("abcd", [("c", "C"), ("b", "B")], "aBCd", id="edits in another order than the file's"),
        pytest.param("ab", [("a", "b"), ("b", "a")], "ba", id="all are matched against the original"),
        pytest.param("x = 1\n", [("x = 1", "x = 1\ny = 2")], "x = 1\ny = 2\n", id="grows"),
        pytest.param("a\\1\\g<0>$&", [("\\1", "\\2")], "a\\2\\g<0>$&", id="no pattern characters"),
        pytest.param("    \n", [("    \n", "\n")], "\n", id="blanks only"),
        pytest.param("\tx\n", [("\tx", "    x")], "    x\n", id="a tab to spaces"),
        pytest.param(
            "alpha\r\nbeta\r\n",
            [("alpha\nbeta", "A\nB")],
            "A\r\nB\r\n",
            id="LF in the edit, CRLF in the file",
        ),
        pytest.param(
            "alpha\nbeta\n", [("alpha\r\nbeta", "A\r\nB")], "A\nB\n", id="CRLF in the edit, LF in the file"
        ),
        pytest.param(
            "a\r\nb\r\n", [("a", "a\nx")], "a\r\nx\r\nb\r\n", id="new lines get the file's line end"
        ),
        pytest.param("a\r\nb\nc\r\n", [("b", "B\nB2")], "a\r\nB\nB2\nc\r\n", id="mixed: the line's own end"),
        pytest.param(
            "a\r\nb\nc\r\nd", [("a\nb\nc", "a\nB\nc")], "a\r\nB\nc\r\nd", id="mixed inside the edit"
        ),
        pytest.param(
            "a\r\nb", [("b", "b\nc")], "a\r\nb\r\nc", id="last line without end takes that of the one before"
        ),
        pytest.param("a\r\nb", [("\nb", "\nc")], "a\r\nc", id="an edit that begins with a line end"),
        pytest.param("a\rb\rc", [("b", "B")], "a\rB\rc", id="lone carriage returns are characters"),
        pytest.param("\ufeffx\ny\n", [("x\n", "z\n")], "\ufeffz\ny\n", id="BOM kept"),
        pytest.param("\ufeffx\n", [("\ufeffx", "\ufeffz")], "\ufeffz\n", id="BOM in the edit"),
        pytest.param("\ufeffx\r\ny", [("y", "z\nz")], "\ufeffx\r\nz\r\nz", id="BOM and CRLF"),
        pytest.param(
            "caf\udce9 = 1\nx = 2\n", [("x = 2", "x = 3")], "caf\udce9 = 1\nx = 3\n", id="not UTF-8 elsewhere"
        ),
        pytest.param(
            "caf\udce9 = 1\n", [(" = 1", " = 2")], "caf\udce9 = 2\n", id="not UTF-8 on the same line"
        ),
        pytest.param("a\0b\n", [("b", "c")], "a\0c\n", id="NUL"),
        pytest.param("你好\n", [("好", "们")], "你们\n", id="Chinese"),
        pytest.param("👩‍👩‍👧x\n", [("x", "y")], "👩‍👩‍👧y\n", id="joined emoji"),
        pytest.param("e\u0301\n", [("e\u0301", "é")], "é\n", id="combining accent"),
    ],
)
def test_an_exact_edit_changes_its_place_only(text, pairs, expected):
    assert edited(text, *pairs) == expected


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        pytest.param(
            "untouched   \nreplace me   \nafter\ntrailing   \n",
            "replace me\nafter",
            "replaced\nafter",
            "untouched   \nreplaced\nafter\ntrailing   \n",
            id="blanks at a line end",
        ),
        pytest.param("a  \nb\n", "a\nb", "a\nc", "a  \nc\n", id="a repeated line keeps its blanks"),
        pytest.param(
            "say “hi”\nx\n",
            'say "hi"\nx',
            'say "hi"\ny',
            "say “hi”\ny\n",
            id="a repeated line keeps its quotes",
        ),
        pytest.param("say “hi”\n", 'say "hi"', 'say "ho"', 'say "ho"\n', id="typographic quotes"),
        pytest.param("it’s\n", "it's", "it is", "it is\n", id="apostrophe"),
        pytest.param("1–2 — 3\n", "1-2 - 3", "1-3", "1-3\n", id="dashes"),
        pytest.param("a\u00a0b\n", "a b", "a c", "a c\n", id="no-break space"),
        pytest.param("x — y\nz — w\n", "x - y", "x", "x\nz — w\n", id="the other lines stay typographic"),
        pytest.param("foo\nbar\n", "foo  \nbar", "baz\nbar", "baz\nbar\n", id="blanks in the edit"),
        pytest.param("foo \nbar\n", "foo\t", "baz", "baz\nbar\n", id="other blanks at the end of both"),
        pytest.param("a\n   \nb\n", "a\n\nb", "a\n\nc", "a\n   \nc\n", id="a line of blanks"),
        pytest.param("a \r\nb\r\n", "a\nb", "a\nc", "a \r\nc\r\n", id="blanks and CRLF"),
        pytest.param("a “x” \r\nb\nc\n", 'a "x"\nb', 'A "x"\nb', 'A "x"\r\nb\nc\n', id="mixed line ends"),
    ],
)
def test_the_second_look_changes_the_matched_lines_only(text, old, new, expected):
    (region,) = find_regions(text, [Edit(old, new)])
    assert region.tolerant
    assert apply_regions(text, [region]) == expected


@pytest.mark.parametrize(
    ("text", "old"),
    [
        pytest.param("  x = 1\n", "    x = 1", id="other indentation"),
        pytest.param("\tx\n", "    x\n", id="tab against spaces"),
        pytest.param("a    b\n", "a b", id="a run of blanks inside a line"),
        pytest.param("foo\nbar\n", "foo bar", id="a space is no line end"),
        pytest.param("foo5\n", "foo ", id="stripped blanks match a line end only"),
        pytest.param("a\n\n\nb\n", "a\n\nb", id="blank lines do not collapse"),
        pytest.param("abc\n", "   ", id="blanks alone match nothing"),
        pytest.param("Abc\n", "abc", id="case"),
    ],
)
def test_the_second_look_is_no_looser_than_it_says(text, old):
    with pytest.raises(EditError, match="not found"):
        find_regions(text, [Edit(old, "new")])


@pytest.mark.parametrize(
    ("text", "pairs", "said"),
    [
        pytest.param("x\nx\n", [("x", "y")], r"found 2 times \(lines 1, 2\)", id="twice"),
        pytest.param("aaa\n", [("aa", "b")], r"found 2 times \(lines 1, 1\)", id="overlapping occurrences"),
        pytest.param("x\r\n\r\nx\r\n", [("x\n", "y\n")], r"lines 1, 3\)", id="line numbers in CRLF"),
        pytest.param("“a”\n„a‟\n", [('"a"', "b")], r"found 2 times", id="twice by the second look"),
        pytest.param(
            "x\n" * 30, [("x", "y")], r"found 30 times \(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …\)", id="often"
        ),
        pytest.param("x" * 5000, [("x", "y")], r"1000 times or more", id="very often"),
        pytest.param("abc", [("ab", "x"), ("bc", "y")], r"edits\[0\] and edits\[1\] overlap", id="overlap"),
        pytest.param(
            "abc", [("bc", "y"), ("ab", "x")], r"edits\[0\] and edits\[1\] overlap", id="overlap, turned"
        ),
        pytest.param("abc", [("b", "x"), ("b", "y")], r"overlap", id="the same place twice"),
        pytest.param("abc", [("a", "x"), ("b", "b")], r"edits\[1\] changes nothing", id="no change"),
        pytest.param("a\r\nb", [("a\nb", "a\r\nb")], r"changes nothing", id="no change but for line ends"),
        pytest.param("abc", [("a", "x"), ("", "y")], r"edits\[1\] has an empty oldText", id="empty oldText"),
        pytest.param("", [("a", "x")], r"The file is empty", id="empty file"),
        pytest.param("abc", [("a", "x"), ("zz", "y")], r"edits\[1\] was not found", id="names the edit"),
        pytest.param(
            "def f(x):\n    pass\n",
            [("def f(y):", "")],
            r"closest lines are:\n1: def f\(x\):",
            id="closest line",
        ),
        pytest.param(
            "if a:\n    b()\n", [("if a:\n  b()", "")], r"at line 1 with other indentation", id="indentation"
        ),
        pytest.param("caf\udce9\n", [("caf\ufffd", "x")], r"not UTF-8", id="a replacement character"),
    ],
)
def test_an_edit_that_cannot_be_made_says_which_and_why(text, pairs, said):
    with pytest.raises(EditError, match=said):
        find_regions(text, [Edit(old, new) for old, new in pairs])


def test_the_closest_lines_are_shown_without_bytes_that_are_no_text():
    with pytest.raises(EditError) as raised:
        find_regions("the caf\udce9 is open\n", [Edit("the cafe is open", "x")])
    raised.value.args[0].encode("utf-8")


texts = st.text(st.sampled_from("ab \n\t“'é你\udcff"), max_size=60) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=40
).filter(lambda text: not text.startswith("\ufeff"))


@st.composite
def text_and_edits(draw):
    """A text, unique and disjoint stretches of it, and what shall take their place."""
    text = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edits = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        old = text[start:end]
        new = draw(st.text(st.sampled_from("abXY \né"), max_size=8))
        if old and old != new and len(re.findall(f"(?={re.escape(old)})", text)) == 1:
            edits.append((start, end, old, new))
    return text, edits


@settings(max_examples=150, deadline=None)
@given(text_and_edits(), st.randoms(use_true_random=False))
def test_any_unique_disjoint_edits_give_what_replacing_by_hand_gives(case, chance):
    text, edits = case
    assume(edits)
    by_hand = text
    for start, end, _, new in reversed(edits):
        by_hand = by_hand[:start] + new + by_hand[end:]
    pairs = [(old, new) for _, _, old, new in edits]
    chance.shuffle(pairs)
    assert edited(text, *pairs) == by_hand


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(st.sampled_from("ab “é\udcff\t"), max_size=6), st.sampled_from(["\n", "\r\n"])),
        max_size=12,
    ),
    st.integers(0, 11),
    st.text(st.sampled_from("XY\n"), min_size=1, max_size=5),
)
def test_in_any_mixture_of_line_ends_the_other_lines_keep_their_bytes(lines, index, new):
    assume(index < len(lines))
    before = "".join(body + end for body, end in lines[:index])
    body, end = lines[index]
    after = "".join(body + end for body, end in lines[index + 1 :])
    text = f"{before}{body}@marker@{end}{after}"
    replaced = new.replace("\n", end)
    assert edited(text, ("@marker@", new)) == f"{before}{body}{replaced}{end}{after}"


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80))
def test_bytes_of_any_kind_survive_an_edit_beside_them(noise):
    content = noise + b"\n@marker@\n" + noise
    result = edited(content.decode("utf-8", "surrogateescape"), ("@marker@", "new"))
    assert result.encode("utf-8", "surrogateescape") == noise + b"\nnew\n" + noise
