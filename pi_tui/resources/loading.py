"""Everything that the user, the project and the command line bring, loaded in one go."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from pi_tui.llm.problems import Problem
from pi_tui.resources.context_files import ContextFile, ContextFiles, load_context_files
from pi_tui.resources.paths import PROJECT_DIR, SETTINGS_NAME, resolve, shipped_dir
from pi_tui.resources.prompt_files import PromptTexts, load_prompt_texts
from pi_tui.resources.prompt_templates import PromptTemplate, TemplateFolder, discover_templates
from pi_tui.resources.selection import Selection
from pi_tui.resources.settings import Settings, load_settings
from pi_tui.resources.skills import Skill, SkillFolder, discover_skills
from pi_tui.resources.trust import project_agents_skills


class Wanted(Struct, kw_only=True):
    """What the command line says of resources; paths are relative to the folder it was given in."""

    base: Path
    context_files: bool = True
    system_prompt: str | None = None
    append_system_prompt: Sequence[str] = ()
    skills: Sequence[str] = ()
    discover_skills: bool = True
    templates: Sequence[str] = ()
    discover_templates: bool = True


class Resources(Struct, kw_only=True):
    """What was loaded for one working directory."""

    cwd: Path
    trusted: bool
    """Whether what the project brings was loaded."""
    settings: Settings
    texts: PromptTexts
    settings_files: list[Path] = field(default_factory=list)
    """Those that are there; the later one wins."""
    context_files: list[ContextFile] = field(default_factory=list)
    skills: list[Skill] = field(default_factory=list)
    templates: list[PromptTemplate] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def skill(self, name: str) -> Skill | None:
        return next((one for one in self.skills if one.name == name), None)

    def template(self, name: str) -> PromptTemplate | None:
        return next((one for one in self.templates if one.name == name), None)


def load_resources(cwd: Path, agent_dir: Path, wanted: Wanted, *, trusted: bool) -> Resources:
    """Reads settings, context files, prompt texts, and the heads of skills and templates.

    Of two with one name the first counts: what an option names, then the project's, then the user's, then what
    is shipped.

    Args:
        trusted: Whether the project's own may be read; context files are read in any case.
    """
    project = cwd / PROJECT_DIR if trusted else None
    user_settings = agent_dir / SETTINGS_NAME
    project_settings = project / SETTINGS_NAME if project else None
    loaded = load_settings(user_settings, project_settings)
    settings = loaded.settings
    context = load_context_files(cwd, agent_dir) if wanted.context_files else ContextFiles([], [])
    texts = load_prompt_texts(
        cwd,
        agent_dir,
        project,
        system_option=wanted.system_prompt,
        append_options=wanted.append_system_prompt,
    )
    skill_list = Selection.of(settings.skills)
    skills = discover_skills(_skill_folders(cwd, agent_dir, project, wanted, skill_list), skill_list)
    template_list = Selection.of(settings.prompts)
    templates = discover_templates(
        _template_folders(agent_dir, project, wanted, template_list), template_list
    )
    return Resources(
        cwd=cwd,
        trusted=trusted,
        settings=settings,
        texts=texts,
        settings_files=[one for one in (user_settings, project_settings) if one is not None and one.exists()],
        context_files=context.files,
        skills=skills.skills,
        templates=templates.templates,
        problems=[
            *loaded.problems,
            *context.problems,
            *texts.problems,
            *skills.problems,
            *templates.problems,
        ],
    )


def theme_sources(
    resources: Resources, agent_dir: Path, options: Sequence[Path], *, discover: bool = True
) -> tuple[list[Path], Selection]:
    """The files and folders with themes, those that count first at the front, and what the settings leave out."""
    selection = Selection.of(resources.settings.themes)
    if not discover:
        return list(options), Selection()
    project = [resources.cwd / PROJECT_DIR / "themes"] if resources.trusted else []
    return [*options, *project, *selection.sources, agent_dir / "themes"], selection


def _skill_folders(
    cwd: Path, agent_dir: Path, project: Path | None, wanted: Wanted, selection: Selection
) -> list[SkillFolder]:
    folders = [
        SkillFolder(resolve(one, wanted.base), "option", with_files=True, must_exist=True)
        for one in wanted.skills
    ]
    if not wanted.discover_skills:
        return folders
    if project is not None:
        folders.append(SkillFolder(project / "skills", "project", with_files=True))
        folders += [SkillFolder(folder, "project") for folder in project_agents_skills(cwd)]
    folders += [SkillFolder(path, "user", with_files=True, must_exist=True) for path in selection.sources]
    folders.append(SkillFolder(agent_dir / "skills", "user", with_files=True))
    folders.append(SkillFolder(Path.home() / ".agents" / "skills", "user"))
    folders.append(SkillFolder(shipped_dir("skills"), "shipped"))
    return folders


def _template_folders(
    agent_dir: Path, project: Path | None, wanted: Wanted, selection: Selection
) -> list[TemplateFolder]:
    folders = [TemplateFolder(resolve(one, wanted.base), must_exist=True) for one in wanted.templates]
    if not wanted.discover_templates:
        return folders
    if project is not None:
        folders.append(TemplateFolder(project / "prompts"))
    folders += [TemplateFolder(path, must_exist=True) for path in selection.sources]
    folders.append(TemplateFolder(agent_dir / "prompts"))
    return folders
