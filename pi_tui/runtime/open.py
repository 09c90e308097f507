"""Opens a session as the user asked: which file, which model, which tools and prompt."""

import os
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pi_tui.agent.tool import Tool
from pi_tui.llm.choosing import UnknownModel
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.problems import Problem
from pi_tui.llm.registry import ModelRegistry
from pi_tui.resources import paths
from pi_tui.resources.context_files import ContextFiles, load_context_files
from pi_tui.resources.prompt_files import PromptTexts, load_prompt_texts
from pi_tui.resources.settings import Settings, load_settings
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.locate import open_log, sessions_of
from pi_tui.runtime.services import Services, shell_environment
from pi_tui.runtime.session import Session
from pi_tui.runtime.stored_session import working_directory
from pi_tui.runtime.toolset import BUILTIN_TOOLS, UnknownTool, select_tools
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.resources.system_prompt import SystemPrompt

DEMO = ("demo", "tour")


def open_session(launch: Launch) -> Session:
    """The session that `launch` asks for, ready for a prompt.

    What is wrong with files of the user is in `session.services.problems`; it never keeps the session from opening.

    Raises:
        LaunchError: An option that cannot be followed.
    """
    agent_dir = paths.agent_dir()
    loaded = load_settings(agent_dir / paths.SETTINGS_NAME)
    settings = loaded.settings
    registry = ModelRegistry.load(agent_dir, os.environ, api_key=launch.api_key)
    tool_names = _tool_names(launch, settings)
    log = open_log(launch, agent_dir, settings)

    def services_in(cwd: Path) -> Services:
        there = launch if cwd == launch.cwd else replace(launch, cwd=cwd)
        prompt = _PromptFiles.read(there, agent_dir)
        return Services(
            cwd=cwd,
            agent_dir=agent_dir,
            settings=settings,
            registry=registry,
            make_tools=lambda: _tools(there, settings, tool_names, lambda: _environment(session)),
            make_prompt=prompt.build,
            context_files=prompt.context.files,
            sessions=None if there.in_memory or there.demo else sessions_of(there, agent_dir, settings),
            problems=[str(problem) for problem in prompt.problems],
            in_folder=services_in,
        )

    services = services_in(working_directory(log, launch.cwd))
    services.problems[:0] = [str(problem) for problem in (*loaded.problems, *registry.problems)]
    model, level, remark = choose_model(launch, settings, registry, log)
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


class _PromptFiles(Struct):
    """What the user and the project say to every model, read before there are any tools."""

    cwd: Path
    context: ContextFiles
    texts: PromptTexts

    @classmethod
    def read(cls, launch: Launch, agent_dir: Path) -> "_PromptFiles":
        context = load_context_files(launch.cwd, agent_dir) if launch.context_files else ContextFiles([], [])
        texts = load_prompt_texts(
            launch.cwd,
            agent_dir,
            system_option=launch.system_prompt,
            append_options=launch.append_system_prompt,
        )
        return cls(launch.cwd, context, texts)

    @property
    def problems(self) -> list[Problem]:
        return [*self.context.problems, *self.texts.problems]

    def build(self, tools: Sequence[Tool]) -> "SystemPrompt":
        from pi_tui.resources.system_prompt import build_system_prompt

        return build_system_prompt(
            tools=tools,
            context_files=self.context.files,
            cwd=self.cwd,
            today=date.today(),
            instead=self.texts.instead,
            addendum=self.texts.addendum,
        )
