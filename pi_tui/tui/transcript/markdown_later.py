"""Markdown for blocks, whose parser and layout are imported with the first text: a new session has none on its
first screen."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_tui.tui.transcript.markdown import MarkdownText


def markdown_text(text: str, *, muted: bool = False) -> "MarkdownText":
    """A `MarkdownText`."""
    from pi_tui.tui.transcript.markdown import MarkdownText

    return MarkdownText(text, muted=muted)
