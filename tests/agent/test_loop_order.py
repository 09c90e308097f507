"""The order of events, as documented for the JSON event stream."""

import asyncio

from pi_tui.agent.events import AgentEnd, MessageEnd, MessageStart, ToolExecutionEnd, TurnEnd
from pi_tui.agent.queue import MessageQueue
from pi_tui.agent.tool import text_result
from pi_tui.llm.messages import AssistantMessage, ToolResultMessage
from tests.agent.scripted import Conversation, Run, answer, user


async def test_a_text_answer():
    talk = Conversation(answer("hello"))
    assert await talk.play("go") == [
        "agent_start",
        "turn_start",
        "message_start user 'go'",
        "message_end user 'go'",
        "message_start assistant '' [pending]",
        "message_update text_start",
        "message_update text_delta",
        "message_update text_delta",
        "message_update text_end",
        "message_end assistant 'hello' [stop]",
        "turn_end []",
        "agent_end",
    ]


async def test_thinking_text_and_a_call_are_updates_of_one_message():
    talk = Conversation(answer("so", ("c1", "echo", '{"text":"x"}'), thinking="hm"), answer("done"))
    events = await talk.play("go")
    assert events[5:14] == [
        "message_update thinking_start",
        "message_update thinking_delta",
        "message_update thinking_end",
        "message_update text_start",
        "message_update text_delta",
        "message_update text_end",
        "message_update toolcall_start",
        "message_update toolcall_delta",
        "message_update toolcall_end",
    ]


async def test_the_result_of_a_call_is_a_message_of_its_turn_and_the_next_turn_has_it():
    talk = Conversation(answer("", ("c1", "echo", '{"text":"x"}')), answer("done"))
    events = await talk.play("go")
    assert events[8:] == [
        "message_end assistant '' [toolUse]",
        "tool_execution_start c1 {'text': 'x'}",
        "tool_execution_end c1 'x'",
        "message_start toolResult 'x'",
        "message_end toolResult 'x'",
        "turn_end ['c1']",
        "turn_start",
        "message_start assistant '' [pending]",
        "message_update text_start",
        "message_update text_delta",
        "message_update text_end",
        "message_end assistant 'done' [stop]",
        "turn_end []",
        "agent_end",
    ]
    assert talk.sent == [["user: go"], ["user: go", "assistant: ", "toolResult: x"]]


async def test_parallel_calls_start_in_order_end_as_they_end_and_answer_in_order():
    fast_done = asyncio.Event()

    async def body(arguments, on_update):
        if arguments["n"] == 1:
            await fast_done.wait()
        else:
            fast_done.set()
        return text_result(f"result {arguments['n']}")

    talk = Conversation(
        answer("", ("c1", "run", '{"n":1}'), ("c2", "run", '{"n":2}')), answer("done"), tools=[Run(body)]
    )
    events = await talk.play("go")
    first = events.index("tool_execution_start c1 {'n': 1}")
    assert events[first : first + 9] == [
        "tool_execution_start c1 {'n': 1}",
        "tool_execution_start c2 {'n': 2}",
        "tool_execution_end c2 'result 2'",
        "tool_execution_end c1 'result 1'",
        "message_start toolResult 'result 1'",
        "message_end toolResult 'result 1'",
        "message_start toolResult 'result 2'",
        "message_end toolResult 'result 2'",
        "turn_end ['c1', 'c2']",
    ]


async def test_a_tool_that_runs_alone_has_no_other_call_beside_it():
    running: set[int] = set()
    seen: list[set[int]] = []

    async def body(arguments, on_update):
        running.add(arguments["n"])
        for _ in range(5):
            await asyncio.sleep(0)
        seen.append(set(running))
        running.discard(arguments["n"])
        return text_result("ok")

    calls = [
        ("c1", "run", '{"n":1}'),
        ("c2", "alone", '{"n":2}'),
        ("c3", "run", '{"n":3}'),
        ("c4", "run", '{"n":4}'),
    ]
    talk = Conversation(
        answer("", *calls), answer("done"), tools=[Run(body), Run(body, name="alone", alone=True)]
    )
    await talk.play("go")
    assert seen[:2] == [{1}, {2}]
    assert {3, 4} in seen
    assert [result.tool_call_id for result in talk.of(TurnEnd)[0].tool_results] == ["c1", "c2", "c3", "c4"]


