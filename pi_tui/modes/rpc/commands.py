"""Every command of RPC mode: its fields, and the function that carries it out."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from pi_tui.modes.rpc import conversation, exporting, models, prompting, sessions, shell, tree
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId


class Known(NamedTuple):
    """One command."""

    fields: type[Command]
    run: Callable[[Rpc, Any, CommandId], Awaitable[object]]
    """Returns the data of the response; `UNSET` for none. What it raises is the error of the response."""
    beside: bool = False
    """It may take long: further commands are carried out meanwhile."""
    responds: bool = True


async def extension_ui_response(_rpc: Rpc, _command: Command, _: CommandId) -> object:
    """An answer to a question of an extension; nobody asked, so there is nothing to do."""
    return msgspec.UNSET


COMMANDS: dict[str, Known] = {
    "prompt": Known(prompting.Prompt, prompting.prompt),
    "steer": Known(prompting.Message, prompting.steer),
    "follow_up": Known(prompting.Message, prompting.follow_up),
    "abort": Known(Command, prompting.abort),
    "clear_queue": Known(Command, prompting.clear_queue),
    "set_steering_mode": Known(prompting.Mode, prompting.set_steering_mode),
    "set_follow_up_mode": Known(prompting.Mode, prompting.set_follow_up_mode),
    "compact": Known(prompting.Compact, prompting.compact, beside=True),
    "set_auto_compaction": Known(prompting.Enabled, prompting.set_auto_compaction),
    "set_auto_retry": Known(prompting.Enabled, prompting.set_auto_retry),
    "abort_retry": Known(Command, prompting.abort_retry),
    "set_model": Known(models.SetModel, models.set_model),
    "cycle_model": Known(Command, models.cycle_model),
    "get_available_models": Known(Command, models.get_available_models),
    "set_thinking_level": Known(models.SetThinkingLevel, models.set_thinking_level),
    "cycle_thinking_level": Known(Command, models.cycle_thinking_level),
    "get_available_thinking_levels": Known(Command, models.get_available_thinking_levels),
    "bash": Known(shell.Bash, shell.bash, beside=True),
    "abort_bash": Known(Command, shell.abort_bash),
    "get_state": Known(Command, conversation.get_state),
    "get_messages": Known(Command, conversation.get_messages),
    "get_last_assistant_text": Known(Command, conversation.get_last_assistant_text),
    "get_session_stats": Known(Command, conversation.get_session_stats, beside=True),
    "set_session_name": Known(conversation.Name, conversation.set_session_name),
    "get_commands": Known(Command, conversation.get_commands),
    "new_session": Known(sessions.NewSession, sessions.new_session),
    "switch_session": Known(sessions.SwitchSession, sessions.switch_session),
    "fork": Known(sessions.Entry, sessions.fork),
    "clone": Known(Command, sessions.clone),
    "get_fork_messages": Known(Command, sessions.get_fork_messages),
    "export_html": Known(exporting.ExportHtml, exporting.export_html, beside=True),
    "get_entries": Known(tree.Since, tree.get_entries),
    "get_tree": Known(Command, tree.get_tree),
    "navigate_tree": Known(tree.Navigate, tree.navigate_tree, beside=True),
    "set_label": Known(tree.SetLabel, tree.set_label),
    "extension_ui_response": Known(Command, extension_ui_response, responds=False),
}
