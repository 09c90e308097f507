"""What can be said on the command line. `pi --help` prints this; nothing but argparse is imported for it."""

import argparse
import sys
from collections.abc import Sequence

from pi_tui import __version__

THINKING_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
"""As in `llm.model`, which is too slow to import for `--help`; a test keeps them the same."""

SHELLS = ("bash", "zsh", "fish")

USAGE_ERROR = 2
"""The exit code."""

HELP_COLUMNS = 80

USAGE = "pi [options] [--] [@files...] [messages...]"

DESCRIPTION = """\
A full-screen coding agent for the terminal. With a terminal on both sides it
opens the client; with -p, or when input or output is redirected, it answers and
exits."""

EPILOG = """\
examples:
  pi                                      open the client in this folder
  pi --demo                               a tour without a key or a network
  pi -c                                   go on with the latest session here
  pi @notes.md "turn this into a plan"    start with a file and a prompt
  git diff | pi -p "review this change"   one answer on stdout
  pi --model sonnet:high -p "why?"        another model, thinking hard
  pi -t read -p "explain main.py"         nothing but reading
  pi -p -- "-x means what?"               a prompt that begins with a dash
  pi --export 01a2b3 talk.html            a stored session as a web page
  source <(pi --completions bash)         complete options with the Tab key

exit codes of print mode:
  0 answered, 1 the model failed for good, 2 wrong usage, 130 interrupted

keys come from ANTHROPIC_API_KEY, OPENAI_API_KEY and the like; settings,
models.json and sessions are in ~/.pi/agent (PI_CODING_AGENT_DIR names another
folder)."""


class UsageError(Exception):
    """A command line that makes no sense: one line that names the options."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(message.removeprefix("argument "))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Lines that fit a small terminal, and the name of a value once for all spellings of its option."""

    def __init__(self, prog: str) -> None:
        import shutil

        columns = min(HELP_COLUMNS, shutil.get_terminal_size((HELP_COLUMNS, 24)).columns)
        super().__init__(prog, max_help_position=32, width=columns)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        spelled = ", ".join(action.option_strings)
        if not spelled or action.nargs == 0:
            return spelled or super()._format_action_invocation(action)
        return f"{spelled} {self._format_args(action, action.dest.upper())}"


class _NoExtensions(argparse.Action):
    """Extensions are still to come: refused, so that nobody believes that one was loaded."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: object,
        values: object,
        option_string: str | None = None,
    ) -> None:
        raise UsageError(f"{option_string}: extensions are not available yet; leave the option out")


def parse_arguments(argv: Sequence[str]) -> dict[str, object]:
    """The options of a command line by name, with what they were given; `--help` and `--version` exit here.

    Raises:
        UsageError: An option that does not exist, or a value that does not fit.
    """
    options, rest = _split(argv)
    for argument in options:
        # The standard library takes such a value for the end of the options, and gives none.
        if argument.startswith("--") and argument.endswith("=--"):
            raise UsageError(f"{argument.removesuffix('=--')} needs a value, and -- is none")
    namespace, unknown = make_parser().parse_known_intermixed_args(options)
    if unknown:
        raise UsageError(_unknown(unknown[0]))
    found = dict(vars(namespace))
    found["arguments"] += rest
    return found


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stands before and after the first `--`."""
    arguments = list(argv)
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _unknown(argument: str) -> str:
    import difflib

    names = list(make_parser()._option_string_actions)
    near = difflib.get_close_matches(
        argument.partition("=")[0], [name for name in names if name[:2] == "--"], 1
    )
    return f"there is no option {argument}" + (f"; did you mean {near[0]}?" if near else "")


def make_parser() -> argparse.ArgumentParser:
    """The parser, from which the help and the shells' completions are made too."""
    parser = _Parser(
        prog="pi",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        add_help=False,
        allow_abbrev=False,
        formatter_class=_Help,
    )
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    _add_run(parser.add_argument_group("how to run"))
    _add_session(parser.add_argument_group("session"))
    _add_model(parser.add_argument_group("model"))
    _add_tools(parser.add_argument_group("tools"))
    _add_prompt(parser.add_argument_group("prompt and looks"))
    _add_resources(parser.add_argument_group("what you and the project bring"))
    return parser


def _add_run(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-p", "--print", action="store_true", help="run the prompts, write the last answer to stdout, exit"
    )
    group.add_argument(
        "--mode", metavar="MODE", help="text; json: events, one a line; rpc: commands on stdin"
    )
    group.add_argument(
        "--export",
        metavar="FILE|ID",
        help="write a session to the file named after it (.html, .md or .jsonl), by default HTML, and exit",
    )
    group.add_argument("--demo", action="store_true", help="the built-in demo model, nothing is stored")
    group.add_argument("--offline", action="store_true", help="do not look for local model servers")
    group.add_argument("--verbose", action="store_true", help="tell of retries and of what was loaded")
    group.add_argument(
        "--completions",
        metavar="SHELL",
        help=f"write what completes pi's options in a shell ({', '.join(SHELLS)}), and exit",
    )
    group.add_argument("-h", "--help", action="help", help="print this and exit")
    group.add_argument(
        "-v", "--version", action="version", version=__version__, help="print the version and exit"
    )


