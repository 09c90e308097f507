"""Starts the client on a terminal, and gives the terminal back."""

import asyncio
import gc
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pi_tui.llm.messages import ImageContent
from pi_tui.resources import paths
from pi_tui.runtime.launch import Launch
from pi_tui.tui.terminal.probe import TerminalProbe
from pi_tui.tui.terminal.restore import give_back_at_exit, on_termination

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session

SWITCH_SECONDS = 0.001
"""How long a thread at work may keep the interpreter while others wait."""


def run_app(
    launch: Launch,
    *,
    prompts: Sequence[tuple[str, Sequence[ImageContent]]] = (),
    theme: str | None = None,
    theme_files: Sequence[str] = (),
) -> int:
    """Runs the full-screen client until the user leaves; returns the exit code.

    Raises:
        LaunchError: The session cannot be opened as asked; the screen was not touched.
    """
    # Nothing made before the first paint is garbage; `startup.warm_up` switches the collector on again.
    gc.disable()
    # Input, event loop and output are threads that hand the interpreter to one another for every key.
    sys.setswitchinterval(SWITCH_SECONDS)
    give_back_at_exit()
    probe = TerminalProbe()
    from pi_tui.runtime.open import open_session
    from pi_tui.tui.ask_before import Declined, open_asking

    try:
        session = open_asking(launch, open_session, probe.finish)
    except Declined:
        return 0
    try:
        return _run(session, launch, probe, prompts=prompts, theme=theme, theme_files=theme_files)
    finally:
        session.close()


def _run(
    session: "Session",
    launch: Launch,
    probe: TerminalProbe,
    *,
    prompts: Sequence[tuple[str, Sequence[ImageContent]]],
    theme: str | None,
    theme_files: Sequence[str],
) -> int:
    from pi_tui.tui.app import ClientSetup, PiApp
    from pi_tui.tui.editor.history import PromptHistory
    from pi_tui.tui.farewell import farewell, report_crash
    from pi_tui.tui.keys.bindings import load_key_bindings
    from pi_tui.tui.terminal.appearance import detect_appearance
    from pi_tui.tui.terminal.driver import terminal_driver
    from pi_tui.tui.theme.discover import discover_themes

    agent_dir = session.services.agent_dir
    bindings, problems = load_key_bindings(agent_dir)
    session.services.problems += [str(problem) for problem in problems]
    answers = probe.answers()
    setup = ClientSetup(
        shelf=discover_themes([agent_dir / "themes", *(launch.cwd / one for one in theme_files)]),
        theme=theme or session.services.settings.theme,
        appearance=detect_appearance(answers.background, os.environ),
        bindings=bindings,
        history=PromptHistory(_history_file(launch.cwd) if session.log.path else None),
        prompts=prompts,
        offline=launch.offline,
        resume=launch.resume,
    )
    app = PiApp(session, setup, driver_class=terminal_driver(answers))

    async def run() -> int | None:
        loop = asyncio.get_running_loop()

        def leave(number: int) -> None:
            loop.call_soon_threadsafe(app.leave, 128 + number)

        on_termination(leave)
        return await app.run_async()

    code = asyncio.run(run())
    if app.crash is not None:
        print(report_crash(app.crash), file=sys.stderr)
        return 1
    if text := farewell(session):
        print(text)
    return code or 0


def _history_file(cwd: Path) -> Path:
    """The prompts of a folder are kept apart from those of others."""
    name = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
    return paths.state_dir() / "history" / f"{name}.jsonl"
