"""Takes pictures of the client for the documentation: `python scripts/make_images.py [name …]`.

The real program runs with the demo model in a pseudo-terminal; its screen becomes an SVG, and `rsvg-convert`
makes a PNG of it in `docs/images/`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import pyte
from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scripts.every_block import write_session  # noqa: E402
from tests.e2e.terminal import Terminal  # noqa: E402

IMAGES = ROOT / "docs" / "images"
FONT = "DejaVu Sans Mono"
FONT_SIZE = 16
CELL_WIDTH, CELL_HEIGHT = 9.632, 18.625
"""Pixels: the font's advance and its line height, so that lines drawn with characters join."""
MARGIN = 14
SECONDS = 60.0

DARK, LIGHT, SOLARIZED = "12161c", "fbfaf7", "002b36"
THEME_ROWS = 94
ANSI = {
    "black": "2e3440",
    "red": "d0606a",
    "green": "8fb573",
    "brown": "d9b85f",
    "blue": "6f9bd1",
    "magenta": "b58ac0",
    "cyan": "72b5bd",
    "white": "d8dee9",
}
"""pyte's names of the eight colours, for text in the terminal's own palette."""

FILES = {
    "README.md": "# Tea timer\n\nTells when the tea is ready.\n\n```\npython tea.py green\n```\n",
    "tea.py": "MINUTES = {'green': 2, 'black': 4, 'herbs': 8}\n",
    "test_tea.py": "from tea import MINUTES\n\n\ndef test_green():\n    assert MINUTES['green'] < 3\n",
}


@dataclass(frozen=True)
class Scene:
    """A picture: how the client is started, and what is done before it is taken."""

    arguments: tuple[str, ...]
    act: Callable[[Terminal], None]
    columns: int = 104
    rows: int = 34
    background: str = DARK
    zoom: float = 1.5
    every_block: bool = False
    """Whether a session with a block of every kind is there to be opened, and a model that never answers."""


def take_tour(until: str) -> Callable[[Terminal], None]:
    """Asks the demo to show itself, and waits until the screen shows `until`."""

    def act(terminal: Terminal) -> None:
        terminal.submit("Show me around")
        terminal.wait_for(until, SECONDS)

    return act


def whole_tour(terminal: Terminal) -> None:
    take_tour("And now it runs")(terminal)
    terminal.wait_until_silent(2.0, SECONDS)


def tools_expanded(terminal: Terminal) -> None:
    whole_tour(terminal)
    terminal.press("ctrl+o")
    terminal.wait_until_silent(0.5, SECONDS)
    terminal.press("pageup")
    terminal.wait_until_silent(0.5, SECONDS)


def first_paint(terminal: Terminal) -> None:
    terminal.wait_until_silent(1.0, SECONDS)


def every_block(terminal: Terminal) -> None:
    """Lets the model work, with one message that steers it and one that waits for its end."""
    terminal.submit("Now add a sound at the end.")
    terminal.wait_for("Working", SECONDS)
    terminal.submit("A quiet one, please.")
    terminal.send("Then write the README.")
    terminal.press("alt+enter")
    terminal.wait_for("Then write", SECONDS)
    terminal.send("What is not sent yet stands here")
    terminal.wait_for("stands here", SECONDS)


def theme(name: str, background: str) -> Scene:
    arguments = ("--session", "../every-block.jsonl", "--use-theme", name)
    return Scene(arguments, every_block, rows=THEME_ROWS, background=background, zoom=0.9, every_block=True)


THEMES = {
    "dark": DARK,
    "light": LIGHT,
    "high-contrast": "000000",
    "colour-blind": DARK,
    "system": SOLARIZED,
}

SCENES = {
    "welcome": Scene((), first_paint, rows=28),
    "demo": Scene(("--demo",), take_tour("The screen shows the difference")),
    "tools": Scene(("--demo",), tools_expanded, rows=44),
    "narrow": Scene(("--demo",), whole_tour, columns=44, rows=28),
    "light": Scene(("--demo",), whole_tour, background=LIGHT),
    **{f"theme-{name}": theme(name, background) for name, background in THEMES.items()},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(SCENES)}; default: all")
    names = parser.parse_args().names or list(SCENES)
    if unknown := [name for name in names if name not in SCENES]:
        parser.error(f"no such picture: {', '.join(unknown)}")
    if shutil.which("rsvg-convert") is None:
        parser.exit(1, "rsvg-convert is missing: apt-get install librsvg2-bin fonts-dejavu-core\n")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in names:
        svg = picture(SCENES[name])
        zoom = str(SCENES[name].zoom)
        command = ["rsvg-convert", "--zoom", zoom, "--output", str(IMAGES / f"{name}.png")]
        subprocess.run(command, input=svg.encode(), check=True)
        make_small(IMAGES / f"{name}.png")
        print(IMAGES / f"{name}.png")


