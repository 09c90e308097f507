"""Commands about the model and how hard it thinks."""

from typing import Any

import msgspec

from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId, Refused


class SetModel(Command):
    provider: str
    model_id: str


class SetThinkingLevel(Command):
    level: ThinkingLevel


def model_record(model: Model) -> dict[str, Any]:
    """What a client is told of a model. Headers stay here: they may hold keys."""
    return {
        "id": model.id,
        "name": model.name or model.id,
        "api": model.api,
        "provider": model.provider,
        "baseUrl": model.base_url,
        "reasoning": model.reasoning,
        "input": model.input,
        "contextWindow": model.context_window,
        "maxTokens": model.max_tokens,
        "cost": {
            "input": model.cost.input,
            "output": model.cost.output,
            "cacheRead": model.cost.cache_read,
            "cacheWrite": model.cost.cache_write,
        },
    }


async def set_model(rpc: Rpc, command: SetModel, _: CommandId) -> object:
    registry = rpc.session.services.registry
    model = registry.find(command.provider, command.model_id)
    if model is None:
        raise Refused(
            f"modelId: there is no model {command.provider}/{command.model_id}; "
            "get_available_models lists those that can be used"
        )
    if model not in registry.available():
        variables = " or ".join(registry.key_variables(model.provider)) or "a key in models.json"
        raise Refused(f"provider: there is no key for {model.provider}; set {variables}")
    rpc.session.set_model(model)
    return model_record(model)


async def cycle_model(rpc: Rpc, _command: Command, _: CommandId) -> object:
    """The next model of the scope, after the last one the first; nothing where there is no other."""
    session = rpc.session
    scope = session.services.scope()
    refs = [one.model.ref for one in scope]
    present = session.model.ref if session.model else None
    if not scope or refs == [present]:
        return None
    chosen = scope[(refs.index(present) + 1) % len(scope) if present in refs else 0]
    session.set_model(chosen.model, chosen.level)
    return {
        "model": model_record(chosen.model),
        "thinkingLevel": session.thinking_level,
        "isScoped": bool(session.services.patterns),
    }


async def get_available_models(rpc: Rpc, _command: Command, _: CommandId) -> object:
    return {"models": [model_record(one) for one in rpc.session.services.registry.available()]}


async def set_thinking_level(rpc: Rpc, command: SetThinkingLevel, _: CommandId) -> object:
    """A level the model does not take becomes the nearest one it does."""
    rpc.session.set_thinking_level(command.level)
    return msgspec.UNSET


async def cycle_thinking_level(rpc: Rpc, _command: Command, _: CommandId) -> object:
    session = rpc.session
    levels = session.model.levels if session.model else ()
    if len(levels) < 2:
        return None
    present = session.thinking_level
    session.set_thinking_level(levels[(levels.index(present) + 1) % len(levels) if present in levels else 0])
    return {"level": session.thinking_level}


async def get_available_thinking_levels(rpc: Rpc, _command: Command, _: CommandId) -> object:
    model = rpc.session.model
    return {"levels": model.levels if model else ("off",)}
