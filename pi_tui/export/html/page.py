"""The page: its template filled piece by piece, under a policy that lets nothing run but its own script."""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_tui.export.html.chunks import Chunks
from pi_tui.export.html.colors import Theme, style_variables
from pi_tui.export.html.facts import facts_of
from pi_tui.export.html.script_json import script_json
from pi_tui.export.html.snapshot import Snapshot
from pi_tui.export.html.tree_data import tree_data

if TYPE_CHECKING:
    from jinja2 import Environment

STYLES: Final = ("page.css", "tree.css", "entry.css")
SCRIPTS: Final = ("data.js", "layout.js", "rows.js", "search.js", "view.js", "page.js")
"""In this order they make one script."""
_HERE: Final = Path(__file__).parent


def page(shot: Snapshot, theme: Theme | None, on_entry: Callable[[int], None]) -> Iterator[str]:
    """The page's text in pieces.

    Args:
        shot: The session.
        theme: Colours for the appearance they are made for.
        on_entry: Hears of each entry's number before it is drawn.
    """
    from markupsafe import Markup

    environment = _environment()
    entry = environment.get_template("entry.html.j2")
    draw = entry.module.article  # type: ignore[attr-defined]
    chunks = Chunks(shot, draw, on_entry)
    variables = environment.get_template("colors.css.j2").render(themes=style_variables(theme))
    style, script = Markup(variables + _assets(STYLES)), Markup(f'"use strict";\n{_assets(SCRIPTS)}')
    yield from environment.get_template("page.html.j2").generate(
        policy=_policy(style, script),
        style=style,
        script=script,
        facts=facts_of(shot),
        notices=shot.notices,
        chunks=chunks,
        tree=lambda: script_json(tree_data(shot, chunks.starts)),
    )


def _policy(style: str, script: str) -> str:
    """Content-Security-Policy: no network, no frames, no forms; style and script by their hashes."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types session",
        )
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _assets(names: tuple[str, ...]) -> str:
    return "".join((_HERE / "assets" / name).read_text("utf-8") for name in names)


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
