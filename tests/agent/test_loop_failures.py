"""Calls that must not run, tools and providers that fail: each is answered for, none ends the program."""

import asyncio
from typing import ClassVar

import msgspec
import pytest

from pi_tui.agent.events import MessageEnd, ToolExecutionEnd, TurnEnd
from pi_tui.agent.tool import ToolError, ToolResult, text_result
from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import ImageContent, TextContent, text_of
from tests.agent.scripted import Conversation, Echo, Run, answer, fails, user


async def result_of(*calls, tools=(), stop=""):
    """The results of the first turn as (text, is_error)."""
    talk = Conversation(answer("", *calls, stop=stop), answer("done"), tools=tools)
    await talk.play("go")
    results = talk.of(TurnEnd)[0].tool_results
    assert talk.of(TurnEnd)[1].message.text == "done"
    return [(text_of(result.content), result.is_error) for result in results]


async def test_an_unknown_tool_is_an_error_that_names_the_tools_there_are():
    ((text, failed),) = await result_of(("c1", "ehco", "{}"))
    assert failed and "'ehco'" in text and "echo" in text


@pytest.mark.parametrize("raw", ['{"text": "par', '"text"', "[1]", "{]", "[" * 100_000])
async def test_arguments_that_are_no_json_object_are_never_run(raw):
    ran = []

    async def body(arguments, on_update):
        ran.append(arguments)
        return text_result("x")

    ((text, failed),) = await result_of(("c1", "run", raw), tools=[Run(body)])
    assert failed and not ran and "JSON" in text


async def test_arguments_with_raw_newlines_are_run():
    assert await result_of(("c1", "echo", '{"text": "a\nb\tc"}')) == [("a\nb\tc", False)]


async def test_arguments_that_do_not_fit_name_the_field():
    ((text, failed),) = await result_of(("c1", "echo", '{"text": {}, "times": "many"}'))
    assert failed and "text:" in text and "times:" in text and "echo" in text


async def test_repairable_arguments_are_repaired():
    assert await result_of(("c1", "echo", '{"text": "x", "times": "3"}')) == [("xxx", False)]


async def test_calls_cut_off_at_the_output_limit_are_not_run_and_whole_ones_are():
    results = await result_of(
        ("c1", "echo", '{"text": "whole"}'), ("c2", "echo", '{"text": "cu'), ("c3", "echo", ""), stop="length"
    )
    assert results[0] == ("whole", False)
    for text, failed in results[1:]:
        assert failed and "output limit" in text


async def test_a_schema_that_cannot_be_used_is_an_error_result():
    class Broken(Echo):
        parameters: ClassVar = {"type": "nonsense"}

    ((text, failed),) = await result_of(("c1", "echo", '{"text": "x"}'), tools=[Broken()])
    assert failed and "schema of echo" in text


async def test_a_tool_error_has_what_the_tool_showed_before_its_message():
    async def body(arguments, on_update):
        raise ToolError("Command exited with code 5.", content=[TextContent("line 1\n")], details={"code": 5})

    talk = Conversation(answer("", ("c1", "run", "{}")), answer("done"), tools=[Run(body)])
    await talk.play("go")
    (result,) = talk.of(TurnEnd)[0].tool_results
    assert text_of(result.content) == "line 1\n\nCommand exited with code 5."
    assert result.is_error and result.details == {"code": 5} and result.duration_ms is not None


async def test_an_unexpected_exception_of_a_tool_is_an_error_result_that_names_it():
    async def body(arguments, on_update):
        raise ZeroDivisionError("division by zero")

    ((text, failed),) = await result_of(("c1", "run", "{}"), tools=[Run(body)])
    assert failed and "ZeroDivisionError: division by zero" in text


async def test_a_tool_that_cancels_itself_is_an_error_result():
    async def body(arguments, on_update):
        raise asyncio.CancelledError

    ((text, failed),) = await result_of(("c1", "run", "{}"), tools=[Run(body)])
    assert failed and "cancelled" in text


async def test_a_tool_that_returns_no_result_is_an_error_result():
    async def body(arguments, on_update):
        return "text"

    ((text, failed),) = await result_of(("c1", "run", "{}"), tools=[Run(body)])
    assert failed and "str" in text


@pytest.mark.parametrize("content", [[], [TextContent("")], [TextContent(" \n")]])
async def test_an_empty_output_is_said_to_be_empty(content):
    async def body(arguments, on_update):
        return ToolResult(content)

    assert await result_of(("c1", "run", "{}"), tools=[Run(body)]) == [("(no output)", False)]


