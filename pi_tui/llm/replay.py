"""Makes a history legal for the model that is to read it.

Providers refuse, for ever, a conversation with one orphan tool call, one empty text or one foreign
signature. Histories get such things from aborts, crashes, branches and changes of model; the file keeps
them, the request must not. Pure and idempotent.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantBlock,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    WireMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.unicode import valid_json, valid_text
from pi_tui.llm.wires.responses_items import reasoning_item, split_id

NO_RESULT = "No result: the call was interrupted before it finished."
NO_OUTPUT = "(no output)"
NO_IMAGES = "(image left out: this model takes no images)"
EARLIER_CUT = "(The conversation before this point is not shown.)"
COMPACTED = "The conversation before this point was compacted. This is its summary:"
BRANCHED = "This conversation came back from a side branch. This is a summary of what happened there:"

RESPONSES = "openai-responses"
CALL_ID_LENGTHS = {"anthropic-messages": 64, "openai-completions": 40, RESPONSES: 64}
_MISTRAL_ID_LENGTH = 9
_DEFAULT_ID_LENGTH = 40
_NAME_LENGTH = 64
_ITEM_ID = re.compile(r"fc[a-zA-Z0-9_-]{1,62}")
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def to_wire(messages: Sequence[AgentMessage], model: Model) -> list[WireMessage]:
    """The messages in the roles every wire knows, with nothing in them that `model`'s provider refuses."""
    wire = [legal for message in messages if (legal := _legal(message, model)) is not None]
    paired = _paired(wire, model)
    if paired and not isinstance(paired[0], UserMessage):
        paired.insert(0, UserMessage(EARLIER_CUT, paired[0].timestamp))
    return paired


def _legal(message: AgentMessage, model: Model) -> WireMessage | None:
    match message:
        case AssistantMessage():
            return _assistant(message, model)
        case ToolResultMessage():
            content = _blocks(message.content, model) or [TextContent(NO_OUTPUT)]
            return structs.replace(message, content=content)
        case UserMessage():
            return _user(message.content, message.timestamp, model)
        case CustomMessage():
            return _user(message.content, message.timestamp, model)
        case CompactionSummaryMessage():
            return _user(f"{COMPACTED}\n\n<summary>\n{message.summary}\n</summary>", message.timestamp, model)
        case BranchSummaryMessage():
            return _user(f"{BRANCHED}\n\n<summary>\n{message.summary}\n</summary>", message.timestamp, model)
        case BashExecutionMessage() if not message.exclude_from_context:
            return _user(_told(message), message.timestamp, model)
        case _:
            return None


def _user(content: str | list[UserBlock], timestamp: int, model: Model) -> UserMessage | None:
    if isinstance(content, str):
        text = valid_text(content)
        return UserMessage(text, timestamp) if text.strip() else None
    blocks = _blocks(content, model)
    return UserMessage(blocks, timestamp) if blocks else None


def _blocks(blocks: Iterable[UserBlock], model: Model) -> list[UserBlock]:
    legal: list[UserBlock] = []
    for block in blocks:
        if isinstance(block, ImageContent):
            readable = model.takes_images and block.mime_type in _IMAGE_TYPES and block.data
            legal.append(block if readable else TextContent(NO_IMAGES))
        elif block.text.strip():
            legal.append(TextContent(valid_text(block.text)))
    return legal


def _told(message: BashExecutionMessage) -> str:
    """The user's own command as a text."""
    output = message.output.rstrip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", output)), default=0))
    parts = [f"I ran `{message.command}`:", f"{fence}\n{output}\n{fence}" if output else NO_OUTPUT]
    if message.cancelled:
        parts.append("(command cancelled)")
    elif message.exit_code:
        parts.append(f"Exit code: {message.exit_code}")
    if message.truncated and message.full_output_path:
        parts.append(f"(output truncated; in full: {message.full_output_path})")
    return "\n\n".join(parts)


def _assistant(message: AssistantMessage, model: Model) -> AssistantMessage | None:
    own = (message.provider, message.api, message.model) == (model.provider, model.api, model.id)
    if message.stop_reason == "pending":
        return None
    own = own and (model.api != RESPONSES or _is_whole(message))
    blocks: list[AssistantBlock] = []
    for block in message.content:
        match block:
            case ThinkingContent():
                thought = _thought(block, own, model)
                if thought is not None:
                    blocks.append(thought)
            case TextContent():
                if block.text.strip():
                    blocks.append(TextContent(valid_text(block.text), block.text_signature if own else None))
            case ToolCall():
                blocks.append(_call(block, own, model))
    _drop_thoughts_at_the_end(blocks, model)
    # Thinking alone tells the next request nothing, and some servers refuse a message without text or calls.
    if all(isinstance(block, ThinkingContent) for block in blocks):
        return None
    return structs.replace(message, content=blocks)


def _is_whole(message: AssistantMessage) -> bool:
    """Whether an answer of the responses API can go back as the items it came in.

    An item of reasoning needs the one that followed it, and the other way round, so it is all or nothing.
    """
    thoughts = [block for block in message.content if isinstance(block, ThinkingContent)]
    return message.stop_reason in ("stop", "toolUse") and all(
        reasoning_item(block.thinking_signature) for block in thoughts
    )


def _drop_thoughts_at_the_end(blocks: list[AssistantBlock], model: Model) -> None:
    if model.api in ("anthropic-messages", RESPONSES):
        while blocks and isinstance(blocks[-1], ThinkingContent):
            blocks.pop()


