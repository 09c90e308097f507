"""`--verbose` shows at the start what was loaded, whatever the settings say."""

from pathlib import Path

import pytest

from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.run import theme_finder
from tests.tui.written_client import shown


@pytest.mark.parametrize("verbose", [False, True])
async def test_verbose_counts_more_than_a_quiet_start(home: Path, tmp_path: Path, verbose: bool) -> None:
    agent_dir = home / ".pi" / "agent"
    agent_dir.mkdir(parents=True)
    (agent_dir / "settings.json").write_text('{"quietStartup": true}')
    (tmp_path / "AGENTS.md").write_text("Be brief.")
    session = open_session(Launch(cwd=tmp_path, demo=True, offline=True))
    find = theme_finder([], discover=True)
    app = PiApp(session, ClientSetup(shelf=find(session.services), offline=True, verbose=verbose))
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.pause()
        assert ("AGENTS.md" in shown(app)) is verbose
    session.close()
