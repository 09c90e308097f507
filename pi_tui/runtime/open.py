"""Opens a session as the user asked: which file, which model, which tools and prompt."""

import os
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pi_tui.agent.tool import Tool
from pi_tui.llm.choosing import UnknownModel
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.registry import ModelRegistry
from pi_tui.resources import paths
from pi_tui.resources.loading import Resources, Wanted, load_resources
from pi_tui.resources.settings import DEFAULT_TOOLS, Settings, load_settings
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.locate import open_log, sessions_of
from pi_tui.runtime.services import Services, shell_environment
from pi_tui.runtime.session import Session
from pi_tui.runtime.stored_session import working_directory
from pi_tui.runtime.toolset import BUILTIN_TOOLS, UnknownTool, select_tools
from pi_tui.runtime.trusting import ProjectTrust, untrusted_notice
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.resources.system_prompt import SystemPrompt

DEMO = ("demo", "tour")


def open_session(launch: Launch) -> Session:
    """The session that `launch` asks for, ready for a prompt.

    What is wrong with files of the user is in `session.services.problems`; it never keeps the session from opening.

    Raises:
        ChoiceNeeded: The user has to say how it is opened, or whether the project is trusted.
        LaunchError: An option that cannot be followed.
    """
    agent_dir = paths.agent_dir()
    trust = ProjectTrust(agent_dir, launch.approve)
    if launch.trust is not None:
        trust.answer(launch.cwd, launch.trust)
    here = _resources(launch, launch.cwd, trust, can_ask=launch.can_ask)
    registry = ModelRegistry.load(agent_dir, os.environ, api_key=launch.api_key)
    tool_names = _tool_names(launch, here.settings)
    log = open_log(launch, agent_dir, here.settings)

    def services_in(cwd: Path) -> Services:
        return services_with(_resources(launch, cwd, trust))

    def services_with(resources: Resources) -> Services:
        settings = resources.settings
        there = launch if resources.cwd == launch.cwd else replace(launch, cwd=resources.cwd)
        problems = [str(problem) for problem in (*resources.problems, *trust.problems)]
        if not resources.trusted and (notice := untrusted_notice(resources.cwd, agent_dir)):
            problems.append(notice)
        names = tool_names if resources is here else _tool_names_anyway(there, settings, problems)
        return Services(
            cwd=resources.cwd,
            agent_dir=agent_dir,
            settings=settings,
            registry=registry,
            make_tools=lambda: _tools(there, settings, names, lambda: _environment(session)),
            make_prompt=lambda tools: _prompt(resources, tools),
            resources=resources,
            sessions=None if there.in_memory or there.demo else sessions_of(there, agent_dir, settings),
            problems=problems,
            in_folder=services_in,
            trust=trust,
        )

    cwd = working_directory(log, launch.cwd)
    services = services_with(here) if cwd == launch.cwd else services_in(cwd)
    services.problems += [str(problem) for problem in registry.problems]
    model, level, remark = choose_model(launch, services.settings, registry, log)
    if remark:
        services.problems.append(remark)
    session = Session(log, services, model, level)
    if launch.name and log.read_only:
        services.problems.append("--name: the session is open read-only and keeps its name.")
    elif launch.name:
        session.set_name(launch.name)
    return session


def choose_model(
    launch: Launch, settings: Settings, registry: ModelRegistry, log: SessionLog
) -> tuple[Model | None, ThinkingLevel, str | None]:
    """The model to begin with, its thinking level, and what the user should know of the choice.

    An option counts before the session's own model, and that before the settings.

    Raises:
        LaunchError: An option names no model.
    """
    stored, stored_level = log.choices()
    asked: ThinkingLevel | None = None
    remark: str | None = None
    model: Model | None = None
    if launch.demo:
        model = registry.find(*DEMO)
    elif launch.model is not None:
        try:
            model, asked = registry.resolve(launch.model, launch.provider)
        except UnknownModel as error:
            raise LaunchError(f"--model {launch.model}: {error}") from error
    elif stored is not None:
        model = registry.find(*stored)
        if model is None or model not in registry.available():
            wanted = "/".join(stored)
            model = registry.default(settings.default_provider, settings.default_model)
            instead = f"{model.ref} answers instead" if model else "choose another with /model"
            remark = f"This session used {wanted}, which is not available now: {instead}."
    else:
        model = registry.default(settings.default_provider, settings.default_model)
    return model, _level(launch, settings, stored_level if log.entry_ids else None, model, asked), remark


def _level(
    launch: Launch,
    settings: Settings,
    stored: str | None,
    model: Model | None,
    asked: ThinkingLevel | None,
) -> ThinkingLevel:
    level: str | None = launch.thinking or asked or stored
    if level is None and model is not None:
        level = settings.model_thinking_levels.get(model.ref)
    level = level or settings.default_thinking_level
    return model.clamp(level) if model else settings.default_thinking_level


def _tool_names(launch: Launch, settings: Settings) -> list[str]:
    try:
        return select_tools(BUILTIN_TOOLS, settings.default_tools, launch.tools, launch.exclude_tools)
    except UnknownTool as error:
        where = "--tools" if launch.tools is not None else "defaultTools in settings.json"
        raise LaunchError(f"{where}: {error}") from error


def _tool_names_anyway(launch: Launch, settings: Settings, problems: list[str]) -> list[str]:
    """The tools of another folder, or after its settings have changed: too late to refuse what is wrong there."""
    try:
        return _tool_names(launch, settings)
    except LaunchError as error:
        problems.append(f"{error}; the default tools are used.")
        return list(DEFAULT_TOOLS)


def _tools(
    launch: Launch, settings: Settings, names: Sequence[str], environment: Callable[[], dict[str, str]]
) -> list[Tool]:
    from pi_tui.agent.tools.builtin import builtin_tools
    from pi_tui.agent.tools.workspace import Workspace

    workspace = Workspace(
        launch.cwd,
        environment,
        shell_path=settings.shell_path,
        shell_prefix=settings.shell_command_prefix,
        cache_dir=paths.cache_dir(),
        auto_resize_images=settings.images.auto_resize,
    )
    known = builtin_tools(workspace)
    return [known[name] for name in names]


def _environment(session: Session) -> dict[str, str]:
    return shell_environment(session.log.id, session.log.path, session.model, session.thinking_level)


def _resources(launch: Launch, cwd: Path, trust: ProjectTrust, *, can_ask: bool = False) -> Resources:
    agent_dir = trust.agent_dir
    default = load_settings(agent_dir / paths.SETTINGS_NAME).settings.default_project_trust
    trusted = trust.decide(cwd, default, can_ask=can_ask)
    wanted = Wanted(
        base=launch.cwd,
        context_files=launch.context_files,
        system_prompt=launch.system_prompt,
        append_system_prompt=launch.append_system_prompt,
        skills=launch.skills,
        discover_skills=launch.discover_skills,
        templates=launch.templates,
        discover_templates=launch.discover_templates,
    )
    return load_resources(cwd, agent_dir, wanted, trusted=trusted)


def _prompt(resources: Resources, tools: Sequence[Tool]) -> "SystemPrompt":
    from pi_tui.resources.system_prompt import build_system_prompt

    return build_system_prompt(
        tools=tools,
        context_files=resources.context_files,
        cwd=resources.cwd,
        today=date.today(),
        instead=resources.texts.instead,
        addendum=resources.texts.addendum,
        skills=resources.skills,
    )