def _thought(block: ThinkingContent, own: bool, model: Model) -> AssistantBlock | None:
    """A block of thinking as it may be replayed: signed for its own model, as text for another."""
    text = valid_text(block.thinking)
    if block.redacted:
        return block if own and block.thinking_signature and model.api == "anthropic-messages" else None
    if model.api == RESPONSES and own:
        return ThinkingContent(text, block.thinking_signature)
    if not text.strip() and not (own and block.thinking_signature and model.api == "anthropic-messages"):
        return None
    needs_signature = model.api == "anthropic-messages" and not model.compat.get("allowEmptySignature")
    if own and (block.thinking_signature or not needs_signature):
        return ThinkingContent(text, block.thinking_signature)
    return TextContent(text)


def _call(call: ToolCall, own: bool, model: Model) -> ToolCall:
    """A call as it may be replayed; for the responses API its signature is the id of its item."""
    signature = call.thought_signature if own else None
    if own and model.api == RESPONSES:
        signature = split_id(call.id)[1] or signature
        if signature and not _ITEM_ID.fullmatch(signature):
            signature = None
    return ToolCall(
        id=call_id_for(call.id, model),
        name=_NOT_IN_NAMES.sub("_", call.name)[:_NAME_LENGTH] or "unknown",
        arguments=valid_json(call.arguments),
        thought_signature=signature,
    )


def call_id_for(call_id: str, model: Model) -> str:
    """A tool call's id in the alphabet and length of `model`'s provider; always the same for the same id."""
    length = _id_length(model)
    if model.api == RESPONSES:
        call_id = split_id(call_id)[0]
    if length == _MISTRAL_ID_LENGTH:
        legal = len(call_id) == length and call_id.isascii() and call_id.isalnum()
    else:
        legal = 0 < len(call_id) <= length and not _NOT_IN_NAMES.search(call_id)
    # A hash, not a cut: ids of one server often differ in their last characters only.
    return call_id if legal else _hashed(call_id, model)


def _id_length(model: Model) -> int:
    if "mistral" in model.provider or "api.mistral.ai" in model.base_url:
        return _MISTRAL_ID_LENGTH
    return CALL_ID_LENGTHS.get(model.api, _DEFAULT_ID_LENGTH)


def _hashed(text: str, model: Model) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[: _id_length(model)]


class _Pairs:
    """Finds the result of a call in a history where ids may come back."""

    def __init__(self, messages: Sequence[WireMessage], model: Model) -> None:
        self._results: dict[str, list[tuple[int, ToolResultMessage]]] = {}
        self._calls: dict[str, list[int]] = {}
        for position, message in enumerate(messages):
            if isinstance(message, ToolResultMessage):
                call_id = call_id_for(message.tool_call_id, model)
                self._results.setdefault(call_id, []).append((position, message))
            elif isinstance(message, AssistantMessage):
                for call in message.tool_calls:
                    self._calls.setdefault(call.id, []).append(position)

    def result(self, call: ToolCall, position: int) -> ToolResultMessage | None:
        """The first result after `position`, before another response uses the same id."""
        until = next((one for one in self._calls[call.id] if one > position), None)
        for found, result in self._results.get(call.id, ()):
            if found > position:
                return result if until is None or found < until else None
        return None


def _paired(messages: Sequence[WireMessage], model: Model) -> list[WireMessage]:
    """Puts each result right behind its call, invents the missing ones, drops orphans and duplicates."""
    pairs = _Pairs(messages, model)
    paired: list[WireMessage] = []
    used: set[str] = set()
    for position, message in enumerate(messages):
        if isinstance(message, UserMessage):
            paired.append(message)
        elif isinstance(message, AssistantMessage):
            calls = {call.id: pairs.result(call, position) for call in message.tool_calls}
            if message.stop_reason in ("error", "aborted"):
                calls = {call_id: result for call_id, result in calls.items() if result is not None}
                if not calls:
                    continue
            _add_response(paired, message, calls, used, model)
    return paired


def _add_response(
    paired: list[WireMessage],
    message: AssistantMessage,
    calls: dict[str, ToolResultMessage | None],
    used: set[str],
    model: Model,
) -> None:
    """Adds a response with those of its calls that are in `calls`, and their results, under fresh ids."""
    blocks: list[AssistantBlock] = []
    results: list[ToolResultMessage] = []
    for block in message.content:
        if not isinstance(block, ToolCall):
            blocks.append(block)
        elif block.id in calls:
            result = calls.pop(block.id)
            call_id = _unused(block.id, used, model)
            # Another call had this id, so the id of its item cannot be trusted either.
            unsigned = call_id != block.id and model.api == RESPONSES
            signature = None if unsigned else block.thought_signature
            blocks.append(structs.replace(block, id=call_id, thought_signature=signature))
            results.append(
                structs.replace(result, tool_call_id=call_id)
                if result is not None
                else ToolResultMessage(
                    call_id, block.name, [TextContent(NO_RESULT)], True, timestamp=message.timestamp
                )
            )
    _drop_thoughts_at_the_end(blocks, model)
    paired.append(structs.replace(message, content=blocks))
    paired += results


def _unused(call_id: str, used: set[str], model: Model) -> str:
    """`call_id`, or another where an earlier response has it: some servers count from 0 each time."""
    unused, again = call_id, 0
    while unused in used:
        again += 1
        unused = _hashed(f"{call_id} {again}", model)
    used.add(unused)
    return unused
