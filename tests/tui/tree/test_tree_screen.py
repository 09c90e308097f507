"""The tree in a running app: rows, keys, filters, search, labels."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from pi_tui.llm.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_tui.session.log import SessionLog
from pi_tui.session.outline.kinds import FilterMode
from pi_tui.session.outline.outline import Outline
from pi_tui.tui.bar import Bar
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.terminal.clipboard import CopyReport
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.textual_theme import textual_theme
from pi_tui.tui.tree.age import age, clock_time
from pi_tui.tui.tree.rows import TreeRows
from pi_tui.tui.tree.screen import TreeDeeds, TreeScreen

PALETTE = discover_themes().palettes["dark"]


class HostApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        theme = textual_theme(PALETTE)
        self.register_theme(theme)
        self.theme = theme.name


class Shown:
    """The tree, what it asked for, and what is to be seen of it."""

    def __init__(self, pilot: Pilot[None], screen: TreeScreen) -> None:
        self.pilot, self.screen = pilot, screen
        self.press, self.pause = pilot.press, pilot.pause

    @property
    def rows(self) -> list[str]:
        rows = self.screen.query_one(TreeRows)
        strips = [rows.render_line(y) for y in range(rows.size.height)]
        assert {strip.cell_length for strip in strips} == {rows.size.width}
        return [strip.text.rstrip() for strip in strips if strip.text.strip()]

    @property
    def selected(self) -> str:
        return next(line for line in self.rows if line.startswith("❯"))

    @property
    def bars(self) -> str:
        return "\n".join(str(line) for bar in self.screen.query(Bar) for line in bar._lines)

    @property
    def open(self) -> bool:
        return self.pilot.app.screen is self.screen


class Deeds:
    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.chosen: list[str] = []
        self.copied: list[str] = []
        self.goes = True

    async def go_to(self, entry_id: str) -> bool:
        self.chosen.append(entry_id)
        return self.goes

    def label(self, entry_id: str, text: str) -> str | None:
        self.log.append_label(entry_id, text)
        return None

    async def copy(self, text: str) -> CopyReport:
        self.copied.append(text)
        return CopyReport(True, "copied 3 characters")


@pytest.fixture
def log(tmp_path: Path) -> SessionLog:
    """Two questions; a third one asked in two ways, the second of which is the active one."""
    log = SessionLog.create(tmp_path, None)
    log.append_message(UserMessage("find the bug"))
    log.append_message(AssistantMessage([ToolCall("c1", "read", {"path": "src/[b]x.py"})]))
    log.append_message(ToolResultMessage("c1", "read", [TextContent("import os")], is_error=False))
    fork = log.append_message(AssistantMessage([TextContent("It is in 日本語 line 3")]))
    log.append_message(UserMessage("mend it with a regex"))
    log.append_message(AssistantMessage([TextContent("mended badly")]))
    log.move_to(fork)
    log.append_message(UserMessage("mend it with a parser"))
    log.append_message(AssistantMessage([TextContent("mended well")]))
    return log


@pytest.fixture
def deeds(log: SessionLog) -> Deeds:
    return Deeds(log)


@asynccontextmanager
async def show(
    log: SessionLog, deeds: Deeds, size: tuple[int, int] = (80, 24), mode: FilterMode = "default"
) -> AsyncIterator[Shown]:
    outline = Outline(log)
    outline.update()
    actions = TreeDeeds(deeds.go_to, deeds.label, deeds.copy)
    screen = TreeScreen(outline, actions, palette=PALETTE, bindings=KeyBindings(), mode=mode)
    app = HostApp()
    async with app.run_test(size=size) as pilot:
        app.push_screen(screen)
        await pilot.pause()
        yield Shown(pilot, screen)


async def test_it_opens_at_the_leaf_with_the_active_path_marked(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        assert [line.rsplit("now", 1)[0].rstrip() for line in shown.rows] == [
            "  ▾ user: find the bug",
            "  • read src/[b]x.py",
            "  • assistant: It is in 日本語 line 3",
            "  ├─▾ user: mend it with a parser",
            "❯ │ ● assistant: mended well                                        ◂ here",
            "  └─▾ user: mend it with a regex",
            "      assistant: mended badly",
        ]
        assert "5/7" in shown.bars


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["up"], "with a parser"),
        (["down", "down"], "mended badly"),
        (["down"] * 9, "mended badly"),
        (["home"], "find the bug"),
        (["home", "end"], "mended badly"),
        (["home", "pagedown"], "mended badly"),
        (["left"], "find the bug"),
        (["left", "right"], "mended badly"),
        (["ctrl+left"], "with a parser"),
        (["home", "ctrl+right"], "line 3"),
        (["home", "ctrl+right", "ctrl+right"], "with a parser"),
    ],
    ids=str,
)
async def test_keys_move_the_selection(log: SessionLog, deeds: Deeds, keys: list[str], text: str) -> None:
    async with show(log, deeds) as shown:
        await shown.press(*keys)
        assert text in shown.selected


async def test_a_branch_folds_and_unfolds(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        await shown.press("up", "ctrl+left")
        assert "├─▸ user: mend it with a parser" in shown.selected
        assert not any("mended well" in line for line in shown.rows)
        assert "here" in shown.selected
        await shown.press("ctrl+right")
        assert any("mended well" in line for line in shown.rows)


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        (["ctrl+t"], 6),
        (["ctrl+u"], 3),
        (["ctrl+l"], 0),
        (["ctrl+a"], 8),
        (["ctrl+a", "ctrl+d"], 7),
        (["ctrl+u", "ctrl+u"], 7),
        (["ctrl+o"], 6),
        (["ctrl+o", "ctrl+o"], 3),
        (["ctrl+shift+o"], 8),
    ],
    ids=str,
)
async def test_filters(log: SessionLog, deeds: Deeds, keys: list[str], count: int) -> None:
    async with show(log, deeds) as shown:
        await shown.press(*keys)
        assert f"/{count}" in shown.bars
        if not count:
            assert shown.rows == ["  There is nothing that this filter shows"]
            await shown.press("enter", "ctrl+x", "L", "up", "ctrl+left", "ctrl+right")
            assert deeds.chosen == deeds.copied == []


async def test_the_setting_gives_the_first_filter(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds, mode="user-only") as shown:
        assert len(shown.rows) == 3


async def test_typing_searches_and_escape_clears_before_it_leaves(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        await shown.press(*"mend", "space", *"PARS")
        assert "Search: mend PARS" in shown.bars
        assert [line for line in shown.rows if "parser" in line] == shown.rows
        await shown.press("escape")
        assert shown.open
        assert len(shown.rows) == 7
        await shown.press("escape")
        assert not shown.open


async def test_a_search_may_have_the_letters_of_the_label_keys(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        await shown.press("i", "T", "L", "backspace", "backspace")
        assert "Search: i" in shown.bars
        await shown.press("backspace", "T")
        assert "Type to search" in shown.bars


async def test_a_label_is_given_shown_with_its_time_and_taken_away(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        await shown.press("up", "L", *"good", "enter")
        await shown.pause()
        assert "[good] user: mend it with a parser" in shown.selected
        await shown.press("T")
        assert "[good · " in shown.selected
        await shown.press("ctrl+l")
        assert len(shown.rows) == 1
        await shown.press("L", *["backspace"] * 4, "enter")
        await shown.pause()
        assert log.labels == {}
        assert shown.rows == ["  There is nothing that this filter shows"]


async def test_an_entry_is_copied_as_it_says(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        await shown.press("ctrl+x", "home", "down")
        await shown.press("ctrl+x")
        await shown.pause()
        assert deeds.copied == ["mended well", "import os"]
        assert "copied 3 characters" in shown.bars


async def test_enter_chooses_and_the_tree_stays_if_nothing_came_of_it(log: SessionLog, deeds: Deeds) -> None:
    deeds.goes = False
    async with show(log, deeds) as shown:
        await shown.press("up", "enter")
        await shown.pause()
        assert shown.open
        deeds.goes = True
        await shown.press("enter")
        await shown.pause()
        assert not shown.open
        assert [log.raw(chosen) for chosen in deeds.chosen] == [log.raw(log.entry_ids[-2])] * 2


async def test_what_a_run_appends_appears(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        log.append_message(UserMessage("and another thing"))
        shown.screen._look_for_news()
        assert any("another thing" in line and "here" in line for line in shown.rows)
        assert "mended well" in shown.selected


async def test_a_click_selects_and_a_double_click_chooses(log: SessionLog, deeds: Deeds) -> None:
    async with show(log, deeds) as shown:
        await shown.pilot.click(TreeRows, offset=(8, 0))
        assert "find the bug" in shown.selected
        await shown.pilot.click(TreeRows, offset=(8, 2), times=2)
        await shown.pause()
        assert deeds.chosen == [log.entry_ids[3]]


@pytest.mark.parametrize(
    ("size", "preview"), [((40, 10), False), ((80, 24), False), ((120, 40), True)], ids=str
)
async def test_a_preview_is_there_where_it_has_room(
    log: SessionLog, deeds: Deeds, size: tuple[int, int], preview: bool
) -> None:
    async with show(log, deeds, size) as shown:
        assert shown.screen.query_one("#preview").display is preview
        assert "mended well" in shown.selected
        if not preview:
            return
        shown.screen._show_preview()
        await shown.press("home", "down")
        shown.screen._show_preview()
        view = shown.screen._preview
        shown_text = "\n".join(block.text() for block in view.blocks)
        assert "src/[b]x.py" in shown_text
        assert "import os" in shown_text


async def test_a_long_entry_is_shown_in_full_once_its_preview_is_scrolled(
    log: SessionLog, deeds: Deeds
) -> None:
    log.append_message(UserMessage("\n".join(f"line {number}" for number in range(500))))
    async with show(log, deeds, (130, 30)) as shown:
        shown.screen._show_preview()
        (block,) = shown.screen._preview.blocks
        assert "line 499" not in block.text()
        assert "Shift+Down shows the rest" in block.text()
        await shown.press("shift+down")
        (block,) = shown.screen._preview.blocks
        assert "line 499" in block.text()


async def test_a_deep_tree_keeps_most_of_a_row_for_its_text(tmp_path: Path) -> None:
    log = SessionLog.create(tmp_path, None)
    at = log.append_message(UserMessage("root"))
    for number in range(40):
        log.move_to(at)
        log.append_message(UserMessage(f"dead end {number}"))
        log.move_to(at)
        at = log.append_message(UserMessage(f"step {number} with a long text that goes on and on"))
    async with show(log, Deeds(log), (60, 20)) as shown:
        assert "user: step 39 with a" in shown.selected
        await shown.press("home")
        assert "user: root" in shown.selected


def test_ages_take_few_cells() -> None:
    now = 1_800_000_000.0
    seconds = (5, 90, 3 * 3600, 26 * 3600, 15 * 86400, 800 * 86400)
    assert [age(now - one, now) for one in seconds] == ["now", "1m", "3h", "1d", "2w", "2y"]
    assert age(0, now) == clock_time(0, now) == ""
    assert len(clock_time(now - 60, now)) == 5
