from pathlib import Path

import pytest

from pi_tui.llm.messages import Cost, Usage
from pi_tui.tui.footer import FooterState, compact_number, cost_text, footer_lines, short_path
from pi_tui.tui.theme.palette import TOKENS, Palette

PALETTE = Palette("plain", "dark", dict.fromkeys(TOKENS, "#ffffff"))
USAGE = Usage(12_345, 678, 9_000, 100, 22_123, Cost(total=0.1234))


def state(**changes: object) -> FooterState:
    fields: dict[str, object] = {
        "cwd": Path("/srv/app"),
        "branch": "main",
        "usage": USAGE,
        "context_tokens": 84_200,
        "context_window": 200_000,
        "model": "anthropic/claude",
        "level": "high",
    }
    return FooterState(**{**fields, **changes})  # type: ignore[arg-type]


def lines(width: int = 100, **changes: object) -> list[str]:
    return [line.plain for line in footer_lines(state(**changes), width, PALETTE)]


def test_the_context_is_shown_as_share_of_the_window() -> None:
    assert "42.1%/200k" in lines()[1]


def test_an_unknown_context_size_is_shown_as_such() -> None:
    assert "?/200k" in lines(context_tokens=None)[1]


@pytest.mark.parametrize("width", [1, 5, 20, 40, 79, 80, 200])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    wide = footer_lines(state(cwd=Path("/项目/很长的路径" * 4), session_name="🚀" * 30), width, PALETTE)
    assert all(line.cell_len <= max(width, wide[1].cell_len if width < 30 else 0) for line in wide)


def test_a_narrow_screen_keeps_context_and_model() -> None:
    line = lines(width=45)[1]
    assert "42.1%/200k" in line and "anthropic/claude • high" in line and "R9" not in line


@pytest.mark.parametrize(("percent", "token"), [(69, "muted"), (70, "warning"), (90, "error")])
def test_a_full_context_changes_colour(percent: int, token: str) -> None:
    colours = {**dict.fromkeys(TOKENS, "#000000"), token: "#123456"}
    line = footer_lines(
        state(context_tokens=percent * 1000, context_window=100_000), 100, Palette("p", "dark", colours)
    )[1]
    styles = {str(span.style) for span in line.spans if "%" in line.plain[span.start : span.end]}
    assert styles == {"#123456"}


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (999_499, "999k"),
        (1_250_000, "1.2M"),
    ],
)
def test_large_numbers_are_short(count: int, text: str) -> None:
    assert compact_number(count) == text


@pytest.mark.parametrize(("dollars", "text"), [(0.00421, "$0.0042"), (0.1234, "$0.123"), (12.3, "$12.30")])
def test_costs_show_the_figures_that_count(dollars: float, text: str) -> None:
    assert cost_text(dollars) == text


def test_the_home_folder_is_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert short_path(Path("/home/someone/code")) == "~/code"
    assert short_path(Path("/home/someone")) == "~"
    assert short_path(Path("/etc")) == "/etc"
