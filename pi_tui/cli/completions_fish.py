"""The script for fish."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_tui.cli.completions import Option

_HEAD = """\
# fish completion for pi: pi --completions fish | source

function __pi_list
    # Values of a list with commas: what stands before the last one is kept.
    set -l before (string replace -rf '^(.*,).*$' '$1' -- (commandline -ct | string replace -r '^--[a-z-]+=' ''))
    for value in (command pi --completions $argv[1] 2>/dev/null | string replace -r '\\\\t.*' '')
        echo "$before$value"
    end
end

function __pi_at_files
    set -l name (string replace -rf '^@' '' -- (commandline -ct))
    or return
    for file in (__fish_complete_path $name)
        echo @$file
    end
end

complete -c pi -e
complete -c pi -f
complete -c pi -a '(__pi_at_files)'
complete -c pi -n '__fish_seen_argument -l export' -F
"""


def script(options: "Sequence[Option]") -> str:
    """The script for these options."""
    return _HEAD + "".join(f"complete -c pi {_line(option)}\n" for option in options)


def _line(option: "Option") -> str:
    parts = [_name(name) for name in option.names]
    parts.append(f"-d {_quoted(option.help)}")
    if option.takes_value:
        parts.append(_value(option))
    return " ".join(parts)


def _name(name: str) -> str:
    if name.startswith("--"):
        return f"-l {name[2:]}"
    return f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"


def _value(option: "Option") -> str:
    values = option.values
    # Of an optional value fish takes the next word for something else.
    needed = "" if option.optional else "-r "
    if values is None:
        return f"{needed}-f".strip()
    match values.source:
        case "words":
            return f"{needed}-f -a {_quoted(' '.join(values.words))}"
        case "files":
            return f"{needed}-F"
        case "folders":
            return f"{needed}-f -a '(__fish_complete_directories)'"
    listing = "__pi_list" if values.listed else "command pi --completions"
    return f"{needed}{'-F' if values.or_files else '-f'} -a '({listing} {values.source} 2>/dev/null)'"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
