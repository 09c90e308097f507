"""An exported page as a parser sees it: its elements, and the entries that its chunks hold."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

VOID = {"meta", "input", "br", "hr", "img", "link", "base"}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str | None], parent: Element | None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element] = []
        self.text = ""
        """Its own and that of all elements in it."""

    def __iter__(self) -> Any:
        for child in self.children:
            yield child
            yield from child

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Elements of a tag; `class_` looks for one class."""
        wanted = attributes.pop("class_", None)
        return [
            one
            for one in self
            if one.tag == tag
            and (wanted is None or wanted in (one.attributes.get("class") or "").split())
            and all(one.attributes.get(name) == value for name, value in attributes.items())
        ]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, dict(attrs), self.at)
        self.at.children.append(made)
        if tag not in VOID:
            self.at = made

    def handle_endtag(self, tag: str) -> None:
        at: Element | None = self.at
        while at is not None and at.tag != tag:
            at = at.parent
        if at is not None and at.parent is not None:
            self.at = at.parent

    def handle_data(self, data: str) -> None:
        at: Element | None = self.at
        while at is not None:
            at.text += data
            at = at.parent


def parse(html: str) -> Element:
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


class ExportedPage:
    def __init__(self, path: Path) -> None:
        self.source = path.read_text("utf-8")
        self.root = parse(self.source)
        self.tree: dict[str, Any] = json.loads(self.root.all("script", id="tree-data")[0].text)
        chunks = [json.loads(script.text) for script in self.root.all("script", class_="chunk")]
        self.html: list[str] = [html for chunk in chunks for html in chunk]
        """Of each entry, by its number."""

    def entry(self, entry_id: str) -> Element:
        return parse(self.html[self.tree["ids"].index(entry_id)])

    @property
    def entries(self) -> list[Element]:
        return [parse(html) for html in self.html]
