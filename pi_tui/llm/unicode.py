"""Text that every encoder takes: no lone surrogates."""

from typing import Any


def valid_text(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates, which UTF-8 cannot hold, as U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def valid_json(value: Any) -> Any:
    """`value` with every string in it, keys included, made valid."""
    match value:
        case str():
            return valid_text(value)
        case dict():
            return {valid_json(key): valid_json(one) for key, one in value.items()}
        case list():
            return [valid_json(one) for one in value]
        case _:
            return value
