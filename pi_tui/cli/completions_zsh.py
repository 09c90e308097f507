"""The script for zsh, by its own `_arguments`."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_tui.cli.completions import Option

_BODY = """\
#compdef pi
# zsh completion for pi: source <(pi --completions zsh), after compinit

_pi_listed() {
  local -a lines described
  local line
  lines=("${(@f)$(command pi --completions $1 2>/dev/null)}")
  for line in $lines; do
    described+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
  done
  _describe -t $1 $1 described
}

_pi_list() {
  compset -P '*,'
  compset -S ',*'
  local -a values
  values=(${${(f)"$(command pi --completions $1 2>/dev/null)"}%%$'\\t'*})
  compadd -S '' -a values
}

_pi_session() {
  _alternative 'sessions:session:_pi_listed sessions' 'files:file:_files'
}

_pi_prompt() {
  if compset -P '@'; then
    _files
  elif (( ${words[(I)--export]} )); then
    _files
  else
    _message 'prompt, or @file'
  fi
}

_pi() {
  _arguments -S \\
"""

_TAIL = """\
    '*:prompt or @file:_pi_prompt'
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _pi "$@"
else
  compdef _pi pi
fi
"""


def script(options: "Sequence[Option]") -> str:
    """The script for these options."""
    specs = "".join(f"    {_quoted(spec)} \\\n" for option in options for spec in _specs(option))
    return _BODY + specs + _TAIL


def _specs(option: "Option") -> list[str]:
    """One for each spelling; a spelling excludes the others unless the option may be repeated."""
    others = "*" if option.repeatable else f"({' '.join(option.names)})"
    specs = []
    for name in option.names:
        written = name + "=" if option.takes_value and name.startswith("--") else name
        specs.append(f"{others}{written}[{_escaped(option.help)}]{_value(option)}")
    return specs


def _value(option: "Option") -> str:
    if not option.takes_value:
        return ""
    colon = "::" if option.optional else ":"
    return f"{colon}{_escaped(option.value_name)}:{_action(option)}"


def _action(option: "Option") -> str:
    values = option.values
    if values is None:
        return " "
    if values.or_files:
        return "_pi_session"
    match values.source:
        case "words":
            return f"({' '.join(values.words)})"
        case "files":
            return "_files"
        case "folders":
            return "_files -/"
    # Behind a space it is called with its own arguments alone.
    return f" _pi_list {values.source}" if values.listed else f" _pi_listed {values.source}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
