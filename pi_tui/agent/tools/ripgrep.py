"""Running `rg`, where there is one, as a quick way to list and search files."""

import os
import re
import selectors
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pi_tui.agent.tools import limits, live_commands, process_tree
from pi_tui.agent.tools.ignore_rules import IgnoreRules, pattern_lines
from pi_tui.agent.tools.in_thread import Interrupted


class RipgrepError(Exception):
    """It cannot do this search, or ended with an error before it printed anything; then the text is its own."""


def find_ripgrep() -> str | None:
    """The program, where it is installed."""
    return shutil.which("rg")


def options_for(root: str, file: str | None = None) -> list[str]:
    """What makes it look at the same files, in the same order, as `walk.files_below`.

    Args:
        file: The only file to look at, whether ignored or not.

    Raises:
        RipgrepError: The user's excludes hold patterns that it would understand in another way.
    """
    options = ["--no-config", "--hidden", "--sort=path", "--no-messages", "--color=never", "--no-mmap"]
    if file is not None:
        return [*options, "--no-ignore", "--max-depth=1", f"--glob=/{_literal(file)}"]
    rules = IgnoreRules.at(root)
    options += ["--glob=!.git", "--no-ignore-dot", "--no-ignore-global"]
    user_file = rules.root.user_file
    if user_file is not None:
        # It takes them to begin where it runs, git at the root of the repository.
        if rules.reaches_above and any(map(_is_anchored, pattern_lines(user_file))):
            raise RipgrepError(f"{user_file} has patterns with a slash")
        options.append(f"--ignore-file={user_file}")
    if not rules.reaches_above:
        options.append("--no-ignore-parent")
    if not rules.in_repository:
        options.append("--no-require-git")
    return options


def _is_anchored(pattern: str) -> bool:
    return "/" in pattern.strip().removesuffix("/") and not pattern.startswith("#")


def _literal(name: str) -> str:
    return re.sub(r"[\\*?\[\]{}!]", r"\\\g<0>", name)


@contextmanager
def running(
    program: str, arguments: list[str], cwd: str, stop: threading.Event, given: bytes = b""
) -> Iterator[Iterator[bytes]]:
    """Its output in pieces as they come; the process is gone when the block is left.

    Args:
        given: Its standard input.

    Raises:
        RipgrepError: It failed without any output.
        Interrupted: `stop` was set.
        OSError: It could not be started.
    """
    mark = (
        live_commands.new_mark()
    )  # a search of a whole disk is not to go on when the program has been killed
    try:
        process = subprocess.Popen(
            [program, *arguments],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C.UTF-8", process_tree.MARK: mark},
            start_new_session=True,
        )
    except BaseException:
        live_commands.release(mark)
        raise
    live_commands.register(mark, process.pid)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    try:
        yield _pieces(process, stop, given)
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        process.wait()
        live_commands.release(mark)


def _pieces(process: "subprocess.Popen[bytes]", stop: threading.Event, given: bytes) -> Iterator[bytes]:
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    try:
        process.stdin.write(given)
        process.stdin.close()
    except BrokenPipeError:
        pass  # it has ended already, and will say why
    said = False
    errors = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(limits.SEARCH_POLL_SECONDS):
                piece = os.read(key.fd, limits.PIPE_READ_BYTES)
                if not piece:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    errors = (errors + piece)[: limits.SEARCH_ERROR_BYTES]
                else:
                    said = True
                    yield piece
            if stop.is_set():
                raise Interrupted
    if process.wait() not in (0, 1) and not said:
        raise RipgrepError(errors.decode("utf-8", "replace").strip() or f"it ended with {process.returncode}")
