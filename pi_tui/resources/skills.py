"""Agent Skills: folders with a `SKILL.md` whose head tells when a model should read the rest."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from pi_tui.llm.problems import Problem
from pi_tui.resources.folder_walk import markdown_files, skill_files
from pi_tui.resources.front_matter import FrontMatter, line_in_front_matter, read_front_matter
from pi_tui.resources.selection import Selection
from pi_tui.resources.text_file import read_head, read_text

SKILL_NAME: Final = "SKILL.md"
SKILLS_LIMIT: Final = 300
"""Skills of all folders together; each takes a line of every request."""
MAX_NAME: Final = 64
MAX_DESCRIPTION: Final = 1024
"""Characters, by the format."""

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

Source: TypeAlias = Literal["option", "project", "user", "shipped"]


class Skill(Struct, frozen=True):
    name: str
    description: str
    path: Path
    """Its `SKILL.md`, absolute."""
    source: Source
    model_may_use: bool = True
    """Whether the model is told of it; `/skill:name` works in any case."""


class SkillFolder(Struct, frozen=True):
    """Where skills are looked for: a folder, or one file."""

    path: Path
    source: Source
    with_files: bool = False
    """Whether a Markdown file that lies directly in it can be a skill too."""
    must_exist: bool = False


class Skills(Struct):
    skills: list[Skill] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def discover_skills(folders: Sequence[SkillFolder], selection: Selection | None = None) -> Skills:
    """The skills of all folders; of two with one name the first counts.

    Reads the heads of the files only. A file that can be reached in several ways is one skill.
    """
    found = Skills()
    names: dict[str, Skill] = {}
    seen: set[Path] = set()
    for path, folder in _candidates(folders, selection or Selection(), found.problems):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        if len(found.skills) >= SKILLS_LIMIT:
            found.problems.append(
                Problem(
                    str(folder.path),
                    None,
                    "",
                    f"there are more than {SKILLS_LIMIT} skills; {path} and all after it are left out",
                )
            )
            break
        skill = _read(path, folder, found.problems)
        if skill is None:
            continue
        if skill.name in names:
            text = f'is left out: {names[skill.name].path} is named "{skill.name}" as well and comes first'
            found.problems.append(Problem(str(path), None, "name", text))
            continue
        names[skill.name] = skill
        found.skills.append(skill)
    return found


def skill_prompt(skill: Skill, request: str = "") -> tuple[str, list[Problem]]:
    """The prompt that puts a skill before the model at once, and what the user asks of it."""
    problems: list[Problem] = []
    text = read_text(skill.path, problems)
    if text is None:
        return "", problems
    body = read_front_matter(text, str(skill.path)).body.strip()
    folder = skill.path.parent
    prompt = (
        f'<skill name="{skill.name}" location="{skill.path}">\n'
        f"Paths in this skill are relative to {folder}.\n\n{body}\n</skill>"
    )
    return f"{prompt}\n\n{request}" if request else prompt, []


def _candidates(
    folders: Iterable[SkillFolder], selection: Selection, problems: list[Problem]
) -> Iterator[tuple[Path, SkillFolder]]:
    for folder in folders:
        if folder.must_exist and not folder.path.exists():
            problems.append(Problem(str(folder.path), None, "", "is not there: no skill is loaded from it"))
            continue
        if folder.path.is_file():
            yield folder.path.absolute(), folder
            continue
        for path in skill_files(folder.path, SKILL_NAME, problems):
            if selection.allows(path):
                yield path, folder
        for path in markdown_files(folder.path, problems) if folder.with_files else ():
            if selection.allows(path):
                yield path, folder


def _read(path: Path, folder: SkillFolder, problems: list[Problem]) -> Skill | None:
    head = read_head(path, problems)
    if head is None:
        return None
    matter = read_front_matter(head, str(path))
    is_declared = path.name == SKILL_NAME
    if not is_declared and "description" not in matter.values and not matter.problems:
        # Any other Markdown file, such as a README.
        return None
    problems += matter.problems
    reader = _Fields(path, head, matter, problems)
    description = reader.description()
    name = reader.name(path.parent.name if is_declared else path.stem)
    if description is None or name is None:
        return None
    hidden = reader.flag("disable-model-invocation")
    return Skill(name, description, path, folder.source, not hidden)


class _Fields:
    """The fields of one skill, checked."""

    def __init__(self, path: Path, text: str, matter: FrontMatter, problems: list[Problem]) -> None:
        self._path = path
        self._text = text
        self._values: dict[str, Any] = matter.values
        self._problems = problems

    def _wrong(self, key: str, message: str) -> None:
        line = line_in_front_matter(self._text, key) or 1
        self._problems.append(Problem(str(self._path), line, key, message))

    def description(self) -> str | None:
        value = self._values.get("description")
        if isinstance(value, list | dict):
            self._wrong("description", "is no text; the skill is left out")
            return None
        text = "" if value is None else " ".join(str(value).split())
        if not text:
            self._wrong("description", "is missing: it tells the model when to use the skill; it is left out")
            return None
        if len(text) > MAX_DESCRIPTION:
            self._wrong("description", f"is longer than {MAX_DESCRIPTION} characters; the rest is cut off")
        return text[:MAX_DESCRIPTION]

    def name(self, otherwise: str) -> str | None:
        value = self._values.get("name")
        if value is None:
            name = _slug(otherwise)
            if not name:
                self._wrong("name", "is missing; the skill is left out")
            elif name != otherwise:
                self._wrong("name", f'is missing; the skill is called "{name}"')
            return name or None
        name = str(value)
        if _NAME.fullmatch(name) and len(name) <= MAX_NAME:
            return name
        mended = _slug(name)
        if not mended:
            self._wrong("name", "has no letter or digit that a name may have; the skill is left out")
            return None
        text = f"may have a-z, 0-9 and single hyphens, at most {MAX_NAME}"
        self._wrong("name", f'{text}; the skill is called "{mended}"')
        return mended

    def flag(self, key: str) -> bool:
        value = self._values.get(key, False)
        if isinstance(value, bool):
            return value
        self._wrong(key, f"must be true or false, and is {value!r}; it counts as true")
        return True


def _slug(name: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:MAX_NAME].rstrip("-")
