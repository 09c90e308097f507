"""Keeping keys out of what people see."""

import re
from collections.abc import Iterable

MASK = "[key hidden]"
SHORTEST_KEY = 6
"""Shorter ones, such as a local server's "ollama", are no secrets and would garble ordinary text."""

_KEY_FORMS = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}|\bgsk_\w{12,}|\bxai-[\w-]{12,}|\bAIza[\w-]{20,}|\bhf_\w{12,}"
    r"|(?<=Bearer )[\w.~+/=-]{8,}",
)


def redact(text: str, keys: Iterable[str | None] = ()) -> str:
    """`text` without the given keys and without what has the form of a well-known provider's key."""
    for key in keys:
        if key and len(key) >= SHORTEST_KEY:
            text = text.replace(key, MASK)
    return _KEY_FORMS.sub(MASK, text)
