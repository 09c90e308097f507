"""A server on this machine stands in where there is no key, and is asked where a model of its may be meant."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pi_tui.llm.local_servers import PORTS
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.local_models import use_local_model
from pi_tui.runtime.open import open_session
from tests.support.fakellm import FakeLLM


@pytest.fixture(autouse=True)
def local_server(fake_llm: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the scripted server is there, where llama.cpp would be."""
    for name in list(PORTS):
        monkeypatch.delitem(PORTS, name)
    monkeypatch.setitem(PORTS, "llama.cpp", urlsplit(fake_llm.url).port)


async def test_without_a_key_the_local_model_answers(fake_llm: FakeLLM, tmp_path: Path) -> None:
    session = open_session(Launch(cwd=tmp_path))
    assert session.model is None
    assert await use_local_model(session)
    assert session.model is not None
    assert session.model.ref == "llama.cpp/fake-1"
    fake_llm.push({"text": "from here"})
    await session.prompt("who is there?")
    answer = session.last_assistant()
    assert answer is not None
    assert answer.text == "from here"
    session.close()


async def test_a_local_model_is_found_by_its_name_and_when_its_session_goes_on(tmp_path: Path) -> None:
    session = open_session(Launch(cwd=tmp_path, model="fake-1"))
    assert session.model is not None
    assert session.model.provider == "llama.cpp"
    await session.prompt("hello")
    session.close()
    again = open_session(Launch(cwd=tmp_path, continue_last=True))
    assert again.model is not None
    assert (again.model.ref, again.missing_model) == ("llama.cpp/fake-1", None)
    again.close()


async def test_offline_nobody_is_asked(fake_llm: FakeLLM, tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="fake-1"):
        open_session(Launch(cwd=tmp_path, model="fake-1", offline=True))
    assert fake_llm.state()["requests"] == 0
