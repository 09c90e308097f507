from pathlib import Path

import pytest

from pi_tui.agent.tools.builtin import builtin_tools
from pi_tui.agent.tools.workspace import Workspace
from pi_tui.runtime.toolset import BUILTIN_TOOLS, UnknownTool, select_tools

KNOWN = ("read", "bash", "edit", "write", "grep", "find")
DEFAULT = ("read", "bash", "edit", "write")


@pytest.mark.parametrize(
    ("wanted", "excluded", "selected"),
    [
        (None, [], ["read", "bash", "edit", "write"]),
        ([], [], []),
        (["read", "grep"], [], ["read", "grep"]),
        (["*e*"], [], ["read", "edit", "write", "grep"]),
        (["+grep"], [], ["read", "bash", "edit", "write", "grep"]),
        (["-bash", "+find"], [], ["read", "edit", "write", "find"]),
        (["+read"], [], ["read", "bash", "edit", "write"]),
        (None, ["bash"], ["read", "edit", "write"]),
        (["*"], ["*i*"], ["read", "bash", "grep"]),
    ],
)
def test_options_choose_the_tools(wanted: list[str] | None, excluded: list[str], selected: list[str]) -> None:
    assert select_tools(KNOWN, DEFAULT, wanted, excluded) == selected


@pytest.mark.parametrize("wanted", [["nosuch"], ["+nosuch"], ["-nosuch"]])
def test_an_unknown_tool_is_named_with_those_there_are(wanted: list[str]) -> None:
    with pytest.raises(UnknownTool, match=r"'nosuch'.*read, bash, edit"):
        select_tools(KNOWN, DEFAULT, wanted)


def test_plain_names_and_changes_do_not_mix() -> None:
    with pytest.raises(UnknownTool, match="not both"):
        select_tools(KNOWN, DEFAULT, ["read", "+grep"])


def test_the_names_known_at_start_are_those_of_the_tools(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, dict, shell_path=None, shell_prefix=None, cache_dir=tmp_path)
    assert tuple(builtin_tools(workspace)) == BUILTIN_TOOLS
