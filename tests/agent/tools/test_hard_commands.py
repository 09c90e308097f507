"""Commands that are hard to run: what the model is told, and what is on the disk afterwards."""

import asyncio
from pathlib import Path

import pytest

from pi_tui.agent.tools import limits, live_commands, process_tree


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    live_commands.kill_all()


BACKGROUND = "[Something it started still runs in the background; what that prints from now on is not shown.]"
LINES = "\n".join(str(n) for n in range(8001, 10_001))

SAID: dict[str, tuple[str, str, int]] = {
    "background child with the pipe": ("sleep 60 & echo a", f"a\n\n{BACKGROUND}", 0),
    "background child without the pipe": ("sleep 60 > /dev/null 2>&1 & echo a", "a", 0),
    "background child that ends at once": ("true & echo a", "a", 0),
    "background child and a failure": ("sleep 60 & exit 4", f"{BACKGROUND}\n\nExit code 4.", 4),
    "double fork": ("( (sleep 60 > /dev/null 2>&1 &) & ) ; echo a", "a", 0),
    "reads a line": ("read -r x || echo none", "none", 0),
    "reads everything": ("cat | wc -c | tr -d ' '", "0", 0),
    "reads a password": ("read -rs -p 'Password: ' x < /dev/tty || echo none", None, 0),
    "wants to know the terminal's size": ("stty size 2> /dev/null || echo none", "none", 0),
    "wants colours": ("[ -t 1 ] || echo plain", "plain", 0),
    "NUL": ("printf 'a\\0\\0b'", "ab", 0),
    "half a character at the end": ("printf 'a\\xe4\\xbd'", "a\ufffd", 0),
    "characters byte by byte": (
        'for b in e4 bd a0 f0 9f 98 80; do printf "\\\\x$b"; sleep 0.01; done',
        "你😀",
        0,
    ),
    "progress bar": ("for i in 1 2 3; do printf '\\r%d%%' $i; sleep 0.01; done; echo", "3%", 0),
    "progress bar that is erased": ("printf 'working\\r\\033[K'; echo done", "done", 0),
    "spinner": ("printf '|\\b/\\b-\\b'; echo ok", "ok", 0),
    "unknown sequences": (
        "printf '\\033[?2026h\\033[>4;2m\\033]1337;x\\a\\033P+q\\033\\\\\\033_G\\033\\\\\\033[!p\\033Zok\\033[<u\\n'",
        "ok",
        0,
    ),
    "sequence without an end": ("printf 'a\\033[12'", "a12", 0),
    "title without an end": ("printf '\\033]0;a\\nb\\n'", "0;a\nb", 0),
    "escape at the end": ("printf 'a\\033'", "a", 0),
    "sequence in two pieces": ("printf 'a\\033['; sleep 0.06; printf '31mb\\033[0m\\n'", "ab", 0),
    "blank lines": ("printf 'a\\n\\n\\n'", "a", 0),
    "only blank lines": ("printf '\\n\\n'", "(no output)", 0),
    "leading blanks": ("printf '  a\\n'", "  a", 0),
    "a terminal's line ends": ("printf 'a\\r\\nb\\r\\n'", "a\nb", 0),
    "killed by a signal": ("kill -KILL $$", "Exit code 137 (128 + SIGKILL).", 137),
    "interrupted": ("kill -INT $$; sleep 1", None, 130),
    "broken pipe": ("seq 1 100000 | head -n 1", "1", 0),
    "aborts": ("ulimit -c 0; kill -ABRT $$", "Exit code 134 (128 + SIGABRT).", 134),
    "exit code above 255": ("exit 257", "Exit code 1.", 1),
    "standard error only": ("echo a >&2; exit 2", "a\n\nExit code 2.", 2),
    "replaces its shell": ("exec printf 'a\\n'", "a", 0),
    "deletes its folder": ('mkdir d; cd d; rmdir "$PWD"; echo a', "a", 0),
    "goes elsewhere": ("cd /; pwd", "/", 0),
    "nothing but a comment": ("# nothing", "(no output)", 0),
    "several lines": ("a=1\nif true; then\n  echo $a\nfi", "1", 0),
    "unbalanced quote": ("echo 'a", None, 2),
    "looks like an option": ("-x", None, 127),
    "file descriptors of ours": ("ls /proc/self/fd | wc -l | tr -d ' '", "4", 0),
    "signals of ours": ("grep -E '^Sig(Ign|Blk)' /proc/self/status | sort -u | wc -l | tr -d ' '", "2", 0),
}


