"""Prompt templates: Markdown files that are `/` commands."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from pi_tui.llm.problems import Problem
from pi_tui.resources.folder_walk import markdown_files
from pi_tui.resources.front_matter import read_front_matter
from pi_tui.resources.selection import Selection
from pi_tui.resources.template_arguments import expand, split_arguments
from pi_tui.resources.text_file import read_head, read_text

TEMPLATES_LIMIT: Final = 500
"""Templates of all folders together."""
DESCRIPTION_CHARACTERS: Final = 200
HINT_CHARACTERS: Final = 80


class PromptTemplate(Struct, frozen=True):
    name: str
    description: str
    argument_hint: str
    path: Path


class TemplateFolder(Struct, frozen=True):
    """Where templates are looked for: a folder, or one file."""

    path: Path
    must_exist: bool = False


class PromptTemplates(Struct):
    templates: list[PromptTemplate] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def discover_templates(
    folders: Sequence[TemplateFolder], selection: Selection | None = None
) -> PromptTemplates:
    """The templates of all folders; of two with one name the first counts. Reads the heads of the files only."""
    found = PromptTemplates()
    names: dict[str, Path] = {}
    seen: set[Path] = set()
    for path in _candidates(folders, selection or Selection(), found.problems):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        if len(found.templates) >= TEMPLATES_LIMIT:
            text = f"and all templates after it are left out: there are more than {TEMPLATES_LIMIT}"
            found.problems.append(Problem(str(path), None, "", text))
            break
        if path.stem in names:
            text = f"is left out: {names[path.stem]} is the command /{path.stem} already"
            found.problems.append(Problem(str(path), None, "", text))
            continue
        template = _read(path, found.problems)
        if template is not None:
            names[template.name] = path
            found.templates.append(template)
    return found


def template_prompt(template: PromptTemplate, arguments: str = "") -> tuple[str, list[Problem]]:
    """The prompt a template makes of its arguments, as they were typed."""
    problems: list[Problem] = []
    text = read_text(template.path, problems)
    if text is None:
        return "", problems
    body = read_front_matter(text, str(template.path)).body.strip()
    return expand(body, split_arguments(arguments)), []


def _candidates(
    folders: Sequence[TemplateFolder], selection: Selection, problems: list[Problem]
) -> Iterator[Path]:
    for folder in folders:
        if folder.path.is_file():
            yield folder.path.absolute()
        elif folder.must_exist and not folder.path.exists():
            problems.append(
                Problem(str(folder.path), None, "", "is not there: no template is loaded from it")
            )
        else:
            yield from filter(selection.allows, markdown_files(folder.path, problems))


def _read(path: Path, problems: list[Problem]) -> PromptTemplate | None:
    if any(sign.isspace() or sign in ":/" or not sign.isprintable() for sign in path.stem):
        text = "is left out: the name of a command has no blanks and no colon"
        problems.append(Problem(str(path), None, "", text))
        return None
    head = read_head(path, problems)
    if head is None:
        return None
    matter = read_front_matter(head, str(path))
    problems += matter.problems
    first_line = next((line.strip() for line in matter.body.split("\n") if line.strip()), "")
    description = _one_line(matter.values.get("description")) or first_line
    hint = _one_line(matter.values.get("argument-hint"))
    return PromptTemplate(path.stem, description[:DESCRIPTION_CHARACTERS], hint[:HINT_CHARACTERS], path)


def _one_line(value: object) -> str:
    if isinstance(value, list):
        # `argument-hint: [focus]` is a list to YAML, and a hint to whoever wrote it.
        return f"[{', '.join(map(str, value))}]"
    return "" if value is None else " ".join(str(value).split())
