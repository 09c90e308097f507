"""Starts the client on a terminal, and gives the terminal back."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pi_tui.llm.messages import ImageContent
from pi_tui.llm.wires.importing import somebody_types
from pi_tui.resources import paths
from pi_tui.runtime.launch import Launch
from pi_tui.session.folder import folder_name
from pi_tui.tui.terminal.appearance import color_depth, colors_from
from pi_tui.tui.terminal.probe import TerminalProbe
from pi_tui.tui.terminal.restore import give_back_at_exit, on_termination

if TYPE_CHECKING:
    from pi_tui.runtime.services import Services
    from pi_tui.runtime.session import Session
    from pi_tui.tui.theme.discover import ThemeShelf

FRAMES_PER_SECOND = "120"
"""How often the screen may be brought up to date. A key that comes while an answer grows waits for the next time."""
MAX_NAME = 200
"""Characters of a history file's name, which are those of the folder's path."""
SWITCH_SECONDS = 0.001
"""How long a thread at work may keep the interpreter while others wait."""


def run_app(
    launch: Launch,
    *,
    prompts: Sequence[tuple[str, Sequence[ImageContent]]] = (),
    theme: str | None = None,
    theme_files: Sequence[str] = (),
    discover_themes: bool = True,
    verbose: bool = False,
) -> int:
    """Runs the full-screen client until the user leaves; returns the exit code.

    Raises:
        LaunchError: The session cannot be opened as asked; the screen was not touched.
    """
    # Nothing made before the first paint is garbage; `startup.warm_up` switches the collector on again.
    gc.disable()
    # Input, event loop and output are threads that hand the interpreter to one another for every key.
    sys.setswitchinterval(SWITCH_SECONDS)
    somebody_types()
    give_back_at_exit()
    probe = TerminalProbe()
    from pi_tui.runtime.open import open_session
    from pi_tui.tui.ask_before import Declined, open_asking

    launch = replace(launch, can_ask=True)
    try:
        session = open_asking(launch, open_session, probe.finish)
    except Declined:
        return 0
    try:
        find_themes = theme_finder(
            [launch.cwd / Path(one).expanduser() for one in theme_files], discover_themes
        )
        return _run(
            session, launch, probe, prompts=prompts, theme=theme, find_themes=find_themes, verbose=verbose
        )
    finally:
        session.close()


def _run(
    session: "Session",
    launch: Launch,
    probe: TerminalProbe,
    *,
    prompts: Sequence[tuple[str, Sequence[ImageContent]]],
    theme: str | None,
    find_themes: "Callable[[Services], ThemeShelf]",
    verbose: bool,
) -> int:
    with _quick_screen():
        from pi_tui.tui.app import ClientSetup, PiApp
    from pi_tui.tui.editor.history import PromptHistory
    from pi_tui.tui.farewell import farewell, report_crash
    from pi_tui.tui.keys.bindings import load_key_bindings
    from pi_tui.tui.terminal.driver import terminal_driver

    agent_dir = session.services.agent_dir
    bindings, problems = load_key_bindings(agent_dir)
    session.services.problems += [str(problem) for problem in problems]
    answers = probe.answers()
    setup = ClientSetup(
        shelf=find_themes(session.services),
        find_themes=find_themes,
        theme=theme or session.services.settings.theme,
        theme_option=theme,
        terminal=colors_from(answers.colors, os.environ),
        bindings=bindings,
        history=PromptHistory(_history_file(launch.cwd) if session.log.path else None),
        prompts=prompts,
        offline=launch.offline,
        verbose=verbose,
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


def theme_finder(options: Sequence[Path], discover: bool) -> "Callable[[Services], ThemeShelf]":
    """What finds the themes of a session: its project's, the user's, and those that options name."""

    def find(services: "Services") -> "ThemeShelf":
        from pi_tui.resources.loading import theme_sources
        from pi_tui.tui.theme.discover import discover_themes

        if services.resources is None:
            return discover_themes(options)
        sources, selection = theme_sources(services.resources, services.agent_dir, options, discover=discover)
        return discover_themes(sources, selection.allows)

    return find


@contextmanager
def _quick_screen() -> Iterator[None]:
    """Textual reads these from the environment when it is imported; the agent's commands are not to see ours."""
    ours = {"TEXTUAL_FPS": FRAMES_PER_SECOND, "TEXTUAL_COLOR_SYSTEM": color_depth(os.environ)}
    ours = {name: value for name, value in ours.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


def _history_file(cwd: Path) -> Path:
    """The prompts of a folder are kept apart from those of others."""
    return paths.state_dir() / "history" / f"{folder_name(cwd)[-MAX_NAME:]}.jsonl"
