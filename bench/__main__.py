"""`python -m bench [row …]`: measures, and prints one table."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import (
    compaction,
    export,
    opening,
    resources,
    responsiveness,
    resume,
    rpc,
    startup,
    streaming,
    tools,
    tree,
)
from bench.setting import Setting
from bench.table import Row, as_json, as_table

MEASUREMENTS: dict[str, Callable[[Setting], list[Row]]] = {
    "version": startup.version,
    "launch": startup.launch,
    "resources": resources.resources,
    "memory": startup.memory,
    "print": startup.print_mode,
    "stream": streaming.full_speed,
    "stream-100": streaming.paced,
    "demo": streaming.demo,
    "keys-idle": responsiveness.idle,
    "keys-stream": responsiveness.streaming,
    "keys-import": responsiveness.importing,
    "keys-hostile": responsiveness.hostile,
    "open-20": opening.opening_20,
    "open-100": opening.opening_100,
    "tools": tools.tools,
    "tree": tree.tree,
    "resume": resume.resume,
    "compaction": compaction.compaction,
    "export": export.export,
    "rpc": rpc.rpc,
}


def main() -> int:
    """Returns 1 when a target was missed or a measurement failed."""
    options = _options()
    rows: list[Row] = []
    failures = []
    for name in options.rows or MEASUREMENTS:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="pi-bench-") as root:
            setting = Setting(
                Path(root), options.runs, shlex.split(options.pi), shlex.split(options.reference)
            )
            try:
                rows += MEASUREMENTS[name](setting)
            except (TimeoutError, OSError, RuntimeError) as error:
                failures.append(f"{name}: {error}")
    print(as_json(rows) if options.json else as_table(rows))
    for failure in failures:
        print(f"\nnot measured: {failure}", file=sys.stderr)
    return 1 if failures or any(row.passed is False for row in rows) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures pi beside its floors.")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"of {', '.join(MEASUREMENTS)}; default: all")
    parser.add_argument("--runs", type=int, default=7, help="launches per median (7)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--pi", default="", metavar="COMMAND", help="measure an installed pi")
    parser.add_argument("--reference", default="", metavar="COMMAND", help="another program to measure")
    options = parser.parse_args()
    if unknown := [row for row in options.rows if row not in MEASUREMENTS]:
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
