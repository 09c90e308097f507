"""The `export_html` command."""

from pathlib import Path

from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId
from pi_tui.resources.paths import resolve


class ExportHtml(Command):
    output_path: str | None = None


async def export_html(rpc: Rpc, command: ExportHtml, _: CommandId) -> object:
    """Writes the session as one HTML file, by default into its folder under its id."""
    from pi_tui.export.html import export_html as write

    session = rpc.session
    target = command.output_path or f"pi-session-{session.log.id}.html"
    path: Path = await write(session.log, resolve(target, session.cwd))
    return {"path": str(path)}
