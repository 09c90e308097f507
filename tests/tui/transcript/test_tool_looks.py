"""How what tools found, cut or refused stands on the screen."""

import pytest

from pi_tui.agent.events import PartialResult
from pi_tui.llm.messages import TextContent
from pi_tui.tui.transcript.line import Look
from pi_tui.tui.transcript.tool_block import ToolBlock


def block(
    name: str, arguments: dict[str, object], text: str, details: object, *, error: bool = False
) -> ToolBlock:
    made = ToolBlock("c1", name, arguments)
    made.finish(PartialResult([TextContent(text)], details), error)
    return made


def shown(one: ToolBlock, look: Look, *, opened: bool = False) -> list[str]:
    look = Look(look.width, look.palette, expanded=opened, keys=look.keys)
    return [line.text.rstrip() for line in one.lines(look)[one.margin :]]


@pytest.mark.parametrize(
    ("name", "arguments", "details", "title"),
    [
        ("grep", {"pattern": "x"}, {"matches": 1, "files": 1, "more": False}, "✓ grep x (1 match)"),
        (
            "grep",
            {"pattern": "x", "path": "src", "glob": "*.py", "ignoreCase": True},
            {"matches": 100, "files": 12, "more": True},
            "✓ grep x in src of *.py (any case) (100+ matches in 12 files)",
        ),
        ("grep", {"pattern": "x"}, {"matches": 0, "files": 0, "more": False}, "✓ grep x"),
        ("find", {"pattern": "*.py", "path": "src"}, {"results": 3}, "✓ find *.py in src (3 results)"),
        ("ls", {}, {"entries": 7}, "✓ ls . (7 entries)"),
        ("ls", {"path": "src"}, None, "✓ ls src"),
    ],
)
def test_titles_of_searches(
    look: Look, name: str, arguments: dict[str, object], details: object, title: str
) -> None:
    assert shown(block(name, arguments, "found", details), look)[0] == title


def test_a_search_shows_its_first_lines_until_it_is_opened(look: Look) -> None:
    found = "\n".join(f"src/{number}.py:1: x" for number in range(9))
    one = block("grep", {"pattern": "x"}, found, {"matches": 9, "files": 9})
    assert shown(one, look)[1:] == [
        *(f"  │ src/{number}.py:1: x" for number in range(5)),
        "  │ … 4 more lines (ctrl+o)",
    ]
    assert len(shown(one, look, opened=True)) == 10


CUT = "\n".join(map(str, range(1001, 3001))) + "\n\n[Lines 1001-3000 of 3000. Full output: /tmp/full.log]"
CUT_DETAILS = {"truncation": {"by": "lines", "firstLine": 1001}, "fullOutputPath": "/tmp/full.log"}


def test_what_is_cut_is_said_below_the_tail_and_takes_nothing_from_it(look: Look) -> None:
    assert shown(block("bash", {"command": "seq 3000"}, CUT, CUT_DETAILS), look) == [
        "✓ $ seq 3000",
        "  │ … 2,995 earlier lines (ctrl+o)",
        *(f"  │ {number}" for number in range(2996, 3001)),
        "  │ Lines 1001-3000 of 3000. Full output: /tmp/full.log",
    ]


def test_of_a_failure_the_reason_stands_last(look: Look) -> None:
    failed = block("bash", {"command": "x"}, f"{CUT}\n\nExit code 2.", CUT_DETAILS, error=True)
    assert shown(failed, look)[-3:] == [
        "  │ 3000",
        "  │ Lines 1001-3000 of 3000. Full output: /tmp/full.log",
        "  │ Exit code 2.",
    ]


def test_coloured_output_keeps_its_notice(look: Look) -> None:
    details = {**CUT_DETAILS, "ansi": "\x1b[32m2999\x1b[0m\n\x1b[32m3000\x1b[0m\n"}
    rows = shown(block("bash", {"command": "x"}, CUT, details), look)
    assert rows[-3:] == ["  │ 2999", "  │ 3000", "  │ Lines 1001-3000 of 3000. Full output: /tmp/full.log"]


def test_output_that_looks_like_a_notice_stays_output(look: Look) -> None:
    assert shown(block("bash", {"command": "x"}, "a\n\n[Done]", {}), look)[1:] == [
        "  │ a",
        "  │",
        "  │ [Done]",
    ]


def test_a_command_of_several_lines_is_whole_when_opened(look: Look) -> None:
    one = block("bash", {"command": "cat <<X\nmany\nX"}, "many", {})
    assert shown(one, look) == ["✓ $ cat <<X … 2 more lines", "  │ many"]
    assert shown(one, look, opened=True)[1:] == ["  │ many", "  │ X", "  │ many"]


def test_an_error_is_wrapped_between_words(look: Look) -> None:
    said = "There is no tool named 'nosuch'. The tools are: read, bash, edit, write, grep, find, ls."
    assert shown(block("nosuch", {}, said, None, error=True), look)[1:] == [
        "  │ There is no tool named 'nosuch'. The tools are: read, bash, edit, write,",
        "  │ grep, find, ls.",
    ]


def test_a_long_error_is_cut_until_it_is_opened(look: Look) -> None:
    one = block("edit", {"path": "a"}, "\n".join(f"line {number}" for number in range(30)), None, error=True)
    assert shown(one, look)[-1] == "  │ … 23 more lines (ctrl+o)"
    assert len(shown(one, look, opened=True)) == 31
