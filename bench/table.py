"""A measured figure, its floor and its target, and how a list of them is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure. Smaller is better for all of them."""

    name: str
    value: float
    unit: str
    """`s`, `ms`, `MB` or `%`."""
    floor: float | None = None
    """The least that is possible by these means, measured in the same run."""
    floor_is: str = ""
    at_most: float | None = None
    """Target in the row's unit."""
    at_most_floors: float | None = None
    """Target as a multiple of the floor."""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.floor if self.floor else None

    @property
    def passed(self) -> bool | None:
        """None when there is no target."""
        verdicts = []
        if self.at_most is not None:
            verdicts.append(self.value <= self.at_most)
        if self.at_most_floors is not None and self.ratio is not None:
            verdicts.append(self.ratio <= self.at_most_floors)
        return all(verdicts) if verdicts else None

    @property
    def target(self) -> str:
        targets = []
        if self.at_most is not None:
            targets.append(f"≤ {_number(self.at_most)} {self.unit}")
        if self.at_most_floors is not None:
            targets.append(f"≤ {self.at_most_floors:g}×")
        return ", ".join(targets)


def compare(name: str, unit: str, measured: Mapping[str, float], floor_is: str, **details: Any) -> list[Row]:
    """Rows for `pi` and, where measured, the reference, over the same `floor`; targets and note are ours."""
    floor = measured["floor"]
    rows = [Row(name, measured["pi"], unit, floor, floor_is, **details)]
    if "reference" in measured:
        rows.append(Row(f"reference: {name}", measured["reference"], unit, floor, floor_is))
    return rows


def as_table(rows: Iterable[Row]) -> str:
    """A Markdown table, its columns aligned."""
    cells = [("what", "value", "floor", "ratio", "target", "", "note")]
    for row in rows:
        verdict = {True: "pass", False: "FAIL", None: ""}[row.passed]
        floor = f"{_number(row.floor)} {row.unit}" if row.floor is not None else ""
        note = "; ".join(part for part in (row.floor_is and f"floor: {row.floor_is}", row.note) if part)
        ratio = f"{row.ratio:.2f}×" if row.ratio is not None else ""
        value = f"{_number(row.value)} {row.unit}"
        cells.append((row.name, value, floor, ratio, row.target, verdict, note))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in cells]
    lines = [f"| {' | '.join(line)} |" for line in padded]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def as_json(rows: Iterable[Row]) -> str:
    return json.dumps([asdict(row) | {"ratio": row.ratio, "passed": row.passed} for row in rows], indent=1)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"
