"""Which wire format an `api` name stands for."""

import importlib

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.stream import StreamFunction

WIRES = {
    "anthropic-messages": "anthropic_messages",
    "openai-completions": "openai_completions",
    "openai-responses": "openai_responses",
    "demo": "demo",
}


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
    """Imports a wire format and its SDK, some thousand modules that take a second or two: to be called in a thread."""
    from pi_tui.llm.wires.clients import SDKS, load_sdk

    if api in SDKS:
        stream_function(api)
        load_sdk(api)