@pytest.mark.parametrize("case", SAID)
async def test_a_command_comes_back_with(call, case) -> None:
    command, text, code = SAID[case]
    outcome = await asyncio.wait_for(call("bash", command=command), 10)
    assert outcome.details["exitCode"] == code
    assert outcome.is_error == (code != 0)
    assert text is None or outcome.text == text


ON_DISK: dict[str, tuple[str, dict[str, bytes]]] = {
    "appends": ("echo a > f; echo b >> f", {"f": b"a\nb\n"}),
    "quotes": ("echo x > \"it's a 'name'\"", {"it's a 'name'": b"x\n"}),
    "here document": ("cat > f <<'E'\n$x `y` \\z\nE", {"f": b"$x `y` \\z\n"}),
    "binary": ("printf '\\0\\xff\\r\\n' > f", {"f": b"\0\xff\r\n"}),
    "umask": ("umask 077; echo x > f; stat -c %a f > mode", {"f": b"x\n", "mode": b"600\n"}),
    "fails half way": ("echo a > f; false && echo b > f; exit 3", {"f": b"a\n"}),
    "asks before it overwrites": ("echo a > f; echo b > g; mv -i g f", {"f": b"a\n", "g": b"b\n"}),
}


@pytest.mark.parametrize("case", ON_DISK)
async def test_a_command_leaves_on_the_disk(call, workspace, case) -> None:
    command, files = ON_DISK[case]
    await asyncio.wait_for(call("bash", command=command), 10)
    assert {path.name: path.read_bytes() for path in workspace.cwd.iterdir()} == files


async def test_of_ten_thousand_short_lines_the_last_are_told_and_all_are_kept(call) -> None:
    outcome = await call("bash", command="for i in $(seq 10000); do echo $i; done")
    kept = Path(outcome.details["fullOutputPath"])
    assert outcome.text == f"{LINES}\n\n[Lines 8001-10000 of 10000. Full output: {kept}]"
    assert kept.read_text() == "".join(f"{n}\n" for n in range(1, 10_001))


async def test_of_a_gigabyte_the_end_is_told_in_little_memory(call, monkeypatch) -> None:
    monkeypatch.setattr(limits, "OUTPUT_FILE_BYTES", limits.MIB)
    monkeypatch.setattr(limits, "FLOOD_PAUSE_SECONDS", 0)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    outcome = await call("bash", command="head -c 1000000000 /dev/zero; echo; echo end")
    assert peak() - before < 40_000
    kept = Path(outcome.details["fullOutputPath"])
    assert kept.stat().st_size <= limits.MIB
    said = (
        f"[Lines 2-2 of 2 (50 KiB limit). The first {kept.stat().st_size} of 1000000005 bytes are in {kept}"
    )
    assert outcome.text == f"end\n\n{said} (the limit for one output is reached).]"


def peak() -> int:
    """The most memory this process has had, in KiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("setsid sleep 60 & echo begun; sleep 60", id="setsid"),
        pytest.param("(setsid nohup sleep 60 > /dev/null 2>&1 &); echo begun; sleep 60", id="daemon"),
        pytest.param("trap '' TERM HUP INT; echo begun; sleep 60; sleep 60", id="ignores signals"),
        pytest.param(
            'python3 -c \'import pty; pty.spawn(["sleep", "60"])\' & echo begun; wait',
            id="a terminal of its own",
        ),
        pytest.param("coproc sleep 60; echo begun; wait", id="coprocess"),
        pytest.param("set -m; sleep 60 & echo begun; wait", id="job control"),
        pytest.param("yes > /dev/null & echo begun; yes", id="gigabytes"),
        pytest.param(": | (echo begun; sleep 60) | cat", id="pipeline"),
    ],
)
async def test_at_its_time_everything_a_command_started_is_gone(call, monkeypatch, command) -> None:
    monkeypatch.setattr(limits, "KILL_GRACE_SECONDS", 0.2)
    marks = []
    real = live_commands.new_mark
    monkeypatch.setattr(live_commands, "new_mark", lambda: marks.append(real()) or marks[-1])
    outcome = await asyncio.wait_for(call("bash", command=command, timeout=0.6), 10)
    assert outcome.text.endswith(
        "Timed out after 0.6 s: the command and everything it had started were ended."
    )
    assert [pid for pid in process_tree.processes() if process_tree.mark_of(pid) in marks] == []
    assert live_commands.live_groups() == []


async def test_a_folder_deleted_by_a_command_is_said_to_be_gone_at_the_next(call, workspace) -> None:
    assert (await call("bash", command='rm -r "$PWD"; echo a')).text == "a"
    gone = await call("bash", command="echo b")
    assert gone.text == f"The working directory {workspace.cwd} does not exist any more. Make it again."
    assert gone.is_error
