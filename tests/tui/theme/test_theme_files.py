import json

import pytest

from pi_tui.tui.terminal.appearance import TerminalColors
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.load import load_theme, theme_from
from pi_tui.tui.theme.palette import FALLBACKS, TOKENS

REQUIRED = [token for token in TOKENS if token not in FALLBACKS]


def theme(**changes):
    data = {"name": "mine", "colors": dict.fromkeys(REQUIRED, "#808080")}
    data["colors"] |= changes.pop("colors", {})
    return data | changes


def problems_of(data):
    palette, problems = theme_from(data, "mine.json")
    assert palette is None
    return [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        ("#0af", "#00aaff"),
        ("#00AAFF", "#00aaff"),
        (39, "color(39)"),
        (0, "color(0)"),
        ("", "default"),
        ("brand", "#123456"),
        ("indirect", "#123456"),
        ("numbered", "color(7)"),
        ("oklch(62% 0.1 200)", "#1c989e"),
        ("oklch(0.62 25% 200deg)", "#1c989e"),
        ("okhsl(250 60% 55%)", "#4e88c2"),
        ("okhsl(250deg 0.6 0.55)", "#4e88c2"),
    ],
)
def test_a_colour_may_be_written_in_six_forms(written, resolved):
    variables = {"brand": "#123456", "indirect": "brand", "numbered": 7}
    palette, problems = theme_from(theme(vars=variables, colors={"accent": written}), "mine.json")
    assert not problems
    assert palette.color("accent") == resolved


@pytest.mark.parametrize(
    ("token", "fallback"),
    [
        ("scrollbarTrack", "muted"),
        ("scrollbarThumb", "text"),
        ("searchMatchBg", "selectedBg"),
        ("searchMatchText", "text"),
        ("thinkingMax", "thinkingXhigh"),
    ],
)
def test_an_optional_colour_falls_back(token, fallback):
    palette, _ = theme_from(theme(colors={fallback: "#abcdef"}), "mine.json")
    assert palette.color(token) == "#abcdef"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (theme(name=""), "name"),
        (theme(name="a/b"), "name"),
        (theme(name="system"), "name"),
        (theme(appearance="dim"), "appearance"),
        (theme(author="x"), "author"),
        (theme(colors={"accnt": "#fff"}), "colors.accnt"),
        (theme(colors={"accent": "#ff"}), "colors.accent"),
        (theme(colors={"accent": 256}), "colors.accent"),
        (theme(colors={"accent": True}), "colors.accent"),
        (theme(colors={"accent": None}), "colors.accent"),
        (theme(colors={"accent": "nowhere"}), "colors.accent"),
        (theme(colors={"accent": "rgb(1 2 3)"}), "colors.accent"),
        (theme(colors={"accent": "oklch(62% 0.1 20%)"}), "colors.accent"),
        (theme(vars={"a": "b", "b": "a"}, colors={"accent": "a"}), "colors.accent"),
        (theme(vars=[]), "vars"),
        ({"name": "mine"}, "colors"),
        (theme(export={"bg": "#fff"}), "export.bg"),
        (theme(export={"pageBg": "nope"}), "export.pageBg"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_field(data, field):
    told = problems_of(data)
    assert [line for line in told if line.startswith(f"mine.json: {field}: ")], told


def test_every_missing_colour_is_told_at_once():
    data = theme()
    del data["colors"]["mdHeading"], data["colors"]["bashMode"]
    assert len(problems_of(data)) == 2


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff\xfe", b"{" * 100_000, b'{"name": 1}', b"null"])
def test_a_broken_file_is_a_problem_and_no_crash(tmp_path, content):
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    palette, problems = load_theme(path)
    assert palette is None
    assert str(path) in str(problems[0])


def test_the_appearance_is_seen_from_the_panels_when_it_is_not_told():
    assert theme_from(theme(colors={"userMessageBg": "#f0f0f0"}), "")[0].appearance == "light"
    assert theme_from(theme(colors={"userMessageBg": "#101010"}), "")[0].appearance == "dark"
    terminal_panels = {"userMessageBg": "", "toolPendingBg": "", "text": "#eeeeee"}
    assert theme_from(theme(colors=terminal_panels), "")[0].appearance == "dark"


def write(directory, name, **changes):
    directory.mkdir(exist_ok=True)
    path = directory / f"{name}.json"
    path.write_text(json.dumps(theme(name=name, **changes)))
    return path


def test_the_users_theme_is_found_beside_the_shipped_ones(tmp_path):
    write(tmp_path / "themes", "mine")
    shelf = discover_themes([tmp_path / "themes", tmp_path / "absent"])
    assert not shelf.problems
    assert {"mine", "dark", "light", "high-contrast", "colour-blind"} <= shelf.palettes.keys()


def test_a_theme_may_be_named_as_a_file(tmp_path):
    path = write(tmp_path / "elsewhere", "mine")
    assert "mine" in discover_themes([path]).palettes


def test_a_theme_of_ones_own_replaces_a_shipped_one_but_a_second_of_the_same_name_is_a_problem(tmp_path):
    write(tmp_path / "user", "dark", colors={"accent": "#111111"})
    write(tmp_path / "project", "dark", colors={"accent": "#222222"})
    shelf = discover_themes([tmp_path / "user", tmp_path / "project"])
    assert shelf.palettes["dark"].color("accent") == "#111111"
    assert [problem.file for problem in shelf.problems] == [str(tmp_path / "project" / "dark.json")]


@pytest.mark.parametrize(
    ("setting", "appearance", "name"),
    [
        (None, "light", "system"),
        ("system", "dark", "system"),
        ("light/system", "dark", "system"),
        ("light", "dark", "light"),
        ("light/high-contrast", "dark", "high-contrast"),
        ("light/high-contrast", "light", "light"),
    ],
)
def test_the_setting_names_a_theme_or_a_pair(setting, appearance, name):
    shelf = discover_themes()
    assert shelf.choose(setting, TerminalColors(appearance)).name == name
    assert not shelf.problems


def test_an_unknown_theme_is_told_and_replaced():
    shelf = discover_themes()
    assert shelf.choose("solarised", TerminalColors("light")).name == "system"
    assert "solarised" in str(shelf.problems[0])
    assert "theme" in str(shelf.problems[0])
