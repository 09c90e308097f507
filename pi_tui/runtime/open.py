"""Opens a session as the user asked: which file, which model, which tools and prompt."""

import os
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pi_tui.agent.tool import Tool
from pi_tui.llm.registry import ModelRegistry
from pi_tui.resources import paths
from pi_tui.resources.loading import Resources, Wanted, load_resources
from pi_tui.resources.settings import Settings, load_settings
from pi_tui.runtime.launch import ChoiceNeeded, Launch, LaunchError
from pi_tui.runtime.locate import open_log, sessions_of
from pi_tui.runtime.model_choice import choose_model
from pi_tui.runtime.services import Services, shell_environment
from pi_tui.runtime.session import Session
from pi_tui.runtime.stored_session import working_directory
from pi_tui.runtime.toolset import BUILTIN_TOOLS, UnknownTool, select_tools
from pi_tui.runtime.trusting import ProjectTrust, untrusted_notice
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.resources.system_prompt import SystemPrompt


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
    # Before there is a session: what it would raise later is an option that cannot be followed.
    _tool_names(launch, here.settings)
    log = open_log(launch, agent_dir, here.settings)

    def services_in(cwd: Path) -> Services:
        return services_with(_resources(launch, cwd, trust))

    def services_with(resources: Resources) -> Services:
        settings = resources.settings
        there = launch if resources.cwd == launch.cwd else replace(launch, cwd=resources.cwd)
        problems = [str(problem) for problem in (*resources.problems, *trust.problems)]
        if not resources.trusted and (notice := untrusted_notice(resources.cwd, agent_dir)):
            problems.append(notice)
        problems += _missing_tools(settings)
        names = _tool_names(there, settings)
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
            scope_patterns=launch.models,
            trust=trust,
        )

    cwd = working_directory(log, launch.cwd)
    services = services_with(here if cwd == launch.cwd else _resources_elsewhere(launch, cwd, trust, log))
    trust.opened()
    services.problems += [str(problem) for problem in registry.problems]
    choice = choose_model(launch, services.settings, registry, log)
    services.problems += choice.remarks
    session = Session(log, services, choice.model, choice.level)
    session.missing_model = choice.missing
    if launch.name and log.read_only:
        services.problems.append("--name: the session is open read-only and keeps its name.")
    elif launch.name:
        session.set_name(launch.name)
    return session


def _tool_names(launch: Launch, settings: Settings) -> list[str]:
    default = [name for name in settings.default_tools if name in BUILTIN_TOOLS]
    try:
        return select_tools(BUILTIN_TOOLS, default, launch.tools, launch.exclude_tools)
    except UnknownTool as error:
        raise LaunchError(f"--tools: {error}") from error


def _missing_tools(settings: Settings) -> list[str]:
    return [
        f"defaultTools in settings.json: there is no tool {name!r}; left out."
        for name in settings.default_tools
        if name not in BUILTIN_TOOLS
    ]


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


def _resources_elsewhere(launch: Launch, cwd: Path, trust: ProjectTrust, log: SessionLog) -> Resources:
    """The resources of the folder that a session belongs to, which may have to be asked about as well."""
    if launch.trust_elsewhere is not None:
        trust.answer(cwd, launch.trust_elsewhere)
    try:
        return _resources(launch, cwd, trust, can_ask=launch.can_ask)
    except ChoiceNeeded as needed:
        log.close()
        needed.field = "trust_elsewhere"
        raise


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
