"""Where the program looks for things."""

from pathlib import Path

import pytest

from pi_tui.resources import paths


def test_the_agent_dir_is_in_the_home_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PI_CODING_AGENT_DIR")
    assert paths.agent_dir() == home / ".pi" / "agent"


def test_the_environment_can_name_another(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", "~/elsewhere")
    assert paths.agent_dir() == home / "elsewhere"


def test_caches_and_state_follow_the_platform(home: Path) -> None:
    assert home in paths.cache_dir().parents
    assert home in paths.state_dir().parents
    assert home in paths.log_dir().parents


def test_a_checkout_finds_what_it_ships() -> None:
    assert (paths.shipped_dir("skills") / "pi-sessions" / "SKILL.md").is_file()


@pytest.mark.parametrize(
    ("written", "meant"),
    [("a/b", "/base/a/b"), ("/a", "/a"), ("~nobody-of-that-name/x", "/base/~nobody-of-that-name/x")],
)
def test_paths_are_resolved_from_their_base(written: str, meant: str) -> None:
    assert paths.resolve(written, Path("/base")) == Path(meant)
