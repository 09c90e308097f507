"""Telling a model what a file has where its text was not found."""

from difflib import SequenceMatcher
from heapq import nlargest

from pi_tui.agent.tools import limits

_ALIKE = 0.6
_WORDS = 5


def closest_lines(text: str, wanted: str) -> str:
    """Why `wanted` may be missing from `text`, and the lines that come closest to it, with their numbers."""
    if not text:
        return "The file is empty."
    lines = text.split("\n")
    wanted_lines = wanted.strip("\n").split("\n")
    if "\ufffd" in wanted:
        return (
            "oldText holds U+FFFD, which stands for bytes that are not UTF-8; "
            "choose a part of the line without it."
        )
    if same := _same_but_for_indentation(lines, wanted_lines):
        return f"It is at line {same} with other indentation or spacing:\n" + _shown(
            lines, same, len(wanted_lines)
        )
    best = _best(lines, max(wanted_lines, key=lambda line: len(line.strip())).strip())
    if not best:
        return "No line of the file resembles it; read the file again."
    return "The closest lines are:\n" + "\n".join(_numbered(lines, number) for number in best)


def _same_but_for_indentation(lines: list[str], wanted: list[str]) -> int | None:
    """The number of the first line from which on all are as wanted once runs of blanks are taken as one."""
    collapsed = [" ".join(line.split()) for line in wanted]
    if not any(collapsed):
        return None
    pivot = max(range(len(collapsed)), key=lambda i: len(collapsed[i]))
    words = collapsed[pivot].split()
    for index in range(pivot, len(lines) - len(wanted) + pivot + 1):
        if words[0] in lines[index] and lines[index].split() == words:
            first = index - pivot
            if all(" ".join(lines[first + i].split()) == collapsed[i] for i in range(len(collapsed))):
                return first + 1
    return None


def _best(lines: list[str], wanted: str) -> list[int]:
    """Numbers of the lines most like `wanted`, in the order of the file."""
    wanted = wanted[: limits.CLOSEST_LINE_CHARS]
    if not wanted:
        return []
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted)
    rated: list[tuple[float, int]] = []
    for number in _with_most_words(lines, wanted):
        matcher.set_seq1(lines[number - 1].strip()[: limits.CLOSEST_LINE_CHARS])
        if (
            matcher.real_quick_ratio() > _ALIKE < matcher.quick_ratio()
            and (ratio := matcher.ratio()) > _ALIKE
        ):
            rated.append((ratio, -number))
    return sorted(-number for _, number in nlargest(limits.CLOSEST_LINES, rated))


def _with_most_words(lines: list[str], wanted: str) -> list[int]:
    """Numbers of the lines worth comparing in full: all if they are few, else those that share most words."""
    if len(lines) <= limits.CLOSEST_RATED_LINES:
        return list(range(1, len(lines) + 1))
    words = sorted(set(wanted.split()), key=len, reverse=True)[:_WORDS]
    scanned = enumerate(lines[: limits.CLOSEST_SCANNED_LINES], 1)
    shared = [(sum(word in line for word in words), -number) for number, line in scanned]
    return [-number for _, number in nlargest(limits.CLOSEST_RATED_LINES, shared)]


def _shown(lines: list[str], first: int, count: int) -> str:
    shown = min(count, limits.SHOWN_OCCURRENCES)
    return "\n".join(_numbered(lines, number) for number in range(first, first + shown))


def _numbered(lines: list[str], number: int) -> str:
    line = lines[number - 1].rstrip("\r").encode("utf-8", "replace").decode()
    cut = "…" if len(line) > limits.CLOSEST_LINE_CHARS else ""
    return f"{number}: {line[: limits.CLOSEST_LINE_CHARS]}{cut}"