def _add_session(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-c",
        "--continue",
        dest="continue_last",
        action="store_true",
        help="the latest session of this folder",
    )
    group.add_argument("-r", "--resume", action="store_true", help="choose a session from a list")
    group.add_argument("--session", metavar="FILE|ID", help="a session file, or the beginning of an id")
    group.add_argument("--session-id", metavar="ID", help="the session with this id, made if there is none")
    group.add_argument("--fork", metavar="FILE|ID", help="a copy of a session, in this folder")
    group.add_argument("--session-dir", metavar="DIR", help="where sessions are stored and looked for")
    group.add_argument("--no-session", action="store_true", help="store nothing")
    group.add_argument("-n", "--name", metavar="NAME", help="the session's name")


def _add_model(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--provider", metavar="NAME", help="look for the model at this provider only")
    group.add_argument(
        "--model", metavar="MODEL", help="id, provider/id or part of a name; :LEVEL sets the thinking"
    )
    group.add_argument(
        "--models",
        metavar="LIST",
        help="models to begin and to switch with, separated by commas; globs and :LEVEL are possible",
    )
    group.add_argument("--api-key", metavar="KEY", help="the key for this run; it is not stored")
    group.add_argument(
        "--thinking",
        metavar="LEVEL",
        choices=THINKING_LEVELS,
        help=f"how hard to think: {', '.join(THINKING_LEVELS)}",
    )
    group.add_argument(
        "--list-models", metavar="SEARCH", nargs="?", const="", help="list the models and exit"
    )


def _add_tools(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-t",
        "--tools",
        metavar="LIST",
        help="only these tools, separated by commas; +NAME and -NAME change the default set (read, bash, "
        "edit, write); a list that begins with a dash goes after an equals sign: --tools=-write",
    )
    group.add_argument("-xt", "--exclude-tools", metavar="LIST", help="never these, * matches any characters")
    group.add_argument(
        "-nbt",
        "--no-builtin-tools",
        action="store_true",
        help="none of the built-in tools but those that --tools names",
    )
    group.add_argument("-nt", "--no-tools", action="store_true", help="no tools at all")


def _add_prompt(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-nc", "--no-context-files", action="store_true", help="do not read AGENTS.md and CLAUDE.md files"
    )
    group.add_argument("--system-prompt", metavar="TEXT|FILE", help="instead of the built-in system prompt")
    group.add_argument(
        "--append-system-prompt",
        metavar="TEXT|FILE",
        action="append",
        default=[],
        help="add to it; repeatable",
    )
    group.add_argument(
        "--theme", metavar="FILE", action="append", default=[], help="load a theme file; repeatable"
    )
    group.add_argument("--use-theme", metavar="NAME", help="the theme of this run")
    group.add_argument("--no-themes", action="store_true", help="no themes but the built-in ones and --theme")


def _add_resources(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-a",
        "--approve",
        action="store_true",
        help="trust this folder for this run: load its .pi settings, skills, templates and themes",
    )
    group.add_argument("-na", "--no-approve", action="store_true", help="do not, whatever was decided before")
    group.add_argument(
        "--skill", metavar="PATH", action="append", default=[], help="load a skill or a folder; repeatable"
    )
    group.add_argument("-ns", "--no-skills", action="store_true", help="no skills but those of --skill")
    group.add_argument(
        "--prompt-template",
        metavar="PATH",
        action="append",
        default=[],
        help="load a prompt template or a folder; repeatable",
    )
    group.add_argument(
        "-np", "--no-prompt-templates", action="store_true", help="none but those of --prompt-template"
    )
    group.add_argument(
        "-ne", "--no-extensions", action="store_true", help="no extensions (this version has none)"
    )
    group.add_argument("-e", "--extension", action=_NoExtensions, help=argparse.SUPPRESS)


def names_in(listed: str | None) -> list[str] | None:
    """The names of a list with commas; None if there is none."""
    if listed is None:
        return None
    return [name for part in listed.split(",") if (name := part.strip())]


def refuse(error: Exception) -> int:
    """Says in one line why a command line is not followed; returns the exit code."""
    hint = " (pi --help lists the options)" if isinstance(error, UsageError) else ""
    print(f"pi: {error}{hint}", file=sys.stderr)
    return USAGE_ERROR
