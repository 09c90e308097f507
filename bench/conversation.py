"""A client that answers, and the answers it is measured by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bench.keys import Typist
from bench.processes import wait_until_quiet
from bench.setting import Setting
from tests.e2e.pseudo_terminal import PseudoTerminal
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown

CHARACTERS_PER_TOKEN = 4
LAST_WORDS = "last-words-5c1e"
"""End every answer, to be looked for on screen."""
ANSWER_SECONDS = 120.0


def answer(tokens: int, *, rate: float = 0) -> dict[str, object]:
    """A scripted response of Markdown, a token a delta, `rate` a second; 0 is as fast as they are taken."""
    text = f"{markdown(tokens)}\n\n{LAST_WORDS}\n"
    return {"text": text, "chunk": CHARACTERS_PER_TOKEN, "rate": rate}


@contextmanager
def answering(setting: Setting, command: list[str], server: FakeLLM) -> Iterator[PseudoTerminal]:
    """A client that has answered once, so that its SDK is loaded, and is at rest."""
    server.script({"default": {"text": "warmed-up"}})
    setting.use(server)
    with setting.launched(command) as terminal:
        ask(terminal)
        terminal.wait_for_output("warmed-up", ANSWER_SECONDS)
        wait_until_quiet(terminal.pid)
        yield terminal


def ask(terminal: PseudoTerminal) -> Typist:
    """Sends a prompt of one letter, seen before Enter is pressed; returns a typist for what comes."""
    typist = Typist(terminal)
    typist.type(1)
    terminal.press("enter")
    typist.seconds.clear()
    return typist
