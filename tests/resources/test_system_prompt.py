"""What the system prompt says, in which order, and how much it costs."""

from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from pi_tui.resources.context_files import ContextFile
from pi_tui.resources.system_prompt import SystemPrompt, build_system_prompt


class Text(NamedTuple):
    name: str
    summary: str
    rules: tuple[str, ...] = ()


READ = Text("read", "read a file", ("Read before you edit.",))
BASH = Text("bash", "run a command", ("Read before you edit.", "Mind the user's files."))


def prompt(**changes: Any) -> SystemPrompt:
    given: dict[str, Any] = {
        "tools": [READ, BASH],
        "context_files": [],
        "cwd": Path("/project"),
        "today": date(2026, 11, 30),
    }
    return build_system_prompt(**(given | changes))


def test_what_changes_least_stands_first() -> None:
    files = [ContextFile("/AGENTS.md", "outer"), ContextFile("/project/AGENTS.md", "inner")]
    sections = list(prompt(context_files=files, addendum="more").sections)
    assert sections == ["preamble", "tools", "rules", "addendum", "project_context", "date", "cwd"]


def test_another_day_or_folder_keeps_the_beginning() -> None:
    one, other = prompt().text, prompt(today=date(2026, 12, 1), cwd=Path("/elsewhere")).text
    shared = one.index("<date>")
    assert one[:shared] == other[:shared]
    assert one != other


def test_each_active_tool_has_a_line_and_each_rule_is_said_once() -> None:
    sections = prompt().sections
    assert sections["tools"] == "<tools>\n- read: read a file\n- bash: run a command\n</tools>"
    assert sections["rules"] == "<rules>\n- Read before you edit.\n- Mind the user's files.\n</rules>"


def test_without_tools_none_are_promised() -> None:
    assert "tools" not in prompt(tools=[]).sections
    assert "rules" not in prompt(tools=[]).sections


def test_each_context_file_has_a_tag_with_its_path() -> None:
    files = [ContextFile("/AGENTS.md", "outer\n"), ContextFile('/a "b"/AGENTS.md', "inner")]
    assert prompt(context_files=files).sections["project_context"] == (
        "<project_context>\n"
        '<instructions path="/AGENTS.md">\nouter\n</instructions>\n\n'
        '<instructions path="/a &quot;b&quot;/AGENTS.md">\ninner\n</instructions>\n'
        "</project_context>"
    )


def test_a_replacement_takes_the_place_of_everything_before_the_addendum() -> None:
    built = prompt(instead="You are a poet.", addendum="In verse.")
    assert built.text == (
        "You are a poet.\n\n<addendum>\nIn verse.\n</addendum>\n\n"
        "<date>\n2026-11-30\n</date>\n\n<cwd>\n/project\n</cwd>"
    )


def test_an_empty_replacement_leaves_our_own_prompt_out() -> None:
    assert list(prompt(instead="").sections) == ["date", "cwd"]


def test_the_text_is_the_sections_in_order() -> None:
    built = prompt(addendum="x")
    assert built.text == "\n\n".join(built.sections.values())
