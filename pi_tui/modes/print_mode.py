"""`pi -p`: runs prompts, one after another, and writes the last answer."""

import asyncio
from collections.abc import Sequence
from typing import TextIO

from pi_tui.llm.messages import AssistantMessage, ImageContent
from pi_tui.modes.signals import catching_signals
from pi_tui.runtime.bus import Subscription
from pi_tui.runtime.events import AutoRetryStart, CompactionEnd, CompactionStart, Notice, SessionEvent
from pi_tui.runtime.session import Session

ANSWERED = 0
FAILED = 1
INTERRUPTED = 130

NO_MODEL = (
    "No model can be used. Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, write a models.json for a "
    "server of your own, or try --demo."
)

_CONTROL = dict.fromkeys([*range(0x20), 0x7F, *range(0x80, 0xA0)])
del _CONTROL[ord("\n")], _CONTROL[ord("\t")]


async def run_print(
    session: Session,
    prompts: Sequence[tuple[str, Sequence[ImageContent]]],
    *,
    stdout: TextIO,
    stderr: TextIO,
    verbose: bool = False,
) -> int:
    """Sends each prompt when the one before it has settled; `stdout` gets the text of the last answer only.

    Notices and errors go to `stderr`, retries too where `verbose`. A prompt that fails for good is the last.

    Returns:
        The exit code: 0 answered, 1 failed, 130 interrupted, 128 + n after another signal n.
    """
    if session.model is None:
        say(stderr, NO_MODEL)
        return FAILED
    subscription = session.subscribe()
    with catching_signals(session.abort) as caught:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_report(subscription, stderr, verbose))
            try:
                answer = await _run_all(session, prompts)
            finally:
                subscription.close()
    if caught.exit_code is not None:
        say(stderr, "Interrupted.")
        return caught.exit_code
    return _conclude(answer, stdout, stderr)


async def _run_all(
    session: Session, prompts: Sequence[tuple[str, Sequence[ImageContent]]]
) -> AssistantMessage | None:
    answer = None
    for text, images in prompts:
        await session.prompt(text, images)
        answer = session.last_assistant()
        if answer is None or answer.stop_reason in ("error", "aborted"):
            break
    return answer


async def _report(subscription: Subscription, stderr: TextIO, verbose: bool) -> None:
    async for event in subscription:
        line = _line(event, verbose)
        if line is not None:
            say(stderr, line)


def _line(event: SessionEvent, verbose: bool) -> str | None:
    match event:
        case Notice(level="info"):
            return event.text if verbose else None
        case Notice():
            return event.text
        case CompactionEnd(error_message=str() as error):
            return error
        case CompactionStart() if verbose:
            return "The context is full: its older part is being summarised."
        case AutoRetryStart() if verbose:
            when = f"in {event.delay_ms / 1000:.0f} s ({event.attempt} of {event.max_attempts})"
            return f"{event.error_message} Trying again {when}."
    return None


def _conclude(answer: AssistantMessage | None, stdout: TextIO, stderr: TextIO) -> int:
    if answer is None:
        say(stderr, "The model gave no answer.")
        return FAILED
    match answer.stop_reason:
        case "aborted":
            say(stderr, "Interrupted.")
            return INTERRUPTED
        case "error":
            say(stderr, answer.error_message or "The model failed and did not say why.")
            return FAILED
        case "length":
            say(stderr, "The answer is cut off: the model reached its output limit.")
    _write(stdout, answer.text)
    return ANSWERED


def _write(stdout: TextIO, text: str) -> None:
    """Writes an answer; a reader that has gone away (`| head`) is no failure of ours."""
    shown = _harmless(text) if stdout.isatty() else text
    try:
        stdout.write(shown if shown.endswith("\n") else shown + "\n")
        stdout.flush()
    except BrokenPipeError:
        pass


def say(stderr: TextIO, sentence: str) -> None:
    """Tells the user something that is no part of the answer."""
    try:
        stderr.write(f"pi: {_harmless(sentence)}\n")
        stderr.flush()
    except BrokenPipeError:
        pass


def _harmless(text: str) -> str:
    """Text that cannot steer a terminal."""
    return text.translate(_CONTROL)
