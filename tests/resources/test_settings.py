"""Settings: defaults, merging, and what happens to values that do not fit."""

import json
from pathlib import Path

import pytest

from pi_tui.resources.settings import Settings, change_selection, load_settings


def write(path: Path, data: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    loaded = load_settings(tmp_path / "settings.json")
    assert loaded.problems == []
    assert loaded.settings == Settings()


def test_defaults_are_those_of_the_format() -> None:
    settings = Settings()
    assert settings.default_thinking_level == "medium"
    assert settings.steering_mode == settings.follow_up_mode == "one-at-a-time"
    assert settings.double_escape_action == "tree"
    assert settings.default_tools == ["read", "bash", "edit", "write"]
    assert settings.theme == "system"
    assert settings.http_idle_timeout_ms == 300_000
    retry = settings.retry
    assert (retry.enabled, retry.max_retries, retry.base_delay_ms, retry.max_agent_delay_ms) == (
        True,
        3,
        2_000,
        60_000,
    )
    assert retry.provider.max_retry_delay_ms == 60_000


def test_names_are_camel_case_on_disk(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.json", {"defaultModel": "m", "retry": {"baseDelayMs": 5, "provider": {"timeoutMs": 9}}}
    )
    settings = load_settings(path).settings
    assert settings.default_model == "m"
    assert settings.retry.base_delay_ms == 5
    assert settings.retry.provider.timeout_ms == 9


def test_a_bad_value_is_reported_with_file_and_key_and_the_rest_works(tmp_path: Path) -> None:
    path = write(
        tmp_path / "settings.json",
        {"theme": "dark", "retry": {"maxRetries": "many", "baseDelayMs": 7}, "steeringMode": "sometimes"},
    )
    loaded = load_settings(path)
    assert {problem.field for problem in loaded.problems} == {"retry.maxRetries", "steeringMode"}
    assert all(str(path) in str(problem) for problem in loaded.problems)
    assert loaded.settings.theme == "dark"
    assert loaded.settings.retry.base_delay_ms == 7
    assert loaded.settings.retry.max_retries == 3
    assert loaded.settings.steering_mode == "one-at-a-time"


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"retry": {"maxRetries": -1}}, "retry.maxRetries"),
        ({"autocompleteMaxVisible": 2}, "autocompleteMaxVisible"),
        ({"retry": "often"}, "retry"),
        ({"defaultTools": "read"}, "defaultTools"),
        ({"modelThinkingLevels": {"a/b": "hard"}}, "modelThinkingLevels"),
        ({"httpIdleTimeoutMs": "never"}, "httpIdleTimeoutMs"),
    ],
)
def test_values_out_of_range_or_of_the_wrong_type_are_left_out(
    tmp_path: Path, data: dict[str, object], key: str
) -> None:
    loaded = load_settings(write(tmp_path / "settings.json", data))
    assert [problem.field for problem in loaded.problems] == [key]
    assert loaded.settings == Settings()


def test_null_means_the_default(tmp_path: Path) -> None:
    loaded = load_settings(write(tmp_path / "settings.json", {"theme": None, "retry": None}))
    assert loaded.problems == []
    assert loaded.settings == Settings()


@pytest.mark.parametrize("text", ['{"theme": }', "[1]", "nonsense", '{"theme": "dark"', "\x00\x00"])
def test_a_broken_file_is_reported_and_the_defaults_hold(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "settings.json", text)
    loaded = load_settings(path)
    assert len(loaded.problems) == 1
    assert str(path) in str(loaded.problems[0])
    assert loaded.settings == Settings()


def test_a_syntax_error_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "settings.json", '{\n  "theme": "dark"\n  "retry": {}\n}\n')
    assert load_settings(path).problems[0].line == 3


def test_comments_and_trailing_commas_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "settings.json", '{\n  // mine\n  "theme": "light", /* why */\n}\n')
    assert load_settings(path).settings.theme == "light"


def test_the_project_wins_and_objects_merge(tmp_path: Path) -> None:
    user = write(tmp_path / "u.json", {"theme": "dark", "retry": {"maxRetries": 1, "baseDelayMs": 10}})
    project = write(tmp_path / "p.json", {"theme": "light", "retry": {"maxRetries": 9}})
    settings = load_settings(user, project).settings
    assert settings.theme == "light"
    assert (settings.retry.max_retries, settings.retry.base_delay_ms) == (9, 10)


def test_resource_lists_add_up_and_others_do_not(tmp_path: Path) -> None:
    user = write(tmp_path / "u.json", {"themes": ["a", "b"], "enabledModels": ["x"]})
    project = write(tmp_path / "p.json", {"themes": ["b", "c"], "enabledModels": ["y"]})
    settings = load_settings(user, project).settings
    assert settings.themes == [str(tmp_path / name) for name in ("a", "b", "c")]
    assert settings.enabled_models == ["y"]


def test_a_project_cannot_decide_about_trust_or_the_proxy(tmp_path: Path) -> None:
    project = write(tmp_path / "p.json", {"defaultProjectTrust": "always", "httpProxy": "http://evil"})
    loaded = load_settings(tmp_path / "u.json", project)
    assert loaded.settings.default_project_trust == "ask"
    assert loaded.settings.http_proxy is None
    assert {problem.field for problem in loaded.problems} == {"defaultProjectTrust", "httpProxy"}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (None, ["read", "bash"]),
        (["grep"], ["grep"]),
        ([], []),
        (["+grep"], ["read", "bash", "grep"]),
        (["-bash", "+ls"], ["read", "ls"]),
        (["+read"], ["read", "bash"]),
        (["ls", "+grep", "-ls"], ["grep"]),
    ],
)
def test_plain_names_replace_a_selection_and_signed_ones_change_it(
    entries: list[str] | None, expected: list[str]
) -> None:
    assert change_selection(["read", "bash"], entries) == expected


def test_a_project_changes_the_users_selection_of_tools(tmp_path: Path) -> None:
    user = write(tmp_path / "u.json", {"defaultTools": ["read", "ls"]})
    project = write(tmp_path / "p.json", {"defaultTools": ["-ls", "+grep"]})
    assert load_settings(user, project).settings.default_tools == ["read", "grep"]


@pytest.mark.parametrize(("value", "seconds"), [(0, None), ("disabled", None), (1_500, 1.5)])
def test_the_idle_timeout_is_in_seconds_or_off(tmp_path: Path, value: object, seconds: float | None) -> None:
    settings = load_settings(write(tmp_path / "s.json", {"httpIdleTimeoutMs": value})).settings
    assert settings.idle_timeout == seconds


def test_a_models_own_time_limit_counts_before_the_general_one(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"httpConnectTimeoutMs": 2500, "retry": {"provider": {"timeoutMs": 1500}}}')
    settings = load_settings(path).settings
    assert (settings.connect_timeout, settings.idle_timeout) == (2.5, 1.5)
    path.write_text('{"httpConnectTimeoutMs": 0, "retry": {"provider": {"timeoutMs": 0}}}')
    settings = load_settings(path).settings
    assert (settings.connect_timeout, settings.idle_timeout) == (None, None)
