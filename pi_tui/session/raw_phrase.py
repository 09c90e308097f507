"""Whether a phrase can be in a line of a session file, told from its bytes without decoding them."""

import re
from functools import lru_cache
from typing import Final

_BETWEEN: Final = rb"(?:\\[nrt]|[^a-z0-9]){0,12}?"
"""What may stand between two words beside the blank that the reader sees: a line break, Markdown, escapes."""
_WORD: Final = re.compile(r"[a-z0-9]+|[^\x00-\x7f]+")
_MAX_WORDS: Final = 32


@lru_cache(maxsize=64)
def _compiled(phrase: str) -> tuple[bytes, re.Pattern[bytes], bool]:
    words = _WORD.findall(phrase)[:_MAX_WORDS]
    encoded = [word.encode("utf-8", "replace") for word in words]
    longest = max(encoded, key=len, default=b"")
    return longest, re.compile(_BETWEEN.join(map(re.escape, encoded))), not phrase.isascii()


def may_hold(line: bytes, phrase: str) -> bool:
    """False if a line surely does not hold `phrase`, which is in lower case, however it was encoded or marked up."""
    longest, pattern, may_be_escaped = _compiled(phrase)
    lowered = line.lower()
    if may_be_escaped and (b"\\u" in lowered or not _same_lower_case(phrase)):
        return True
    return longest in lowered and pattern.search(lowered) is not None


def _same_lower_case(phrase: str) -> bool:
    """`bytes.lower` knows ASCII alone: other capitals in the file would not be found by their small letters."""
    return phrase.upper() == phrase
