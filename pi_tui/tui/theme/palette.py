"""The colours of the client by the role they play."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rich.style import Style

Appearance: TypeAlias = Literal["dark", "light"]

TERMINAL_DEFAULT = "default"
"""A colour that is the terminal's own foreground or background."""

TOKENS = (
    "accent",
    "border",
    "borderAccent",
    "borderMuted",
    "success",
    "error",
    "warning",
    "muted",
    "dim",
    "text",
    "thinkingText",
    "selectedBg",
    "searchMatchBg",
    "searchMatchText",
    "scrollbarTrack",
    "scrollbarThumb",
    "userMessageBg",
    "userMessageText",
    "customMessageBg",
    "customMessageText",
    "customMessageLabel",
    "toolPendingBg",
    "toolSuccessBg",
    "toolErrorBg",
    "toolTitle",
    "toolOutput",
    "mdHeading",
    "mdLink",
    "mdLinkUrl",
    "mdCode",
    "mdCodeBlock",
    "mdCodeBlockBorder",
    "mdQuote",
    "mdQuoteBorder",
    "mdHr",
    "mdListBullet",
    "toolDiffAdded",
    "toolDiffRemoved",
    "toolDiffContext",
    "syntaxComment",
    "syntaxKeyword",
    "syntaxFunction",
    "syntaxVariable",
    "syntaxString",
    "syntaxNumber",
    "syntaxType",
    "syntaxOperator",
    "syntaxPunctuation",
    "thinkingOff",
    "thinkingMinimal",
    "thinkingLow",
    "thinkingMedium",
    "thinkingHigh",
    "thinkingXhigh",
    "thinkingMax",
    "bashMode",
)

FALLBACKS = {
    "scrollbarTrack": "muted",
    "scrollbarThumb": "text",
    "searchMatchBg": "selectedBg",
    "searchMatchText": "text",
    "thinkingMax": "thinkingXhigh",
}
"""Tokens a theme may leave out, and the token each takes its colour from."""


@dataclass(frozen=True, eq=False)
class Palette:
    """One theme, resolved: every token has a colour as Rich writes it.

    A colour is `#rrggbb`, `color(0)` … `color(255)`, or `default` for the terminal's own.
    """

    name: str
    appearance: Appearance
    colors: dict[str, str]
    faint: frozenset[str] = frozenset()
    """Foregrounds that are shown faint, where there is no colour to tell them apart."""
    reversed: frozenset[str] = frozenset()
    """Backgrounds that are shown by exchanging ink and paper."""
    _styles: dict[tuple[object, ...], Style] = field(default_factory=dict, init=False, repr=False)

    def color(self, token: str) -> str:
        """The colour of a token, as Rich writes it; raises `KeyError` for a token that does not exist."""
        return self.colors[token]

    def style(
        self,
        fg: str | None = None,
        bg: str | None = None,
        *,
        bold: bool = False,
        italic: bool = False,
        underline: bool = False,
        strike: bool = False,
        dim: bool = False,
        reverse: bool = False,
    ) -> Style:
        """The style with these tokens as foreground and background; the same call gives the same object."""
        key = (fg, bg, bold, italic, underline, strike, dim, reverse)
        style = self._styles.get(key)
        if style is None:
            style = Style(
                color=self.colors[fg] if fg else None,
                bgcolor=self.colors[bg] if bg else None,
                bold=bold or None,
                italic=italic or None,
                underline=underline or None,
                strike=strike or None,
                dim=dim or fg in self.faint or None,
                reverse=reverse or bg in self.reversed or None,
            )
            self._styles[key] = style
        return style


def thinking_token(level: str) -> str:
    """The token of a thinking level (`off`, `minimal`, … `max`); an unknown level has that of `off`."""
    token = f"thinking{level.capitalize()}"
    return token if token in TOKENS else "thinkingOff"
