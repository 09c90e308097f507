"""Text that UTF-8 can hold: a lone surrogate, pasted or sent by a model, must not stop a request."""

from typing import Any, TypeVar

import msgspec

from pi_tui.llm.unicode import valid_text

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()


def mended(value: T) -> T:
    """The value with split surrogate pairs joined and lone surrogates replaced by U+FFFD, in all its texts.

    Args:
        value: A text, message or event; one that is whole comes back itself, else a copy.
    """
    try:
        _ENCODER.encode(value)
    except UnicodeEncodeError:
        mended_copy: T = _mend(value)
        return mended_copy
    except (TypeError, ValueError, RecursionError):
        # Not JSON at all: that is for whoever writes it to say.
        return value
    return value


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, list | tuple):
        return [_mend(item) for item in value]
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    if isinstance(value, msgspec.Struct):
        fields = {name: _mend(getattr(value, name)) for name in value.__struct_fields__}
        return type(value)(**fields)
    return value
