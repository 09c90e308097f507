"""One running session: what a front end calls, and what it hears.

The session file is the truth. Every request is made from a fresh projection of it, and every finished message is
appended before the run goes on, so nothing in memory can disagree with what a later `pi -c` will read.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET

from pi_tui.agent.abort import Abort
from pi_tui.agent.queue import MessageQueue, QueuedMessage
from pi_tui.agent.tool import Tool
from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    UserBlock,
    UserMessage,
    now_ms,
)
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.runtime import switching
from pi_tui.runtime.activity import Activity
from pi_tui.runtime.bus import EventBus, Subscription
from pi_tui.runtime.context_size import ContextSize
from pi_tui.runtime.events import (
    AgentSettled,
    CompactionResult,
    ModelChanged,
    Notice,
    QueueUpdate,
    SessionEvent,
    SessionInfoChanged,
    SessionReplaced,
    ThinkingLevelChanged,
)
from pi_tui.runtime.launch import WhenBusy, WhenGone
from pi_tui.runtime.services import Services
from pi_tui.runtime.user_command import UserCommand
from pi_tui.session.entries import MessageEntry
from pi_tui.session.errors import SessionReadOnly
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.runtime.compaction_request import CompactionRequest
    from pi_tui.runtime.model_choice import ModelChoice


class AlreadyRunning(RuntimeError):
    """A prompt was sent while a run is going: steer it, queue a follow-up, or wait."""


class NoModel(RuntimeError):
    """A prompt was sent and no model is chosen."""


class Unsaved(RuntimeError):
    """Entries of the session could not be written yet: they would be lost with another session in its place."""


class Session:
    """A conversation that can be continued, and the run that may be going on in it.

    Args:
        log: The session file and its tree.
        services: Settings, models, tools and prompt of this process.
        model: The model to begin with; None until the user has chosen one.
        thinking_level: Clamped to what the model takes.
    """

    def __init__(
        self, log: SessionLog, services: Services, model: Model | None, thinking_level: ThinkingLevel = "off"
    ) -> None:
        self.log = log
        self.log.on_trouble = self._tell_trouble
        self.services = services
        self.model = model
        self.thinking_level: ThinkingLevel = model.clamp(thinking_level) if model else thinking_level
        self.wanted_level: ThinkingLevel = thinking_level
        """What the user asked for; a model that takes less does not make it forgotten."""
        self.missing_model: str | None = None
        """The model the session used, where it cannot be used now and the user has not chosen another."""
        self.queue = MessageQueue(
            steering_mode=services.settings.steering_mode,
            follow_up_mode=services.settings.follow_up_mode,
            on_change=self._queue_changed,
        )
        self._bus = EventBus()
        self.activity = Activity()
        self._abort: Abort | None = None
        self._settled = asyncio.Event()
        self._settled.set()
        self.unstored_choice = False
        self.user_command = UserCommand(self)
        self.context_size = ContextSize(self)
        self.compaction_request: CompactionRequest | None = None

    # --- what it is

    @property
    def cwd(self) -> Path:
        return self.services.cwd

    @property
    def running(self) -> bool:
        """Whether a run, a retry or a queued message is under way."""
        return not self._settled.is_set()

    @property
    def saved(self) -> bool:
        """Whether there is a file to come back to."""
        return self.log.path is not None and self.log.path.exists()

    @property
    def tools(self) -> Sequence[Tool]:
        return self.services.tools

    def context_tokens(self) -> int | None:
        """Tokens the next request will take; None where it is not known."""
        figure = self.context_size.known()
        return figure.tokens if figure is not None else None

    def last_assistant(self) -> AssistantMessage | None:
        """The newest answer on the active branch, whatever its stop reason."""
        for entry_id in reversed(self.log.branch()):
            if self.log.role(entry_id) == "assistant":
                entry = self.log.entry(entry_id)
                if isinstance(entry, MessageEntry) and isinstance(entry.message, AssistantMessage):
                    return entry.message
        return None

    # --- what it tells

    def subscribe(self, *, holds_back: bool = False) -> Subscription:
        """The events from now on; `holds_back` is for a reader that has to get every one, at whatever pace."""
        return self._bus.subscribe(holds_back=holds_back)

    def publish(self, event: SessionEvent) -> None:
        self.activity.take(event)
        self._bus.publish(event)

    async def readers_keep_up(self, abort: Abort) -> None:
        """Waits for readers that want every event and have fallen behind, unless the user stops the run."""
        if self._bus.crowded:
            async with abort.child(self._bus.room()) as waiting:
                await asyncio.wait([waiting])

    # --- what it can be asked

    async def prompt(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Sends a prompt; returns when the run it starts has settled, retries and queued messages included.

        Raises:
            AlreadyRunning: A run is going.
            NoModel: No model is chosen.
            SessionReadOnly: The session is open for reading only.
        """
        # The loop and all that is under it are not needed before there is a prompt.
        from pi_tui.runtime.driver import RunDriver

        async with self.under_way() as abort:
            await RunDriver(self, abort).run([user_message(text, images)])

    async def send_queued(self) -> None:
        """Sends what waits in the queue; returns when the run it starts has settled.

        Raises:
            AlreadyRunning, NoModel, SessionReadOnly: As for `prompt`.
        """
        from pi_tui.runtime.driver import RunDriver

        async with self.under_way() as abort:
            await RunDriver(self, abort).go_on()

    async def compact(self, focus: str = "") -> CompactionResult:
        """Summarises the older part of the conversation; when a run is going, as soon as its turn has ended.

        What is queued meanwhile is sent afterwards; `abort` stops it and leaves everything as it was.

        Args:
            focus: What the summary should mind.

        Raises:
            CompactionFailed: There is no summary; nothing has changed.
            NoModel: No model is chosen.
            SessionReadOnly: The session is open for reading only.
        """
        from pi_tui.runtime.compaction_request import compact_when_possible

        return await compact_when_possible(self, focus)

    @asynccontextmanager
    async def under_way(self) -> AsyncIterator[Abort]:
        """The time in which the session is at work, which `abort` ends; everything in it is over at the end.

        Raises:
            AlreadyRunning: It is at work already.
            NoModel: No model is chosen.
            SessionReadOnly: The session is open for reading only.
        """
        self.refuse_to_begin()
        self._settled.clear()
        self._abort = abort = Abort()
        try:
            yield abort
        finally:
            self._abort = None
            if self.compaction_request is not None:
                self.compaction_request.drop()
            self.user_command.store()
            self._settled.set()
            self.publish(AgentSettled(abort.requested))

    def refuse_to_begin(self) -> None:
        """Looks whether it can be at work.

        Raises:
            AlreadyRunning, NoModel, SessionReadOnly: As for `under_way`.
        """
        if self.running:
            raise AlreadyRunning("a run is going: steer it or queue a follow-up")
        if self.log.read_only and self.log.path is not None:
            raise SessionReadOnly(self.log.path)
        if self.model is None:
            raise NoModel("no model is chosen: /login stores a key, /model lists what can be used")

    def steer(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Queues a message for the running agent, before its next request."""
        self.queue.steer(user_message(text, images))

    def follow_up(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Queues a message for when the run would end."""
        self.queue.follow_up(user_message(text, images))

    def take_back_queued(self) -> list[QueuedMessage]:
        """Empties the queue into the caller's hands, steering first."""
        return self.queue.take_back()

    def abort(self) -> None:
        """Stops the run: what came so far is kept, tools are ended, a retry is not waited for."""
        if self._abort is not None:
            self._abort.request()

    async def wait_settled(self) -> None:
        await self._settled.wait()

    def set_model(self, model: Model, level: ThinkingLevel | None = None) -> None:
        """Uses `model` from the next request on, with `level` or the one last asked for, as far as it takes it."""
        self.model = model
        self.missing_model = None
        self.unstored_choice = True
        self.publish(ModelChanged(model.provider, model.id))
        self.set_thinking_level(level or self.wanted_level)

    def begin_with(self, choice: "ModelChoice") -> None:
        """Takes over what a stored session says of model and level; it is stored there already."""
        self.missing_model = choice.missing
        if choice.model is not None:
            self.model, self.wanted_level = choice.model, choice.level
            self.thinking_level = choice.model.clamp(choice.level)

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        """Uses `level`, clamped to what the model takes, from the next request on."""
        self.wanted_level = level
        level = self.model.clamp(level) if self.model else level
        if level != self.thinking_level:
            self.thinking_level = level
            self.unstored_choice = True
            self.publish(ThinkingLevelChanged(level))

    async def reload(self) -> None:
        """Reads settings, models, prompt files, skills and templates anew; they count from the next request on.

        Raises:
            AlreadyRunning: A run is going.
        """
        if self.running:
            raise AlreadyRunning("a run is going: stop it first, or wait")
        services = await asyncio.to_thread(self.services.reloaded)
        if services.cwd != self.cwd:
            # Another session was opened meanwhile, with services just as fresh.
            return
        self.services = services
        self.queue.steering_mode = services.settings.steering_mode
        self.queue.follow_up_mode = services.settings.follow_up_mode

    def written(self, text: str) -> str:
        """What a prompt stands for: `/skill:name request` and `/template arguments` become their texts.

        Raises:
            CannotExpand: The skill or template cannot be read.
        """
        from pi_tui.runtime.written import expand_written

        resources = self.services.resources
        return text if resources is None else expand_written(text, resources)

    def set_name(self, name: str) -> None:
        """Names the session; an empty name clears it."""
        self.log.append_session_info(name)
        self.publish(SessionInfoChanged(name or UNSET))

    def start_new(self, parent_session: Path | None = None) -> None:
        """Begins a new session in the same folder.

        Args:
            parent_session: The session file it comes from, where there is one.

        Raises:
            AlreadyRunning: A run is going.
        """
        log = SessionLog.create(self.cwd, self.services.sessions, parent_session=parent_session)
        self.replace_log(log, "new")

    async def resume(
        self, path: Path, when_gone: WhenGone | None = None, when_busy: WhenBusy | None = None
    ) -> None:
        """Goes on with a stored session, in its own folder and with its own model.

        Raises:
            ChoiceNeeded: Its folder is gone or another process has it open, and nothing was decided.
            AlreadyRunning, Unsaved: This session cannot be left now.
            SessionError, OSError: It cannot be opened.
        """
        await switching.resume(self, path, when_gone, when_busy)

    def fork(self, entry_id: str) -> UserMessage:
        """Goes on in a new session with the path up to the parent of a user message; returns that message.

        Raises:
            AlreadyRunning, Unsaved: This session cannot be left now.
            KeyError: There is no such message.
        """
        return switching.fork(self, entry_id)

    def clone(self) -> None:
        """Goes on in a new session that holds the active branch.

        Raises:
            AlreadyRunning, Unsaved: This session cannot be left now.
            NothingToCopy: It has no entries yet.
        """
        switching.clone(self)

    async def import_file(self, source: Path, when_gone: WhenGone | None = None) -> None:
        """Copies a session file to where sessions are, and goes on with the copy.

        Raises:
            ChoiceNeeded: The folder it belongs to is not there, and nothing was decided.
            AlreadyRunning, Unsaved: This session cannot be left now.
            SessionError, OSError: It is no session, or cannot be read or copied; nothing was made.
        """
        await switching.import_file(self, source, when_gone)

    def refuse_to_leave(self) -> None:
        """Looks whether another session may take the place of this one.

        Raises:
            AlreadyRunning: A run is going.
            Unsaved: Entries could not be written yet.
        """
        if self.running:
            raise AlreadyRunning("a run is going: stop it first")
        if self.user_command.running:
            raise AlreadyRunning("your command is still running: stop it first")
        if self.log.unsaved and not self.log.retry_saving():
            raise Unsaved(
                f"{len(self.log.unsaved)} entries of this session could not be saved yet and would be lost: "
                "make room on the disk first"
            )

    def replace_log(self, log: SessionLog, reason: str) -> None:
        """Makes another session the current one.

        Raises:
            AlreadyRunning, Unsaved: This session cannot be left now.
        """
        self.refuse_to_leave()
        self.close_log()
        self.log = log
        self.log.on_trouble = self._tell_trouble
        self.unstored_choice = False
        self.publish(SessionReplaced(reason))

    def close_log(self) -> None:
        """Writes what must outlive this process, and lets go of the file."""
        if self.unstored_choice and self.saved and not self.log.read_only:
            from pi_tui.runtime.driver import store_choices

            store_choices(self)
        self.user_command.store()
        self.log.close()

    def close(self) -> None:
        self.close_log()
        self._bus.close()

    def tell(self, level: Literal["info", "warning", "error"], text: str) -> None:
        """Says something to the user that is no part of the conversation."""
        self.publish(Notice(level, text))

    def _tell_trouble(self, explanation: str) -> None:
        self.tell("error", explanation)

    def _queue_changed(self) -> None:
        self.publish(QueueUpdate(self.queue.steering_texts, self.queue.follow_up_texts))


def user_message(text: str, images: Sequence[ImageContent] = ()) -> UserMessage:
    """A user's message as it is stored: blocks, text first."""
    blocks: list[UserBlock] = [TextContent(text)] if text or not images else []
    return UserMessage([*blocks, *images], now_ms())
