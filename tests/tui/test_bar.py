from rich.text import Text
from textual.app import App, ComposeResult

from pi_tui.tui.bar import Bar


class BarApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Bar()


async def test_a_line_of_one_style_has_that_style() -> None:
    app = BarApp()
    async with app.run_test(size=(20, 3)) as pilot:
        bar = app.query_one(Bar)
        bar.show([Text("failed", "red")])
        await pilot.pause()
        first = next(iter(bar.render_line(0)))
        assert first.text == "failed"
        assert first.style is not None
        assert first.style.color is not None
        assert first.style.color.name == "red"
