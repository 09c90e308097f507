"""What a home full of skills, and files that are too large or broken, cost at the start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.setting import Setting
from bench.startup import interleaved, launcher
from bench.table import Row, compare

SKILLS = 10_000
LARGE_BYTES = 5 * 1024 * 1024
AT_MOST_EMPTY_HOMES = 1.5


def resources(setting: Setting) -> list[Row]:
    empty = replace(setting, root=setting.root / "empty")
    fill(setting.agent_dir, setting.project)
    seconds = interleaved(
        setting.runs, {"pi": launcher(setting, setting.pi()), "floor": launcher(empty, empty.pi())}
    )
    name = f"launch with {SKILLS:,} skills and broken files"
    return compare(name, "s", seconds, "pi in an empty home", at_most_floors=AT_MOST_EMPTY_HOMES)


def fill(agent_dir: Path, project: Path, count: int = SKILLS) -> None:
    """Makes more than anyone has: skills, a loop of links, a huge context file, bytes that are no text."""
    skills = agent_dir / "skills"
    for number in range(count):
        folder = skills / f"group-{number // 100:03d}" / f"skill-{number:05d}"
        folder.mkdir(parents=True)
        text = f"---\nname: skill-{number:05d}\ndescription: Does thing {number}.\n---\nSteps.\n"
        (folder / "SKILL.md").write_text(text, newline="\r\n" if number % 2 else "\n")
    (skills / "group-000" / "loop").symlink_to(skills, target_is_directory=True)
    (skills / "group-001" / "skill-00100" / "SKILL.md").write_bytes(
        b"---\nname: b\xff\ndescription: \xfe\n---\n"
    )
    (skills / "group-002" / "skill-00200" / "SKILL.md").chmod(0)
    (agent_dir / "AGENTS.md").write_bytes(b"r\xe9sum\xe9\r\n" * 100)
    (project / "AGENTS.md").write_bytes(b"Another rule.\n" * (LARGE_BYTES // 14))