async def test_updates_of_a_call_come_between_its_start_and_end():
    taken = asyncio.Event()

    async def body(arguments, on_update):
        on_update(text_result("half"))
        await taken.wait()
        return text_result("whole")

    def on_event(event):
        if event.__struct_config__.tag == "tool_execution_update":
            taken.set()

    talk = Conversation(answer("", ("c1", "run", "{}")), answer("done"), tools=[Run(body)])
    events = await talk.play("go", on_event=on_event)
    first = events.index("tool_execution_start c1 {}")
    assert events[first + 1 : first + 3] == [
        "tool_execution_update c1 'half'",
        "tool_execution_end c1 'whole'",
    ]


async def test_a_newer_partial_result_replaces_one_that_was_not_told_yet():
    async def body(arguments, on_update):
        for n in range(1000):
            on_update(text_result(str(n)))
        return text_result("whole")

    talk = Conversation(answer("", ("c1", "run", "{}")), answer("done"), tools=[Run(body)])
    events = await talk.play("go")
    assert [event for event in events if "update c1" in event] == ["tool_execution_update c1 '999'"]


async def test_a_partial_result_after_the_end_is_not_told():
    kept = []

    async def body(arguments, on_update):
        kept.append(on_update)
        return text_result("whole")

    def on_event(event):
        if isinstance(event, ToolExecutionEnd):
            kept[0](text_result("late"))

    talk = Conversation(
        answer("", ("c1", "run", "{}")), answer("", ("c2", "run", "{}")), answer("x"), tools=[Run(body)]
    )
    assert not [event for event in await talk.play("go", on_event=on_event) if "late" in event]


async def test_steering_during_a_turn_without_tools_starts_one_more_turn_before_follow_ups():
    queue = MessageQueue()
    talk = Conversation(answer("one"), answer("two"), answer("three"), queue=queue)
    first = []

    def on_event(event):
        if isinstance(event, MessageStart) and isinstance(event.message, AssistantMessage) and not first:
            first.append(1)
            queue.follow_up(user("F"))
            queue.steer(user("S"))

    events = [event for event in await talk.play("go", on_event=on_event) if "update" not in event]
    assert events[4:] == [
        "message_start assistant '' [pending]",
        "message_end assistant 'one' [stop]",
        "turn_end []",
        "turn_start",
        "message_start user 'S'",
        "message_end user 'S'",
        "message_start assistant '' [pending]",
        "message_end assistant 'two' [stop]",
        "turn_end []",
        "turn_start",
        "message_start user 'F'",
        "message_end user 'F'",
        "message_start assistant '' [pending]",
        "message_end assistant 'three' [stop]",
        "turn_end []",
        "agent_end",
    ]


async def test_steering_during_tools_goes_after_their_results_and_before_the_next_request():
    queue = MessageQueue()

    async def body(arguments, on_update):
        queue.steer(user("S1"))
        queue.steer(user("S2"))
        return text_result("result")

    talk = Conversation(
        answer("", ("c1", "run", "{}")), answer("a"), answer("b"), tools=[Run(body)], queue=queue
    )
    await talk.play("go")
    assert talk.sent[1] == ["user: go", "assistant: ", "toolResult: result", "user: S1"]
    assert talk.sent[2][4:] == ["assistant: a", "user: S2"]


async def test_in_mode_all_steering_goes_along_together():
    queue = MessageQueue(steering_mode="all")
    queue.steer(user("S1"))
    queue.steer(user("S2"))
    talk = Conversation(answer("a"), queue=queue)
    await talk.play("go")
    assert talk.sent == [["user: go", "user: S1", "user: S2"]]


async def test_a_run_without_a_prompt_goes_on_with_what_is_there():
    talk = Conversation(answer("again"))
    talk.history.append(user("go"))
    events = await talk.play()
    assert events[:3] == ["agent_start", "turn_start", "message_start assistant '' [pending]"]
    assert [type(message) for message in talk.of(AgentEnd)[0].messages] == [AssistantMessage]


async def test_the_end_of_a_run_has_all_its_messages_in_order():
    talk = Conversation(answer("", ("c1", "echo", '{"text":"x"}')), answer("done"))
    await talk.play("go")
    (end,) = talk.of(AgentEnd)
    assert end.messages == [event.message for event in talk.of(MessageEnd)]
    assert not end.will_retry


async def test_a_call_that_ran_says_how_long_in_event_and_message():
    talk = Conversation(answer("", ("c1", "echo", '{"text":"x"}'), ("c2", "nosuch", "{}")), answer("done"))
    await talk.play("go")
    ran, unknown = sorted(talk.of(ToolExecutionEnd), key=lambda event: event.tool_call_id)
    results = [event.message for event in talk.of(MessageEnd) if isinstance(event.message, ToolResultMessage)]
    assert isinstance(ran.duration_ms, int) and results[0].duration_ms == ran.duration_ms
    assert not isinstance(unknown.duration_ms, int) and results[1].duration_ms is None
