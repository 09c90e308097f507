from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_tui.session.log import SessionLog

OpenBytes = Callable[[bytes], SessionLog]


@pytest.fixture
def open_bytes(tmp_path: Path) -> Iterator[OpenBytes]:
    """Opens a session file with these bytes."""
    opened: list[SessionLog] = []

    def open_it(data: bytes) -> SessionLog:
        path = tmp_path / f"session-{len(opened)}.jsonl"
        path.write_bytes(data)
        opened.append(SessionLog.open(path))
        return opened[-1]

    yield open_it
    for log in opened:
        log.close()
