"""How each kind of block looks, in each of its states."""

import base64
import struct

import pytest
from rich.cells import cell_len

from pi_tui.agent.events import PartialResult
from pi_tui.llm.messages import (
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserMessage,
)
from pi_tui.llm.stream import (
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.answer_block import AnswerBlock
from pi_tui.tui.transcript.bash_block import BashBlock
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.images import pixel_size
from pi_tui.tui.transcript.line import Look
from pi_tui.tui.transcript.note_blocks import (
    CustomBlock,
    HeaderBlock,
    HeaderSection,
    NoticeBlock,
    SummaryBlock,
)
from pi_tui.tui.transcript.prompt_block import PromptBlock
from pi_tui.tui.transcript.tool_block import ToolBlock, shown_duration

UNIFIED = "--- a/f.py\n+++ b/f.py\n@@ -1,3 +1,3 @@\n x\n-old = 1\n+new = 1\n y\n"


def shown(block: Block, look: Look) -> list[str]:
    return [line.text.rstrip() for line in block.lines(look)[block.margin :]]


def result(text: str, details: object = None) -> PartialResult:
    return PartialResult([TextContent(text)], details)


def tool(
    name: str, arguments: dict[str, object], text: str = "", *, error: bool = False, details: object = None
) -> ToolBlock:
    block = ToolBlock("c1", name, arguments)
    block.finish(result(text, details), error, 1_600)
    return block


def opened(look: Look) -> Look:
    return Look(look.width, look.palette, look.show_thinking, True)


def png(width: int, height: int) -> str:
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + bytes(200)
    ).decode()


# Prompts


def test_a_prompt_is_shown_as_it_was_written(look: Look) -> None:
    block = PromptBlock(UserMessage("fix **this**\n[red]please[/red]"))
    assert shown(block, look) == ["▌ fix **this**", "▌ [red]please[/red]"]


def test_a_prompt_lists_its_images(look: Look) -> None:
    block = PromptBlock(UserMessage([TextContent("look"), ImageContent(png(640, 480), "image/png")]))
    assert shown(block, look)[1] == "▌ ▣ image/png 640×480, 225 B"


def test_a_long_prompt_is_cut_until_it_is_opened(look: Look) -> None:
    block = PromptBlock(UserMessage("\n".join(f"line {n}" for n in range(100))))
    assert shown(block, look)[-1] == "▌ … 76 more lines (ctrl+o)"
    assert len(shown(block, opened(look))) == 100


def test_a_prompt_fills_the_width_with_its_background(look: Look) -> None:
    block = PromptBlock(UserMessage("hi"))
    (line,) = block.lines(look)[block.margin :]
    assert line.cell_length == look.width
    background = look.palette.style(bg="userMessageBg").bgcolor
    assert all(segment.style and segment.style.bgcolor == background for segment in line)


# Answers


def test_an_answer_grows_by_events_and_ends_as_the_message(look: Look) -> None:
    block = AnswerBlock()
    block.apply(ThinkingStart(0))
    block.apply(ThinkingDelta(0, "let me "))
    block.apply(ThinkingDelta(0, "see"))
    assert shown(block, look) == ["  let me see"]
    block.apply(ThinkingEnd(0, "let me see"))
    block.apply(TextStart(1))
    block.apply(TextDelta(1, "It is **bo"))
    assert shown(block, look) == ["  let me see", "", "  It is bo"]
    block.apply(TextDelta(1, "ld**"))
    block.apply(TextEnd(1, "It is **bold**"))
    message = AssistantMessage([ThinkingContent("let me see"), TextContent("It is **bold**")])
    block.finish(message)
    assert shown(block, look) == shown(AnswerBlock(message), look) == ["  let me see", "", "  It is bold"]


def test_what_the_end_says_counts_over_what_came(look: Look) -> None:
    block = AnswerBlock()
    block.apply(TextDelta(0, "half of"))
    block.finish(AssistantMessage([TextContent("the whole text")]))
    assert shown(block, look) == ["  the whole text"]


def test_a_call_that_is_being_written_is_announced(look: Look) -> None:
    block = AnswerBlock()
    block.apply(ToolCallStart(0, "c1", "write"))
    block.apply(ToolCallDelta(0, "x" * 2_500))
    assert shown(block, look) == ["○ write … 2.5 kB"]
    block.apply(ToolCallEnd(0, ToolCall("c1", "write", {})))
    assert not block.empty
    block.finish(AssistantMessage([ToolCall("c1", "write", {})]))
    assert block.empty
    assert shown(block, look) == []


