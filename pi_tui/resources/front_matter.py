"""The YAML between two `---` lines at the head of a Markdown file, read tolerantly."""

import re
from typing import Any, Final

from msgspec import Struct

from pi_tui.llm.problems import Problem

_PLAIN: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*): +([A-Za-z0-9/(](?:(?!: |:\Z| #).)*)")
"""A line that means the same with and without YAML: a key, and a value without any sign of the language."""
_LINE: Final = re.compile(r"([A-Za-z][\w-]*)\s*:\s*(.*)")
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False}
_YAML_WORD: Final = re.compile(r"(?i)(true|false|yes|no|on|off|null|[\d.,_+-]+(e\d+)?|\d[\d:._-]*.*)\Z")

BRACKETS_LIMIT: Final = 200
"""The parser's time grows with the square of their depth."""


class FrontMatter(Struct):
    values: dict[str, Any]
    body: str
    """What follows it, with `\\n` as line ends; the whole text where there is no front matter."""
    found: bool
    lines: int
    """Lines of the file before the body."""
    problems: list[Problem]


def read_front_matter(text: str, path: str) -> FrontMatter:
    """Takes a Markdown text apart.

    What is not valid YAML, such as `description: Use for: x`, is read line by line and becomes a problem that
    names the line.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return FrontMatter({}, "\n".join(lines), False, 0, [])
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        problem = Problem(path, 1, "", "the front matter has no end: a line with --- is missing")
        return FrontMatter({}, "\n".join(lines), False, 0, [problem])
    problems: list[Problem] = []
    matter = lines[1:end]
    values = _plain_values(matter)
    if values is None:
        values = _yaml_values(matter, path, problems)
    return FrontMatter(values, "\n".join(lines[end + 1 :]), True, end + 1, problems)


def line_in_front_matter(text: str, key: str) -> int | None:
    """The line of a file on which a key of its front matter stands."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(f"{key}:"):
            return number
        if number > 1 and line.rstrip() == "---":
            return None
    return None


def _plain_values(lines: list[str]) -> dict[str, Any] | None:
    """The values where every line is plain; most are, and then there is no need for a YAML parser."""
    values: dict[str, Any] = {}
    for line in lines:
        match = _PLAIN.fullmatch(line.rstrip())
        if match is None or not line.isprintable():
            return None
        value = match[2].strip()
        if value in ("true", "false"):
            values[match[1]] = value == "true"
        elif _YAML_WORD.fullmatch(value):
            return None
        else:
            values[match[1]] = value
    return values


def _yaml_values(lines: list[str], path: str, problems: list[Problem]) -> dict[str, Any]:
    import yaml

    text = "\n".join(lines)
    try:
        if text.count("[") + text.count("{") > BRACKETS_LIMIT:
            raise ValueError(f"more than {BRACKETS_LIMIT} brackets")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            # A few of them can stand for gigabytes.
            raise ValueError("aliases are not supported")
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else None
        reason = getattr(error, "problem", None) or str(error)
        problems.append(
            Problem(
                path, line, "", f"the front matter is not valid YAML ({reason}); it was read line by line"
            )
        )
        return _line_values(lines)
    if data is None:
        return {}
    if not isinstance(data, dict):
        problems.append(Problem(path, 2, "", "the front matter has no keys; it was read line by line"))
        return _line_values(lines)
    return {str(key): value for key, value in data.items()}


def _line_values(lines: list[str]) -> dict[str, Any]:
    """One value a line, as people mean it; an indented line goes on with the one before."""
    values: dict[str, Any] = {}
    last: str | None = None
    for line in lines:
        if match := _LINE.fullmatch(line.rstrip()):
            last = match[1]
            values[last] = _unquoted(match[2].strip())
        elif last is not None and line[:1] in (" ", "\t") and isinstance(values[last], str):
            values[last] = f"{values[last]} {line.strip()}".strip()
    return values


def _unquoted(value: str) -> str | bool:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return _WORDS.get(value.lower(), value.lstrip("|>").strip() if value in ("|", ">") else value)
