"""The files below a folder, without what `.gitignore` leaves out, in the order of their names."""

import os
import threading
from collections.abc import Iterator

from pi_tui.agent.tools.ignore_rules import IgnoreRules
from pi_tui.agent.tools.in_thread import Interrupted


def files_below(root: str, stop: threading.Event) -> Iterator[str]:
    """Paths of regular files relative to `root`; hidden ones too, `.git` never, links are not followed.

    Raises:
        Interrupted: `stop` was set.
    """
    waiting: list[Iterator[tuple[str, bool, IgnoreRules]]] = [_entries(root, "", IgnoreRules.at(root))]
    while waiting:
        if stop.is_set():
            raise Interrupted
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        path, is_folder, rules = entry
        if is_folder:
            name = path.rpartition("/")[2]
            waiting.append(_entries(root, f"{path}/", rules.within(name)))
        else:
            yield path


def _entries(root: str, folder: str, rules: IgnoreRules) -> Iterator[tuple[str, bool, IgnoreRules]]:
    try:
        with os.scandir(f"{root}/{folder}") as scan:
            entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return  # gone meanwhile, or not ours to read
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not entry.is_file(follow_symlinks=False):
            continue
        if not rules.ignores(entry.name, is_folder=is_folder):
            yield folder + entry.name, is_folder, rules
