"""Turns what a session tells into blocks of the transcript."""

from pi_tui.agent.events import (
    AgentEnd,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    PartialResult,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.runtime.events import (
    BashEnd,
    BashStart,
    BashUpdate,
    BranchSummaryEnd,
    CompactionEnd,
    CompactionResult,
    Notice,
    SessionEvent,
)
from pi_tui.session.log import SessionLog
from pi_tui.tui.stored import stored_branch
from pi_tui.tui.transcript.answer_block import AnswerBlock
from pi_tui.tui.transcript.bash_block import BashBlock
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.from_messages import blocks_for, lazy_blocks_for
from pi_tui.tui.transcript.note_blocks import Compacted, NoticeBlock, SummaryBlock
from pi_tui.tui.transcript.prompt_block import PromptBlock
from pi_tui.tui.transcript.tool_block import ToolBlock
from pi_tui.tui.transcript.view import Transcript


class Conversation:
    """Keeps the transcript in step with the events of a run.

    An answer grows in one block; when it is whole, each of its tool calls gets a block of its own and shows its output
    and result there.
    """

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._answer: AnswerBlock | None = None
        self._calls: dict[str, ToolBlock] = {}
        self._command: BashBlock | None = None

    def show_session(self, log: SessionLog, header: Block | None = None) -> None:
        """Shows the active branch of a session instead of what was there."""
        self._answer, self._calls, self._command = None, {}, None
        self._transcript.clear()
        blocks = lazy_blocks_for(stored_branch(log))
        if header is not None:
            blocks.insert(0, header)
        self._transcript.extend(blocks)

    def note(self, text: str, level: str = "info") -> None:
        """Adds a sentence that is no part of the conversation."""
        self._transcript.append(NoticeBlock(text, level))  # type: ignore[arg-type]

    def report(self, markdown: str) -> None:
        """Adds a longer text of the client itself."""
        self._transcript.append(AnswerBlock(AssistantMessage([TextContent(markdown)])))

    def take(self, event: SessionEvent) -> None:
        """Shows one event."""
        self._take_summary(event)
        match event:
            case MessageStart(message=message):
                self._begin(message)
            case MessageUpdate(assistant_message_event=step):
                if self._answer is not None:
                    self._answer.apply(step)
                    self._transcript.changed(self._answer)
            case MessageEnd(message=message):
                self._end(message)
            case ToolExecutionStart(tool_call_id=call_id, tool_name=name, args=arguments):
                begun = self._add_call(call_id, name, arguments)
                begun.start(arguments)
                self._transcript.changed(begun)
            case ToolExecutionUpdate(tool_call_id=call_id, partial_result=partial):
                if call := self._calls.get(call_id):
                    call.update(partial)
                    self._transcript.changed(call)
            case ToolExecutionEnd(tool_call_id=call_id, result=result, is_error=is_error) as end:
                if call := self._calls.get(call_id):
                    call.finish(
                        result, is_error, end.duration_ms if isinstance(end.duration_ms, int) else None
                    )
                    self._transcript.changed(call)
            case BashStart(command=command, exclude_from_context=excluded):
                self._command = BashBlock(command, in_context=not excluded)
                self._transcript.append(self._command)
            case BashUpdate(output=output):
                if self._command is not None:
                    self._command.show(output)
                    self._transcript.changed(self._command)
            case BashEnd():
                self._end_command(event)
            case AgentEnd():
                self._settle()
            case Notice(text=text, level=level):
                self.note(text, level)

    def _take_summary(self, event: SessionEvent) -> None:
        match event:
            case CompactionEnd(result=CompactionResult() as result):
                shown = Compacted(
                    result.summary, result.tokens_before, tokens_after=result.estimated_tokens_after
                )
                self._transcript.append(SummaryBlock(shown))
            case CompactionEnd(error_message=str() as error) | BranchSummaryEnd(error_message=str() as error):
                self.note(error, "error")
            case CompactionEnd(aborted=True):
                self.note("The compaction was stopped; nothing has changed.")

    def _begin(self, message: AgentMessage) -> None:
        match message:
            case UserMessage():
                self._transcript.append(PromptBlock(message))
            case AssistantMessage():
                self._answer = AnswerBlock()
                self._transcript.append(self._answer)
            case CustomMessage() | CompactionSummaryMessage() | BranchSummaryMessage():
                self._transcript.extend(blocks_for([message]))

    def _end(self, message: AgentMessage) -> None:
        match message:
            case AssistantMessage():
                if self._answer is None:
                    self._begin(message)
                assert self._answer is not None
                self._answer.finish(message)
                self._transcript.changed(self._answer)
                for call in message.tool_calls:
                    self._add_call(call.id, call.name, call.arguments)
                self._answer = None
            case ToolResultMessage():
                self._finish_unrun(message)

    def _finish_unrun(self, message: ToolResultMessage) -> None:
        """A call that was refused before it ran has a result and no execution events."""
        call = self._calls.get(message.tool_call_id)
        if call is not None and call.state in ("pending", "running"):
            call.finish(PartialResult(list(message.content), message.details), message.is_error)
            self._transcript.changed(call)

    def _add_call(self, call_id: str, name: str, arguments: dict[str, object]) -> ToolBlock:
        call = self._calls.get(call_id)
        if call is None:
            call = self._calls[call_id] = ToolBlock(call_id, name, arguments)
            self._transcript.append(call)
        return call

    def _end_command(self, end: BashEnd) -> None:
        if self._command is None:
            self._command = BashBlock.stored(end.message)
            self._transcript.append(self._command)
        self._command.finish(end.message, end.ansi)
        self._transcript.changed(self._command)
        self._command = None

    def _settle(self) -> None:
        for call in self._calls.values():
            if call.state in ("pending", "running"):
                call.interrupt()
                self._transcript.changed(call)
        self._calls.clear()
