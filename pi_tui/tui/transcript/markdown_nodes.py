"""Markdown as it was understood: blocks and marked text, without width or colours."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pi_tui.tui.transcript.code import Code


class Mark(NamedTuple):
    """How a run of inline text is set."""

    bold: bool = False
    italic: bool = False
    code: bool = False
    strike: bool = False
    href: str = ""
    url: bool = False
    """The address that is shown after a link's text."""


PLAIN = Mark()


class Span(NamedTuple):
    text: str
    mark: Mark


Inline: TypeAlias = list[list[Span]]
"""The lines of a paragraph: a line break of the source is one on screen."""


@dataclass
class Paragraph:
    lines: Inline


@dataclass
class Heading:
    level: int
    lines: Inline


@dataclass
class Quote:
    children: "list[Node]"


@dataclass
class Item:
    children: "list[Node]"
    done: bool | None = None
    """Of a task; None where the item is none."""


@dataclass
class ItemList:
    items: list[Item]
    start: int | None
    """Number of the first item; None for bullets."""
    tight: bool


@dataclass
class Table:
    head: list[list[Span]]
    rows: list[list[list[Span]]]
    aligns: list[str]
    continued: bool = False
    """The rest of a table whose head has been shown."""


@dataclass
class Rule:
    pass


Node: TypeAlias = Paragraph | Heading | Quote | ItemList | Table | Rule | Code
