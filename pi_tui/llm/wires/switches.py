"""The switches under `compat`: those that fit a wire format."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, structs

C = TypeVar("C", bound=Struct)


def fitting(kind: type[C], given: Mapping[str, Any]) -> C:
    """The switches of a wire format, as far as `given` has them in the right form; the rest is as usual.

    What is wrong was reported when models.json was read: `compat_check.check`.
    """
    types = {field.encode_name: (field.name, field.type) for field in structs.fields(kind)}
    fit: dict[str, Any] = {}
    for switch, value in given.items():
        if value is not None and switch in types:
            name, wanted = types[switch]
            if misfit(value, wanted) is None:
                fit[name] = value
    return kind(**fit)


def misfit(value: Any, wanted: Any) -> str | None:
    """Why a value is not of a type, or None if it is."""
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        return str(error)
    return None
