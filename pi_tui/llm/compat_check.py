"""Whether the switches that models.json sets under `compat` are known, and of the right form."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import structs

from pi_tui.llm.wires import anthropic_compat, openai_compat, responses_compat
from pi_tui.llm.wires.switches import misfit

SWITCHES: dict[str, dict[str, Any]] = {
    api: {field.encode_name: field.type for field in structs.fields(kind)}
    for api, kind in (
        ("anthropic-messages", anthropic_compat.Compat),
        ("openai-completions", openai_compat.Compat),
        ("openai-responses", responses_compat.Compat),
    )
}
"""Api → its switches and their types."""
WITHOUT_EFFECT: dict[str, frozenset[str]] = {
    "anthropic-messages": frozenset(
        {
            "supportsStrictTools",
            "supportsMidConvoEffort",
            "supportsMidConvoSystemMessages",
            "supportsMidConvoToolChanges",
            "supportsMessageThreads",
            "allowedFallbackModels",
        }
    ),
    "openai-completions": frozenset(
        {"supportsOpenAIGrammarTools", "supportsMidConvoSystemMessages", "supportsMidConvoToolAdditions"}
    ),
    "openai-responses": frozenset(
        {
            "supportsOpenAIGrammarTools",
            "supportsMidConvoSystemMessages",
            "supportsMidConvoEffort",
            "supportsAdditionalTools",
            "supportsToolSearch",
        }
    ),
}
"""Api → switches of the format about what our requests never contain: they allow more than is used."""


def check(given: Mapping[str, Any], api: str | None = None) -> tuple[dict[str, Any], dict[str, str]]:
    """The switches that can be used, and what is wrong with the others.

    Args:
        given: What `compat` holds.
        api: The wire format they are for; None at a provider, whose models may speak several.
    """
    good: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for switch, value in given.items():
        knowing = [one for one in SWITCHES if switch in SWITCHES[one] or switch in WITHOUT_EFFECT[one]]
        reasons = [_reason(switch, value, one) for one in ([api] if api in SWITCHES else knowing)]
        if value is None or None in reasons:
            good[switch] = value
        else:
            wrong[switch] = reasons[0] if reasons and reasons[0] else _unknown(switch)
    return good, wrong


def _reason(switch: str, value: Any, api: str) -> str | None:
    if switch in WITHOUT_EFFECT[api]:
        return "has no effect: no request contains what it is about" if value else None
    if switch not in SWITCHES[api]:
        elsewhere = [one for one, known in SWITCHES.items() if switch in known]
        if elsewhere:
            return f"is a switch of {' and '.join(elsewhere)}, not of {api}; left out"
        return _unknown(switch)
    reason = misfit(value, SWITCHES[api][switch])
    return None if reason is None else f"{reason[:1].lower()}{reason[1:]}; left out"


def _unknown(switch: str) -> str:
    known = [name for names in (*SWITCHES.values(), *WITHOUT_EFFECT.values()) for name in names]
    near = get_close_matches(switch, known, n=1)
    return f"is no switch that is known{f': is {near[0]} meant?' if near else ''}; left out"
