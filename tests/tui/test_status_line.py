"""The status line in the running client: what waits, and what is said until the next key."""

from pathlib import Path

import pytest

from pi_tui.tui.app import PiApp
from tests.tui.test_find import client, until


def status(app: PiApp) -> list[str]:
    return [line.plain.strip() for line in app.status._lines]


@pytest.mark.parametrize(
    ("height", "rows"),
    [
        (24, ["", "next: one", "next: two", "later: three", "alt+up takes them back"]),
        (10, ["", "3 waiting, alt+up takes them back"]),
        (5, [""]),
    ],
)
async def test_what_waits_leaves_room_to_write(tmp_path: Path, height: int, rows: list[str]) -> None:
    async with client(tmp_path, size=(60, height)) as (app, pilot):
        app.status.remark("")
        app.status.show_queue(["one", "two"], ["three"])
        await until(pilot, lambda: status(app) == rows)
        await until(pilot, lambda: app.editor.region.bottom <= height and app.editor.region.height == 3)


async def test_many_that_wait_are_counted(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, _):
        app.status.show_queue([f"text {number}" for number in range(9)], [])
        assert status(app)[1:] == [
            *(f"next: text {number}" for number in range(4)),
            "… 5 more, alt+up takes them back",
        ]


async def test_how_to_leave_is_said_until_the_next_key(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await pilot.press("ctrl+c")
        assert status(app) == ["ctrl+c again leaves"]
        await pilot.press("x")
        assert status(app) == [""]


async def test_end_in_an_empty_editor_goes_to_the_end_of_the_conversation(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        app.transcript.home()
        await pilot.press("a", "end")
        assert not app.transcript.following
        await pilot.press("backspace", "end")
        assert app.transcript.following
