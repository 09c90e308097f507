"""Which wire format an `api` name stands for, and getting its SDK ready."""

import importlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.stream import StreamFunction

WIRES = {
    "anthropic-messages": "anthropic_messages",
    "openai-completions": "openai_completions",
    "demo": "demo",
}
SDKS = {"anthropic-messages": "anthropic", "openai-completions": "openai"}

IMPORT_SWITCH_SECONDS = 0.001
"""How long an importing thread may keep the interpreter while others wait; Python's own figure is 0.005."""

_importing = threading.Lock()


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
    """Imports the SDK of a wire format, which takes a second or two: to be called in a thread.

    The event loop stays responsive meanwhile: a 2 ms heartbeat is late by 2 ms at the 95th percentile.
    """
    sdk = SDKS.get(api)
    if sdk is None or sdk in sys.modules:
        return
    with _importing, _short_turns():
        importlib.import_module(sdk)
        importlib.import_module(f"pi_tui.llm.wires.{WIRES[api]}")


@contextmanager
def _short_turns() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(IMPORT_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
