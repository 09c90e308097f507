"""The bench's own arithmetic, and the sessions it opens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.keys import ALPHABET, Latency
from bench.sessions import LAST_WORDS, SessionWriter
from bench.table import Row, as_table


def test_percentiles_are_nearest_rank() -> None:
    latency = Latency.of(value / 1000 for value in range(1, 101))
    assert (latency.p50, latency.p95, latency.worst, latency.samples) == pytest.approx((50.5, 95, 100, 100))
    assert Latency.of([0.002, 0.001]).p95 == pytest.approx(2)


def test_no_letter_of_the_typist_comes_twice_or_is_in_ascii() -> None:
    assert len(set(ALPHABET)) == len(ALPHABET) > 100
    assert min(ALPHABET) > "\x7f"


@pytest.mark.parametrize(
    ("row", "passed"),
    [
        (Row("x", 2.0, "s"), None),
        (Row("x", 2.0, "s", at_most=2.0), True),
        (Row("x", 2.1, "s", at_most=2.0), False),
        (Row("x", 2.0, "s", floor=1.0, at_most_floors=1.4), False),
        (Row("x", 1.4, "s", floor=1.0, at_most_floors=1.4, at_most=1.0), False),
    ],
)
def test_a_row_passes_when_all_its_targets_are_met(row: Row, passed: bool | None) -> None:
    assert row.passed is passed


def test_the_table_has_one_line_a_row_of_equal_width() -> None:
    lines = as_table([Row("a", 1.0, "s", 0.5, "floor"), Row("longer name", 123.4, "ms", at_most=30)]).split(
        "\n"
    )
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1
    assert "2.00×" in lines[2]
    assert "FAIL" in lines[3]


def test_generated_sessions_are_whole_trees_of_the_size_asked_for(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for path in (first, second):
        SessionWriter(entries=1_500, megabytes=2, cwd="/project", compact_every=200).write(path)
    assert first.read_bytes() == second.read_bytes()
    header, *entries = [json.loads(line) for line in first.read_bytes().splitlines()]
    assert (header["type"], header["version"]) == ("session", 3)
    assert 1_500 <= len(entries) <= 1_530
    assert first.stat().st_size == pytest.approx(2e6, rel=0.1)
    known: set[str | None] = {None}
    for entry in entries:
        assert entry["parentId"] in known
        assert entry["id"] not in known
        known.add(entry["id"])
    kinds = {entry["type"] for entry in entries}
    assert {"message", "compaction", "branch_summary", "label"} <= kinds
    assert LAST_WORDS in json.dumps(entries[-1])
