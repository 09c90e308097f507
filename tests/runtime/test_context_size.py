"""How full the context is: what the provider counted, and what is estimated beside it."""

from pathlib import Path

import pytest

from pi_tui.llm.messages import AssistantMessage, BashExecutionMessage, TextContent, Usage, UserMessage
from pi_tui.runtime.session import Session
from tests.support.compacted import open_with_window
from tests.support.fakellm import FakeLLM

TEXT = "what was said " * 300


@pytest.fixture
def session(fake_llm: FakeLLM, tmp_path: Path) -> Session:
    """Nothing is asked of its model: messages are put into its log, and by a provider whose tokens are judged."""
    return open_with_window(fake_llm, tmp_path, "anthropic")


def say(session: Session, text: str) -> str:
    return session.log.append_message(UserMessage([TextContent(text)]))


def answer(session: Session, text: str, tokens: int = 0, stop_reason: str = "stop") -> str:
    return session.log.append_message(
        AssistantMessage(
            [TextContent(text)],
            "anthropic-messages",
            "anthropic",
            "scripted",
            Usage(input=tokens, total_tokens=tokens),
            stop_reason,
        )
    )


async def tokens(session: Session) -> int:
    return (await session.context_size.measure()).figure.tokens


async def as_counted(session: Session) -> int:
    """A turn whose count is what was estimated, so that nothing is scaled by it."""
    say(session, "hi")
    counted = await tokens(session)
    answer(session, "hello", counted)
    return counted


async def test_without_any_count_the_prompt_and_the_tools_are_in_the_estimate(session: Session) -> None:
    say(session, "hi")
    measured = await session.context_size.measure()
    schemas = sum(len(tool.description) for tool in session.tools)
    assert measured.figure.estimated
    assert measured.figure.tokens > (len(session.services.prompt.text) + schemas) // 4


async def test_what_came_after_the_last_count_is_estimated(session: Session) -> None:
    counted = await as_counted(session)
    session.log.append_message(BashExecutionMessage("ls", "x" * 3_000))
    assert await tokens(session) == pytest.approx(counted + 1_000, abs=10)
    figure = session.context_size.known()
    assert figure is not None and figure.tokens == await tokens(session) and not figure.estimated


@pytest.mark.parametrize(("total", "stop"), [(0, "stop"), (0, "error"), (77, "aborted"), (77, "error")])
async def test_an_answer_that_failed_or_was_not_counted_tells_nothing(
    session: Session, total: int, stop: str
) -> None:
    counted = await as_counted(session)
    say(session, TEXT)
    answer(session, "", total, stop)
    assert await tokens(session) == pytest.approx(counted + len(TEXT) // 3, abs=10)


async def test_a_replaced_message_is_counted_anew(session: Session) -> None:
    prompt = say(session, TEXT)
    before = await tokens(session)
    session.log.append_context_edit(prompt, "short")
    after = await tokens(session)
    assert before - after == pytest.approx(len(TEXT) // 3, abs=10)
    session.log.append_context_edit(prompt, TEXT * 2)
    assert await tokens(session) - after == pytest.approx(2 * len(TEXT) // 3, abs=10)


async def test_a_replacement_is_in_the_figure_that_is_known_at_once(session: Session) -> None:
    say(session, "hi")
    answer(session, "hello", 10_000)
    prompt = say(session, TEXT)
    session.log.append_context_edit(prompt, TEXT * 2)
    figure = session.context_size.known()
    assert figure is not None and figure.tokens == pytest.approx(10_000 + 2 * len(TEXT) // 3, abs=10)
    session.log.append_context_edit(prompt, None)
    figure = session.context_size.known()
    assert figure is not None and figure.tokens == 10_000


async def test_a_count_does_not_hold_when_something_before_it_was_edited(session: Session) -> None:
    prompt = say(session, TEXT)
    answer(session, "hello", 10_000)
    session.log.append_context_edit(prompt, None)
    assert (await session.context_size.measure()).figure.estimated


async def test_estimates_are_scaled_by_what_the_provider_counted_in_this_session_only(
    session: Session,
) -> None:
    say(session, TEXT)
    overhead = (await session.context_size.measure()).overhead
    plain = session.context_size.count(TEXT)
    answer(session, "ok", 2 * (overhead + plain))
    await tokens(session)
    assert session.context_size.count(TEXT) == pytest.approx(2 * plain, rel=0.02)
    session.start_new()
    assert session.context_size.count(TEXT) == plain


async def test_a_compaction_of_another_program_leaves_the_size_unknown(session: Session) -> None:
    prompt = say(session, "hi")
    answer(session, "hello", 10_000)
    session.log.append_compaction("summary", prompt, 10_000)
    assert session.context_size.known() is None
    assert await tokens(session) != 10_000
    figure = session.context_size.known()
    assert figure is not None and figure.estimated
