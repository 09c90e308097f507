"""The `fake_llm` fixture; a conftest gets it with `from tests.support.fake_server import fake_llm`."""

from collections.abc import Iterator

import pytest

from tests.support.fakellm import FakeLLM, in_thread


@pytest.fixture
def fake_llm() -> Iterator[FakeLLM]:
    """A scripted model server on a free loopback port, for this test alone."""
    with in_thread() as server:
        yield server
