"""The arguments of a tool call: what models get wrong is repaired, the rest is told field by field."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

MAX_PROBLEMS = 10
"""Problems that are told of one call."""
MAX_SHOWN = 200
"""Characters of a wrong value that are shown."""


class ArgumentError(Exception):
    """Arguments that do not fit; the text names each field and what is wrong with it, a line each."""


def prepare(schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool takes them; the mapping given is left as it is.

    Repaired: a JSON text where an object or array belongs, a number or boolean in a string, a single value
    for a one-element list, null for an optional field.

    Args:
        schema: JSON Schema of an object.
        arguments: As the model sent them.

    Raises:
        ArgumentError: They do not fit even so.
    """
    repaired = _repair(schema, arguments)
    # Imported here: it takes 80 ms, and many a start needs no tool.
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    checker = validators.validator_for(schema, default=Draft202012Validator)
    # An empty registry: a $ref in a schema must not fetch anything.
    errors = checker(schema, registry=Registry()).iter_errors(repaired)
    problems = list(dict.fromkeys(problem for error in errors for problem in _problems(error)))
    if problems:
        left = len(problems) - MAX_PROBLEMS
        told = problems[:MAX_PROBLEMS] + ([f"and {left} more"] if left > 0 else [])
        raise ArgumentError("\n".join(f"- {problem}" for problem in told))
    return dict(repaired)


# --- repair


def _repair(schema: Any, value: Any) -> Any:
    """The value with what can be mended; what cannot stays as it is, for the validator to find."""
    if not isinstance(schema, Mapping):
        return value
    for union in ("anyOf", "oneOf"):
        if isinstance(schema.get(union), list):
            return _repair_for_one(schema[union], value)
    types = _types(schema)
    if types and not any(_is(value, kind) for kind in types):
        for kind in types:
            mended = _converted(value, kind, schema)
            if _is(mended, kind):
                value = mended
                break
    if isinstance(value, Mapping):
        return _repair_fields(schema, value)
    if isinstance(value, list) and "items" in schema:
        return [_repair(schema["items"], item) for item in value]
    return int(value) if isinstance(value, float) and "integer" in types and _is(value, "integer") else value


def _repair_fields(schema: Schema, value: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    fields = {}
    for name, field in value.items():
        known = properties.get(name)
        if field is None and known is not None and name not in required and not _takes_null(known):
            continue
        fields[name] = _repair(known, field)
    return fields


def _repair_for_one(options: Iterable[Any], value: Any) -> Any:
    """The value for the option it fits; one whose type it has goes before one it is bent to."""
    typed = [option for option in options if isinstance(option, Mapping)]
    for option in typed:
        if any(_is(value, kind) for kind in _types(option)):
            return _repair(option, value)
    for option in typed:
        mended = _repair(option, value)
        if any(_is(mended, kind) for kind in _types(option)):
            return mended
    return value


def _converted(value: Any, kind: str, schema: Schema) -> Any:
    """The value turned into the JSON type `kind` where its meaning is plain; else as it is."""
    if kind in ("object", "array") and isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = _json(value)
    if kind == "array" and not isinstance(value, list) and value is not None:
        items = schema.get("items")
        item = _repair(items, value)
        fits = any(_is(item, one) for one in _types(items)) if isinstance(items, Mapping) else False
        return [item] if fits else value
    if kind in ("integer", "number") and isinstance(value, str):
        number = _json(value.strip())
        return number if _is(number, kind) else value
    if kind == "boolean" and isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    return value


def _json(text: str) -> Any:
    """What a JSON text says; the text itself where it is none."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text


def _types(schema: Schema) -> list[str]:
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _takes_null(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return True
    if None in schema.get("enum", ()):
        return True
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if options:
        return any(_takes_null(option) for option in options)
    types = _types(schema)
    return not types or "null" in types


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            whole = isinstance(value, float) and value.is_integer()
            return (isinstance(value, int) and not isinstance(value, bool)) or whole
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return isinstance(value, list)
        case "null":
            return value is None
    return False


# --- what is told


def _problems(error: Any) -> list[str]:
    """One validation error as lines that begin with the field."""
    where = error.json_path.removeprefix("$").removeprefix(".")
    match error.validator:
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return [f"{f'{where}.{name}' if where else name}: missing" for name in missing]
        case "additionalProperties" if error.validator_value is False:
            known = error.schema.get("properties", {})
            names = [name for name in error.instance if name not in known]
            takes = ", ".join(known) or "none"
            return [
                f"{f'{where}.{name}' if where else name}: no such field; there are: {takes}" for name in names
            ]
        case "type":
            expected = " or ".join(_types({"type": error.validator_value}))
            return [f"{where or 'arguments'}: must be of type {expected}, not {_shown(error.instance)}"]
        case "enum":
            allowed = ", ".join(json.dumps(value) for value in error.validator_value)
            return [f"{where or 'arguments'}: must be one of {allowed}, not {_shown(error.instance)}"]
    return [f"{where or 'arguments'}: {_cut(error.message)}"]


def _shown(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
