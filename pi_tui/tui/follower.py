"""Follows the events of the session: transcript, status line, footer and editor show what they say."""

import asyncio
from typing import TYPE_CHECKING

from pi_tui import __version__
from pi_tui.agent.events import (
    AgentStart,
    MessageEnd,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnStart,
)
from pi_tui.llm.messages import AssistantMessage
from pi_tui.llm.stream import TextDelta, ThinkingDelta, ToolCallDelta, ToolCallStart
from pi_tui.runtime.bus import Subscription
from pi_tui.runtime.deltas import delta_size, split_delta
from pi_tui.runtime.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    BashEnd,
    BashStart,
    BranchSummaryEnd,
    BranchSummaryStart,
    CompactionEnd,
    CompactionStart,
    ModelChanged,
    QueueUpdate,
    SessionEvent,
    SessionInfoChanged,
    SessionReplaced,
    SummarizationRetryAttemptStart,
    SummarizationRetryScheduled,
    ThinkingLevelChanged,
)
from pi_tui.runtime.git_branch import git_branch
from pi_tui.runtime.loaded import loaded_sections, short
from pi_tui.session.totals import SessionTotals
from pi_tui.tui.footer import FooterState, footer_lines
from pi_tui.tui.startup import load_sdk
from pi_tui.tui.transcript.note_blocks import HeaderBlock, HeaderSection

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

BREATH = 0.008
"""Seconds between two slices of counting, so that keys come through at once."""
FRAME = 1 / 30
"""Seconds between two looks at what arrived: what comes in between is shown together."""
FRAME_CHARACTERS = 1_200
"""Of an answer, shown at one look. A model that is faster than this gets its text laid out in portions, so that
no key has to wait for more than one of them."""


