"""Contrast, by the definition of WCAG and apart from the code under test; and which colours are read on which."""

from pi_tui.tui.theme.palette import TOKENS

PANELS = (
    *("userMessageBg", "customMessageBg", "toolPendingBg", "toolSuccessBg", "toolErrorBg"),
    *("selectedBg", "searchMatchBg"),
)
TEXTS = (
    *("text", "muted", "dim", "accent", "success", "error", "warning", "thinkingText", "bashMode"),
    *("userMessageText", "customMessageText", "customMessageLabel", "toolTitle", "toolOutput"),
    *(token for token in TOKENS if token.startswith("syntax")),
    *("mdHeading", "mdLink", "mdLinkUrl", "mdCode", "mdCodeBlock", "mdQuote", "mdListBullet"),
    *("toolDiffAdded", "toolDiffRemoved", "toolDiffContext", "searchMatchText"),
)
"""Each may stand on the terminal's background and, selected or found, on every panel."""
LEVELS = ("thinkingLow", "thinkingMedium", "thinkingHigh", "thinkingXhigh", "thinkingMax")
"""Written in the footer, on the terminal's background."""

NO_TEXT = {
    *("border", "borderAccent", "borderMuted", "scrollbarTrack", "scrollbarThumb"),
    *("mdCodeBlockBorder", "mdQuoteBorder", "mdHr", "thinkingOff", "thinkingMinimal"),
}
"""Lines and bars."""


def luminance(color: str) -> float:
    red, green, blue = (_channel(int(color[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _channel(part: int) -> float:
    value = part / 255
    return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