def make_small(path: Path) -> None:
    """A screen has few colours: a palette of them takes a third of the bytes."""
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(
            256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
        )
        small.save(path, optimize=True)


def picture(scene: Scene) -> str:
    """Plays a scene in a project of its own and returns the screen as SVG."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        home = Path(folder)
        project = home / "tea-timer"
        project.mkdir()
        for name, text in FILES.items():
            (project / name).write_text(text)
        env = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "PI_CODING_AGENT_DIR": str(home / ".pi" / "agent"),
            "PI_DEMO_SPEED": "6",
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
        }
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        if scene.every_block:
            write_session(home / "every-block.jsonl", project)
            write_model(home / ".pi" / "agent", silent.getsockname()[1])
        command = [sys.executable, "-m", "pi_tui", *scene.arguments]
        size = {"columns": scene.columns, "rows": scene.rows}
        colours = {"background": scene.background, "foreground": ink_on(scene.background)}
        with Terminal(command, cwd=project, env=env, **colours, **size) as terminal:
            terminal.wait_for("~/tea-timer", SECONDS)
            scene.act(terminal)
            return as_svg(terminal.screen_cells(), scene.background)


def write_model(agent_dir: Path, port: int) -> None:
    """A model at a port where nobody ever answers."""
    provider = {
        "baseUrl": f"http://127.0.0.1:{port}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [{"id": "kettle", "contextWindow": 200_000, "reasoning": True, "input": ["text", "image"]}],
    }
    agent_dir.mkdir(parents=True)
    (agent_dir / "models.json").write_text(json.dumps({"providers": {"kitchen": provider}}))
    settings = {"defaultProvider": "kitchen", "defaultModel": "kettle"}
    (agent_dir / "settings.json").write_text(json.dumps(settings))


def as_svg(rows: list[list[pyte.screens.Char]], background: str) -> str:
    """A screen as SVG: one rectangle per stretch of background, one text per stretch of equal letters."""
    width = len(rows[0]) * CELL_WIDTH + 2 * MARGIN
    height = len(rows) * CELL_HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">',
        f'<rect width="100%" height="100%" rx="8" fill="#{background}"/>',
        f'<g font-family="{FONT}" font-size="{FONT_SIZE}" xml:space="preserve">',
    ]
    for y, row in enumerate(rows):
        parts += _row(row, MARGIN + y * CELL_HEIGHT, background)
    return "\n".join([*parts, "</g></svg>"])


def _row(row: list[pyte.screens.Char], top: float, background: str) -> list[str]:
    rectangles, texts = [], []
    for style, cells in groupby(enumerate(row), key=lambda cell: cell[1]._replace(data="")):
        stretch = list(cells)
        left = MARGIN + stretch[0][0] * CELL_WIDTH
        text = "".join(char.data for _, char in stretch)
        ink, paper = _colours(style, background)
        if paper != background:
            # A little overlap hides the seams between neighbours.
            size = f'width="{len(stretch) * CELL_WIDTH + 0.4:.2f}" height="{CELL_HEIGHT + 0.4:.2f}"'
            rectangles.append(f'<rect x="{left:.2f}" y="{top:.2f}" {size} fill="#{paper}"/>')
        if text.strip():
            position = f'x="{left:.2f}" y="{top + CELL_HEIGHT * 0.78:.2f}"'
            texts.append(f'<text {position} fill="#{ink}"{_attributes(style)}>{escape(text)}</text>')
    return rectangles + texts


def ink_on(background: str) -> str:
    """The terminal's own foreground."""
    return "2e3440" if background == LIGHT else "d8dee9"


def _colours(style: pyte.screens.Char, background: str) -> tuple[str, str]:
    default_ink = ink_on(background)
    ink = default_ink if style.fg == "default" else ANSI.get(style.fg.removeprefix("bright"), style.fg)
    paper = background if style.bg == "default" else ANSI.get(style.bg.removeprefix("bright"), style.bg)
    return (paper, ink) if style.reverse else (ink, paper)


def _attributes(style: pyte.screens.Char) -> str:
    decorations = [
        name for name, on in [("underline", style.underscore), ("line-through", style.strikethrough)] if on
    ]
    return "".join(
        [
            ' font-weight="bold"' if style.bold else "",
            ' font-style="italic"' if style.italics else "",
            f' text-decoration="{" ".join(decorations)}"' if decorations else "",
        ]
    )


if __name__ == "__main__":
    main()
