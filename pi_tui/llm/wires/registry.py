"""Which wire format an `api` name stands for, and getting its SDK ready."""

import importlib
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.stream import StreamFunction

WIRES = {
    "anthropic-messages": "anthropic_messages",
    "openai-completions": "openai_completions",
    "openai-responses": "openai_responses",
    "demo": "demo",
}
SDKS = {"anthropic-messages": "anthropic", "openai-completions": "openai", "openai-responses": "openai"}

SWITCH_SECONDS = 0.001
"""How long an importing thread may keep the interpreter while others wait; Python's own figure is 0.005."""
PAUSE_SECONDS = 0.0002
"""How long it steps aside before each module, so that whoever waits gets the interpreter at once."""

_importing = threading.Lock()
_ready: set[str] = set()
"""What was loaded to the end: a module that is still being imported is in `sys.modules` already."""


def stream_function(api: str) -> StreamFunction:
    """The wire format of that name.

    Raises:
        ProviderError: There is none.
    """
    if api not in WIRES:
        known = ", ".join(WIRES)
        raise ProviderError(
            ErrorKind.INVALID_REQUEST, f"The api {api!r} is not known; models.json may name {known}."
        )
    function: StreamFunction = importlib.import_module(f"pi_tui.llm.wires.{WIRES[api]}").stream
    return function


def preload(api: str) -> None:
    """Imports the SDK of a wire format, some thousand modules that take a second or two: to be called in a thread.

    The thread steps aside before each module, which costs it a few tenths of a second and keeps typing smooth.
    """
    sdk = SDKS.get(api)
    if sdk is None or api in _ready:
        return
    with _importing, _considerate():
        importlib.import_module(sdk)
        importlib.import_module(f"pi_tui.llm.wires.{WIRES[api]}")
        importlib.import_module("pi_tui.llm.wires.connection").rehearse(api)
        _ready.add(api)


class _StepAside:
    """An import hook that finds nothing, and lets other threads run."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if threading.get_ident() == self._thread:
            time.sleep(PAUSE_SECONDS)


@contextmanager
def _considerate() -> Iterator[None]:
    usual, hook = sys.getswitchinterval(), _StepAside()
    sys.setswitchinterval(SWITCH_SECONDS)
    sys.meta_path.insert(0, hook)
    try:
        yield
    finally:
        sys.meta_path.remove(hook)
        sys.setswitchinterval(usual)
