"""`pi`."""

import sys

from pi_tui import __version__
from pi_tui.cli.output import with_mended_output


def main() -> int:
    """Runs the command line and returns the exit code.

    `--version` and `--help` are answered here, before more than argparse is imported.
    """
    return with_mended_output(_main)


def _main() -> int:
    argv = sys.argv[1:]
    if argv in (["--version"], ["-v"]):
        print(__version__)
        return 0

    from pi_tui.cli.arguments import UsageError, parse_arguments, refuse

    try:
        given = parse_arguments(argv)
    except UsageError as error:
        return refuse(error)

    from pi_tui.cli.main import run

    return run(given)


if __name__ == "__main__":
    sys.exit(main())
