"""The user's own `!command`: run in the session's folder, told as it goes, stored when the order allows it."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from pi_tui.agent.abort import Abort
from pi_tui.llm.messages import BashExecutionMessage, now_ms
from pi_tui.resources.paths import cache_dir
from pi_tui.runtime.events import BashEnd, BashStart, BashUpdate
from pi_tui.session.errors import SessionReadOnly

if TYPE_CHECKING:
    from pi_tui.agent.tools.shell import ShellOutcome
    from pi_tui.runtime.session import Session

NOT_STARTED = 127
"""Exit code of a command that could not be started, as shells have it."""
OVERLAP = 256
"""Characters by which new output is joined to what was told before."""

Tap: TypeAlias = Callable[[bytes], None]


class CommandRunning(RuntimeError):
    """Another command of the user is still running."""


class UserCommand:
    """The one command of the user that may be running, beside a run or alone.

    Its entry goes into the file when it has ended, but never into the middle of a run: there it would come
    between a call and its result.
    """

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._task: asyncio.Task[ShellOutcome] | None = None
        self._ended = asyncio.Event()
        self._ended.set()
        self._waiting: list[BashExecutionMessage] = []

    @property
    def running(self) -> bool:
        return not self._ended.is_set()

    def refuse_to_run(self) -> None:
        """Looks whether a command may be run now.

        Raises:
            CommandRunning: Another one is running.
            SessionReadOnly: It could not be stored.
        """
        if self.running:
            raise CommandRunning("your last command is still running: stop it, or wait for its end")
        log = self._session.log
        if log.read_only and log.path is not None:
            raise SessionReadOnly(log.path)

    async def run(
        self, command: str, *, in_context: bool = True, tap: Tap | None = None
    ) -> BashExecutionMessage:
        """Runs a command to its end and stores it.

        Args:
            in_context: Whether the model is told.
            tap: Gets every byte it prints, in a thread of the command's own; the command waits for it.

        Raises:
            CommandRunning, SessionReadOnly: As for `refuse_to_run`.
        """
        self.refuse_to_run()
        self._ended.clear()
        self._session.publish(BashStart(command, not in_context))
        message = BashExecutionMessage(command, "", cancelled=True, exclude_from_context=not in_context)
        ansi: str | None = None
        try:
            async with Abort().child(self._in_shell(command, tap)) as self._task:
                await asyncio.wait([self._task])
        finally:
            if self._task is not None:
                ansi = _fill(message, self._task)
            message.timestamp = now_ms()
            self._task = None
            self._waiting.append(message)
            if not self._session.running:
                self.store()
            self._ended.set()
            self._session.publish(BashEnd(message, ansi))
        return message

    def cancel(self) -> None:
        """Ends the command and all it started; asked twice, at once."""
        if self._task is not None:
            self._task.cancel()

    async def wait_ended(self) -> None:
        await self._ended.wait()

    def store(self) -> None:
        """Writes what ended while a run was going; the run must be over."""
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            self._session.log.append_message(message)

    async def _in_shell(self, command: str, tap: Tap | None) -> "ShellOutcome":
        from pi_tui.agent.tools.shell import run_in_shell
        from pi_tui.agent.tools.workspace import Workspace

        services = self._session.services
        workspace = Workspace(
            services.cwd,
            dict,
            shell_path=services.settings.shell_path,
            shell_prefix=services.settings.shell_command_prefix,
            cache_dir=cache_dir(),
        )
        told = ""

        def tell(output: str) -> None:
            nonlocal told
            self._session.publish(BashUpdate(added(told, output), output))
            told = output

        return await run_in_shell(workspace, command, on_output=tell, tap=tap)


def added(told: str, output: str) -> str:
    """What the end of an output has more than the end that was told before."""
    if output.startswith(told):
        return output[len(told) :]
    known = told[-OVERLAP:]
    at = output.rfind(known)
    return output[at + len(known) :] if at >= 0 else output


def _fill(message: BashExecutionMessage, task: "asyncio.Task[ShellOutcome]") -> str | None:
    """Says in the message how the command ended; returns its output in colours, if it had any."""
    if task.cancelled():
        return None
    error = task.exception()
    if error is not None:
        message.output, message.exit_code, message.cancelled = str(error), NOT_STARTED, False
        return None
    outcome = task.result()
    message.output = outcome.output
    message.cancelled = outcome.stopped is not None
    message.exit_code = None if message.cancelled else outcome.exit_code
    message.truncated = outcome.truncation is not None
    message.full_output_path = outcome.full_output_path
    return outcome.ansi
