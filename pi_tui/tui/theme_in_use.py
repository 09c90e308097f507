"""The theme the client shows: chosen, read anew when its file is saved, and following the terminal."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import App

from pi_tui.tui.terminal import modes
from pi_tui.tui.terminal.appearance import RGB, Appearance, TerminalColors, colors_from
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.textual_theme import textual_theme
from pi_tui.tui.theme.watch import ThemeWatch

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


class ThemeInUse:
    """Gives the client its colours; `app.setup` says which theme is meant, and `app.palette` which one is shown."""

    def __init__(self, app: "PiApp") -> None:
        self._app = app
        self._watch = ThemeWatch(app.session.services.agent_dir / "themes")

    def begin(self) -> Palette:
        """The palette to begin with. Before the client runs this costs nothing; later all style sheets are read."""
        setup = self._app.setup
        palette = setup.shelf.choose(setup.theme, setup.terminal)
        self._take(palette)
        return palette

    def show(self, name: str) -> None:
        """Uses the theme that a `theme` setting means, until another one is chosen."""
        setup = self._app.setup
        setup.theme = name
        palette = setup.shelf.choose(name, setup.terminal)
        if palette is not self._app.palette:
            self._use(palette)

    async def reload(self) -> None:
        """Reads the theme files anew, and uses what the settings say now."""
        setup, services = self._app.setup, self._app.session.services
        if setup.find_themes is not None:
            setup.shelf = await asyncio.to_thread(setup.find_themes, services)
        self.show(setup.theme_option or services.settings.theme)

    def look_at_file(self) -> None:
        """Reads the theme in use anew when its file was saved."""
        app = self._app
        if app.setup.find_themes is not None and self._watch.changed(app.palette.name):
            app.run_worker(self._reload_file(), group="theme", exclusive=True)

    async def _reload_file(self) -> None:
        """Shows a theme that was just saved; while its file is not right, the colours stay."""
        app = self._app
        assert app.setup.find_themes is not None
        shelf = await asyncio.to_thread(app.setup.find_themes, app.session.services)
        if app.palette.name in shelf.palettes:
            app.setup.shelf = shelf
            self._use(shelf.palettes[app.palette.name])
        elif shelf.problems:
            app.status.remark(str(shelf.problems[-1]), "warning")

    def terminal_became(self, appearance: Appearance) -> None:
        """The user made the terminal light or dark: what its colours are now, it has to tell."""
        terminal = self._app.setup.terminal
        if terminal.background is None:
            self._look_like(replace(terminal, appearance=appearance))
        if self._app._driver is not None:
            self._app._driver.write(modes.COLOR_QUERIES + modes.DEVICE_ATTRIBUTES_QUERY)

    def terminal_told(self, replies: Sequence[tuple[str, RGB]]) -> None:
        told = colors_from(replies, os.environ)
        # The environment does not say it twice: Textual takes NO_COLOR out of it.
        self._look_like(replace(told, colourless=self._app.setup.terminal.colourless))

    def _look_like(self, terminal: TerminalColors) -> None:
        self._app.setup.terminal = terminal
        self.show(self._app.setup.theme)

    def _use(self, palette: Palette) -> None:
        app = self._app
        app.palette = palette
        self._take(palette)
        app.transcript.palette = palette
        app.editor.set_palette(palette)
        app.status.set_palette(palette)
        app.follower.refresh_footer()

    def _take(self, palette: Palette) -> None:
        theme = textual_theme(palette)
        self._app.register_theme(theme)
        if self._app.theme == theme.name:
            # Other colours under the same name: a theme that was saved, or the terminal's own.
            self._app.mutate_reactive(App.theme)
        else:
            self._app.theme = theme.name
