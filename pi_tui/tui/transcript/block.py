"""What the transcript is made of."""

from collections.abc import Callable
from typing import ClassVar

from pi_tui.tui.transcript.line import BLANK, Line, Look

MAX_ESTIMATE = 60
"""Lines that are assumed at most for what was never rendered: long output is collapsed."""


class Block:
    """One item of the transcript; it renders itself to lines and keeps them until it changes."""

    kind: ClassVar[str] = ""
    is_prompt: bool = False
    """True for what the user asked; `jump_to_prompt` stops here."""
    collapsible: ClassVar[bool] = False

    def __init__(self) -> None:
        self.margin = 1
        """Empty lines before it."""
        self.open: bool | None = None
        """The user's own choice for this block; None follows the rest."""
        self._lines: list[Line] | None = None
        self._look: Look | None = None

    def render(self, look: Look) -> list[Line]:
        """The lines at a look's width, without the margin."""
        raise NotImplementedError

    def text(self) -> str:
        """The content as plain text, for search."""
        raise NotImplementedError

    def may_say(self, phrase: str) -> bool:
        """False if a phrase in lower case is surely not in it; to be told without rendering it."""
        text = self.text().lower()
        return all(word in text for word in phrase.split())

    @property
    def ticking(self) -> bool:
        """True while it shows a time that goes on."""
        return False

    def size_hint(self) -> int:
        """About how many characters there are to show."""
        return 80

    def lines(self, look: Look) -> list[Line]:
        """The rendered lines, margin included; none is wider than the look."""
        if self._lines is None or (look is not self._look and look != self._look):
            rendered = [
                line if line.cell_length <= look.width else line.within(look.width)
                for line in self.render(look)
            ]
            self._lines = [BLANK] * self.margin + rendered if rendered else []
        self._look = look
        return self._lines

    def estimate(self, look: Look) -> int:
        """About how many lines it will have."""
        return min(MAX_ESTIMATE, self.size_hint() // look.text_width + 1) + self.margin

    def invalidate(self) -> None:
        """Says that the content changed."""
        self._lines = None

    def forget(self) -> None:
        """Gives back the memory of what can be rendered again."""
        self._lines = None

    def is_open(self, look: Look) -> bool:
        return look.expanded if self.open is None else self.open

    def reset(self) -> None:
        """Takes back what the user opened or closed of it."""
        self.open = None

    def reveal(self, query: str) -> None:
        """Opens what hides a text, which is given in lower case."""
        if self.collapsible and query in self.text().lower():
            self.open = True

    def part_at(self, line: int) -> "tuple[Block, int]":
        """The block that has a line, itself or one within it, and the line's number there."""
        return self, line

    def follow(self, before: "Block | None") -> None:
        """Says which block stands before it; calls of tools stand close together."""
        self.margin = 0 if before is None or before.kind == self.kind == "tool" else 1


class BlockGroup(Block):
    """Blocks that came from one place and are shown one under another."""

    def __init__(self, blocks: list[Block]) -> None:
        super().__init__()
        self.blocks = blocks
        self.is_prompt = any(block.is_prompt for block in blocks)
        for before, block in zip([None, *blocks], blocks, strict=False):
            block.follow(before)

    def render(self, look: Look) -> list[Line]:
        return [line for block in self.blocks for line in block.lines(look)]

    def text(self) -> str:
        return "\n\n".join(block.text() for block in self.blocks)

    def size_hint(self) -> int:
        return sum(block.size_hint() for block in self.blocks)

    def reset(self) -> None:
        for block in self.blocks:
            block.reset()

    def reveal(self, query: str) -> None:
        for block in self.blocks:
            block.reveal(query)

    def part_at(self, line: int) -> tuple[Block, int]:
        rest = line - self.margin
        for block in self.blocks:
            height = len(block._lines or ())
            if rest < height:
                return block.part_at(rest)
            rest -= height
        return self, line

    def invalidate(self) -> None:
        super().invalidate()
        for block in self.blocks:
            block.invalidate()

    def forget(self) -> None:
        super().forget()
        for block in self.blocks:
            block.forget()


class LazyBlock(Block):
    """A block whose content is decoded when it comes near the screen, and dropped again when it is far away.

    Args:
        size_hint: Bytes of what it will be decoded from.
        build: Makes the block; it must give the same one each time.
        may_say: Tells of a phrase in lower case whether the undecoded content can have it.
    """

    def __init__(
        self,
        size_hint: int,
        build: Callable[[], Block],
        *,
        is_prompt: bool = False,
        may_say: Callable[[str], bool] = lambda phrase: True,
    ) -> None:
        super().__init__()
        self.is_prompt = is_prompt
        self._size_hint = size_hint
        self._build = build
        self._may_say = may_say
        self._built: Block | None = None

    def built(self) -> Block:
        if self._built is None:
            self._built = self._build()
            self._built.margin = 0
        return self._built

    def render(self, look: Look) -> list[Line]:
        return self.built().lines(look)

    def text(self) -> str:
        return (self._built or self._build()).text()

    def may_say(self, phrase: str) -> bool:
        return self._may_say(phrase)

    def size_hint(self) -> int:
        return self._size_hint

    def reset(self) -> None:
        if self._built is not None:
            self._built.reset()

    def reveal(self, query: str) -> None:
        self.built().reveal(query)

    def part_at(self, line: int) -> tuple[Block, int]:
        return self.built().part_at(line - self.margin)

    def invalidate(self) -> None:
        super().invalidate()
        if self._built is not None:
            self._built.invalidate()

    def forget(self) -> None:
        super().forget()
        # What the user opened one by one must not close by itself.
        if self._built is not None and not _opened(self._built):
            self._built = None


def _opened(block: Block) -> bool:
    if isinstance(block, BlockGroup):
        return any(_opened(part) for part in block.blocks)
    return block.open is not None
