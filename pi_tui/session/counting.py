"""What a list shows of a session whose file is too long for its head and tail to say it."""

import os
from collections.abc import Callable
from pathlib import Path

from pi_tui.session.lines import find_header
from pi_tui.session.listing import SessionInfo, new_info, read_part
from pi_tui.session.pieces import whole_lines


def read_whole(path: Path, stop: Callable[[], bool]) -> SessionInfo | None:
    """Reads a whole session file with bounded memory; None if it is none, or if `stop` says so meanwhile."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            info: SessionInfo | None = None
            ids, start = True, 0
            for piece in whole_lines(file):
                if stop():
                    return None
                if info is None:
                    found = find_header(piece)
                    if found is None:
                        return None
                    info, ids, start = new_info(path, found, status), found.header.version > 1, found.end
                read_part(info, piece, start, ids=ids)
                start = 0
    except OSError:
        return None
    if info is not None:
        info.complete = True
    return info
