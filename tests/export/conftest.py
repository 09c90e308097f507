"""A browser, where there is one."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NO_BROWSER = "needs Debian's chromium (apt-get install chromium) and the Python package playwright"
Opener = Callable[..., Any]


class Watched:
    """A page, and what it did that it should not."""

    def __init__(self, page: Any, own: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()))
        page.on("popup", lambda other: self.complaints.append(f"popup: {other.url}"))
        page.on("request", lambda request: self._note(request.url, own))

    def _note(self, url: str, own: str) -> None:
        if not url.startswith((own, "data:image/")):
            self.complaints.append(f"request: {url[:200]}")


@pytest.fixture(scope="module")  # While it lasts, no test of its process can have an event loop of its own.
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        pytest.skip(NO_BROWSER)
    if chromium is None:
        pytest.skip(NO_BROWSER)
    home = str(tmp_path_factory.mktemp("browser"))
    folders = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), home)
    # Root cannot have the browser's sandbox; for everybody else it stays.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=arguments, env={**os.environ, **folders}
            )
        except Error as error:
            pytest.skip(f"chromium does not start here: {error.message.splitlines()[0]}")
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Opener]:
    """Opens a file: `open_page(path, fragment="#…", width=…, color_scheme=…)`; each has a context of its own."""
    contexts: list[Any] = []

    def opened(path: Path, fragment: str = "", width: int = 1280, **context: Any) -> Watched:
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **context))
        watched = Watched(contexts[-1].new_page(), path.as_uri())
        watched.page.goto(path.as_uri() + fragment)
        watched.page.wait_for_selector("#stretches > *", state="attached")
        return watched

    yield opened
    for one in contexts:
        one.close()
