"""From a command line to a front end: with a terminal on both sides the client, else print mode."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from pi_tui.cli.arguments import UsageError, refuse
from pi_tui.cli.options import Options, options_from
from pi_tui.cli.prompts import Prompt, build_prompts, read_piped
from pi_tui.runtime.launch import Launch, LaunchError

FAILED = 1
INTERRUPTED = 130
MAX_NAMED = 200
"""Characters of a file's name in an error."""
DUMB = "dumb"
"""The TERM of terminals that only print."""

PROCESS_MARKERS = {"AI_AGENT": "pi", "PI_CODING_AGENT": "true"}
"""By these a child process knows that an agent started it."""


def run(given: Mapping[str, object]) -> int:
    """Does what a command line asks for, as `parse_arguments` read it, and returns the exit code."""
    os.environ.update(PROCESS_MARKERS)
    try:
        return _run(options_from(given))
    except (UsageError, LaunchError) as error:
        return refuse(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        print(f"pi: {error.strerror or error}{_named(error)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _named(error: OSError) -> str:
    """The file an error is about, in one line."""
    if error.filename is None:
        return ""
    name = "".join(sign if sign.isprintable() else "?" for sign in os.fsdecode(error.filename))
    return f": {name[:MAX_NAMED]}"


def _run(options: Options) -> int:
    if options.completions is not None:
        return _complete(options.completions)
    cwd = _working_directory()
    launch = options.launch(cwd)
    if options.list_models is not None:
        return _list_models(options.list_models, launch.offline)
    if options.export is not None:
        return _export(options, launch)
    if options.mode == "rpc":
        return _serve_rpc(launch, options.verbose)
    if not options.print and options.mode != "json" and _has_screen():
        return _open_client(options, launch, build_prompts(options.messages, options.files, "", cwd))
    if options.resume:
        raise UsageError(
            "--resume shows a list and needs a terminal: name the session with --session instead"
        )
    piped = "" if sys.stdin is None or _is_terminal(sys.stdin) else read_piped(sys.stdin.buffer)
    prompts = build_prompts(options.messages, options.files, piped, cwd)
    if not prompts and os.environ.get("TERM") == DUMB:
        raise UsageError("a terminal with TERM=dumb cannot show the client: give a prompt, or set TERM")
    if not prompts:
        raise UsageError("nothing to do: give a prompt, or pipe one in")
    if options.mode == "json":
        return _stream_json(launch, prompts, options.verbose)
    return _print(launch, prompts, options.verbose)


def _serve_rpc(launch: Launch, verbose: bool) -> int:
    from pi_tui.modes.rpc.server import serve_rpc

    return serve_rpc(launch, verbose=verbose)


def _stream_json(launch: Launch, prompts: list[Prompt], verbose: bool) -> int:
    from pi_tui.modes.json_mode import stream_json

    return stream_json(launch, prompts, verbose=verbose)


def _complete(wanted: str) -> int:
    from pi_tui.cli.completions import print_completions

    return print_completions(wanted)


def _list_models(search: str, offline: bool) -> int:
    from pi_tui.cli.list_models import list_models

    return list_models(search, offline)


def _export(options: Options, launch: Launch) -> int:
    from pi_tui.cli.export import export_stored

    return export_stored(options, launch)


def _open_client(options: Options, launch: Launch, prompts: list[Prompt]) -> int:
    from pi_tui.tui.run import run_app

    return run_app(
        launch,
        prompts=prompts,
        theme=options.use_theme,
        theme_files=options.theme,
        discover_themes=not options.no_themes,
        verbose=options.verbose,
    )


def _print(launch: Launch, prompts: list[Prompt], verbose: bool) -> int:
    import asyncio

    from pi_tui.modes.print_mode import run_print, say
    from pi_tui.runtime.loaded import loaded_lines
    from pi_tui.runtime.local_models import use_local_model
    from pi_tui.runtime.open import open_session
    from pi_tui.runtime.written import CannotExpand

    async def answer() -> int:
        session = open_session(launch)
        try:
            for problem in session.services.problems:
                say(sys.stderr, problem)
            for line in loaded_lines(session.services) if verbose else ():
                say(sys.stderr, line)
            if session.model is None and not launch.offline:
                await use_local_model(session)
            try:
                written = [(session.written(text), images) for text, images in prompts]
            except CannotExpand as error:
                raise LaunchError(str(error)) from error
            return await run_print(session, written, stdout=sys.stdout, stderr=sys.stderr, verbose=verbose)
        finally:
            session.close()

    return asyncio.run(answer())


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UsageError("the working directory is gone: change to one that exists") from None


def _has_screen() -> bool:
    """Whether the client can be shown: a terminal on both sides, and one whose cursor can be moved."""
    return _is_terminal(sys.stdin) and _is_terminal(sys.stdout) and os.environ.get("TERM") != DUMB


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; one that was closed is None, and is not."""
    return stream is not None and stream.isatty()
