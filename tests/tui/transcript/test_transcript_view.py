"""The widget in a running app: following, scrolling, opening, selecting, searching, and not doing too much."""

import asyncio
import subprocess
import sys
from collections.abc import Callable

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.screen import Screen

from pi_tui.agent.events import PartialResult
from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.llm.stream import TextDelta
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.answer_block import AnswerBlock
from pi_tui.tui.transcript.block import Block, BlockGroup, LazyBlock
from pi_tui.tui.transcript.line import KeyHints
from pi_tui.tui.transcript.note_blocks import NoticeBlock
from pi_tui.tui.transcript.prompt_block import PromptBlock
from pi_tui.tui.transcript.tool_block import ToolBlock
from pi_tui.tui.transcript.view import Transcript


class Window(App[None]):
    CSS = "Screen { background: #101010; } Transcript { height: 1fr; }"

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.transcript = Transcript(palette)
        self.transcript.keys = KeyHints("ctrl+o", "ctrl+t")
        self.told: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_transcript_follow_changed(self, message: Transcript.FollowChanged) -> None:
        self.told.append((message.following, message.behind))

    def on_transcript_selected(self, message: Transcript.Selected) -> None:
        self.told.append(message.text)


@pytest.fixture
def window(palette: Palette) -> Window:
    return Window(palette)


def prompts(count: int) -> list[Block]:
    return [PromptBlock(UserMessage(f"prompt {number}")) for number in range(count)]


def output(lines: int, call_id: str = "c1") -> ToolBlock:
    block = ToolBlock(call_id, "bash", {"command": "run"})
    block.finish(PartialResult([TextContent("\n".join(f"line {n}" for n in range(lines)))]), False)
    return block


def screen(window: Window) -> list[str]:
    strips = window.screen._compositor.render_strips()
    return [
        "".join(segment.text for segment in strip)[: window.transcript.virtual_size.width].rstrip()
        for strip in strips
    ]


def counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[int]:
    """Counts the calls of a method; the list has one element per call."""
    calls: list[int] = []
    original: Callable[..., object] = getattr(owner, name)

    def counting(*args: object, **kwargs: object) -> object:
        calls.append(1)
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, counting)
    return calls


async def shown(pilot: Pilot[None]) -> list[str]:
    """The screen once everything that changed has been painted."""
    window = pilot.app
    assert isinstance(window, Window)
    window.transcript._flush()
    await pilot.pause()
    return screen(window)


async def test_it_opens_at_the_end(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(100))
        assert (await shown(pilot))[-1] == "▌ prompt 99"
        assert window.transcript.following


async def test_it_may_be_filled_before_it_is_mounted(window: Window) -> None:
    window.transcript.extend(prompts(100))
    async with window.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert screen(window)[-1] == "▌ prompt 99"


async def test_a_short_conversation_starts_at_the_top(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(2))
        assert await shown(pilot) == ["▌ prompt 0", "", "▌ prompt 1", *[""] * 7]


