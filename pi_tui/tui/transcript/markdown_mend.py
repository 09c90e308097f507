"""How Markdown that still grows is shown: markup that is begun is closed, so that nothing flickers."""

import re

_lone_marker = re.compile(
    r"(?:^|\n)[ \t>]*(?:[-+*=#_~]{1,6}|`{1,3}[^\n`]*|\d{1,9}[.)]?|>|\|?[ \t:|-]*)[ \t]*$"
)
_open_link = re.compile(r"(!?)\[([^\[\]\n]*)\]\([^()\s]*$")
_half_link = re.compile(r"!?\[([^\[\]\n]*)$")
_code_span = re.compile(r"(?<!`)(`+)(?!`)")
_delimiter_row = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\||$)")
_emphasis = ("**", "~~", "*", "__", "_")


def mended(tail: str) -> str:
    """The open end of a text with its last line's unfinished markup completed or held back."""
    tail = _without_lone_marker(tail)
    start = tail.rfind("\n\n") + 2 if "\n\n" in tail else 0
    before, paragraph = tail[:start], tail[start:]
    if not paragraph.strip():
        return before
    if paragraph.lstrip().startswith("|"):
        return before + _with_delimiter(paragraph)
    last = paragraph.rfind("\n") + 1
    return before + paragraph[:last] + _closed(paragraph[last:])


def _without_lone_marker(tail: str) -> str:
    """Holds back a last line of which nobody can say yet whether it is a bullet, a rule or an underline."""
    if tail.endswith("\n"):
        return tail
    match = _lone_marker.search(tail)
    return tail[: match.start()] if match is not None else tail


def _with_delimiter(paragraph: str) -> str:
    """Shows the head of a table as one before its second line has come."""
    lines = paragraph.rstrip("\n").split("\n")
    if len(lines) > 1 and _delimiter_row.match(lines[1]):
        return paragraph
    head = lines[0] if lines[0].rstrip().endswith("|") else lines[0] + "|"
    columns = max(1, head.count("|") - 1)
    return "\n".join([head, "|" + "---|" * columns, *lines[1:]]) + "\n"


def _closed(line: str) -> str:
    line = _open_link.sub(r"\2", line)
    line = _half_link.sub(r"\1", line)
    fences = _code_span.findall(line)
    opened = ""
    for mark in fences:
        opened = "" if opened == mark else opened or mark
    if opened:
        head, _, rest = line.rpartition(opened)
        return line + opened if rest.strip() else head
    text = _code_span.sub("", line) if not fences else re.sub(r"(`+).+?\1", "", line)
    closers = ""
    for mark in _emphasis:
        count = text.count(mark)
        text = text.replace(mark, "")
        if count % 2 and _opens(line, mark):
            if line.endswith(mark):
                line = line[: -len(mark)].rstrip(" ")
            else:
                closers = mark + closers
    return line.rstrip(" ") + closers if closers else line


def _opens(line: str, mark: str) -> bool:
    """True if the last of these marks can begin emphasis: no bullet, no times sign, not within a word."""
    position = line.rfind(mark)
    before = line[position - 1] if position else " "
    after = line[position + len(mark) : position + len(mark) + 1]
    if not line[:position].strip() and after == " ":
        return False
    return not after.isspace() and not (mark[0] == "_" and before.isalnum())
