"""Files as the reference's documentation has them, with every kind of value, load unchanged and without a word."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from pi_tui.resources.prompt_templates import TemplateFolder, discover_templates, template_prompt
from pi_tui.resources.settings import Settings, load_settings
from pi_tui.resources.settings_file import save_setting
from pi_tui.resources.skills import SkillFolder, discover_skills, skill_prompt
from pi_tui.tui.keys.actions import ACTIONS_BY_ID
from pi_tui.tui.keys.bindings import load_key_bindings
from pi_tui.tui.theme.load import load_theme

FILES = Path(__file__).parents[1] / "fixtures" / "reference-resources"
SETTINGS = json.loads((FILES / "settings.json").read_text())
ONLY_THERE = {
    *("$schema", "showCacheMissNotices", "cacheWarming", "codemode", "sessionShareDestination", "tuiMode"),
    *("fullscreenExitOutput", "fullscreenScrollbar", "fullscreenWheelScrollLines", "editorPaddingX"),
    *("outputPad", "showHardwareCursor", "terminal", "markdown", "transport", "websocketConnectTimeoutMs"),
    *("npmCommand", "packages", "extensions", "collapseChangelog", "enableInstallTelemetry", "warnings"),
}
"""Settings of features that are not here: kept in the file, and nothing else."""


def says(known: object, written: object) -> bool:
    """Whether `known` has everything that was written; defaults may stand beside it."""
    if isinstance(written, dict) and isinstance(known, dict):
        return all(key in known and says(known[key], value) for key, value in written.items())
    return known == written


def test_every_setting_is_taken_over_or_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    shutil.copy(FILES / "settings.json", path)
    loaded = load_settings(path)
    assert loaded.problems == []
    known = json.loads(msgspec.json.encode(loaded.settings))
    for key in SETTINGS.keys() - ONLY_THERE - {"skills", "prompts", "themes", "defaultTools"}:
        assert says(known[key], SETTINGS[key]), key
    assert loaded.settings.default_tools == ["read", "edit", "write", "grep", "find"]
    assert loaded.settings.skills == [
        str(Path.home() / "more-skills"),
        "!*-draft",
        f"+{tmp_path}/kept/SKILL.md",
        f"-{tmp_path}/dropped/SKILL.md",
    ]
    save_setting(path, "theme", "dark")
    assert json.loads(path.read_text()) == SETTINGS | {"theme": "dark"}
    assert list(json.loads(path.read_text())) == list(SETTINGS)


def test_what_is_said_to_be_only_there_is_not_here() -> None:
    ours = {field.encode_name for field in msgspec.structs.fields(Settings)}
    assert not ours & ONLY_THERE
    assert set(SETTINGS) <= ours | ONLY_THERE


def test_every_kind_of_key_is_taken_over(tmp_path: Path) -> None:
    shutil.copy(FILES / "keybindings.json", tmp_path)
    bindings, problems = load_key_bindings(tmp_path)
    assert problems == []
    written = json.loads((FILES / "keybindings.json").read_text())
    assert written.keys() - {"$schema"} <= ACTIONS_BY_ID.keys()
    assert bindings.keys("app.session.tree") == ("ctrl+shift+t", "alt+shift+t")
    assert bindings.keys("app.suspend") == ()
    assert bindings.keys("tui.input.submit") == ("enter", "f12")


def test_every_form_of_colour_is_read() -> None:
    palette, problems = load_theme(FILES / "harbour.json")
    assert problems == []
    assert palette is not None
    assert (palette.name, palette.appearance) == ("harbour", "light")
    colors = json.loads((FILES / "harbour.json").read_text())["colors"]
    meant = {"#0af": "#00aaff", "#00aaff": "#00aaff", 39: "color(39)", "": "default"}
    for token, value in colors.items():
        assert palette.color(token) == meant.get(value, palette.color(token))
    assert palette.color("thinkingMax") == palette.color("thinkingXhigh")


def test_every_field_of_a_skill_is_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "pdf-pages"
    folder.mkdir()
    shutil.copy(FILES / "SKILL.md", folder)
    found = discover_skills([SkillFolder(tmp_path, "user")])
    assert found.problems == []
    (skill,) = found.skills
    assert skill.description == "Count and cut the pages of PDF files. Use when a PDF is to be split."
    assert not skill.model_may_use
    text, _ = skill_prompt(skill, "split a.pdf")
    assert str(folder) in text
    assert text.endswith("split a.pdf")


@pytest.mark.parametrize(
    ("arguments", "prompt"),
    [
        (
            'old "brand new" x',
            "Compare old with brand new. All: old brand new x. Again: old brand new x. "
            "From the second: brand new x. One of these: brand new. old brand new x",
        ),
        (
            "old",
            "Compare old with the last release. All: old. Again: old. From the second: . One of these: . old",
        ),
        ("", "Compare  with the last release. All: . Again: . From the second: . One of these: . nothing"),
    ],
)
def test_every_substitution_of_a_template_is_made(arguments: str, prompt: str) -> None:
    found = discover_templates([TemplateFolder(FILES / "compare.md")])
    assert found.problems == []
    (template,) = found.templates
    assert (template.description, template.argument_hint) == ("Compare two things", "<one> [other]")
    assert template_prompt(template, arguments) == (prompt, [])
