"""grep, find and ls. What they find is written down here by hand, and holds with `rg` and without it."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pi_tui.agent.tools import find, grep, limits, process_tree
from pi_tui.agent.tools.workspace import Workspace

Call = Callable[..., Awaitable[Any]]
RG = shutil.which("rg")
ROOT = Path(__file__).parents[3]


@pytest.fixture(
    params=["own", pytest.param("rg", marks=pytest.mark.skipif(RG is None, reason="there is no rg here"))]
)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    program = RG if request.param == "rg" else None
    for module in (grep, find):
        monkeypatch.setattr(module, "find_ripgrep", lambda: program)
    return str(request.param)


def make(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


TREE: dict[str, str | bytes] = {
    ".gitignore": "*.log\nbuild/\n!keep.log\n/only-here.txt\n",
    ".hidden/x.py": "needle\n",
    "a.py": "one\nneedle = 1\nthree\nfour\nNeedle = 2\n",
    "b.log": "needle\n",
    "build/c.py": "needle\n",
    "keep.log": "needle\n",
    "only-here.txt": "needle\n",
    "src/.gitignore": "secret.*\n!build/\n",
    "src/build/e.ts": "needle\n",
    "src/d.ts": "const needle = 3\n",
    "src/only-here.txt": "needle\n",
    "src/secret.ts": "needle\n",
    "src/deep/f.tsx": "needle\n",
}

KEPT = [
    ".gitignore",
    ".hidden/x.py",
    "a.py",
    "keep.log",
    "src/.gitignore",
    "src/build/e.ts",
    "src/d.ts",
    "src/deep/f.tsx",
    "src/only-here.txt",
]


@pytest.fixture(params=["repository", "folder"])
def tree(request: pytest.FixtureRequest, workspace: Workspace) -> Path:
    make(workspace.cwd, TREE)
    if request.param == "repository":
        make(workspace.cwd, {".git/HEAD": "needle\n"})
    return workspace.cwd


def lines(text: str) -> list[str]:
    return text.split("\n\n[", maxsplit=1)[0].split("\n")


async def test_what_gitignore_names_is_not_searched(engine: str, tree: Path, call: Call) -> None:
    result = await call("grep", pattern="needle")
    assert lines(result.text) == [
        ".hidden/x.py:1: needle",
        "a.py:2: needle = 1",
        "keep.log:1: needle",
        "src/build/e.ts:1: needle",
        "src/d.ts:1: const needle = 3",
        "src/deep/f.tsx:1: needle",
        "src/only-here.txt:1: needle",
    ]
    assert result.details == {"matches": 7, "files": 7, "more": False}


async def test_what_gitignore_names_is_not_found(engine: str, tree: Path, call: Call) -> None:
    result = await call("find", pattern="*")
    assert [line for line in lines(result.text) if not line.endswith("/")] == KEPT
    assert [line for line in lines(result.text) if line.endswith("/")] == [
        ".hidden/",
        "src/",
        "src/build/",
        "src/deep/",
    ]


async def test_rules_above_the_searched_folder_hold_in_a_repository_only(
    engine: str, workspace: Workspace, call: Call
) -> None:
    make(workspace.cwd, {".gitignore": "*.log\n", "src/a.log": "needle\n", "src/b.txt": "needle\n"})
    outside = await call("find", pattern="*", path="src")
    make(workspace.cwd, {".git/HEAD": ""})
    inside = await call("find", pattern="*", path="src")
    assert lines(outside.text) == ["src/a.log", "src/b.txt"]
    assert lines(inside.text) == ["src/b.txt"]


async def test_a_repository_in_a_repository_has_rules_of_its_own(
    engine: str, workspace: Workspace, call: Call
) -> None:
    make(
        workspace.cwd,
        {".git/HEAD": "", ".gitignore": "*.log\n", "inner/.git/HEAD": "", "inner/a.log": "", "b.log": ""},
    )
    assert lines((await call("find", pattern="*.log")).text) == ["inner/a.log"]


EXCLUDED: dict[str, str | bytes] = {
    ".git/HEAD": "",
    ".git/info/exclude": "/mine.txt\n*.swp\n",
    ".gitignore": "!kept.bak\n",
    "a.txt": "needle\n",
    "kept.bak": "needle\n",
    "lost.bak": "needle\n",
    "mine.txt": "needle\n",
    "src/b.swp": "needle\n",
    "src/lost.bak": "needle\n",
    "src/mine.txt": "needle\n",
    "src/notes/x": "needle\n",
    "notes/x": "needle\n",
}


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("where", ["core.excludesFile", "git/ignore"])
async def test_what_git_excludes_elsewhere_is_left_out_too(
    engine: str, anchored: bool, where: str, workspace: Workspace, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = workspace.cwd.parent
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    patterns = "# mine/\n*.bak\n" + ("/notes\n" if anchored else "")
    if where == "core.excludesFile":
        make(home, {".gitconfig": "[core]\n\texcludesFile = ~/patterns\n", "patterns": patterns})
    else:
        make(home, {"config/git/ignore": patterns})
    make(workspace.cwd, EXCLUDED)
    found = [".gitignore", "a.txt", "kept.bak", "notes/x", "src/mine.txt", "src/notes/x"]
    if anchored:
        found.remove("notes/x")
    whole = lines((await call("find", pattern="*")).text)
    assert [name for name in whole if not name.endswith("/")] == found
    grepped = lines((await call("grep", pattern="needle", glob="*.{bak,txt}")).text)
    assert [line.partition(":")[0] for line in grepped] == ["a.txt", "kept.bak", "src/mine.txt"]
    below = lines((await call("find", pattern="*", path="src")).text)
    assert below == ["src/mine.txt", "src/notes/", "src/notes/x"]
    listed = (await call("ls")).text
    assert "[Ignored by git: .git/, lost.bak, mine.txt" + (", notes/]" if anchored else "]") in listed


async def test_a_worktree_has_the_excludes_of_its_repository(
    engine: str, workspace: Workspace, call: Call
) -> None:
    make(
        workspace.cwd,
        {
            "main/.git/info/exclude": "*.swp\n",
            "main/.git/worktrees/w/commondir": "../..\n",
            "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n",
            "w/.git": f"gitdir: {workspace.cwd}/main/.git/worktrees/w\n",
            "w/a.swp": "",
            "w/b": "",
        },
    )
    assert lines((await call("find", pattern="*", path="w")).text) == ["w/b"]


async def test_an_ignored_folder_can_be_searched_by_name(engine: str, tree: Path, call: Call) -> None:
    assert lines((await call("grep", pattern="needle", path="build")).text) == ["build/c.py:1: needle"]
    assert lines((await call("find", pattern="*.py", path="build")).text) == ["build/c.py"]


async def test_an_ignored_file_can_be_searched_by_name(engine: str, tree: Path, call: Call) -> None:
    assert lines((await call("grep", pattern="needle", path="b.log")).text) == ["b.log:1: needle"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.ts", ["src/build/e.ts", "src/d.ts"]),
        ("*.{ts,tsx}", ["src/build/e.ts", "src/d.ts", "src/deep/f.tsx"]),
        ("src/*.ts", ["src/d.ts"]),
        ("src/**/*.ts", ["src/build/e.ts", "src/d.ts"]),
        ("**/*.tsx", ["src/deep/f.tsx"]),
        ("src/deep/", ["src/deep/f.tsx"]),
        ("./src/d.ts", ["src/d.ts"]),
        ("deep", ["src/deep/"]),
        ("?.py", [".hidden/x.py", "a.py"]),
        ("[a-c].py", ["a.py"]),
        ("[!a-c].py", [".hidden/x.py"]),
        ("keep.log", ["keep.log"]),
        ("b.log", ["Nothing found."]),
        ("d.TS", ["Nothing found."]),
    ],
)
async def test_patterns_of_names(pattern: str, found: list[str], engine: str, tree: Path, call: Call) -> None:
    assert lines((await call("find", pattern=pattern)).text) == found


@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("*.ts", ["src/build/e.ts", "src/d.ts"]),
        ("src/*.ts", ["src/d.ts"]),
        ("*.{ts,py}", [".hidden/x.py", "a.py", "src/build/e.ts", "src/d.ts"]),
        ("!*.ts", [".hidden/x.py", "a.py", "keep.log", "src/deep/f.tsx", "src/only-here.txt"]),
        ("*.log", ["keep.log"]),
        ("src/deep/**", ["src/deep/f.tsx"]),
    ],
)
async def test_grep_in_some_files_only(
    glob: str, files: list[str], engine: str, tree: Path, call: Call
) -> None:
    result = await call("grep", pattern="needle", glob=glob)
    assert [line.split(":")[0] for line in lines(result.text)] == files


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"pattern": "needle", "ignoreCase": True}, ["a.py:2: needle = 1", "a.py:5: Needle = 2"]),
        ({"pattern": "^n.*1$"}, ["a.py:2: needle = 1"]),
        ({"pattern": "n.*1", "literal": True}, ["No matches."]),
        ({"pattern": "le = ", "literal": True}, ["a.py:2: needle = 1", "a.py:5: Needle = 2"]),
        ({"pattern": "needle", "context": 1}, ["a.py-1- one", "a.py:2: needle = 1", "a.py-3- three"]),
        (
            {"pattern": "eedle", "context": 1},
            [
                "a.py-1- one",
                "a.py:2: needle = 1",
                "a.py-3- three",
                "a.py-4- four",
                "a.py:5: Needle = 2",
            ],
        ),
        (
            {"pattern": "eedle", "context": 1, "limit": 1},
            ["a.py-1- one", "a.py:2: needle = 1", "a.py-3- three"],
        ),
        ({"pattern": "eedle", "limit": 1}, ["a.py:2: needle = 1"]),
        ({"pattern": r"(?<=e )= 2"}, ["a.py:5: Needle = 2"]),
        ({"pattern": r"\p{Lu}"}, ["a.py:5: Needle = 2"]),
        ({"pattern": r"\bone\b|\bfour\b"}, ["a.py:1: one", "a.py:4: four"]),
    ],
)
async def test_ways_to_search_a_file(
    arguments: dict[str, Any], found: list[str], engine: str, tree: Path, call: Call
) -> None:
    assert lines((await call("grep", path="a.py", **arguments)).text) == found


HARD_FILES: list[tuple[str, bytes, str]] = [
    ("crlf", b"one\r\nneedle\r\n", "x:2: needle"),
    ("no final newline", b"one\nneedle", "x:2: needle"),
    ("BOM", b"\xef\xbb\xbfneedle\n", "x:1: needle"),
    ("UTF-16", "one\nneedle\n".encode("utf-16"), "x:2: needle"),
    ("latin-1", b"caf\xe9 needle\n", "x:1: caf\ufffd needle"),
    ("NUL before", b"\0needle\n", "No matches."),
    ("NUL after", b"needle\n\0\n", "No matches."),
    ("empty", b"", "No matches."),
    ("a line of 600 letters", b"needle" + b"a" * 600 + b"\n", "x:1: needle" + "a" * 494 + "…"),
    ("a line of 5 MB", b"a" * 5_000_000 + b"needle\n", "x:1: " + "a" * 500 + "…"),
    ("wide letters", "é".encode() * 600 + b"needle\n", "x:1: " + "é" * 500 + "…"),
]


@pytest.mark.parametrize(
    ("content", "found"), [(c, f) for _, c, f in HARD_FILES], ids=[n for n, _, _ in HARD_FILES]
)
async def test_grep_of_hard_files(
    content: bytes, found: str, engine: str, workspace: Workspace, call: Call
) -> None:
    make(workspace.cwd, {"x": content})
    for path in (None, "x"):
        assert lines((await call("grep", pattern="needle$|^needle", path=path)).text) == [found]


@pytest.mark.parametrize(
    "name", ["with space", "quote'\"", "ümlaut", "-dash", "[brackets]*", "a:1: b", "!bang", "#hash", "nl\nx"]
)
async def test_names_that_are_hard_to_quote(name: str, engine: str, workspace: Workspace, call: Call) -> None:
    make(workspace.cwd, {f"{name}/{name}": "needle\n"})
    shown = f"{name}/{name}"
    assert lines((await call("grep", pattern="needle", path=shown)).text) == [
        f"{shown}:1: needle".replace("\n", "\ufffd")
    ]
    assert lines((await call("grep", pattern="needle")).text) == [
        f"{shown}:1: needle".replace("\n", "\ufffd")
    ]
    assert lines((await call("find", pattern="*", path=name)).text) == [shown.replace("\n", "\ufffd")]


async def test_more_matches_than_the_limit_are_told(engine: str, workspace: Workspace, call: Call) -> None:
    make(workspace.cwd, {f"{number:03}.txt": "needle\n" for number in range(150)})
    result = await call("grep", pattern="needle")
    assert len(lines(result.text)) == limits.GREP_MATCHES
    assert result.text.endswith("[There are more than these 100 matches: narrow the search, or raise limit.]")
    assert result.details == {"matches": 100, "files": 100, "more": True}
    assert not (await call("grep", pattern="needle", limit=150)).details["more"]
    found = await call("find", pattern="*", limit=10)
    assert found.details == {"results": 10, "more": True}


async def test_results_stay_within_their_bytes(engine: str, workspace: Workspace, call: Call) -> None:
    make(workspace.cwd, {"x": ("needle" + "ä" * 490 + "\n") * 1000})
    result = await call("grep", pattern="needle", limit=1000)
    assert len(result.text.encode()) < limits.MAX_BYTES + 200
    assert "[Cut at 50 KiB" in result.text


async def test_links_and_special_files_are_not_followed(
    engine: str, workspace: Workspace, call: Call
) -> None:
    make(workspace.cwd, {"real/a.txt": "needle\n"})
    (workspace.cwd / "loop").symlink_to(".")
    (workspace.cwd / "link.txt").symlink_to("real/a.txt")
    os.mkfifo(workspace.cwd / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(workspace.cwd / "sock"))
        assert lines((await call("find", pattern="*")).text) == ["real/", "real/a.txt"]
        assert lines((await call("grep", pattern="needle")).text) == ["real/a.txt:1: needle"]
    assert lines((await call("grep", pattern="needle", path="link.txt")).text) == ["link.txt:1: needle"]
    assert (
        lines((await call("find", pattern="*.txt", path="loop")).text)
        == ["loop/real/", "loop/real/a.txt"][1:]
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("grep", {"pattern": "("}, "pattern is no regular expression"),
        ("grep", {"pattern": ""}, "pattern must be one line"),
        ("grep", {"pattern": "a\nb"}, "pattern must be one line"),
        ("grep", {"pattern": "x", "path": "missing"}, "missing does not exist"),
        ("grep", {"pattern": "x", "path": "pipe"}, "pipe is a named pipe (FIFO)"),
        ("grep", {"pattern": "x", "context": -1}, "context is -1"),
        ("grep", {"pattern": "x", "context": 51}, "context is 51"),
        ("grep", {"pattern": "x", "limit": 0}, "limit is 0"),
        ("grep", {"pattern": "x", "glob": "[z-a]"}, "glob: [z-a] is no range"),
        ("grep", {"pattern": "x", "glob": "{a,b}" * 10}, "glob: the pattern has more than 100 choices"),
        ("find", {"pattern": ""}, "pattern: the pattern is empty"),
        ("find", {"pattern": "*", "path": "file"}, "file is a file"),
        ("find", {"pattern": "*", "path": "a\0b"}, "path holds a NUL"),
        ("find", {"pattern": "*", "limit": 10_001}, "limit is 10001"),
        ("ls", {"path": "file"}, "file is a file; look at it with read"),
        ("ls", {"path": "missing"}, "missing does not exist"),
        ("ls", {"limit": 0}, "limit is 0"),
    ],
)
async def test_refusals_say_what_is_wrong(
    tool: str, arguments: dict[str, Any], said: str, engine: str, workspace: Workspace, call: Call
) -> None:
    make(workspace.cwd, {"file": "x"})
    os.mkfifo(workspace.cwd / "pipe")
    result = await call(tool, **arguments)
    assert result.is_error
    assert said in result.text


async def test_a_pattern_without_an_end_is_given_up(
    workspace: Workspace, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "find_ripgrep", lambda: None)
    monkeypatch.setattr(limits, "GREP_LINE_SECONDS", 0.05)
    make(workspace.cwd, {"x": "a" * 40 + "!\n"})
    result = await call("grep", pattern=r"^(a|aa)+(?<=b)$")
    assert result.is_error
    assert "needs more than" in result.text


async def test_a_search_can_be_cancelled(engine: str, workspace: Workspace, call: Call) -> None:
    for folder in range(40):
        make(workspace.cwd, {f"{folder}/{name}": "x\n" for name in range(20)})
    with (workspace.cwd / "large").open("wb") as file:
        file.truncate(0)
        file.write(b"no match here\n" * 5_000_000)
    searching = asyncio.create_task(call("grep", pattern="needle$"))
    await asyncio.sleep(0)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching


SLOW = """#!/bin/sh
echo $$ > "$0.pid"
exec sleep 60
"""
PROGRAM = """
import asyncio, sys
from pathlib import Path
from pi_tui.agent.tools.builtin import builtin_tools
from pi_tui.agent.tools.workspace import Workspace

