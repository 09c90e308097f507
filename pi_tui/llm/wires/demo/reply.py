"""What the script says and does in one response."""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from pi_tui.llm.wires.demo.pace import pieces


class Call(Struct):
    id: str
    name: str
    arguments: dict[str, object]

    @property
    def raw_arguments(self) -> str:
        return msgspec.json.encode(self.arguments).decode()


class Reply(Struct, kw_only=True):
    text: str = ""
    thinking: str = ""
    calls: list[Call] = msgspec.field(default_factory=list)
    long_text: Iterable[str] | None = None
    """Stands for `text`, piece by piece."""
    tokens_per_second: float = 80.0

    def pieces(self) -> Iterable[str]:
        return pieces(self.text) if self.long_text is None else self.long_text