def test_hidden_thinking_says_that_it_is_there(look: Look) -> None:
    hidden = Look(80, look.palette, show_thinking=False, keys=look.keys)
    block = AnswerBlock()
    block.apply(ThinkingDelta(0, "secret"))
    assert shown(block, hidden) == ["  Thinking … (ctrl+t shows)"]
    block.finish(AssistantMessage([ThinkingContent("secret"), TextContent("hi")]))
    assert shown(block, hidden) == ["  Thought (ctrl+t shows)", "", "  hi"]


def test_encrypted_thinking_is_named(look: Look) -> None:
    block = AnswerBlock(AssistantMessage([ThinkingContent("", "data", True)]))
    assert shown(block, look) == ["  Thinking, encrypted by the provider"]


@pytest.mark.parametrize(
    ("reason", "error", "last"),
    [
        ("aborted", "Request was aborted", "■ Interrupted"),
        ("error", "529 \x1b[31moverloaded [/x]", "✗ Error: 529 overloaded [/x]"),
        ("error", None, "✗ Error: The model gave no reason."),
        ("length", None, "■ Cut off: the model reached its output limit."),
    ],
)
def test_an_unusual_ending_is_shown_under_what_came(
    look: Look, reason: str, error: str | None, last: str
) -> None:
    message = AssistantMessage([TextContent("partial")], stop_reason=reason, error_message=error)
    assert shown(AnswerBlock(message), look) == ["  partial", "", last]


# Tools


@pytest.mark.parametrize(
    ("name", "arguments", "title"),
    [
        ("read", {"path": "a.py", "offset": 10, "limit": 11}, "read a.py:10-20"),
        ("read", {"path": "a.py", "offset": 5}, "read a.py:5-"),
        ("bash", {"command": "make\ntest"}, "$ make … 1 more lines"),
        ("bash", {"command": "make", "timeout": 5}, "$ make (timeout 5 s)"),
        ("edit", {"path": "a.py"}, "edit a.py"),
        ("write", {"path": "a.py", "content": "1\n2\n"}, "write a.py (2 lines)"),
        ("grep", {"pattern": "x+", "path": "src"}, "grep x+ in src"),
        ("ls", {"path": "src"}, "ls src"),
        ("fetch", {"url": "http://x", "n": 2}, 'fetch url="http://x" n=2'),
        ("read", {}, "read …"),
        ("bash", {"command": 5}, "$ 5"),
        ("read", {"path": ["x"], "offset": "a"}, "read …:1-"),
        ("x\x1b[31my", {"\x1b[2Jk": "[/b]"}, 'xy k="[/b]"'),
    ],
)
def test_titles(look: Look, name: str, arguments: dict[str, object], title: str) -> None:
    assert shown(ToolBlock("c1", name, arguments), look)[0] == f"○ {title}"


