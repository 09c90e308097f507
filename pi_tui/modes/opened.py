"""The session of a mode without a screen: opened, with its problems said on standard error, and closed."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pi_tui.modes.print_mode import say
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.loaded import loaded_lines
from pi_tui.runtime.local_models import use_local_model
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session


@asynccontextmanager
async def opened(launch: Launch, *, verbose: bool = False) -> AsyncIterator[Session]:
    """The session that `launch` asks for. Nobody can be asked: what the project brings counts only if it is trusted.

    Raises:
        LaunchError: It cannot be opened as asked.
    """
    session = open_session(launch)
    try:
        for problem in session.services.problems:
            say(sys.stderr, problem)
        for line in loaded_lines(session.services) if verbose else ():
            say(sys.stderr, line)
        if session.model is None and not launch.offline:
            await use_local_model(session)
        yield session
    finally:
        session.close()
