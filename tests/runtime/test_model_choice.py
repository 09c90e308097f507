"""Which model and level a session begins with."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from pi_tui.session.log import SessionLog

SERVER = {
    "baseUrl": "http://127.0.0.1:9/v1",
    "api": "openai-completions",
    "apiKey": "key",
    "models": [
        {"id": "plain"},
        {"id": "thinker", "reasoning": True},
        {"id": "deep", "reasoning": True, "thinkingLevelMap": {"max": "max"}},
    ],
}


@pytest.fixture
def agent_dir() -> Path:
    folder = Path(os.environ["PI_CODING_AGENT_DIR"])
    folder.mkdir(parents=True)
    (folder / "models.json").write_text(json.dumps({"providers": {"mine": SERVER}}))
    return folder


def configure(agent_dir: Path, **settings: Any) -> None:
    (agent_dir / "settings.json").write_text(json.dumps(settings))


def stored_session(folder: Path, model: str, level: str) -> Path:
    log = SessionLog.create(folder, folder / "sessions")
    log.append_model_change("mine", model)
    log.append_thinking_level(level)
    log.append_message(UserMessage("hello"))
    log.append_message(
        AssistantMessage([TextContent("hi")], "openai-completions", "mine", model, stop_reason="stop")
    )
    log.close()
    assert log.path is not None
    return log.path


def begun(folder: Path, **launch: Any) -> Session:
    session = open_session(Launch(cwd=folder, offline=True, **launch))
    session.close()
    return session


def chosen(session: Session) -> tuple[str, str]:
    return session.model.id if session.model else "none", session.thinking_level


def test_an_option_then_the_session_then_the_scope_then_the_settings(agent_dir: Path, tmp_path: Path) -> None:
    configure(agent_dir, defaultProvider="mine", defaultModel="thinker", defaultThinkingLevel="low")
    assert chosen(begun(tmp_path)) == ("thinker", "low")
    assert chosen(begun(tmp_path, models=["mine/deep:max"])) == ("deep", "max")
    assert chosen(begun(tmp_path, models=["mine/deep", "mine/thinker"])) == ("thinker", "low")
    path = stored_session(tmp_path, "deep", "high")
    assert chosen(begun(tmp_path, session=str(path), models=["mine/thinker"])) == ("deep", "high")
    assert chosen(begun(tmp_path, session=str(path), model="mine/thinker")) == ("thinker", "high")
    assert chosen(begun(tmp_path, session=str(path), thinking="max")) == ("deep", "max")


def test_a_level_for_one_model_in_the_settings(agent_dir: Path, tmp_path: Path) -> None:
    configure(
        agent_dir, defaultProvider="mine", defaultModel="deep", modelThinkingLevels={"mine/deep": "max"}
    )
    assert chosen(begun(tmp_path)) == ("deep", "max")
    assert chosen(begun(tmp_path, model="thinker")) == ("thinker", "medium")
    assert chosen(begun(tmp_path, model="deep:low")) == ("deep", "low")


def test_a_model_that_takes_less_makes_no_level_forgotten(agent_dir: Path, tmp_path: Path) -> None:
    session = begun(tmp_path, model="mine/deep:max")
    registry = session.services.registry
    for model_id, level in (("thinker", "high"), ("plain", "off"), ("deep", "max")):
        model = registry.find("mine", model_id)
        assert model is not None
        session.set_model(model)
        assert chosen(session) == (model_id, level)


@pytest.mark.parametrize("why", ["no key", "no such model"])
def test_a_session_whose_model_cannot_be_used_says_so_and_asks(
    agent_dir: Path, tmp_path: Path, why: str
) -> None:
    path = stored_session(tmp_path, "deep", "high")
    entry: dict[str, Any] = {**SERVER, "baseUrl": "http://10.0.0.1/v1"}
    if why == "no key":
        entry["apiKey"] = "$NOT_SET"
    else:
        entry["models"] = [{"id": "other"}]
    (agent_dir / "models.json").write_text(json.dumps({"providers": {"mine": entry}}))
    session = begun(tmp_path, session=str(path))
    assert session.missing_model == "mine/deep"
    assert any("mine/deep, which is not available now" in one for one in session.services.problems)


def test_an_option_that_means_no_model_is_an_error(agent_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(
        LaunchError, match=r"--model thinkr: No model matches 'thinkr'\. Near: .*mine/thinker"
    ):
        begun(tmp_path, model="thinkr")
    with pytest.raises(LaunchError, match="--models"):
        begun(tmp_path, models=["nothing-*"])
