"""Lines as the text they were wrapped from."""

from collections.abc import Iterable

from pi_tui.tui.transcript.line import Line


def copied_text(lines: Iterable[Line]) -> str:
    """The text of lines as it was before it was indented and wrapped."""
    parts: list[str] = []
    for number, line in enumerate(lines):
        if number:
            parts.append("\n" if line.joint is None else line.joint)
        parts.append(line.text[line.gutter :].rstrip())
    return "".join(parts)
