"""Moving in the tree: where it leads, what comes back to be written anew, and what is restored."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pi_tui.agent.retry import RetryPolicy
from pi_tui.llm.messages import AssistantMessage, CustomMessage, ImageContent, TextContent, UserMessage
from pi_tui.llm.model import Model
from pi_tui.llm.stream import AssistantEvent, StreamOptions
from pi_tui.resources.settings import Settings
from pi_tui.resources.system_prompt import build_system_prompt
from pi_tui.runtime.events import Notice, SessionReplaced
from pi_tui.runtime.navigation import destination, label, left_behind, move_to
from pi_tui.runtime.session import AlreadyRunning, Session
from pi_tui.session.log import SessionLog

BIG = Model(id="big", provider="local", api="scripted", reasoning=True, context_window=1000)
SMALL = Model(id="small", provider="local", api="scripted")
IMAGE = ImageContent("AAAA", "image/png")


class Registry:
    def __init__(self, *models: Model) -> None:
        self.models = list(models)

    def find(self, provider: str, model_id: str) -> Model | None:
        return next((one for one in self.models if (one.provider, one.id) == (provider, model_id)), None)

    def available(self) -> list[Model]:
        return self.models


class PlainServices:
    """As much of the services as a session needs that sends nothing, or one request that never ends."""

    def __init__(self, cwd: Path, *models: Model) -> None:
        self.cwd, self.settings, self.registry = cwd, Settings(), Registry(*models)
        self.tools: tuple[Any, ...] = ()
        self.asked = asyncio.Event()

    @property
    def prompt(self) -> Any:
        return build_system_prompt(tools=(), context_files=(), cwd=self.cwd, today=date(2026, 1, 2))

    @property
    def retry_policy(self) -> Any:
        return RetryPolicy()

    async def stream(self, *_: Any) -> AsyncIterator[AssistantEvent]:
        self.asked.set()
        await asyncio.Event().wait()
        yield  # type: ignore[misc]

    async def stream_options(self, *_: Any) -> Any:
        return StreamOptions()


def answer(text: str, model: Model = BIG) -> AssistantMessage:
    return AssistantMessage([TextContent(text)], provider=model.provider, model=model.id)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    log = SessionLog.create(tmp_path, tmp_path / "sessions")
    log.append_model_change("local", "big")
    log.append_thinking_level("high")
    log.append_message(UserMessage([TextContent("first"), IMAGE]))
    log.append_message(answer("one"))
    log.append_model_change("local", "small")
    log.append_thinking_level("off")
    log.append_message(UserMessage("second"))
    log.append_message(answer("two", SMALL))
    return Session(log, PlainServices(tmp_path, BIG, SMALL), SMALL, "off")  # type: ignore[arg-type]


def entry(session: Session, role: str, number: int = 0) -> str:
    return [one for one in session.log.entry_ids if session.log.role(one) == role][number]


def published(session: Session, subscription: Any) -> list[Any]:
    return [event for event in subscription.take() if isinstance(event, SessionReplaced | Notice)]


def stored(session: Session) -> list[dict[str, Any]]:
    assert session.log.path is not None
    return [json.loads(line) for line in session.log.path.read_bytes().splitlines()][1:]


def test_a_users_message_comes_back_and_the_leaf_goes_before_it(session: Session) -> None:
    chosen = entry(session, "user")
    goal = move_to(session, chosen)
    assert (goal.text, list(goal.images)) == ("first", [IMAGE])
    assert session.log.leaf_id == goal.leaf_id == session.log.parent(chosen)


def test_the_first_message_of_a_session_leads_before_any_entry(tmp_path: Path) -> None:
    log = SessionLog.create(tmp_path, None)
    first = log.append_message(UserMessage("first"))
    session = Session(log, PlainServices(tmp_path, BIG), BIG, "high")  # type: ignore[arg-type]
    assert move_to(session, first).leaf_id is None
    assert (session.model, session.thinking_level) == (BIG, "high")
    log.append_message(UserMessage("again"))
    assert len(log.children(None)) == 2


def test_a_custom_message_comes_back_as_well(session: Session) -> None:
    log = session.log
    as_entry = log.append_custom_message("note", [TextContent("hint"), IMAGE], display=True)
    as_message = log.append_message(CustomMessage("note", "said", True))
    assert (destination(log, as_entry).text, list(destination(log, as_entry).images)) == ("hint", [IMAGE])
    assert (destination(log, as_message).text, destination(log, as_message).leaf_id) == ("said", as_entry)


@pytest.mark.parametrize("role", ["assistant"])
def test_anything_else_is_gone_on_from(session: Session, role: str) -> None:
    chosen = entry(session, role)
    goal = move_to(session, chosen)
    assert (goal.leaf_id, goal.text, list(goal.images)) == (chosen, "", [])
    assert session.log.leaf_id == chosen


def test_model_and_level_of_the_place_come_back(session: Session) -> None:
    subscription = session.subscribe()
    move_to(session, entry(session, "assistant"))
    assert (session.model, session.thinking_level) == (BIG, "high")
    assert published(session, subscription) == [SessionReplaced("tree")]
    move_to(session, entry(session, "assistant", 1))
    assert (session.model, session.thinking_level) == (SMALL, "off")


def test_a_model_that_is_gone_is_told_after_the_place_is_shown(session: Session) -> None:
    session.services.registry = Registry(SMALL)  # type: ignore[assignment]
    subscription = session.subscribe()
    move_to(session, entry(session, "assistant"))
    assert session.model == SMALL
    replaced, notice = published(session, subscription)
    assert replaced == SessionReplaced("tree")
    assert "local/big" in notice.text
    assert "local/small answers instead" in notice.text


def test_what_is_left_is_the_talk_that_is_not_on_the_new_path(session: Session) -> None:
    log = session.log
    second, reply = entry(session, "user", 1), entry(session, "assistant", 1)
    assert left_behind(log, log.parent(second)) == [second, reply]
    log.append_label(reply, "end")
    assert left_behind(log, reply) == []
    assert left_behind(log, None) == [one for one in log.branch() if log.role(one) in ("user", "assistant")]


def test_moving_writes_nothing_until_the_session_is_left(session: Session) -> None:
    before = stored(session)
    place = entry(session, "assistant")
    move_to(session, place)
    assert stored(session) == before
    session.close()
    *kept, position = stored(session)
    assert kept == before
    assert (position["customType"], position["parentId"]) == ("pi.position", place)
    assert session.log.path is not None
    again = SessionLog.open(session.log.path, read_only=True)
    assert again.choices() == (("local", "big"), "high")


async def test_nothing_moves_while_a_run_is_going(session: Session) -> None:
    run = asyncio.create_task(session.prompt("go"))
    await session.services.asked.wait()  # type: ignore[attr-defined]
    leaf = session.log.leaf_id
    with pytest.raises(AlreadyRunning, match="stop it"):
        move_to(session, entry(session, "user"))
    assert session.log.leaf_id == leaf
    session.abort()
    await run
    move_to(session, entry(session, "user"))


def test_a_label_is_one_line_and_an_empty_one_is_none(session: Session) -> None:
    place = entry(session, "assistant")
    label(session, place, "  good\n start ")
    assert session.log.labels == {place: "good start"}
    label(session, place, "  ")
    assert session.log.labels == {}


def test_an_unknown_entry_is_refused(session: Session) -> None:
    with pytest.raises(KeyError):
        move_to(session, "nowhere")
