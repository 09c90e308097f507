"""Fixtures of the end-to-end tests: the real program in a pseudo-terminal, a scripted model behind it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.workspace import READY_SECONDS, Workspace
from tests.support.fake_server import fake_llm

__all__ = ["fake_llm"]

StartPi = Callable[..., Terminal]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "pi_terminal: runs the real program in a pseudo-terminal")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.fixture
def terminals() -> Iterator[ExitStack]:
    """Terminals entered here are closed, and their programs ended, when the test ends."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def pi_terminal(workspace: Workspace, terminals: ExitStack) -> StartPi:
    """Starts `pi` with the given arguments in a terminal, and returns it when the prompt is there."""

    def start(*arguments: str, **options: Any) -> Terminal:
        terminal = workspace.terminal(workspace.command(*arguments), **options)
        terminals.enter_context(terminal)
        terminal.wait_for("~/project", READY_SECONDS)
        return terminal

    return start