folder = Path(sys.argv[1])
tools = builtin_tools(Workspace(folder, dict, None, None, folder / "cache"))
asyncio.run(tools["grep"].execute("a", {"pattern": "x"}, lambda update: None))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_search_does_not_outlive_the_program(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "rg").write_text(SLOW)
    (tmp_path / "rg").chmod(0o755)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, tmp_path],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": os.fspath(ROOT)},
    )
    told = tmp_path / "rg.pid"
    async with asyncio.timeout(30):
        while not told.exists() or not told.read_text().strip():
            await asyncio.sleep(0.01)
    searching = int(told.read_text())
    assert searching in process_tree.processes()
    program.send_signal(number)
    await asyncio.to_thread(program.wait, 10)
    async with asyncio.timeout(30):
        while searching in process_tree.processes():
            await asyncio.sleep(0.01)


async def test_a_listing(workspace: Workspace, call: Call) -> None:
    make(workspace.cwd, {"B": "", "a": "", ".dot": "", "dir/x": "", ".gitignore": "*.log\n", "x.log": ""})
    (workspace.cwd / "to-a").symlink_to("a")
    (workspace.cwd / "broken").symlink_to("nowhere")
    result = await call("ls")
    assert result.text == (
        ".dot\n.gitignore\na\nB\nbroken -> nowhere\ndir/\nto-a -> a\n\n[Ignored by git: x.log]"
    )
    assert result.details == {"entries": 7, "more": False, "ignored": 1}


async def test_a_listing_of_nothing_and_of_much(workspace: Workspace, call: Call) -> None:
    assert (await call("ls")).text == "[The folder is empty.]"
    make(workspace.cwd, {f"d/{number:04}": "" for number in range(600)})
    result = await call("ls", path="d")
    assert lines(result.text)[-1] == "0499"
    assert "[The first 500 of 600 names." in result.text


async def test_a_listing_keeps_its_bytes_whatever_the_names(workspace: Workspace, call: Call) -> None:
    raw = os.fsencode(workspace.cwd) + b"/caf\xe9"
    Path(os.fsdecode(raw)).write_bytes(b"")
    make(workspace.cwd, {"new\nline": ""})
    assert lines((await call("ls")).text) == ["caf\ufffd", "new\ufffdline"]
