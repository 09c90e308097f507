"""How servers of the OpenAI responses API differ: models.json's `compat`."""

from typing import Any, Literal

from msgspec import Struct

from pi_tui.llm.model import Model
from pi_tui.llm.wires.switches import fitting


class Compat(Struct, rename="camel", kw_only=True):
    """The switches of models.json for `openai-responses`; field names there are camelCase."""

    supports_developer_role: bool = True
    supports_long_cache_retention: bool = True
    supports_strict_mode: bool = True
    supports_explicit_prompt_cache_mode: bool = False
    supports_max_output_tokens: bool = True
    prompt_cache_key_mode: Literal["auto", "enabled", "disabled"] = "auto"
    session_affinity_format: Literal["openai", "openai-nosession", "openrouter"] | None = None


def compat_of(model: Model) -> Compat:
    """What models.json says of this model's server, over what is usual."""
    usual: dict[str, Any] = {}
    if "openrouter.ai" in model.base_url:
        usual = {"sessionAffinityFormat": "openrouter"}
    elif "api.openai.com" in model.base_url:
        usual = {"sessionAffinityFormat": "openai"}
    return fitting(Compat, {**usual, **model.compat})
