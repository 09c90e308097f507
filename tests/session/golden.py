"""Golden files: what the reference made of a session file, and how ours is compared with it."""

from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[1] / "fixtures"


def differences(ours: Any, golden: Any, at: str = "") -> list[str]:
    """Where our value lacks or changes something of the golden one.

    Neither a default that we leave out nor a parser's scratch that an old version stored is a difference.
    """
    if isinstance(golden, dict):
        if not isinstance(ours, dict):
            return [f"{at}: {ours!r} is no object"]
        kept = {key: value for key, value in golden.items() if key != "partialJson"}
        return [
            one for key, value in kept.items() for one in differences(ours.get(key), value, f"{at}.{key}")
        ]
    if isinstance(golden, list):
        if not isinstance(ours, list) or len(ours) != len(golden):
            return [f"{at}: {ours!r} is not {golden!r}"]
        return [
            one
            for place, (mine, theirs) in enumerate(zip(ours, golden, strict=True))
            for one in differences(mine, theirs, f"{at}[{place}]")
        ]
    if ours == golden or (ours is None and golden in (False, None, 0, "")):
        return []
    return [f"{at}: {ours!r} is not {golden!r}"]
