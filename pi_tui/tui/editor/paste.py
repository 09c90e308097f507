"""Making pasted text fit for an editor."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

LINES_SHOWN: Final = 10
CHARACTERS_SHOWN: Final = 1000
"""A paste with more lines or characters than these is shown as a marker."""

PIECE: Final = 100_000
"""Characters that are cleaned without a pause."""

PATHS_LIMIT: Final = 50
"""Dropped files that are looked at in one paste."""

IMAGE_SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})

_ESCAPE_SEQUENCE: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_DROPPED: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"|((?:\\.|[^\s'\"\\])+)")


def clean_paste(text: str) -> str:
    """The text without escape sequences, control characters and lone surrogates, its line ends as `\\n`.

    Takes 100 ms for 2 MB: run it in a thread for more than a `PIECE`.
    """
    return "".join(map(_clean, _pieces(text)))


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, some at a time: a regular expression lets no other thread run until it is done."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        yield text[start:end]
        start = end


def _clean(text: str) -> str:
    text = _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", _CONTROL.sub("", text))


def is_large(text: str) -> bool:
    """Whether a paste is shown as a marker and not in full."""
    return len(text) > CHARACTERS_SHOWN or text.count("\n") + 1 > LINES_SHOWN


def dropped_images(text: str, cwd: Path) -> list[Path] | None:
    """The image files a paste names, when it names nothing else: what terminals send for dropped files.

    They are quoted, backslash-escaped or `file://` URLs, one or several. Looks at the disk.
    """
    text = text.strip()
    if not text or len(text) > CHARACTERS_SHOWN * 10:
        return None
    whole = _path_of(text, cwd)
    candidates = [whole] if _is_image(whole) else [_path_of(word, cwd) for word in _words(text)]
    if candidates and all(map(_is_image, candidates)):
        return candidates
    return None


def _words(text: str) -> list[str]:
    matches = list(_DROPPED.finditer(text))[: PATHS_LIMIT + 1]
    if len(matches) > PATHS_LIMIT:
        return []
    return [match[1] or match[2] or re.sub(r"\\(.)", r"\1", match[3] or "") for match in matches]


def _path_of(word: str, cwd: Path) -> Path:
    if word.startswith("file://"):
        word = unquote(urlsplit(word).path)
    try:
        return cwd / Path(word).expanduser()
    except RuntimeError:
        return cwd / word


def _is_image(path: Path) -> bool:
    try:
        return path.suffix.lower() in IMAGE_SUFFIXES and path.is_file()
    except (OSError, ValueError):
        return False
