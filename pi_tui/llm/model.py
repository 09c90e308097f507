"""What a model is: where it is reached, what it can take, what it costs."""

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
THINKING_LEVELS: tuple[ThinkingLevel, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")

DEFAULT_CONTEXT_WINDOW = 128_000
DEFAULT_MAX_TOKENS = 16_384


class CostTier(Struct, rename="camel"):
    """Prices of a whole request whose input exceeds `input_tokens_above` tokens."""

    input_tokens_above: int
    input: float
    output: float
    cache_read: float
    cache_write: float


class ModelCost(Struct, rename="camel"):
    """US dollars per million tokens."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    tiers: list[CostTier] = msgspec.field(default_factory=list)
    service_tiers: dict[str, "ModelCost"] = msgspec.field(default_factory=dict)
    """Prices of requests that were served as `flex` or `priority`."""


class Model(Struct, rename="camel", frozen=True, kw_only=True):
    id: str
    provider: str
    api: str
    name: str = ""
    base_url: str = ""
    reasoning: bool = False
    input: tuple[str, ...] = ("text",)
    """`text`, `image`."""
    context_window: int = DEFAULT_CONTEXT_WINDOW
    max_tokens: int = DEFAULT_MAX_TOKENS
    """The most output tokens the model gives."""
    cost: ModelCost = msgspec.field(default_factory=ModelCost)
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    compat: dict[str, Any] = msgspec.field(default_factory=dict)
    thinking_level_map: dict[str, str | None] = msgspec.field(default_factory=dict)
    sampling_params: dict[str, Any] = msgspec.field(default_factory=dict)
    """Fields for every request body (OpenAI-compatible wires)."""
    sampling_params_by_thinking_level: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """The same per level, over `sampling_params`."""
    auth_header: bool = False
    """Send the key as `Authorization: Bearer` also where the wire has a header of its own."""

    @property
    def ref(self) -> str:
        """`provider/id`, the name by which settings and options mean this model."""
        return f"{self.provider}/{self.id}"

    @property
    def is_local(self) -> bool:
        """Whether it is served on this machine: no key, no proxy."""
        address = self.base_url.partition("://")[2]
        return address.startswith(("127.", "localhost:", "localhost/", "[::1]")) or address == "localhost"

    @property
    def asked_service_tier(self) -> str | None:
        """The `service_tier` of `sampling_params`, which counts where an answer does not tell its own."""
        tier = self.sampling_params.get("service_tier")
        return tier if isinstance(tier, str) else None

    @property
    def takes_images(self) -> bool:
        return "image" in self.input

    @property
    def levels(self) -> tuple[ThinkingLevel, ...]:
        """The thinking levels this model takes, lowest first; `("off",)` for one that does not think."""
        if not self.reasoning:
            return ("off",)
        unmapped = THINKING_LEVELS[: THINKING_LEVELS.index("high") + 1]
        return tuple(
            level
            for level in THINKING_LEVELS
            if (
                self.thinking_level_map[level] is not None
                if level in self.thinking_level_map
                else level in unmapped
            )
        )

    def clamp(self, level: str) -> ThinkingLevel:
        """The nearest level this model takes: the next lower one, else its lowest."""
        if level not in THINKING_LEVELS:
            return self.levels[0]
        wanted = THINKING_LEVELS.index(level)
        lower = [one for one in self.levels if THINKING_LEVELS.index(one) <= wanted]
        return lower[-1] if lower else self.levels[0]
