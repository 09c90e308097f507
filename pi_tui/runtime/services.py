"""What a session needs from this process: settings, models, tools, the prompt, and how a request is sent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pi_tui.agent.retry import RetryPolicy
from pi_tui.agent.tool import Tool
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.registry import ModelRegistry
from pi_tui.llm.scope import ScopedModel, scope_of
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamOptions
from pi_tui.llm.wires.registry import stream_function
from pi_tui.resources.settings import Settings

if TYPE_CHECKING:
    from pi_tui.resources.loading import Resources
    from pi_tui.resources.system_prompt import SystemPrompt
    from pi_tui.runtime.trusting import ProjectTrust


@dataclass
class Services:
    cwd: Path
    agent_dir: Path
    settings: Settings
    registry: ModelRegistry
    make_tools: Callable[[], Sequence[Tool]]
    make_prompt: "Callable[[Sequence[Tool]], SystemPrompt]"
    sessions: Path | None = None
    """The folder of new session files; None keeps them in memory."""
    resources: "Resources | None" = None
    """What the user and the project bring; None where nothing was loaded."""
    problems: list[str] = field(default_factory=list)
    """What was wrong with files of the user or the project, a sentence each."""
    in_folder: "Callable[[Path], Services] | None" = None
    """Makes the services of a working directory from what is there now; None where there is only this one."""
    trust: "ProjectTrust | None" = None
    scope_patterns: Sequence[str] | None = None
    """What this run says of the models to switch between; None leaves it to the settings."""

    @cached_property
    def tools(self) -> Sequence[Tool]:
        """What the model may use. Made when first needed: the first screen does not wait for it."""
        return self.make_tools()

    @cached_property
    def prompt(self) -> "SystemPrompt":
        return self.make_prompt(self.tools)

    def at(self, cwd: Path) -> "Services":
        """The same for a session of another working directory: its tools, its prompt, its files."""
        if self.in_folder is None:
            return self
        services = self.in_folder(cwd)
        services.registry = self.registry
        return services

    def reloaded(self) -> "Services":
        """The same with everything read anew from its files. Reads the disk.

        The tools stay where the settings about them do, and with them what they know of the files they saw.
        """
        if self.in_folder is None:
            return self
        services = self.in_folder(self.cwd)
        services.registry = self.registry.reloaded(self.agent_dir)
        services.problems += [str(problem) for problem in services.registry.problems]
        if "tools" in self.__dict__ and _of_tools(self.settings) == _of_tools(services.settings):
            services.__dict__["tools"] = self.tools
        return services

    def reload_models(self) -> None:
        """Reads models.json and the stored keys anew; models found on this machine stay."""
        self.registry = self.registry.reloaded(self.agent_dir)

    @property
    def patterns(self) -> Sequence[str]:
        """What narrows down the models to switch between; empty for nothing."""
        return self.settings.enabled_models if self.scope_patterns is None else self.scope_patterns

    def scope(self) -> list[ScopedModel]:
        """The models to switch between: those of the patterns, or all that can be used."""
        available = self.registry.available()
        found, _ = scope_of(self.patterns, available)
        return found or [ScopedModel(model) for model in available]

    @property
    def retry_policy(self) -> RetryPolicy:
        retry = self.settings.retry
        return RetryPolicy(
            enabled=retry.enabled,
            max_retries=retry.max_retries,
            base_delay_ms=retry.base_delay_ms,
            max_delay_ms=retry.max_agent_delay_ms,
            max_asked_ms=retry.provider.max_retry_delay_ms,
        )

    def stream(
        self, model: Model, context: Context, options: StreamOptions, message: MessageAssembler
    ) -> AsyncIterator[AssistantEvent]:
        """Sends a request in the model's wire format, whose SDK is loaded when first needed."""
        if self.settings.images.block_images:
            from pi_tui.runtime.blocked_images import without_images

            context = replace(context, messages=without_images(context.messages))
        return stream_function(model.api)(model, context, options, message)

    async def stream_options(self, model: Model, level: ThinkingLevel, session_id: str) -> StreamOptions:
        """What one request is sent with; a key or header may come from a command, which is run in a thread."""
        return StreamOptions(
            api_key=await asyncio.to_thread(self.registry.key_for, model),
            headers=await asyncio.to_thread(self.registry.headers_for, model),
            thinking_level=model.clamp(level),
            session_id=session_id,
            thinking_budgets=self.settings.thinking_budgets,
            connect_timeout=self.settings.connect_timeout,
            idle_timeout=self.settings.idle_timeout,
            proxy=self.settings.http_proxy,
            max_retries=self.settings.retry.provider.max_retries,
        )


def _of_tools(settings: Settings) -> tuple[object, ...]:
    return (settings.default_tools, settings.shell_path, settings.shell_command_prefix, settings.images)


def shell_environment(
    session_id: str, session_file: Path | None, model: Model | None, level: ThinkingLevel
) -> dict[str, str]:
    """What commands of the agent learn of the session they run in."""
    environment = {"PI_SESSION_ID": session_id, "PI_REASONING_LEVEL": level}
    if session_file is not None:
        environment["PI_SESSION_FILE"] = str(session_file)
    if model is not None:
        environment |= {"PI_PROVIDER": model.provider, "PI_MODEL": model.id}
    return environment
