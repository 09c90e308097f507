import json
import os
import stat
from pathlib import Path

import pytest

from pi_tui.llm.credentials import Credentials, CredentialsError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "auth.json"


def written(path: Path, entries: object) -> Credentials:
    path.parent.mkdir(exist_ok=True)
    path.write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return Credentials(path, {"TOKEN": "from-env", **os.environ})


def key(value: str) -> dict[str, str]:
    return {"type": "api_key", "key": value}


def test_a_stored_key_is_there_next_time_for_the_owner_alone(path: Path) -> None:
    Credentials(path, {}).store("anthropic", "sk-1")
    assert Credentials(path, {}).key("anthropic") == "sk-1"
    assert json.loads(path.read_text()) == {"anthropic": key("sk-1")}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_others_could_read_is_closed_to_them(path: Path) -> None:
    credentials = written(path, {})
    path.chmod(0o644)
    credentials.store("openai", "sk-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("secret", ["$TOKEN", "!echo x", "a$b", "$$"])
def test_a_typed_key_is_taken_literally(path: Path, secret: str) -> None:
    Credentials(path, {}).store("openai", secret)
    assert Credentials(path, {"TOKEN": "x", "b": "x"}).key("openai") == secret


def test_entries_that_cannot_be_used_are_kept(path: Path) -> None:
    token = {"type": "oauth", "access": "a", "refresh": "r", "expires": 1, "odd": [1]}
    credentials = written(path, {"anthropic": token, "x": {"type": "api_key", "key": "k", "env": {"A": "1"}}})
    assert credentials.key("anthropic") is None
    credentials.store("x", "k2")
    credentials.store("openai", "k3")
    entries = json.loads(path.read_text())
    assert entries["anthropic"] == token
    assert entries["x"] == {"type": "api_key", "key": "k2", "env": {"A": "1"}}


def test_what_another_process_stored_meanwhile_is_kept(path: Path) -> None:
    ours = written(path, {})
    Credentials(path, {}).store("openai", "theirs")
    ours.store("anthropic", "ours")
    assert set(json.loads(path.read_text())) == {"openai", "anthropic"}


def test_removing(path: Path) -> None:
    credentials = written(path, {"openai": key("k"), "xai": key("k")})
    assert credentials.remove("openai")
    assert not credentials.remove("openai")
    assert list(json.loads(path.read_text())) == ["xai"]
    assert credentials.key("openai") is None


def test_variables_and_commands(path: Path) -> None:
    entries = {
        "a": key("$TOKEN"),
        "b": key("x-${TOKEN}"),
        "c": key("$NOT_SET"),
        "d": key("!printf ' out \\n'"),
        "e": key("!false"),
        "f": {**key("$OWN"), "env": {"OWN": "mine"}},
    }
    credentials = written(path, entries)
    assert [credentials.key(one) for one in entries] == ["from-env", "x-from-env", None, "out", None, "mine"]
    assert [credentials.has_key(one) for one in "abcd"] == [True, True, False, True]
    assert credentials.key("unknown") is None


def test_a_command_runs_once_and_only_when_its_key_is_needed(path: Path) -> None:
    ran = path.parent / "ran"
    credentials = written(path, {"a": key(f"!echo once >> {ran}; echo k")})
    assert credentials.has_key("a")
    assert not ran.exists()
    assert [credentials.key("a"), credentials.key("a")] == ["k", "k"]
    assert ran.read_text() == "once\n"


@pytest.mark.parametrize("content", ['{"a": ', "[]", "not json"])
def test_a_damaged_file_is_reported_and_never_overwritten(path: Path, content: str) -> None:
    credentials = written(path, content)
    assert credentials.problem is not None
    assert str(path) in str(credentials.problem)
    assert credentials.key("a") is None
    with pytest.raises(CredentialsError, match=r"auth\.json"):
        credentials.store("a", "k")
    assert path.read_text() == content


def test_a_linked_file_stays_a_link(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}")
    path.parent.mkdir()
    path.symlink_to(real)
    Credentials(path, {}).store("a", "k")
    assert path.is_symlink()
    assert "k" in real.read_text()


def test_nothing_but_the_file_and_its_lock_is_left(path: Path) -> None:
    Credentials(path, {}).store("a", "k")
    assert {one.name for one in path.parent.iterdir()} <= {"auth.json", "auth.json.lock"}
