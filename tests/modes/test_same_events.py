"""Whoever listens hears the same: the client's own log, JSON mode and RPC mode, kind by kind and in order."""

from pathlib import Path

import pytest

from tests.modes.front_ends import json_mode, rpc_mode, screen
from tests.modes.scenarios import SCENARIOS, Scenario, sequence
from tests.support.fakellm import FakeLLM
from tests.support.written_models import write_models

FRONT_ENDS = {"client": screen, "json": json_mode, "rpc": rpc_mode}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
async def test_the_same_events_in_the_same_order(
    fake_llm: FakeLLM, tmp_path: Path, scenario: Scenario
) -> None:
    told: dict[str, list[str]] = {}
    for name, front_end in FRONT_ENDS.items():
        fake_llm.reset()
        fake_llm.script(scenario.script)
        write_models(fake_llm, window=scenario.window, **scenario.settings)
        folder = tmp_path / name
        folder.mkdir()
        async with front_end(folder) as driver:
            await scenario.deeds(driver, folder)
        told[name] = sequence(driver.events)
        for kind in scenario.must_tell:
            assert any(one.startswith(kind) for one in told[name]), f"{name} told of no {kind}"
    assert told["json"] == told["client"]
    assert told["rpc"] == told["client"]