def test_the_home_folder_is_a_tilde(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_tui.tui.transcript.tool_titles._home", lambda: "/home/me")
    assert shown(ToolBlock("c1", "read", {"path": "/home/me/a"}), look) == ["○ read ~/a"]


def test_a_call_passes_through_its_states(look: Look) -> None:
    block = ToolBlock("c1", "bash", {"command": "make"})
    assert shown(block, look) == ["○ $ make"]
    block.start()
    assert shown(block, look) == ["● $ make"]
    assert block.ticking
    block.update(result("one\ntwo"))
    assert shown(block, look) == ["● $ make", "  │ one", "  │ two"]
    block.finish(result("done"), False, 1_600)
    assert shown(block, look) == ["✓ $ make 1.6s", "  │ done"]
    assert not block.ticking


def test_output_that_comes_late_changes_nothing(look: Look) -> None:
    block = tool("bash", {"command": "x"}, "end")
    block.update(result("late"))
    block.interrupt()
    assert shown(block, look) == ["✓ $ x 1.6s", "  │ end"]


def test_a_call_without_result_says_so(look: Look) -> None:
    block = ToolBlock("c1", "bash", {"command": "x"})
    block.interrupt()
    assert shown(block, look) == ["■ $ x no result"]
    running = ToolBlock("c1", "bash", {"command": "x"})
    running.update(result("so far"))
    running.interrupt()
    assert shown(running, look) == ["■ $ x interrupted", "  │ so far"]


def test_long_output_shows_its_end_until_it_is_opened(look: Look) -> None:
    block = tool("bash", {"command": "x"}, "\n".join(f"line {n}" for n in range(37)))
    assert shown(block, look)[1:] == [
        "  │ … 32 earlier lines (ctrl+o)",
        *[f"  │ line {n}" for n in range(32, 37)],
    ]
    assert len(shown(block, opened(look))) == 38


def test_a_block_the_user_closed_stays_closed(look: Look) -> None:
    block = tool("bash", {"command": "x"}, "a\n" * 50)
    block.open = False
    assert len(block.render(opened(look))) == 7


def test_a_failure_shows_output_and_reason(look: Look) -> None:
    block = tool("bash", {"command": "x"}, "out\n\nExit code 2.", error=True)
    assert shown(block, look) == ["✗ $ x 1.6s", "  │ out", "  │ Exit code 2."]
    error = look.palette.style("error").color
    last = list(block.lines(look)[-1])[-1]
    assert last.style is not None
    assert last.style.color == error


def test_coloured_output_is_taken_from_the_details(look: Look) -> None:
    block = tool("bash", {"command": "x"}, "ok", details={"ansi": "\x1b[32mok\x1b[0m"})
    assert list(block.lines(look)[-1])[-1].style.color.number == 2


def test_the_file_with_the_full_output_is_named(look: Look) -> None:
    block = tool("bash", {"command": "x"}, "end", details={"fullOutputPath": "/tmp/o.log"})
    assert shown(block, look)[-1] == "  │ Full output: /tmp/o.log"


def test_a_read_is_one_line_until_it_is_opened(look: Look) -> None:
    block = tool(
        "read", {"path": "a.py"}, "import x\n", details={"lines": {"first": 1, "last": 1, "total": 1}}
    )
    assert shown(block, look) == ["✓ read a.py (1 line) 1.6s"]
    assert shown(block, opened(look))[1:] == ["  │ import x"]


def test_an_edit_shows_its_diff(look: Look) -> None:
    block = tool("edit", {"path": "f.py"}, "ok", details={"diff": UNIFIED})
    assert shown(block, look) == [
        "✓ edit f.py +1 -1 1.6s",
        "  │ 1   x",
        "  │ 2 - old = 1",
        "  │ 2 + new = 1",
        "  │ 3   y",
    ]


def test_a_write_shows_the_first_lines_of_the_file(look: Look) -> None:
    block = tool("write", {"path": "f.py", "content": "\n".join(f"x{n}" for n in range(20))}, "ok")
    assert shown(block, look)[0] == "✓ write f.py (20 lines) 1.6s"
    assert shown(block, look)[-1] == "  │ … 12 more lines (ctrl+o)"


def test_images_of_a_result_are_a_line(look: Look) -> None:
    block = ToolBlock("c1", "read", {"path": "dir/shot.png"})
    block.finish(PartialResult([ImageContent(png(1_200, 800), "image/png")]), False)
    assert shown(block, look) == ["✓ read dir/shot.png", "  │ ▣ shot.png 1200×800, 225 B"]


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (150, "0.1s"),
        (1_600, "1.6s"),
        (2_000, "2s"),
        (12_345, "12s"),
        (185_000, "3m 05s"),
        (3_720_000, "1h 02m"),
    ],
)
def test_durations(milliseconds: int, text: str) -> None:
    assert shown_duration(milliseconds) == text


# The rest


def test_a_command_of_the_user_is_shown_live_and_as_stored(look: Look) -> None:
    block = BashBlock("ls")
    block.show("a\n")
    block.show("a\nb\n")
    assert shown(block, look) == ["▌ $ ls", "▌ a", "▌ b"]
    block.finish(BashExecutionMessage("ls", "a\nb\n", 3))
    assert shown(block, look) == ["▌ $ ls", "▌ a", "▌ b", "▌ Exit code 3"]


def test_a_command_outside_the_context_says_so(look: Look) -> None:
    message = BashExecutionMessage("ls", "", None, True, True, "/tmp/full", True)
    assert shown(BashBlock.stored(message), look) == [
        "▌ $ ls not sent to the model",
        "▌ Interrupted",
        "▌ Output was cut. Full output: /tmp/full",
    ]


