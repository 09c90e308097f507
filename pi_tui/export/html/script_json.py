"""Plain data as JSON that may stand inside a `<script>` element."""

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from markupsafe import Markup

_ESCAPES = (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))
"""Without `<` there is neither `</script` nor `<!--`; the others end a line in scripts."""


def script_json(value: Any) -> "Markup":
    """The JSON of a value; an HTML parser finds no tag in it."""
    from markupsafe import Markup

    text = msgspec.json.encode(value).decode()
    for character, escaped in _ESCAPES:
        text = text.replace(character, escaped)
    return Markup(text)
