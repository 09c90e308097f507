"""How servers that speak Anthropic's messages API differ: models.json's `compat`."""

from typing import Any, Literal

from msgspec import Struct

from pi_tui.llm.model import Model
from pi_tui.llm.wires.switches import fitting


class Compat(Struct, rename="camel", kw_only=True):
    """The switches of models.json for `anthropic-messages`; field names there are camelCase."""

    supports_eager_tool_input_streaming: bool = True
    supports_long_cache_retention: bool = True
    supports_cache_control_on_tools: bool = True
    supports_temperature: bool = True
    force_adaptive_thinking: bool = False
    allow_empty_signature: bool = False
    """Whether thinking goes back although nobody signed it; `llm/replay.py` makes text of it otherwise."""
    send_session_affinity_headers: bool = False
    session_affinity_format: Literal["openrouter"] | None = None


def compat_of(model: Model) -> Compat:
    """What models.json and the catalog say of this model's server, over what is usual."""
    usual: dict[str, Any] = {}
    if "openrouter.ai" in model.base_url:
        usual = {"sendSessionAffinityHeaders": True, "sessionAffinityFormat": "openrouter"}
    return fitting(Compat, {**usual, **model.compat})