async def test_scrolling_up_stops_following_and_end_resumes(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        transcript = window.transcript
        transcript.extend(prompts(100))
        await shown(pilot)
        transcript.page_up()
        before = await shown(pilot)
        transcript.append(NoticeBlock("something new"))
        assert await shown(pilot) == before
        assert (transcript.following, transcript.behind) == (False, True)
        transcript.end()
        assert (await shown(pilot))[-1] == "· something new"
        assert (transcript.following, transcript.behind) == (True, False)
        assert window.told == [(False, False), (False, True), (True, False)]


async def test_the_wheel_scrolls_and_goes_no_further(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(100))
        before = await shown(pilot)
        await pilot._post_mouse_events([_wheel_up()], Transcript, offset=(5, 5))
        await pilot.pause()
        assert screen(window)[3:] == before[:-3]
        await pilot._post_mouse_events([_wheel_down()], Transcript, offset=(5, 5))
        await pilot.pause()
        assert screen(window) == before


def _wheel_up() -> type:
    from textual.events import MouseScrollUp

    return MouseScrollUp


def _wheel_down() -> type:
    from textual.events import MouseScrollDown

    return MouseScrollDown


async def test_home_and_end(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(1_000))
        window.transcript.home()
        assert (await shown(pilot))[0] == "▌ prompt 0"
        window.transcript.end()
        assert (await shown(pilot))[-1] == "▌ prompt 999"


async def test_jumping_from_prompt_to_prompt(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        blocks: list[Block] = []
        for number in range(20):
            blocks += [PromptBlock(UserMessage(f"prompt {number}")), output(30, str(number))]
        window.transcript.extend(blocks)
        await shown(pilot)
        assert window.transcript.jump_to_prompt(-1)
        assert window.transcript.jump_to_prompt(-1)
        assert "▌ prompt 17" in (await shown(pilot))[:2]
        assert window.transcript.jump_to_prompt(1)
        assert "▌ prompt 18" in (await shown(pilot))[:2]


async def test_everything_opens_and_closes_at_once(window: Window) -> None:
    async with window.run_test(size=(40, 30)) as pilot:
        window.transcript.append(output(20))
        assert "  │ … 15 earlier lines (ctrl+o)" in await shown(pilot)
        assert window.transcript.toggle_expanded()
        assert "  │ line 0" in await shown(pilot)
        assert not window.transcript.toggle_expanded()
        assert "  │ line 0" not in await shown(pilot)


async def test_a_click_opens_one_block_and_a_click_on_its_title_closes_it(window: Window) -> None:
    async with window.run_test(size=(40, 30)) as pilot:
        window.transcript.extend([output(12, "a"), output(12, "b")])
        rows = await shown(pilot)
        assert rows.count("  │ line 0") == 0
        await pilot.click(Transcript, offset=(8, 1))
        await pilot.pause()
        assert screen(window).count("  │ line 0") == 1
        await pilot.click(Transcript, offset=(8, 5))
        await pilot.pause()
        assert screen(window).count("  │ line 0") == 1
        await pilot.click(Transcript, offset=(8, 0))
        await pilot.pause()
        assert screen(window) == rows


async def test_a_click_opens_a_block_within_a_lazy_one(window: Window) -> None:
    async with window.run_test(size=(40, 30)) as pilot:
        window.transcript.append(LazyBlock(100, lambda: output(12)))
        await shown(pilot)
        await pilot.click(Transcript, offset=(8, 1))
        await pilot.pause()
        assert "  │ line 0" in screen(window)


async def drag(pilot: Pilot[None], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(Transcript, offset=start)
    await pilot.hover(Transcript, offset=end)
    await pilot.mouse_up(Transcript, offset=end)
    await pilot.pause()


async def test_dragging_selects_text_without_decoration(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        answer = AnswerBlock(
            AssistantMessage([TextContent("one two three four five six seven eight nine ten")])
        )
        window.transcript.extend([PromptBlock(UserMessage("first prompt")), answer])
        await shown(pilot)
        await drag(pilot, (8, 0), (8, 3))
        assert window.told == ["prompt\n\none two three four five six seven eight n"]
        assert window.transcript.selected_text == window.told[0]
        assert window.screen.get_selected_text() == window.told[0]


async def test_a_drag_opens_nothing(window: Window) -> None:
    async with window.run_test(size=(40, 20)) as pilot:
        window.transcript.append(output(12))
        rows = await shown(pilot)
        await drag(pilot, (4, 2), (9, 2))
        assert screen(window) == rows
        assert window.told == ["line 7"]


async def test_the_selection_is_visible(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.append(NoticeBlock("select me"))
        await shown(pilot)
        await drag(pilot, (2, 0), (7, 0))
        background = window.transcript.palette.style(bg="selectedBg").bgcolor
        strip = window.transcript.render_lines(window.transcript.size.region)[0]
        assert [s.text for s in strip if s.style and s.style.bgcolor == background] == ["select"]


async def test_a_selection_stays_at_its_text_while_more_comes(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(20))
        await shown(pilot)
        await drag(pilot, (2, 9), (9, 9))
        window.transcript.extend(prompts(20))
        await shown(pilot)
        assert window.transcript.selected_text == "prompt 1"


async def test_a_double_click_selects_a_word_and_a_triple_one_the_line(window: Window) -> None:
    async with window.run_test(size=(30, 10)) as pilot:
        window.transcript.append(NoticeBlock("see src/main.py:10 for the rest of it, which wraps"))
        await shown(pilot)
        await pilot.click(Transcript, offset=(8, 0), times=2)
        assert window.told[-1] == "src/main.py:10"
        await pilot.click(Transcript, offset=(8, 1), times=3)
        assert window.told[-1] == "see src/main.py:10 for the rest of it, which wraps"


async def test_searching_goes_from_match_to_match(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        blocks = prompts(300)
        blocks[50] = NoticeBlock("the needle one")
        blocks[200] = NoticeBlock("Needle two")
        window.transcript.extend(blocks)
        await shown(pilot)
        assert await window.transcript.search("needle")
        assert "· Needle two" in await shown(pilot)
        assert await window.transcript.search_next(-1)
        assert "· the needle one" in await shown(pilot)
        assert await window.transcript.search_next(-1)
        assert "· Needle two" in await shown(pilot)
        assert not await window.transcript.search("nothing like it")


async def test_matches_are_marked_until_the_search_ends(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.append(NoticeBlock("a needle and a needle"))
        await shown(pilot)
        await window.transcript.search("needle")
        background = window.transcript.palette.style(bg="searchMatchBg").bgcolor

        def marked() -> list[str]:
            strip = window.transcript.render_lines(window.transcript.size.region)[0]
            return [s.text for s in strip if s.style and s.style.bgcolor == background]

        assert marked() == ["needle", "needle"]
        await window.transcript.search("")
        assert marked() == []


@pytest.mark.parametrize("lazy", [False, True])
async def test_a_match_in_collapsed_output_opens_it(window: Window, lazy: bool) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        block: Block = LazyBlock(100, lambda: BlockGroup([output(50)])) if lazy else output(50)
        window.transcript.extend([block, *prompts(20)])
        await shown(pilot)
        assert await window.transcript.search("line 13")
        assert "  │ line 13" in await shown(pilot)


async def test_thinking_can_be_hidden(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        from pi_tui.llm.messages import ThinkingContent

        window.transcript.append(AnswerBlock(AssistantMessage([ThinkingContent("hmm")])))
        assert "  hmm" in await shown(pilot)
        window.transcript.show_thinking = False
        assert "  Thought (ctrl+t shows)" in await shown(pilot)


async def test_a_new_palette_recolours_what_is_on_screen(window: Window, other_palette: Palette) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(3))
        await shown(pilot)
        window.transcript.palette = other_palette
        await shown(pilot)
        strip = window.transcript.render_lines(window.transcript.size.region)[0]
        assert next(iter(strip)).style.bgcolor == other_palette.style(bg="userMessageBg").bgcolor


async def test_any_size_of_the_terminal_works_while_it_grows(window: Window) -> None:
    async with window.run_test(size=(100, 40)) as pilot:
        answer = AnswerBlock()
        window.transcript.extend([*prompts(20), output(30), answer])
        for size in ((200, 60), (20, 5), (8, 3), (2, 1), (1, 1), (120, 40)):
            answer.apply(TextDelta(0, "| a | b |\n|---|---|\n| 中文 | ✅ |\n\n```py\nx = 1\n```\n"))
            window.transcript.changed(answer)
            await pilot.resize_terminal(*size)
            window.transcript._flush()
            width = window.transcript.size.width
            for strip in window.transcript.render_lines(window.transcript.size.region):
                assert strip.cell_length == width
        assert (await shown(pilot))[-1].strip() == "│ x = 1"


async def test_only_the_screen_is_rendered_of_many_blocks(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        built: list[int] = []

        def build(number: int) -> Block:
            built.append(number)
            return NoticeBlock(f"notice {number}")

        window.transcript.extend(
            LazyBlock(20, lambda number=number: build(number)) for number in range(20_000)
        )
        assert (await shown(pilot))[-1] == "· notice 19999"
        assert len(built) <= 12
        window.transcript.home()
        assert (await shown(pilot))[0] == "· notice 0"
        assert len(built) <= 24


async def test_growing_text_lays_out_nothing(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        answer = AnswerBlock()
        window.transcript.append(answer)
        await shown(pilot)
        layouts = counted(monkeypatch, Screen, "_refresh_layout")
        for number in range(30):
            answer.apply(TextDelta(0, f"line {number}\n\n"))
            window.transcript.changed(answer)
            assert (await shown(pilot))[-1] or number < 9
        assert layouts == []
        assert window.transcript.virtual_size.height == 59


async def test_many_changes_are_one_repaint(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        answer = AnswerBlock()
        window.transcript.append(answer)
        await shown(pilot)
        renders = counted(monkeypatch, AnswerBlock, "render")
        for _ in range(1_000):
            answer.apply(TextDelta(0, "word "))
            window.transcript.changed(answer)
        async with asyncio.timeout(30):
            while not renders:
                await pilot.pause()
        await pilot.pause()
        assert len(renders) <= 2


async def test_a_change_off_screen_renders_nothing(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        call = ToolBlock("c1", "bash", {"command": "x"})
        window.transcript.extend([call, *prompts(50)])
        before = await shown(pilot)
        renders = counted(monkeypatch, ToolBlock, "render")
        call.update(PartialResult([TextContent("out")]))
        window.transcript.changed(call)
        assert await shown(pilot) == before
        assert renders == []


async def test_blocks_can_be_taken_out_again(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        blocks = prompts(3)
        window.transcript.extend(blocks)
        window.transcript.discard(blocks[1])
        assert (await shown(pilot))[:3] == ["▌ prompt 0", "", "▌ prompt 2"]
        window.transcript.clear()
        assert await shown(pilot) == [""] * 10
        window.transcript.append(NoticeBlock("again"))
        assert (await shown(pilot))[0] == "· again"


async def test_positions_are_told_to_the_selection(window: Window) -> None:
    async with window.run_test(size=(40, 10)) as pilot:
        window.transcript.extend(prompts(100))
        await shown(pilot)
        _, first = window.screen.get_widget_and_offset_at(4, 0)
        _, last = window.screen.get_widget_and_offset_at(4, 9)
        assert isinstance(first, Offset)
        assert isinstance(last, Offset)
        assert first.y < last.y
        assert (first.x, last.x) == (4, 4)


def test_the_widget_loads_no_parser_before_it_is_needed() -> None:
    code = (
        "import sys, pi_tui.tui.transcript.view, pi_tui.tui.transcript.from_messages;"
        "print([m for m in ('markdown_it', 'pygments', 'PIL') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
