"""Pickers and dialogs in a running app."""

from contextlib import asynccontextmanager

import pytest
from textual.app import App
from textual.widgets import Input

from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.dialogs import ConfirmDialog, TextDialog
from pi_tui.tui.picker.list import PickerItem, PickerList
from pi_tui.tui.picker.picker import Picker, PickerKey
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.textual_theme import textual_theme

PALETTE = discover_themes().palettes["light"]
LOOK = {"palette": PALETTE, "bindings": KeyBindings()}
NOTHING = object()
FRUIT = [
    PickerItem(name, name, f"[b]about[/] {name}") for name in ("apple", "banana", "cherry", "date", "elder")
]


class HostApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        theme = textual_theme(PALETTE)
        self.register_theme(theme)
        self.theme = theme.name


class Shown:
    def __init__(self, pilot, screen) -> None:
        self.press, self.pause, self.screen, self.result = pilot.press, pilot.pause, screen, NOTHING

    @property
    def rows(self) -> list[str]:
        rows = self.screen.query_one(PickerList)
        return [rows.render_line(y).text for y in range(rows.size.height)]

    @property
    def labels(self) -> list[str]:
        return [item.label for item in self.screen.query_one(PickerList).items]


@asynccontextmanager
async def show(screen, size=(80, 24)):
    app = HostApp()
    async with app.run_test(size=size) as pilot:
        shown = Shown(pilot, screen)

        def take(result: object) -> None:
            shown.result = result

        app.push_screen(screen, take)
        await pilot.pause()
        yield shown


@pytest.mark.parametrize(
    ("keys", "result"),
    [
        (["enter"], "banana"),
        (["down", "enter"], "cherry"),
        (["up", "up", "enter"], "elder"),
        (["end", "enter"], "elder"),
        (["home", "enter"], "apple"),
        (["pagedown", "enter"], "elder"),
        (["pagedown", "pageup", "enter"], "apple"),
        (["d", "a", "enter"], "date"),
        (["e", "end", "backspace", "enter"], "apple"),
        (["escape"], None),
        (["ctrl+c"], None),
    ],
    ids=str,
)
async def test_one_is_chosen_by_keys(keys, result):
    async with show(Picker("Fruit", FRUIT, current="banana", **LOOK)) as shown:
        await shown.press(*keys)
        await shown.pause()
        assert shown.result == result


async def test_typing_filters_by_label_description_and_more():
    items = [PickerItem(1, "one", "uno"), PickerItem(2, "two", "dos", search="zwei"), PickerItem(3, "three")]
    async with show(Picker("Numbers", items, **LOOK)) as shown:
        await shown.press(*"zwei")
        assert shown.labels == ["two"]
        await shown.press("ctrl+u", *"uno")
        assert shown.labels == ["one"]
        await shown.press("x")
        assert shown.labels == []
        assert "Nothing fits" in shown.rows[0]
        await shown.press("enter")
        assert shown.result is NOTHING


async def test_foreign_text_is_shown_as_it_is():
    items = [PickerItem(1, "[red]a[/red] \x1b[31m\nb", "[/nope]")]
    async with show(Picker("[bold]Title[/] [", items, **LOOK)) as shown:
        assert "[red]a[/red]  [31m b" in shown.rows[0]
        assert "[/nope]" in shown.rows[0]


async def test_further_keys_act_on_the_chosen_item_and_leave_it_open():
    done = []
    key = PickerKey("ctrl+s", "save", lambda picker, value: done.append(value))
    async with show(Picker("Fruit", FRUIT, keys=[key], **LOOK)) as shown:
        await shown.press("down", "ctrl+s")
        assert done == ["banana"]
        assert shown.result is NOTHING
        assert "Ctrl+S save" in shown.screen.hint()


async def test_items_can_come_later_and_the_choice_stays():
    async with show(Picker("Fruit", FRUIT[:2], **LOOK)) as shown:
        await shown.press("down")
        shown.screen.set_items([PickerItem("first", "first"), *FRUIT])
        await shown.pause()
        assert shown.screen.chosen == "banana"
        assert len(shown.rows) == 6


async def test_a_click_chooses():
    picker = Picker("Fruit", FRUIT, **LOOK)
    app = HostApp()
    results = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(picker, results.append)
        await pilot.pause()
        await pilot.click(PickerList, offset=(5, 2))
        await pilot.pause()
    assert results == ["cherry"]


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (20, 5), (8, 3)])
async def test_it_fits_any_terminal(size):
    items = [
        PickerItem(number, f"provider/model-{number}", "a long description " * 5) for number in range(50)
    ]
    async with show(Picker("Model", items, current=30, **LOOK), size) as shown:
        rows = shown.screen.query_one(PickerList)
        assert all(rows.render_line(y).cell_length == rows.size.width for y in range(rows.size.height))
        assert any("❯" in row for row in shown.rows)
        await shown.press("end", "enter")
        assert shown.result == 49


async def test_ten_thousand_items_are_measured_only_where_they_are_seen():
    measured = []

    class Label(str):
        __slots__ = ()

        def __len__(self) -> int:
            measured.append(self)
            return super().__len__()

    items = [PickerItem(number, Label(f"item {number}"), "x") for number in range(10_000)]
    async with show(Picker("Many", items, current=9_999, **LOOK)) as shown:
        assert len(set(measured)) < 1_000
        await shown.press(*"item 123", "enter")
        assert shown.result == 123


@pytest.mark.parametrize(("key", "result"), [("y", True), ("enter", True), ("n", False), ("escape", False)])
async def test_a_question_is_answered_with_one_key(key, result):
    async with show(ConfirmDialog("Delete?", "[red]really[/]", **LOOK)) as shown:
        await shown.press("x", key)
        await shown.pause()
        assert shown.result is result


async def test_a_line_of_text_is_asked_for():
    async with show(TextDialog("Name", value="old", **LOOK)) as shown:
        await shown.press("e", "r", "enter")
        await shown.pause()
        assert shown.result == "older"


async def test_word_keys_work_in_the_line():
    async with show(TextDialog("Name", value="one two three", **LOOK)) as shown:
        await shown.press("alt+backspace", "alt+b", "alt+d", "enter")
        await shown.pause()
        assert shown.result == "one "


async def test_a_secret_is_not_shown():
    async with show(TextDialog("Key", secret=True, **LOOK)) as shown:
        await shown.press(*"sk-1")
        assert shown.screen.query_one(Input).password
        await shown.press("escape")
        await shown.pause()
        assert shown.result is None


async def test_what_reaches_a_picker_that_is_closed_ends_nothing() -> None:
    picker = Picker("fruit", FRUIT, **LOOK)
    async with show(picker) as shown:
        await shown.press("escape")
        while picker.is_attached:
            await shown.pause()
        picker.set_title("more fruit")
        picker.set_items(FRUIT[:2])