class SessionFollower:
    """One task that reads the session's events for as long as the client runs."""

    def __init__(self, app: "PiApp") -> None:
        self._app = app
        self._totals = SessionTotals(app.session.log)
        self._uncounted = asyncio.Event()
        self._counting = asyncio.Lock()
        self._running_tools: dict[str, str] = {}
        self._branch: str | None = None

    @property
    def totals(self) -> SessionTotals:
        """Tokens and cost of the session, as far as they are counted."""
        return self._totals

    async def follow(self) -> None:
        events = self._app.session.subscribe()
        async with asyncio.TaskGroup() as tasks:
            counting = tasks.create_task(self._keep_counting())
            try:
                async for event in events:
                    await self._show(event, events)
                    await asyncio.sleep(FRAME)
            finally:
                events.close()
                counting.cancel()

    async def _show(self, event: SessionEvent, events: Subscription) -> None:
        """Shows an event and all that waits behind it, a screenful of text at a time."""
        waiting: SessionEvent | None = event
        room = FRAME_CHARACTERS
        while waiting is not None:
            head, rest = split_delta(waiting, room)
            self._take(head)
            room -= delta_size(head)
            if rest is not None or room <= 0:
                await asyncio.sleep(FRAME)
                room = FRAME_CHARACTERS
            waiting = rest if rest is not None else events.next_waiting()

    def show_session(self) -> None:
        """Shows the session afresh: another one, or another place in it."""
        app = self._app
        self._totals = SessionTotals(app.session.log)
        self._branch = git_branch(app.session.cwd)
        self._running_tools.clear()
        app.conversation.show_session(app.session.log, self._header())
        app.editor.thinking_level = app.session.thinking_level
        app.editor.work_in(app.session.cwd)
        app.use_settings()
        self.refresh_footer()
        self._uncounted.set()

    async def count_totals(self) -> None:
        """Counts what is not counted yet, in small slices."""
        async with self._counting:
            for _ in self._totals.update():
                await asyncio.sleep(BREATH)
        self.refresh_footer()

    async def _keep_counting(self) -> None:
        while True:
            await self._uncounted.wait()
            self._uncounted.clear()
            await self.count_totals()

    def refresh_footer(self) -> None:
        app = self._app
        session = app.session
        model = session.model
        context = session.context_size.known()
        state = FooterState(
            cwd=session.cwd,
            branch=self._branch,
            session_name=session.log.name,
            usage=self._totals.usage,
            context_tokens=context.tokens if context is not None else None,
            context_estimated=context is not None and context.estimated,
            auto_compact=session.services.settings.compaction.enabled,
            context_window=model.context_window if model else None,
            model=model.ref if model else None,
            level=session.thinking_level if model and model.reasoning else None,
            unsaved=len(session.log.unsaved),
        )
        width = max(1, app.size.width - 2)
        app.footer.show(footer_lines(state, width, app.palette))

    def _take(self, event: SessionEvent) -> None:
        self._app.conversation.take(event)
        self._say_what_is_summarised(event)
        app = self._app
        match event:
            case MessageUpdate(assistant_message_event=step):
                self._say_what_grows(step)
            case AgentStart() | TurnStart():
                app.status.work("Working")
            case ToolExecutionStart(tool_call_id=call_id, tool_name=name):
                self._running_tools[call_id] = name
                self._say_what_runs()
            case ToolExecutionEnd(tool_call_id=call_id):
                self._running_tools.pop(call_id, None)
                self._say_what_runs()
            case MessageEnd(message=AssistantMessage()):
                self._uncounted.set()
            case AutoRetryStart() as retry:
                what = f"Retry {retry.attempt} of {retry.max_attempts} in"
                app.status.count_down(what, retry.delay_ms / 1000)
            case AutoRetryEnd(success=False, final_error=error) if isinstance(error, str):
                app.status.remark("the retries ended without an answer", "error")
            case QueueUpdate(steering=steering, follow_up=follow_up):
                app.status.show_queue(steering, follow_up)
            case BashStart() | BashEnd() if not app.session.running:
                self._rest()
            case AgentSettled():
                self._settle()
            case ModelChanged():
                self.refresh_footer()
                if app.session.model is not None:
                    app.run_worker(load_sdk(app.session.model.api), name="load SDK")
            case SessionInfoChanged():
                self.refresh_footer()
            case ThinkingLevelChanged(level=level):
                app.editor.thinking_level = level
                self.refresh_footer()
            case SessionReplaced():
                self.show_session()
                app.prepare_tree()

    def _say_what_is_summarised(self, event: SessionEvent) -> None:
        app = self._app
        match event:
            case CompactionStart() | SummarizationRetryAttemptStart(source="compaction"):
                app.status.work("Compacting", "cancels")
            case BranchSummaryStart() | SummarizationRetryAttemptStart():
                app.status.work("Summarising the branch", "cancels")
            case SummarizationRetryScheduled() as retry:
                what = f"Summary, retry {retry.attempt} of {retry.max_attempts} in"
                app.status.count_down(what, retry.delay_ms / 1000, "cancels")
            case CompactionEnd() | BranchSummaryEnd():
                self._uncounted.set()
                self.refresh_footer()
                app.status.work("Working")

    def _settle(self) -> None:
        app = self._app
        self._running_tools.clear()
        self._rest()
        app.give_back_queued()
        self._branch = git_branch(app.session.cwd)
        self.refresh_footer()

    def _rest(self) -> None:
        """Nothing goes on any more, unless it is the user's own command."""
        if self._app.session.user_command.running:
            self._app.status.work("Running your command")
        else:
            self._app.status.rest()

    def _say_what_grows(self, step: object) -> None:
        match step:
            case ThinkingDelta():
                self._app.status.work("Thinking")
            case TextDelta():
                self._app.status.work("Writing")
            case ToolCallStart() | ToolCallDelta():
                self._app.status.work("Preparing a tool call")

    def _say_what_runs(self) -> None:
        names = list(self._running_tools.values())
        if not names:
            self._app.status.work("Working")
        elif len(names) == 1:
            self._app.status.work(f"Running {names[0]}")
        else:
            self._app.status.work(f"Running {len(names)} tools")

    def _header(self) -> HeaderBlock | None:
        """What stands at the top: the version, the most useful keys, what was loaded, and what was wrong with it."""
        bindings = self._app.setup.bindings
        keys = [
            (bindings.readable(action), text)
            for action, text in (
                ("app.interrupt", "stops"),
                ("tui.input.newLine", "new line"),
                ("app.tools.expand", "expands"),
                ("app.exit", "leaves"),
            )
        ]
        hints = [(key, text) for key, text in keys if key] + [("/help", "more")]
        sections = self._loaded()
        quiet = not self._app.setup.verbose and self._app.session.services.settings.quiet_startup
        if quiet:
            sections = [section for section in sections if section.level != "info"]
        if quiet is True and not sections:
            return None
        return HeaderBlock(f"pi {__version__}", [] if quiet is True else hints, sections)

    def show_loaded(self) -> None:
        """Shows below the conversation what was loaded anew."""
        self._app.transcript.append(
            HeaderBlock("reloaded: this counts from the next prompt on", (), self._loaded())
        )
        self._app.transcript.end()
        self._app.editor.thinking_level = self._app.session.thinking_level
        self.refresh_footer()

    def _loaded(self) -> list[HeaderSection]:
        services = self._app.session.services
        # Which templates can be commands is known only then.
        self._app.commands()
        sections = [
            HeaderSection(one.title, one.items, short=[item.partition("  ")[0] for item in one.items])
            for one in loaded_sections(services)
        ]
        shelf = self._app.setup.shelf
        themes = [
            f"{name}  {short(path)}" + (", in the place of the shipped one" if name in shelf.replaced else "")
            for name, path in sorted(shelf.files.items())
        ]
        sections.append(HeaderSection("Themes", themes, short=sorted(shelf.files)))
        problems = [*services.problems, *map(str, shelf.problems)]
        sections.append(HeaderSection("Problems", problems, "warning"))
        sections.append(HeaderSection("The session file", self._app.session.log.notices, "warning"))
        return [section for section in sections if section.items]