def test_summaries_are_one_line_until_opened(look: Look) -> None:
    block = SummaryBlock(CompactionSummaryMessage("## Goal\nship it", 36_775))
    assert shown(block, look) == ["≡ Compacted from 36,775 tokens (ctrl+o)"]
    assert shown(block, opened(look)) == ["≡ Compacted from 36,775 tokens", "  Goal", "  ship it"]
    branch = SummaryBlock(BranchSummaryMessage("went wrong", None))
    assert shown(branch, look)[0].startswith("≡ Branch summary")


def test_a_custom_message_has_its_label(look: Look) -> None:
    block = CustomBlock(CustomMessage("review", "**fine**", True))
    assert shown(block, look) == ["◆ review", "  fine"]


def test_notices_have_their_sign(look: Look) -> None:
    assert shown(NoticeBlock("saved [/x]"), look) == ["· saved [/x]"]
    assert shown(NoticeBlock("bad\nworse", "error"), look) == ["✗ bad", "  worse"]


def test_the_header_shows_problems_in_full(look: Look) -> None:
    sections = [
        HeaderSection("Context", ["A.md", "B.md"]),
        HeaderSection("Problems", ["x.json: bad"], "warning"),
    ]
    block = HeaderBlock("pi 1.0", [("esc", "stop")], sections)
    assert shown(block, look) == [
        "  pi 1.0",
        "  esc stop",
        "  Context A.md, B.md",
        "",
        "  Problems",
        "    x.json: bad",
    ]
    assert "    A.md" in shown(block, opened(look))


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (b"GIF89a" + struct.pack("<HH", 3, 4), (3, 4)),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (4).to_bytes(3, "little") + (5).to_bytes(3, "little"), (5, 6)),
        (b"\xff\xd8\xff\xe0\0\x04\0\0\xff\xc0\0\x11\x08" + struct.pack(">HH", 8, 9) + bytes(20), (9, 8)),
        (b"\x89PNG", None),
        (b"nothing", None),
    ],
)
def test_pixel_sizes_come_from_the_head(head: bytes, size: tuple[int, int] | None) -> None:
    assert pixel_size(base64.b64encode(head).decode()) == size


HOSTILE = [
    "\x1b[31mred\x1b[0m \x1b]0;t\x07 \x1b[2J",
    "[bold]x[/bold] [/foo] [@click=app.bell]z[/]",
    "nul\x00bell\x07",
    "👨‍👩‍👧‍👦 🇩🇪 中文字 é e\u0301 ㅤㅤ✅",
    "x" * 100_000,
    "中" * 50_000,
    "a\tb\r\nc\rd",
    "\u202eevil\u2066",
    "\ud800 half",
    "",
    "\n\n\n",
]


def everything(text: str) -> list[Block]:
    failed = ToolBlock("1", "bash", {"command": text})
    failed.finish(result(text, {"ansi": text, "fullOutputPath": text}), True, 5)
    running = ToolBlock("1", text, {text: text})
    running.update(result(text))
    read = ToolBlock("1", "read", {"path": text})
    read.finish(result(text), False)
    edit = ToolBlock("1", "edit", {"path": text})
    edit.finish(result(text, {"diff": f"@@ -1 +1 @@\n-{text}\n+{text}"}), False)
    growing = AnswerBlock()
    growing.apply(TextDelta(0, text))
    growing.apply(ThinkingDelta(1, text))
    message = AssistantMessage(
        [TextContent(text), ThinkingContent(text)], stop_reason="error", error_message=text
    )
    return [
        PromptBlock(UserMessage(text)),
        AnswerBlock(message),
        growing,
        failed,
        running,
        read,
        edit,
        tool("write", {"path": text, "content": text}),
        BashBlock.stored(BashExecutionMessage(text, text, 1)),
        SummaryBlock(CompactionSummaryMessage(text, 1)),
        CustomBlock(CustomMessage(text, text, True)),
        NoticeBlock(text, "error"),
        HeaderBlock(text, [(text, text)], [HeaderSection(text, [text], "warning")]),
    ]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_text_breaks_a_block_or_the_terminal(number: int, palette: Palette) -> None:
    for block in everything(HOSTILE[number]):
        for width in (80,) if len(HOSTILE[number]) > 1_000 else (*range(1, 11), 80):
            for expanded in (False, True):
                for line in block.lines(Look(width, palette, True, expanded)):
                    assert line.cell_length <= width
                    assert cell_len(line.text) == line.cell_length
                    assert line.text.isprintable() or all(
                        ord(c) >= 0xA0 for c in line.text if not c.isprintable()
                    )
                    line.text.encode()
        assert isinstance(block.text(), str)
