"""Every pair of options: which go together, and which are refused with one line."""

from itertools import combinations

import pytest

from pi_tui.cli.arguments import UsageError, make_parser, parse_arguments
from pi_tui.cli.options import options_from

GIVEN = {
    "-p": ["-p"],
    "--mode json": ["--mode", "json"],
    "--mode rpc": ["--mode", "rpc"],
    "--mode text": ["--mode", "text"],
    "--export": ["--export", "a.jsonl"],
    "--demo": ["--demo"],
    "--offline": ["--offline"],
    "--verbose": ["--verbose"],
    "--completions": ["--completions", "bash"],
    "-c": ["-c"],
    "-r": ["-r"],
    "--session": ["--session", "a"],
    "--session-id": ["--session-id", "a"],
    "--fork": ["--fork", "a"],
    "--session-dir": ["--session-dir", "a"],
    "--no-session": ["--no-session"],
    "-n": ["-n", "a"],
    "--provider": ["--provider", "a", "--model", "m"],
    "--model": ["--model", "a"],
    "--models": ["--models", "a"],
    "--api-key": ["--api-key", "a", "--model", "m"],
    "--thinking": ["--thinking", "low"],
    "--list-models": ["--list-models"],
    "-t": ["-t", "read"],
    "-xt": ["-xt", "bash"],
    "-nt": ["-nt"],
    "-nbt": ["-nbt"],
    "-nc": ["-nc"],
    "--system-prompt": ["--system-prompt", "a"],
    "--append-system-prompt": ["--append-system-prompt", "a"],
    "--theme": ["--theme", "a.json"],
    "--use-theme": ["--use-theme", "a"],
    "--no-themes": ["--no-themes"],
    "-a": ["-a"],
    "-na": ["-na"],
    "--skill": ["--skill", "a"],
    "-ns": ["-ns"],
    "--prompt-template": ["--prompt-template", "a"],
    "-np": ["-np"],
    "-ne": ["-ne"],
}

GROUPS_OF_ONE = (
    # Which session it is.
    {"-c", "-r", "--session", "--fork", "--no-session"},
    {"-c", "-r", "--session", "--session-id"},
    # The demo has a session and a model of its own.
    *({"--demo", other} for other in ("-c", "-r", "--session", "--session-id", "--fork")),
    *({"--demo", other} for other in ("--provider", "--model", "--models", "--api-key")),
    # A list to choose from needs a screen, and input for commands is no place for a single answer.
    *({"-r", other} for other in ("-p", "--mode json", "--mode rpc")),
    {"-p", "--mode rpc"},
    {"-nt", "-t"},
    {"-a", "-na"},
)
"""Of each of these a command line has one at most."""

GOES_WITH = {
    "--completions": set[str](),
    "--list-models": {"--offline", "--verbose", "-a", "-na"},
    "--export": {
        *("--session-dir", "--theme", "--use-theme", "--no-themes", "--offline", "--verbose", "-a", "-na"),
    },
}
"""What ends the program without a conversation, and all that may stand beside it."""


def refused(one: str, other: str) -> bool:
    for alone, beside in GOES_WITH.items():
        if alone in (one, other) and ({one, other} - {alone}) - beside:
            return True
    return any({one, other} <= group for group in GROUPS_OF_ONE)


PAIRS = [
    (one, other)
    for one, other in combinations(GIVEN, 2)
    if not (one.startswith("--mode") and other.startswith("--mode"))
]


def problem_of(argv: list[str]) -> str | None:
    try:
        options_from(parse_arguments(argv))
    except UsageError as error:
        return str(error)
    return None


def test_the_table_has_every_option() -> None:
    known = {name.split()[0] for name in GIVEN}
    for action in make_parser()._actions:
        if action.option_strings and action.dest not in ("help", "version", "extension"):
            assert known & set(action.option_strings), action.option_strings


@pytest.mark.parametrize("name", GIVEN)
def test_each_option_alone_is_accepted(name: str) -> None:
    assert problem_of(GIVEN[name]) is None


@pytest.mark.parametrize("expected", [True, False], ids=["refused", "accepted"])
def test_of_all_pairs_exactly_the_contradictions_are_refused(expected: bool) -> None:
    wrong = [
        (one, other)
        for one, other in PAIRS
        if refused(one, other) is expected
        and any((problem_of(argv) is not None) is not expected for argv in orders(one, other))
    ]
    assert wrong == []


def orders(one: str, other: str) -> list[list[str]]:
    return [GIVEN[one] + GIVEN[other], GIVEN[other] + GIVEN[one]]


def spelled(name: str) -> set[str]:
    """The long spelling of an option."""
    short = name.split(maxsplit=1)[0]
    return {
        long
        for action in make_parser()._actions
        if short in action.option_strings
        for long in action.option_strings
        if long.startswith("--")
    }


def test_a_contradiction_names_both_options_in_one_line() -> None:
    for one, other in PAIRS:
        if not refused(one, other):
            continue
        problem = problem_of(GIVEN[one] + GIVEN[other])
        assert problem is not None
        assert "\n" not in problem
        named = [name for name in (one, other) if any(long in problem for long in spelled(name))]
        # A provider or a key brings a model along, which may be what is told.
        assert len(named) == 2 or {one, other} & {"--provider", "--api-key"}, (one, other, problem)


@pytest.mark.parametrize(
    ("argv", "needed"),
    [(["--provider", "openai"], "--model"), (["--api-key", "k"], "--model")],
)
def test_an_option_that_needs_another_one_says_so(argv: list[str], needed: str) -> None:
    problem = problem_of(argv)
    assert problem is not None
    assert argv[0] in problem and needed in problem


@pytest.mark.parametrize("beside", [["a prompt"], ["@a.md"]])
def test_commands_on_standard_input_leave_no_room_for_prompts(beside: list[str]) -> None:
    assert "--mode rpc" in (problem_of(["--mode", "rpc", *beside]) or "")
