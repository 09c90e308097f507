"""The tree as somebody looks through it: order, indentation, filters, folding, search."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_tui.llm.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_tui.session.log import SessionLog
from pi_tui.session.memory import SessionMemory
from pi_tui.session.outline.kinds import FILTER_MODES, FilterMode, Kind
from pi_tui.session.outline.labels import label_times
from pi_tui.session.outline.outline import Outline
from pi_tui.session.outline.search import OutlineSearch
from pi_tui.session.outline.texts import call_of, entry_text
from tests.session.random_trees import session_bytes
from tests.session.session_lines import HEADER, entry_line, label_line, user_line

OpenBytes = Callable[[bytes], SessionLog]


def lines(*parts: bytes) -> bytes:
    return HEADER + b"".join(part + b"\n" for part in parts)


def message_line(entry_id: str, parent: str | None, message: dict[str, Any]) -> bytes:
    above = json.dumps(parent)
    start = f'{{"type":"message","id":"{entry_id}","parentId":{above},"timestamp":"2026-01-02T03:04:06.000Z",'
    return (start + f'"message":{json.dumps(message)}}}').encode()


def assistant_line(entry_id: str, parent: str | None, *blocks: dict[str, Any], **fields: Any) -> bytes:
    return message_line(entry_id, parent, {"role": "assistant", "content": list(blocks), **fields})


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result_line(entry_id: str, parent: str, call_id: str, output: str = "done", **fields: Any) -> bytes:
    message = {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": [text(output)]}
    return message_line(entry_id, parent, {**message, "isError": False, **fields})


def outline_of(log: SessionLog) -> Outline:
    outline = Outline(log)
    outline.update()
    return outline


def drawn(
    outline: Outline,
    mode: FilterMode = "default",
    *,
    folded: set[str] = frozenset(),
    found: list[int] | None = None,
) -> list[str]:
    """The rows as a person would sketch them: two blanks a level, `+` where a branch begins."""
    layout = outline.layout(mode, folded=folded, found=found)
    rows = [layout[place] for place in range(len(layout))]
    return [
        f"{'  ' * len(row.guides)}{'+' if row.start and row.guides else ''}{outline.ids[row.number]}"
        for row in rows
    ]


BRANCHED = lines(
    user_line("u1", None),
    assistant_line("a1", "u1", text("one")),
    user_line("old", "a1"),
    assistant_line("old-a", "old", text("two")),
    user_line("new", "a1"),
    assistant_line("new-a", "new", text("three")),
)


def test_a_talk_without_branches_is_not_indented(open_bytes: OpenBytes) -> None:
    data = lines(*(user_line(f"u{n}", f"u{n - 1}" if n else None) for n in range(50)))
    layout = outline_of(open_bytes(data)).layout("default")
    assert {layout[place].guides for place in range(50)} == {()}


def test_branches_are_indented_and_the_active_one_comes_first(open_bytes: OpenBytes) -> None:
    outline = outline_of(open_bytes(BRANCHED))
    assert drawn(outline) == ["u1", "a1", "  +new", "  new-a", "  +old", "  old-a"]
    assert [outline.ids[n] for n in range(6) if outline.active[n]] == ["u1", "a1", "new", "new-a"]


def test_moving_puts_the_other_branch_first(open_bytes: OpenBytes) -> None:
    log = open_bytes(BRANCHED)
    outline = outline_of(log)
    log.move_to("old-a")
    assert outline.update()
    assert drawn(outline)[2:4] == ["  +old", "  old-a"]


def test_guides_say_whether_another_branch_follows(open_bytes: OpenBytes) -> None:
    layout = outline_of(open_bytes(BRANCHED)).layout("default")
    assert [layout[place].guides for place in range(2, 6)] == [(False,), (False,), (True,), (True,)]


def test_several_roots_are_all_shown(open_bytes: OpenBytes) -> None:
    data = lines(user_line("r1", None), user_line("c1", "r1"), user_line("r2", None))
    assert drawn(outline_of(open_bytes(data))) == ["r2", "r1", "c1"]


def test_no_indentation_is_left_where_a_filter_hides_the_branch(open_bytes: OpenBytes) -> None:
    data = lines(
        user_line("u1", None),
        assistant_line("a1", "u1", call("c", "read", path="x")),
        result_line("r1", "a1", "c"),
        entry_line("session_info", "name", "a1", '"name":"x"'),
        user_line("u2", "r1"),
    )
    outline = outline_of(open_bytes(data))
    assert drawn(outline) == ["u1", "r1", "u2"]
    assert drawn(outline, "all") == ["u1", "a1", "  +r1", "  u2", "  +name"]


def test_what_each_filter_shows(open_bytes: OpenBytes) -> None:
    data = lines(
        user_line("user", None),
        assistant_line("calls", "user", text("\n"), call("c1", "read", path="x")),
        result_line("result", "calls", "c1"),
        assistant_line("both", "result", text("and now"), call("c2", "bash", command="ls")),
        result_line("result2", "both", "c2"),
        assistant_line("failed", "result2", stopReason="error", errorMessage="overloaded"),
        message_line("cmd", "failed", {"role": "bashExecution", "command": "ls", "output": ""}),
        entry_line("custom_message", "note", "cmd", '"customType":"note","content":"hi","display":false'),
        entry_line("compaction", "short", "note", '"summary":"s","firstKeptEntryId":"cmd","tokensBefore":5'),
        entry_line("model_change", "model", "short", '"provider":"p","modelId":"m"'),
        entry_line("to_come", "unknown", "model", '"payload":1'),
        label_line("label", "unknown", "both", "here"),
    )
    outline = outline_of(open_bytes(data))
    shown = {mode: {outline.ids[number] for number in outline.layout(mode).numbers} for mode in FILTER_MODES}
    default = {"user", "result", "both", "result2", "failed", "cmd", "note", "short"}
    assert shown["default"] == default
    assert shown["no-tools"] == default - {"result", "result2"}
    assert shown["user-only"] == {"user"}
    assert shown["labeled-only"] == {"both"}
    assert shown["all"] == set(outline.ids)


def test_calls_without_a_result_are_shown(open_bytes: OpenBytes) -> None:
    data = lines(user_line("u", None), assistant_line("a", "u", call("c", "read", path="x")))
    log = open_bytes(data)
    outline = outline_of(log)
    assert drawn(outline) == ["u", "a"]
    log.append_message(ToolResultMessage("c", "read", [TextContent("x")], is_error=False))
    outline.update()
    assert drawn(outline) == ["u", log.entry_ids[-1]]


def test_calls_are_told_from_answers_whatever_the_order_of_fields(open_bytes: OpenBytes) -> None:
    odd = {"text": "said", "type": "text"}
    data = lines(
        user_line("u", None),
        assistant_line("a", "u", odd, call("c", "read")),
        assistant_line("b", "a", text(""), call("c", "read", note='"type":"text","text":"x"')),
    )
    outline = outline_of(open_bytes(data))
    assert [outline.kind(number) for number in range(3)] == [Kind.USER, Kind.ANSWER, Kind.CALLS]


def test_folding_hides_what_is_below_the_start_of_a_branch(open_bytes: OpenBytes) -> None:
    outline = outline_of(open_bytes(BRANCHED))
    assert drawn(outline, folded={"new"}) == ["u1", "a1", "  +new", "  +old", "  old-a"]
    layout = outline.layout("default", folded={"new"})
    assert (layout[2].folds, layout[2].folded, layout[3].folded) == (True, True, False)
    assert drawn(outline, folded={"u1"}) == ["u1"]


def test_only_where_a_stretch_begins_is_there_something_to_fold(open_bytes: OpenBytes) -> None:
    outline = outline_of(open_bytes(BRANCHED))
    layout = outline.layout("default")
    assert [layout[place].folds for place in range(6)] == [True, False, True, False, True, False]
    assert drawn(outline, folded={"a1"}) == drawn(outline)


def test_a_stretch_is_found_from_within(open_bytes: OpenBytes) -> None:
    layout = outline_of(open_bytes(BRANCHED)).layout("default")
    assert [(layout.start_of(place), layout.end_of(place)) for place in range(6)] == [
        (0, 1), (0, 1), (2, 3), (2, 3), (4, 5), (4, 5),
    ]  # fmt: skip


def test_a_hidden_leaf_stands_where_the_nearest_entry_above_it_is(open_bytes: OpenBytes) -> None:
    log = open_bytes(BRANCHED)
    log.append_label("u1", "start")
    outline = outline_of(log)
    layout = outline.layout("default")
    row = outline.leaf_row(layout)
    assert row is not None
    assert outline.ids[layout.numbers[row]] == "new-a"


def test_a_selection_that_is_hidden_goes_up_or_else_back_in_reading_order(open_bytes: OpenBytes) -> None:
    outline = outline_of(open_bytes(BRANCHED))

    def nearest(entry_id: str, *shown: str) -> str:
        layout = outline.layout("default", found=[outline.number(one) for one in shown])
        row = outline.nearest_row(entry_id, layout)
        assert row is not None
        return outline.ids[layout.numbers[row]]

    assert nearest("old-a", "u1", "new-a") == "u1"
    assert nearest("old-a", "new", "new-a") == "new-a"
    assert nearest("new", "old", "old-a") == "old"


def test_a_search_finds_every_word_in_any_case_in_text_label_and_tool(open_bytes: OpenBytes) -> None:
    data = lines(
        user_line("u1", None, "Fix the Parser please"),
        assistant_line("a1", "u1", call("c", "read", path="src/Lexer.py")),
        result_line("r1", "a1", "c", "class Token"),
        assistant_line("a2", "r1", text("the lexer is fine")),
        label_line("l1", "a2", "u1", "Good Start"),
    )
    outline = outline_of(open_bytes(data))
    search = OutlineSearch(outline)
    assert search.find("parser") == []
    for _ in search.gather():
        pass
    assert search.complete

    def find(query: str) -> list[str]:
        return [outline.ids[number] for number in search.find(query) or []]

    assert find("PARSER fix") == ["u1"]
    assert find("good parser") == ["u1"]
    assert find("lexer") == ["a1", "r1", "a2"]
    assert find("token") == ["r1"]
    assert find("parser lexer") == []
    assert search.find("  ") is None
    assert drawn(outline, found=search.find("lexer")) == ["r1", "a2"]


def test_an_entry_says_in_a_few_words_what_it_is(open_bytes: OpenBytes) -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    data = lines(
        message_line("u", None, {"role": "user", "content": [text("look"), image]}),
        assistant_line("a", "u", call("c", "read", path="src/x.py"), call("d", "bash", command="ls -l")),
        result_line("r", "a", "c", "content", isError=True),
        result_line("lost", "r", "nowhere"),
        assistant_line("stopped", "lost", text("half"), stopReason="aborted"),
        entry_line("model_change", "m", "stopped", '"provider":"p","modelId":"big"'),
        entry_line("to_come", "x", "m", '"payload":1'),
    )
    log = open_bytes(data)
    said = {entry_id: entry_text(log, entry_id) for entry_id in log.entry_ids}
    assert said["u"][:2] == ("user", "[image] look")
    assert said["a"][:2] == ("assistant", "read src/x.py · bash ls -l")
    assert said["r"] == ("read", "src/x.py", "content", True)
    assert said["lost"][:2] == ("read", "")
    assert said["stopped"][:2] == ("assistant", "half (stopped)")
    assert said["m"][:2] == ("model", "p/big")
    assert said["x"][:2] == ("to_come", "")
    assert call_of(log, "r") == ("read", {"path": "src/x.py"})


def test_the_last_label_of_an_entry_gives_its_time(open_bytes: OpenBytes) -> None:
    early = label_line("l1", "u1", "u1", "a")
    late = label_line("l2", "l1", "u1", "b").replace(b"03:04:06", b"03:05:00")
    log = open_bytes(lines(user_line("u1", None), early, late, label_line("l3", "l2", "l1", "x")))
    log.append_label("l1", None)
    assert label_times(log) == {"u1": 1767323100000}


def test_an_outline_goes_on_as_the_session_grows(open_bytes: OpenBytes) -> None:
    log = open_bytes(BRANCHED)
    outline = outline_of(log)
    assert not outline.update()
    for said in ("more", "and more"):
        log.append_message(UserMessage(said))
        log.append_message(AssistantMessage([ToolCall(said, "read", {})]))
        outline.update()
        fresh = outline_of(log)
        assert outline.order == fresh.order
        assert outline.active == fresh.active
        assert drawn(outline) == drawn(fresh)
    log.move_to("old-a")
    log.append_message(UserMessage("elsewhere"))
    outline.update()
    assert outline.order == outline_of(log).order


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(session_bytes(), st.data())
def test_any_tree_is_drawn_whole_and_parents_come_first(data: bytes, choice: st.DataObject) -> None:
    memory = SessionMemory.from_file("x", data)
    assert memory is not None
    log = SessionLog(memory, None)
    if log.entry_ids:
        log.move_to(choice.draw(st.sampled_from(log.entry_ids)))
    outline = outline_of(log)
    assert sorted(outline.order) == list(range(len(outline.ids)))
    places = {number: place for place, number in enumerate(outline.order)}
    assert all(parent < 0 or places[parent] < places[number] for number, parent in enumerate(outline.parents))
    for mode in FILTER_MODES:
        layout = outline.layout(mode)
        rows = [layout[place] for place in range(len(layout))]
        for row in rows:
            siblings = sum(other.parent == row.parent for other in rows)
            above = next((other for other in rows if other.number == row.parent), None)
            levels = len(above.guides) if above is not None else 0
            assert len(row.guides) == levels + (siblings > 1 and above is not None)
