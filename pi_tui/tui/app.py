"""The full-screen client: transcript, status line, editor and footer over one running session."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.worker import WorkerFailed

from pi_tui.llm.messages import ImageContent
from pi_tui.runtime.services import Services
from pi_tui.runtime.session import NoModel, Session
from pi_tui.runtime.written import CannotExpand
from pi_tui.session.errors import SessionReadOnly
from pi_tui.tui import startup
from pi_tui.tui.attached import images_of, paste_clipboard
from pi_tui.tui.command_set import COMMANDS, CommandCompletion
from pi_tui.tui.commands import Command, UnknownCommand, parse
from pi_tui.tui.conversation import Conversation
from pi_tui.tui.editor.history import PromptHistory
from pi_tui.tui.editor.prompt_editor import PromptEditor
from pi_tui.tui.follower import SessionFollower
from pi_tui.tui.footer import Footer
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.model_commands import choose_model, cycle_model, cycle_thinking
from pi_tui.tui.prompt_commands import prompt_commands
from pi_tui.tui.status_line import StatusLine
from pi_tui.tui.terminal.appearance import TerminalColors
from pi_tui.tui.terminal.clipboard import CopyReport, copy_to_clipboard
from pi_tui.tui.terminal.events import TerminalAppearance, TerminalColorsTold, TerminalLost
from pi_tui.tui.theme.discover import ThemeShelf
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.watch import LOOK_EVERY
from pi_tui.tui.theme_in_use import ThemeInUse
from pi_tui.tui.transcript.line import KeyHints
from pi_tui.tui.transcript.view import Transcript
from pi_tui.tui.user_command import is_user_command, run_user_command

if TYPE_CHECKING:
    from pi_tui.tui.find import FindBar
    from pi_tui.tui.tree.kept import KeptOutline

TWICE_WITHIN = 0.5
"""Seconds in which a key pressed again counts as pressed twice."""
FOOTER_FROM = 10
"""Rows of a screen that has room for the footer."""
LEAVE_WITHIN = 2.0
"""Seconds a run gets to store what it has when the user leaves."""

WrittenPrompt = tuple[str, Sequence[ImageContent]]


@dataclass
class ClientSetup:
    """What the client is started with, beside its session."""

    shelf: ThemeShelf
    theme: str = "system"
    theme_option: str | None = None
    """The theme of this run, whatever the settings say."""
    find_themes: Callable[[Services], ThemeShelf] | None = None
    """Reads the themes anew; None where there are only those of `shelf`."""
    terminal: TerminalColors = field(default_factory=TerminalColors)
    bindings: KeyBindings = field(default_factory=KeyBindings)
    history: PromptHistory = field(default_factory=lambda: PromptHistory(None))
    prompts: Sequence[WrittenPrompt] = ()
    """Sent one after another at start."""
    offline: bool = False
    verbose: bool = False
    """Show at the start what was loaded, whatever the settings say."""
    resume: bool = False
    """Begin with the list of sessions."""


class PiApp(App[int], inherit_bindings=False):
    """The client. It calls the session and shows what the session tells; it decides nothing about the run."""

    CSS = """
    Screen { layout: vertical; overflow: hidden; }
    Transcript { height: 1fr; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, session: Session, setup: ClientSetup, driver_class: type[Driver] | None = None
    ) -> None:
        super().__init__(driver_class=driver_class, ansi_color=True)
        self.session = session
        self.setup = setup
        self.themes = ThemeInUse(self)
        self.palette: Palette = self.themes.begin()
        self.crash: Exception | None = None
        self.transcript = Transcript(self.palette, id="transcript")
        self.transcript.show_thinking = not session.services.settings.hide_thinking_block
        self.status = StatusLine(self.palette, setup.bindings, id="status")
        self.footer = Footer(id="footer")
        self.editor = PromptEditor(
            palette=self.palette,
            bindings=setup.bindings,
            commands=CommandCompletion(self),
            history=setup.history,
            cwd=session.cwd,
            placeholder="What shall be done?   / commands   @ files   ! shell",
            first_refusal=self._act_on,
        )
        self.conversation = Conversation(self.transcript)
        self.name_keys()
        self.use_settings()
        self.follower = SessionFollower(self)
        self._prompt_commands: tuple[object, list[Command]] = (None, [])
        self._key_actions = self._actions()
        self._pressed: tuple[str, float] = ("", 0.0)
        self._find_bar: FindBar | None = None
        self._leaving = False

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.status
        yield self.editor
        yield self.footer

    async def on_mount(self) -> None:
        self.editor.focus()
        self.follower.show_session()
        self.run_worker(self.follower.follow(), name="session events")
        if self.setup.resume:
            self.run_worker(self._begin_with_list(), name="resume")
        self.call_after_refresh(self._after_first_paint)

    async def _begin_with_list(self) -> None:
        from pi_tui.tui.session_commands import resume_at_start

        await resume_at_start(self)
        if self.setup.prompts and not self._leaving:
            await self._run_prompts(list(self.setup.prompts))

    def on_resize(self, event: events.Resize) -> None:
        """On a low screen the transcript and the editor are worth more than the footer."""
        self.footer.display = event.size.height >= FOOTER_FROM
        self.follower.refresh_footer()

    def _after_first_paint(self) -> None:
        self.run_worker(startup.warm_up(self), name="warm-up")
        self.set_interval(LOOK_EVERY, self.themes.look_at_file)
        self.prepare_tree()
        if self.setup.prompts and not self.setup.resume:
            self.run_worker(self._run_prompts(list(self.setup.prompts)), name="run")

    @cached_property
    def outlines(self) -> "KeptOutline":
        """The outline of the session, kept between two looks at the tree."""
        from pi_tui.tui.tree.kept import KeptOutline

        return KeptOutline()

    def prepare_tree(self) -> None:
        """Looks through the session while nobody waits for its tree."""
        self.run_worker(self.outlines.prepare(self.session.log), group="outline", exclusive=True)

    def use_settings(self) -> None:
        """Has the editor follow the settings as they are now."""
        settings = self.session.services.settings
        self.editor.external_editor = settings.external_editor
        self.editor.show_choices(settings.autocomplete_max_visible)

    def name_keys(self) -> None:
        """Has hints in the conversation name the keys as they are now."""
        hint = self.setup.bindings.hint
        self.transcript.keys = KeyHints(hint("app.tools.expand"), hint("app.thinking.toggle"))

    # --- prompts

    def commands(self) -> Sequence[Command]:
        """All `/` commands: the client's own, and a template or skill each."""
        resources = self.session.services.resources
        if self._prompt_commands[0] is not resources:
            found, problems = prompt_commands(resources, COMMANDS)
            self._prompt_commands = (resources, [*COMMANDS, *found])
            self.session.services.problems += problems
        return self._prompt_commands[1] or COMMANDS

    @on(PromptEditor.Submitted)
    async def _submitted(self, event: PromptEditor.Submitted) -> None:
        try:
            command = parse(event.text, self.commands())
        except UnknownCommand as error:
            self.editor.set_prompt(event.text)
            self.conversation.note(str(error), "error")
            return
        if command is not None and command[0].run is not None:
            self.run_worker(self._run_command(*command), name=f"/{command[0].name}")
            return
        if is_user_command(event.text):
            self.run_worker(run_user_command(self, event.text), name="!")
            return
        images = await images_of(event.attachments, self.conversation)
        self.send(event.text, images)

    async def _run_command(self, command: Any, argument: str) -> None:
        waiting = command.run(self, argument)
        if waiting is not None:
            await waiting

    def send(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Sends a prompt, or steers the run that is going."""
        self.transcript.end()
        if self.session.running:
            self._queue(self.session.steer, text, images)
        else:
            self.run_worker(self._run_prompts([(text, images)]), name="run")

    async def _run_prompts(self, prompts: Sequence[WrittenPrompt]) -> None:
        for text, images in prompts:
            try:
                await self.session.prompt(self.session.written(text), images)
            except (NoModel, SessionReadOnly, CannotExpand) as error:
                self.editor.set_prompt(text)
                self.conversation.note(f"Not sent: {str(error).rstrip('.')}.", "error")
                return

    def _queue(self, add: Callable[[str, Sequence[ImageContent]], None], text: str, images: Any) -> None:
        try:
            add(self.session.written(text), images)
        except CannotExpand as error:
            self.editor.set_prompt(text)
            self.conversation.note(f"Not sent: {str(error).rstrip('.')}.", "error")

    def give_back_queued(self) -> None:
        """Puts what waits in the queue into the editor, before what is written there."""
        queued = self.session.take_back_queued()
        if not queued:
            return
        written = [self.editor.text] if not self.editor.is_empty else []
        self.editor.set_prompt("\n\n".join([*(message.text for message in queued), *written]))
        for image in (image for message in queued for image in message.images):
            self.editor.attach_image("image", image)

    # --- keys

    def _act_on(self, key: str) -> bool:
        """Does what a key means to the client as a whole; False leaves it to the editor.

        The editor asks, in its turn: a key must not overtake those that were typed before it.
        """
        self.status.key_pressed()
        if self.editor.selected_text and self.setup.bindings.match("tui.input.copy", key):
            self.copy(self.editor.selected_text)
            return True
        if key == "end" and self.editor.is_empty and not self.transcript.following:
            self.transcript.end()
            return True
        name = self.setup.bindings.action_of(key, self._key_actions)
        if name is None or (name == "app.exit" and not self.editor.is_empty):
            self._pressed = ("", 0.0)
            return False
        twice = self._pressed[0] == name and monotonic() - self._pressed[1] <= TWICE_WITHIN
        self._pressed = ("", 0.0) if twice else (name, monotonic())
        self._key_actions[name](twice)
        return True

    def _actions(self) -> dict[str, Callable[[bool], object]]:
        """What each action does; the argument says whether its key was pressed twice."""
        transcript = self.transcript
        return {
            "app.interrupt": self._interrupt,
            "app.clear": self._clear,
            "app.exit": lambda _: self.leave(),
            "app.suspend": lambda _: self.action_suspend_process(),
            "app.tools.expand": lambda _: transcript.toggle_expanded(),
            "app.thinking.toggle": lambda _: self._toggle_thinking(),
            "app.thinking.cycle": lambda _: cycle_thinking(self),
            "app.session.tree": lambda _: self._run_named("tree"),
            "app.session.new": lambda _: self._run_named("new"),
            "app.session.resume": lambda _: self._run_named("resume"),
            "app.session.fork": lambda _: self._run_named("fork"),
            "app.model.select": lambda _: self._in_background(choose_model(self, "")),
            "app.model.cycleForward": lambda _: self._in_background(cycle_model(self, 1)),
            "app.model.cycleBackward": lambda _: self._in_background(cycle_model(self, -1)),
            "app.message.copy": lambda _: self.copy_last_answer(),
            "app.message.followUp": lambda _: self._follow_up(),
            "app.message.dequeue": lambda _: self.give_back_queued(),
            "tui.altScreen.search": lambda _: self.find(),
            "tui.altScreen.pageUp": lambda _: transcript.page_up(),
            "tui.altScreen.pageDown": lambda _: transcript.page_down(),
            "tui.altScreen.halfPageUp": lambda _: transcript.scroll_lines(-transcript.half_page),
            "tui.altScreen.halfPageDown": lambda _: transcript.scroll_lines(transcript.half_page),
            "tui.altScreen.lineUp": lambda _: transcript.scroll_lines(-1),
            "tui.altScreen.lineDown": lambda _: transcript.scroll_lines(1),
            "tui.altScreen.top": lambda _: transcript.home(),
            "tui.altScreen.bottom": lambda _: transcript.end(),
            "tui.altScreen.previousPrompt": lambda _: transcript.jump_to_prompt(-1),
            "tui.altScreen.nextPrompt": lambda _: transcript.jump_to_prompt(1),
        }

    def _in_background(self, work: Any) -> None:
        self.run_worker(work)

    def _interrupt(self, twice: bool) -> None:
        if self.session.running:
            # Whoever stops a run in a hurry presses more than once, and does not ask for the tree.
            self._pressed = ("", 0.0)
            self.session.abort()
        elif self.session.user_command.running:
            self._pressed = ("", 0.0)
            self.session.user_command.cancel()
        elif twice and self.editor.is_empty:
            self._run_named(self.session.services.settings.double_escape_action)

    def _run_named(self, name: str) -> None:
        """Runs a command without an argument; a name that is no command does nothing."""
        command = next((one for one in COMMANDS if one.name == name), None)
        if command is not None:
            self.run_worker(self._run_command(command, ""), name=f"/{name}")

    def _clear(self, twice: bool) -> None:
        again = f"{self.setup.bindings.hint('app.clear')} again leaves"
        if twice:
            self.leave()
        elif not self.editor.is_empty:
            self.editor.set_prompt("")
            undo = self.setup.bindings.hint("tui.editor.undo")
            self.status.remark(f"{again}; {undo} brings the text back" if undo else again, until_key=True)
        else:
            self.status.remark(again, until_key=True)

    def _follow_up(self) -> None:
        prompt = self.editor.take_prompt()
        if prompt is not None and is_user_command(prompt.text):
            self.run_worker(run_user_command(self, prompt.text), name="!")
        elif prompt is not None:
            self.run_worker(self._queue_follow_up(prompt.text, prompt.attachments))

    async def _queue_follow_up(self, text: str, attachments: Sequence[Any]) -> None:
        images = await images_of(attachments, self.conversation)
        if self.session.running:
            self._queue(self.session.follow_up, text, images)
        else:
            self.send(text, images)

    def _toggle_thinking(self) -> None:
        self.transcript.show_thinking = not self.transcript.show_thinking
        self.status.remark(f"thinking is {'shown' if self.transcript.show_thinking else 'hidden'}")

    def find(self, query: str = "") -> None:
        """Opens the line in which the conversation is searched."""
        from pi_tui.tui.find import FindBar

        if self._find_bar is None:
            self._find_bar = FindBar(self.transcript, self.palette, self.setup.bindings, query)
            self.mount(self._find_bar, before=self.editor)
        else:
            self._find_bar.look_for(query)

    async def on_find_bar_closed(self) -> None:
        if self._find_bar is not None:
            bar, self._find_bar = self._find_bar, None
            self.editor.focus()
            await bar.remove()

    # --- the clipboard

    def copy_last_answer(self) -> None:
        """Puts the text of the last answer on the clipboard."""
        answer = self.session.last_assistant()
        if answer is None or not answer.text.strip():
            self.status.remark("there is no answer to copy yet", "warning")
        else:
            self.copy(answer.text)

    def copy(self, text: str) -> None:
        """Puts a text on the clipboard and says where it went."""
        self.run_worker(self._copy(text), group="clipboard", exclusive=True)

    async def _copy(self, text: str) -> None:
        report = await self.put_on_clipboard(text)
        self.status.remark(report.text, "muted" if report.ok else "warning")

    async def put_on_clipboard(self, text: str) -> CopyReport:
        """Puts a text on the clipboard; where it went is for the caller to say."""
        assert self._driver is not None
        return await asyncio.to_thread(copy_to_clipboard, text, self._driver.write)

    @on(Transcript.Selected)
    def _selected(self, event: Transcript.Selected) -> None:
        if self.session.services.settings.fullscreen_copy_on_select:
            self.copy(event.text)

    @on(Transcript.FollowChanged)
    def _follow_changed(self, event: Transcript.FollowChanged) -> None:
        keys = self.setup.bindings.readable("tui.altScreen.bottom")
        self.status.hint(f"↓ new output below, {keys} follows it" if event.behind else "")

    @on(PromptEditor.Trouble)
    def _trouble(self, event: PromptEditor.Trouble) -> None:
        self.conversation.note(event.text, "error")

    @on(PromptEditor.ImagePasteRequested)
    def _paste_image(self) -> None:
        self.run_worker(paste_clipboard(self), group="paste")

    # --- the terminal

    def on_terminal_appearance(self, event: TerminalAppearance) -> None:
        self.themes.terminal_became(event.appearance)

    def on_terminal_colors_told(self, event: TerminalColorsTold) -> None:
        self.themes.terminal_told(event.replies)

    def on_terminal_lost(self, event: TerminalLost) -> None:
        self.leave(128 + 1)

    def leave(self, code: int = 0) -> None:
        """Ends the client; a run that is going stores what it has first."""
        if not self._leaving:
            self._leaving = True
            self.run_worker(self._leave(code), name="leave")

    async def _leave(self, code: int) -> None:
        self.session.abort()
        self.session.user_command.cancel()
        try:
            async with asyncio.timeout(LEAVE_WITHIN):
                await self.session.wait_settled()
                await self.session.user_command.wait_ended()
        except TimeoutError:
            pass
        self.exit(code)

    def _fatal_error(self) -> None:
        """A fault of our own: the traceback goes into a file, not over the user's screen."""
        error: BaseException | None = self._exception
        if isinstance(error, WorkerFailed):
            error = error.error  # it has the traceback
        self.crash = error if isinstance(error, Exception) else None
        self._close_messages_no_wait()
