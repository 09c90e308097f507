"""File patterns as models write them: `*.py`, `src/**/*.{ts,tsx}`, `!*.min.js`."""

import re

from pi_tui.agent.tools import limits


class GlobError(ValueError):
    """A pattern that cannot be used, and why."""


class Glob:
    """A pattern for paths below one folder.

    Without a slash it is about names at any depth, with one about paths from the folder on, where `**` stands
    for any number of folders. `{a,b}` gives choices, a leading `!` turns it around, a slash at the end means
    everything in folders of that name.

    Raises:
        GlobError: It is empty, or has too many choices.
    """

    def __init__(self, text: str) -> None:
        self.excludes = text.startswith("!")
        pattern = text[self.excludes :].removeprefix("./")
        if pattern.endswith("/"):
            pattern += "**"
        self._at_root = "/" in pattern.removeprefix("**/")
        pattern = pattern.lstrip("/")
        if not pattern:
            raise GlobError("the pattern is empty; * matches every file")
        self._choices = _expanded(pattern)
        start = "" if self._at_root else "(?:.*/)?"
        choices = "|".join(map(_translated, self._choices))
        self._expression = re.compile(f"{start}(?:{choices})", re.DOTALL)

    def matches(self, path: str) -> bool:
        """Whether the pattern is about this path, relative to the folder and with `/` between its parts."""
        return self.excludes != bool(self._expression.fullmatch(path))

    @property
    def as_ignore_lines(self) -> list[str]:
        """Lines of an ignore file that leaves no more than what matches, and sometimes less than all of the rest."""
        lines = [_ignore_line(choice, self._at_root) for choice in self._choices]
        return lines if self.excludes else ["*", "!*/", *(f"!{line}" for line in lines)]


def _ignore_line(choice: str, at_root: bool) -> str:
    line = f"/{choice}" if at_root else choice
    return "\\" + line if line[0] in "#!" else line


def _expanded(pattern: str) -> list[str]:
    """The pattern with each choice of its braces; braces without a comma or a partner stay as they are."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop(0)
        found = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if found is None:
            done.append(one)
        else:
            waiting += [one[: found.start()] + part + one[found.end() :] for part in found[1].split(",")]
        if len(done) + len(waiting) > limits.GLOB_CHOICES:
            raise GlobError(f"the pattern has more than {limits.GLOB_CHOICES} choices in braces")
    return done


def _translated(pattern: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append("(?:.*/)?")
            at += 3
        elif pattern[at:] == "**" and (at == 0 or pattern[at - 1] == "/"):
            parts.append(".+")
            at += 2
        elif pattern[at] == "*":
            parts.append("[^/]*")
            at += 1
        elif pattern[at] == "?":
            parts.append("[^/]")
            at += 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            parts.append(re.escape(pattern[at + 1]))
            at += 2
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            parts.append(_class(pattern[at + 1 : end]))
            at = end + 1
        else:
            parts.append(re.escape(pattern[at]))
            at += 1
    return re.sub(r"(\[\^/\]\*){2,}", r"[^/]*", "".join(parts))


def _class(inner: str) -> str:
    negated = inner[0] in "!^"
    members = inner[negated:].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
    members = re.sub(r"([&~|])\1", r"\1\\\1", members)
    try:
        re.compile(f"[{members}]")
    except re.error as error:
        raise GlobError(f"[{inner}] is no range of characters: {error}") from error
    return f"(?!/)[{'^' if negated else ''}{members}]"
