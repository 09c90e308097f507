"""What command lines mean, and which are refused."""

from pathlib import Path

import pytest

from pi_tui.cli.arguments import THINKING_LEVELS, UsageError, parse_arguments
from pi_tui.cli.options import Options, options_from
from pi_tui.llm import model


def parse(*argv: str) -> Options:
    return options_from(parse_arguments(argv))


def test_nothing_said_is_nothing_decided() -> None:
    assert parse() == Options()


def test_options_files_and_messages_may_stand_in_any_order() -> None:
    options = parse("one", "-p", "@a.md", "two", "--model", "m", "@b.md", "-c", "three")
    assert options.messages == ["one", "two", "three"]
    assert options.files == ["a.md", "b.md"]
    assert (options.print, options.model, options.continue_last) == (True, "m", True)


@pytest.mark.parametrize(
    ("argv", "field", "value"),
    [
        (["-p"], "print", True),
        (["-c"], "continue_last", True),
        (["-r"], "resume", True),
        (["-n", "a name"], "name", "a name"),
        (["-t", "read,ls"], "tools", "read,ls"),
        (["-xt", "bash"], "exclude_tools", "bash"),
        (["-nt"], "no_tools", True),
        (["-nc"], "no_context_files", True),
        (["--list-models"], "list_models", ""),
        (["--list-models", "gpt"], "list_models", "gpt"),
        (["--append-system-prompt", "a", "--append-system-prompt", "b"], "append_system_prompt", ["a", "b"]),
        (["--theme", "a.json", "--theme=b.json"], "theme", ["a.json", "b.json"]),
        (["--mode", "text"], "mode", "text"),
        (["--mode", "json"], "mode", "json"),
        (["--mode", "rpc"], "mode", "rpc"),
        (["--session", "abc"], "session", "abc"),
        (["--session-id", "a.b_c-1"], "session_id", "a.b_c-1"),
        (["--thinking", "xhigh"], "thinking", "xhigh"),
        (["--system-prompt", ""], "system_prompt", ""),
    ],
)
def test_each_option_has_its_field(argv: list[str], field: str, value: object) -> None:
    assert getattr(parse(*argv), field) == value


def test_after_two_dashes_a_prompt_may_begin_with_one() -> None:
    options = parse("-p", "--", "-x means what?", "@a.md", "--help")
    assert options.messages == ["-x means what?", "--help"]
    assert options.files == ["a.md"]


def test_a_prompt_that_looks_like_a_list_item_is_a_prompt() -> None:
    assert parse("-p", "- tidy up").messages == ["- tidy up"]


def test_bytes_that_are_no_text_do_not_reach_a_prompt() -> None:
    options = parse("caf\udce9", "--name", "caf\udce9", "--append-system-prompt", "\udce9")
    assert options.messages == ["caf�"]
    assert (options.name, options.append_system_prompt) == ("caf�", ["�"])


def test_a_fork_may_choose_its_new_id() -> None:
    assert parse("--fork", "a", "--session-id", "b").session_id == "b"


@pytest.mark.parametrize("argv", [["-e", "x.py"], ["--extension", "x.py"], ["--extension=x.py"]])
def test_an_extension_is_refused_and_not_ignored(argv: list[str]) -> None:
    with pytest.raises(UsageError, match="not available yet"):
        parse("-p", "hi", *argv)


def test_without_extensions_goes_what_has_none() -> None:
    assert parse("-ne", "hi").no_extensions


@pytest.mark.parametrize(
    ("argv", "tools"),
    [
        ([], None),
        (["-nt"], []),
        (["-nbt"], []),
        (["-nbt", "-nt"], []),
        (["-nbt", "-t", "+grep,+ls,-read"], ["grep", "ls"]),
        (["-nbt", "-t", "read"], ["read"]),
        (["-t", "+grep"], ["+grep"]),
    ],
)
def test_without_the_built_in_tools_only_those_that_are_named_are_left(
    argv: list[str], tools: list[str] | None
) -> None:
    assert parse(*argv).launch(Path("/srv")).tools == tools


def test_an_export_takes_a_session_and_a_file() -> None:
    options = parse("--export", "a.jsonl", "b.html")
    assert (options.export, options.messages) == ("a.jsonl", ["b.html"])


def test_a_first_word_that_could_be_a_command_one_day_is_a_prompt_today() -> None:
    assert parse("search", "this").messages == ["search", "this"]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--nmae", "x"], "did you mean --name"),
        (["--frobnicate"], "--frobnicate"),
        (["--thinking", "hard"], "--thinking"),
        (["--mode", "xml"], "xml"),
        (["--model"], "--model"),
        (["--session-id", "../x"], "--session-id"),
        (["--session-id", "x-"], "--session-id"),
        (["--tools", "read,+grep"], "--tools"),
        (["--session", ""], "--session needs a value"),
        (["--theme="], "--theme needs a value"),
        (["--export", ""], "--export needs a value"),
        (["--export"], "--export"),
        (["--export=--"], "--export needs a value"),
        (["--append-system-prompt=--"], "--append-system-prompt needs a value"),
        (["--export", "a", "b", "c"], "--export"),
        (["--export", "a", "@b"], "@files"),
        (["--list-models", "a", "b"], "quotes"),
        (["--completions", "bash", "zsh"], "--completions"),
    ],
)
def test_a_mistake_is_named(argv: list[str], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(*argv)
    assert says in str(raised.value)


def test_an_option_cannot_be_shortened() -> None:
    with pytest.raises(UsageError):
        parse("--mod", "x")


def test_levels_are_those_of_the_models() -> None:
    assert THINKING_LEVELS == model.THINKING_LEVELS


def test_a_launch_carries_what_was_asked() -> None:
    options = parse("-c", "-t", "read, ls", "-xt", "bash", "-nc", "--session-dir", "sessions", "-n", "x")
    launch = options.launch(Path("/srv"))
    assert launch.cwd == Path("/srv")
    assert launch.continue_last
    assert launch.tools == ["read", "ls"]
    assert launch.exclude_tools == ["bash"]
    assert not launch.context_files
    assert launch.session_dir == Path("/srv/sessions")
    assert launch.name == "x"


def test_no_tools_and_default_tools_are_told_apart() -> None:
    assert parse("-nt").launch(Path("/")).tools == []
    assert parse().launch(Path("/")).tools is None
    assert parse("--tools=-write").launch(Path("/")).tools == ["-write"]


def test_the_demo_stores_nothing() -> None:
    launch = parse("--demo").launch(Path("/"))
    assert launch.demo
    assert launch.in_memory


def test_offline_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not parse().launch(Path("/")).offline
    monkeypatch.setenv("PI_OFFLINE", "1")
    assert parse().launch(Path("/")).offline