async def test_an_image_alone_is_output():
    async def body(arguments, on_update):
        return ToolResult([TextContent(""), ImageContent("aGk=", "image/png")])

    talk = Conversation(answer("", ("c1", "run", "{}")), answer("done"), tools=[Run(body)])
    await talk.play("go")
    assert talk.of(TurnEnd)[0].tool_results[0].content == [ImageContent("aGk=", "image/png")]


async def test_one_failing_call_leaves_the_others_alone():
    async def body(arguments, on_update):
        raise ToolError("no")

    results = await result_of(("c1", "run", "{}"), ("c2", "echo", '{"text":"x"}'), tools=[Run(body), Echo()])
    assert results == [("no", True), ("x", False)]


async def test_a_provider_error_ends_the_run_with_its_sentence_and_what_came_before():
    error = ProviderError(ErrorKind.OVERLOADED, "Overloaded.", status=529, retry_after=7)
    talk = Conversation(fails(error, after="par"))
    events = await talk.play("go")
    assert events[-5:] == [
        "message_update text_start",
        "message_update text_delta",
        "message_end assistant 'par' [error]",
        "turn_end []",
        "agent_end",
    ]
    assert talk.history[-1].error_message == "Overloaded."
    assert talk.state.failure is error and talk.state.emitted


async def test_an_error_before_anything_came_still_has_start_and_end():
    talk = Conversation(fails(ProviderError(ErrorKind.AUTHENTICATION, "Wrong key.")))
    events = await talk.play("go")
    assert events[4:] == [
        "message_start assistant '' [error]",
        "message_end assistant '' [error]",
        "turn_end []",
        "agent_end",
    ]
    assert not talk.state.emitted


async def test_complete_calls_of_a_failed_response_are_not_run():
    async def stream(message):
        for event in message.tool_call("k", "c1", "echo"):
            yield event
        for event in message.arguments("k", '{"text":"x"}'):
            yield event
        for event in message.end_call("k"):
            yield event
        raise ProviderError(ErrorKind.NETWORK, "Reset.")

    talk = Conversation(stream)
    await talk.play("go")
    assert not talk.of(ToolExecutionEnd)


async def test_a_stream_that_ends_without_a_stop_reason_is_an_error_to_retry():
    async def stream(message):
        for event in message.text("half"):
            yield event

    talk = Conversation(stream)
    await talk.play("go")
    assert talk.state.failure.kind is ErrorKind.NETWORK
    assert talk.history[-1].stop_reason == "error" and talk.history[-1].text == "half"


async def test_an_unexpected_exception_of_a_stream_is_an_error_message_with_its_type():
    talk = Conversation(fails(KeyError("choices")))
    await talk.play("go")
    assert talk.history[-1].error_message == "KeyError: 'choices'"
    assert talk.state.failure.kind is ErrorKind.INTERNAL and not talk.state.failure.retryable


async def test_an_exception_while_the_request_is_made_is_an_error_message_of_the_model():
    talk = Conversation()

    async def request():
        raise ProviderError(ErrorKind.AUTHENTICATION, "No key for test: use /login.")

    talk.request = request
    await talk.play("go")
    message = talk.history[-1]
    assert (message.stop_reason, message.error_message) == ("error", "No key for test: use /login.")
    assert (message.provider, message.model) == ("test", "scripted")


async def test_what_is_queued_stays_queued_after_an_error():
    talk = Conversation(fails(ProviderError(ErrorKind.NETWORK, "Reset.")))

    def on_event(event):
        if isinstance(event, MessageEnd):
            talk.queue.follow_up(user("later"))

    await talk.play("go", on_event=on_event)
    assert talk.queue.follow_up_texts == ["later", "later"]


async def test_a_failure_of_an_earlier_run_is_not_kept_in_the_state():
    talk = Conversation(fails(ProviderError(ErrorKind.NETWORK, "Reset.")), answer("ok"))
    await talk.play("go")
    await talk.play()
    assert talk.state.failure is None


async def test_lone_surrogates_are_mended_in_prompts_answers_arguments_and_results():
    async def body(arguments, on_update):
        return text_result(arguments["text"] + "\udc00", {"seen": "\ud800"})

    talk = Conversation(
        answer("a\ud83d\ude00b\ud83d", ("c1", "run", '{"text": "\\ud83d"}'), delta=2),
        answer("x"),
        tools=[Run(body)],
    )
    await talk.play("go \ud83d")
    whole = [
        message.text if hasattr(message, "text") else text_of(message.content) for message in talk.history[:3]
    ]
    assert whole == ["go \ufffd", "a😀b\ufffd", "\ufffd\ufffd"]
    for event in talk.events:
        msgspec.json.encode(event)
