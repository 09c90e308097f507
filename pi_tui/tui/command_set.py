"""What each `/` command of the client does."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_tui.llm.demo_models import TOUR
from pi_tui.llm.model import THINKING_LEVELS
from pi_tui.tui import export_commands, resource_commands, session_commands
from pi_tui.tui.commands import Command
from pi_tui.tui.editor.completion import Choice
from pi_tui.tui.key_commands import log_in, log_out, providers, stored_providers
from pi_tui.tui.model_commands import choose_model, choose_scope, choose_thinking, use_model
from pi_tui.tui.reports import help_report, hotkeys_report, session_report

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


def show_tree(app: "PiApp", argument: str) -> None:
    from pi_tui.tui.tree.moving import open_tree

    open_tree(app)


async def show_session(app: "PiApp", argument: str) -> None:
    await app.follower.count_totals()
    app.conversation.report(session_report(app.session, app.follower.totals))


def copy_answer(app: "PiApp", argument: str) -> None:
    app.copy_last_answer()


async def show_context(app: "PiApp", argument: str) -> None:
    from pi_tui.tui.context_report import report_context

    await report_context(app)


def show_changes(app: "PiApp", argument: str) -> None:
    from importlib.resources import files

    app.conversation.report(f"# What is new\n\n{(files('pi_tui') / 'changelog.md').read_text('utf-8')}")


def find(app: "PiApp", argument: str) -> None:
    app.find(argument)


def show_hotkeys(app: "PiApp", argument: str) -> None:
    app.conversation.report(hotkeys_report(app.setup.bindings))


async def change_settings(app: "PiApp", argument: str) -> None:
    from pi_tui.tui.settings_screen import change_settings

    await change_settings(app, argument)


def show_help(app: "PiApp", argument: str) -> None:
    app.conversation.report(help_report(app.commands(), app.setup.bindings))


async def start_demo(app: "PiApp", argument: str) -> None:
    if app.session.running:
        app.conversation.note("/demo: a run is going: stop it first.", "error")
        return
    if await use_model(app, TOUR):
        app.send("tour")


def leave(app: "PiApp", argument: str) -> None:
    app.leave()


def _model_names(app: "PiApp") -> list[str]:
    return [model.ref for model in app.session.services.registry.available()]


def _levels(app: "PiApp") -> Sequence[str]:
    return app.session.model.levels if app.session.model else THINKING_LEVELS


COMMANDS: tuple[Command, ...] = (
    Command("new", "start a new session", session_commands.new_session),
    Command("resume", "go on with another session", session_commands.resume_session),
    Command("model", "choose the model", choose_model, "[model]", _model_names),
    Command("thinking", "choose how much the model thinks", choose_thinking, "[level]", _levels),
    Command("scoped-models", "choose the models to switch between", choose_scope),
    Command("name", "name this session", session_commands.name_session, "[name]"),
    Command("session", "show file, messages, tokens and cost", show_session),
    Command(
        "compact", "summarise the older part of the conversation", session_commands.compact_session, "[focus]"
    ),
    Command("tree", "go back to any place of the session, and branch off", show_tree),
    Command("fork", "go on before an earlier message, in a new session", session_commands.fork_session),
    Command("clone", "go on in a copy of this session", session_commands.clone_session),
    Command("import", "open a copy of a session file", session_commands.import_session, "file.jsonl"),
    Command(
        "export",
        "write this session to a file: a page, Markdown or a session file",
        export_commands.export_session,
        "[file.html]",
    ),
    Command("share", "put this session into a secret gist, as a page", export_commands.share_session),
    Command("find", "search the conversation", find, "[text]"),
    Command("copy", "copy the last answer", copy_answer),
    Command("login", "store a provider's key", log_in, "[provider]", providers),
    Command("logout", "remove a stored key", log_out, "[provider]", stored_providers),
    Command("demo", "let the demo model show around, without a key", start_demo),
    Command("settings", "change the settings", change_settings),
    Command(
        "theme", "choose the colours", resource_commands.choose_theme, "[name]", resource_commands.theme_names
    ),
    Command("trust", "decide whether this project's .pi folder is loaded", resource_commands.decide_trust),
    Command("reload", "read settings, keys, skills, templates and themes anew", resource_commands.reload),
    Command("context", "show what fills the context window", show_context),
    Command("hotkeys", "list all keys", show_hotkeys),
    Command("changelog", "show what is new", show_changes),
    Command("help", "list commands and the main keys", show_help),
    Command("quit", "leave", leave),
)


class CommandCompletion:
    """Tells the editor which commands and arguments there are."""

    def __init__(self, app: "PiApp") -> None:
        self._app = app

    def commands(self) -> Sequence[Command]:
        return [command for command in self._app.commands() if command.offered]

    def complete_argument(self, command: str, prefix: str) -> Sequence[Choice]:
        source = next((one.arguments for one in COMMANDS if one.name == command), None)
        return [Choice(text, text) for text in source(self._app)] if source is not None else []
