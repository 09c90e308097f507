"""The footer: where we are, what it cost, how full the context is, and which model answers."""

from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

from pi_tui.llm.messages import Usage
from pi_tui.tui.bar import Bar, justify
from pi_tui.tui.theme.palette import Palette, thinking_token

WARN_AT = 70
"""Percent of the context window from which the figure is drawn as a warning."""
ALARM_AT = 90


@dataclass(frozen=True)
class FooterState:
    """What the footer shows. Token counts are of the whole session, all branches."""

    cwd: Path
    branch: str | None = None
    session_name: str | None = None
    usage: Usage = field(default_factory=Usage)
    context_tokens: int | None = None
    """None while it is not known."""
    context_estimated: bool = False
    """The figure is our own estimate: no answer has told since the last compaction."""
    context_window: int | None = None
    model: str | None = None
    """`provider/id`; None while none is chosen."""
    level: str | None = None
    """None for a model that does not think."""
    auto_compact: bool = False
    unsaved: int = 0
    """Entries a full disk has not taken yet."""


class Footer(Bar):
    DEFAULT_CSS = """
    Footer { dock: bottom; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(rows=2, id=id)


def footer_lines(state: FooterState, width: int, palette: Palette) -> list[Text]:
    """The two lines of the footer, `width` cells wide; on a narrow screen the less important parts go first."""
    muted, dim = palette.style("muted"), palette.style("dim")
    place = Text(short_path(state.cwd), muted)
    if state.branch:
        place.append(f" ({state.branch})", dim)
    if state.session_name:
        place.append(f" • {state.session_name}", palette.style("accent"))
    unsaved = Text(f"{state.unsaved} unsaved" if state.unsaved else "", palette.style("error"))
    return [justify(place, unsaved, width), _figures(state, width, palette)]


def _figures(state: FooterState, width: int, palette: Palette) -> Text:
    model = _model(state, palette)
    parts = _usage_parts(state.usage, palette)
    context = _context(state, palette)
    while True:
        left = Text("  ").join([*parts, context]) if parts else context
        if not parts or left.cell_len + model.cell_len < width:
            return justify(left, model, width)
        parts.pop()


def _usage_parts(usage: Usage, palette: Palette) -> list[Text]:
    muted = palette.style("muted")
    parts = [Text(f"↑{compact_number(usage.input)} ↓{compact_number(usage.output)}", muted)]
    if usage.cost.total:
        parts.append(Text(cost_text(usage.cost.total), muted))
    cached = [("R", usage.cache_read), ("W", usage.cache_write)]
    if any(count for _, count in cached):
        text = " ".join(f"{sign}{compact_number(count)}" for sign, count in cached if count)
        parts.append(Text(text, muted))
    return parts if usage.total_tokens or usage.input or usage.output else []


def _context(state: FooterState, palette: Palette) -> Text:
    if state.context_window is None:
        return Text("")
    window = compact_number(state.context_window)
    auto = " (auto)" if state.auto_compact else ""
    if state.context_tokens is None:
        return Text(f"?/{window}{auto}", palette.style("muted"))
    percent = 100 * state.context_tokens / state.context_window if state.context_window else 100.0
    token = "error" if percent >= ALARM_AT else "warning" if percent >= WARN_AT else "muted"
    about = "~" if state.context_estimated else ""
    return Text(f"{about}{percent:.1f}%/{window}{auto}", palette.style(token))


def _model(state: FooterState, palette: Palette) -> Text:
    if state.model is None:
        return Text("no model", palette.style("warning"))
    line = Text(state.model, palette.style("muted"))
    if state.level is not None:
        line.append(" • ", palette.style("dim"))
        # The colours of the lowest levels are those of lines that step back, too dark for text.
        token = "muted" if state.level in ("off", "minimal") else thinking_token(state.level)
        line.append(state.level, palette.style(token))
    return line


def compact_number(count: int) -> str:
    """`950`, `1.2k`, `45k`, `1.3M`."""
    if count < 1_000:
        return str(count)
    if count < 9_950:
        return f"{count / 1_000:.1f}k"
    if count < 999_500:
        return f"{round(count / 1_000)}k"
    return f"{count / 1_000_000:.1f}M"


def cost_text(dollars: float) -> str:
    """`$0.0042`, `$0.123`, `$12.30`: three figures that count."""
    if dollars < 0.01:
        return f"${dollars:.4f}"
    return f"${dollars:.3f}" if dollars < 1 else f"${dollars:.2f}"


def short_path(path: Path) -> str:
    """The path with the home folder as `~`."""
    try:
        inside = path.relative_to(Path.home())
    except (ValueError, RuntimeError):
        return str(path)
    return "~" if inside == Path() else f"~/{inside}"
