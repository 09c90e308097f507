"""Fitting foreign text into a number of terminal cells."""

from rich.cells import cell_len, set_cell_size


def printable(text: str) -> str:
    """The text on one line, with blanks for control characters."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else " " for character in text)


def width_of(text: str) -> int:
    """The cells a text takes when it is fitted in."""
    return cell_len(printable(text))


def fit(text: str, width: int) -> str:
    """The text in exactly `width` cells, cut with an ellipsis where it is too long."""
    text = printable(text)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""
