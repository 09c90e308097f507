"""Longer answers of the client itself, as Markdown: `/session`, `/hotkeys`, `/help`, the welcome."""

from collections.abc import Iterable, Sequence

from pi_tui.llm.messages import Usage
from pi_tui.runtime.session import Session
from pi_tui.session.totals import SessionTotals
from pi_tui.tui.commands import Command
from pi_tui.tui.footer import compact_number, cost_text
from pi_tui.tui.keys.bindings import KeyBindings


def session_report(session: Session, totals: SessionTotals) -> str:
    """File, id, messages, tokens and cost per model."""
    log = session.log
    where = f"`{log.path}`" if session.saved else "in memory" if log.path is None else "not saved yet"
    roles = ", ".join(f"{count} {role}" for role, count in sorted(totals.messages.items())) or "none"
    rows = [
        ("Name", log.name or "none (`/name` gives one)"),
        ("File", where),
        ("Id", f"`{log.id}`"),
        *([("Forked from", f"`{log.header.parent_session}`")] if log.header.parent_session else []),
        ("Folder", f"`{session.cwd}`"),
        ("Messages", roles),
        ("Entries", str(len(log.entry_ids))),
        ("Context", _context(session)),
    ]
    lines = ["### Session", "", *(f"- **{name}**: {text}" for name, text in rows)]
    if totals.per_model:
        lines += [
            "",
            "| model | input | output | cache read | cache write | cost |",
            "|---|--:|--:|--:|--:|--:|",
        ]
        lines += [_usage_row(name, usage) for name, usage in sorted(totals.per_model.items())]
        if len(totals.per_model) > 1:
            lines.append(_usage_row("all", totals.usage))
    return "\n".join(lines)


def _context(session: Session) -> str:
    if session.model is None:
        return "no model is chosen"
    context = session.context_size.known()
    window = session.model.context_window
    if context is None:
        known = "not known until the next answer"
    else:
        known = f"{'about ' if context.estimated else ''}{context.tokens:,} tokens"
    return f"{known}, of {window:,}"


def _usage_row(name: str, usage: Usage) -> str:
    counts = (usage.input, usage.output, usage.cache_read, usage.cache_write)
    figures = " | ".join(compact_number(count) for count in counts)
    return f"| {name} | {figures} | {cost_text(usage.cost.total)} |"


def hotkeys_report(bindings: KeyBindings) -> str:
    """Every key that does something, by group."""
    lines: list[str] = []
    group = None
    for heading, keys, description in bindings.listing():
        if heading != group:
            group = heading
            lines += ["", f"### {heading}", "", "| key | what it does |", "|---|---|"]
        lines.append(f"| {_cell(keys)} | {_cell(description)} |")
    if conflicts := bindings.conflicts():
        lines += ["", "### Conflicts", "", *(f"- {one}." for one in conflicts)]
    return "\n".join(lines).strip()


def help_report(commands: Sequence[Command], bindings: KeyBindings) -> str:
    rows = [
        f"| `/{one.name}{' ' + one.argument_hint if one.argument_hint else ''}` | {one.description} |"
        for one in commands
    ]
    keys = [
        ("tui.input.submit", "sends; while the agent works, it steers"),
        ("app.message.followUp", "sends when the agent is done"),
        ("tui.input.newLine", "breaks the line"),
        ("app.interrupt", "stops the agent"),
        ("app.tools.expand", "shows tool results in full"),
        ("app.model.select", "chooses a model"),
        ("app.thinking.cycle", "changes the thinking level"),
        ("app.exit", "leaves"),
    ]
    return "\n".join(
        [
            "### Commands",
            "",
            "| command | what it does |",
            "|---|---|",
            *rows,
            "",
            "### Keys",
            "",
            *(f"- **{bindings.readable(action)}** {text}" for action, text in keys if bindings.keys(action)),
            "",
            "`@` completes files, `/` completes commands, `/hotkeys` lists every key.",
            "",
            "`!command` runs in your shell and the model sees its output; that of `!!command` it does not see.",
        ]
    )


def welcome_report(variables: Iterable[tuple[str, str]]) -> str:
    """What to do when there is no key and no local server.

    Args:
        variables: Provider and the environment variable that holds its key.
    """
    return "\n".join(
        [
            "## Welcome to pi",
            "",
            "pi is a coding agent that works in this folder. It needs a model, and none is set up yet:",
            "",
            "- **Try it first**: `/demo` starts a scripted demo. It needs no key and no network.",
            "- **Store a key**: `/login` asks for a provider and its key.",
            "- **Or set a variable** and start pi again:",
            *(f"    - `{variable}` for {provider}" for provider, variable in variables),
            "- **Run a model yourself**: a server of Ollama, llama.cpp or LM Studio on this machine is found.",
        ]
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
