"""The script for bash. It reads the line itself: bash takes words apart at `=` and `:`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_tui.cli.completions import Option

_HEAD = """\
# bash completion for pi: source <(pi --completions bash)

_pi_options='{options}'

# What an option takes: a source, then "list" if several are separated by commas, then "files" if files do as well.
_pi_takes() {{
  case $1 in
{cases}
    *) return 1 ;;
  esac
}}
"""

_BODY = """
_pi_candidates() {
  case $1 in
    words:*) printf '%s\\n' ${1#words:} ;;
    models|sessions|themes|providers|tools) command pi --completions "$1" 2>/dev/null | cut -f 1 ;;
  esac
}

# Offers lines that begin with $1; bash replaces the last piece of the word only.
_pi_offer() {
  local value=$1 cut= add= line
  if [[ $value == *"$_pi_piece" ]]; then cut=${value%"$_pi_piece"}; else add=${_pi_piece%"$value"}; fi
  while IFS= read -r line; do
    [[ $line == "$value"* ]] && COMPREPLY+=("$add${line#"$cut"}")
  done
}

_pi_files() {
  compopt -o filenames 2>/dev/null
  _pi_offer "$2" < <(compgen "$1" -- "$2")
}

_pi_values() {
  local takes value=$2 before=
  read -r -a takes <<< "$1"
  case ${takes[0]} in
    files) _pi_files -f "$value"; return ;;
    folders) _pi_files -d "$value"; return ;;
    none) return ;;
  esac
  local source=${takes[0]//+/ }
  if [[ " ${takes[*]} " == *" list "* ]]; then
    [[ $value == *,* ]] && before=${value%,*},
    compopt -o nospace 2>/dev/null
  fi
  _pi_offer "$value" < <(_pi_candidates "$source" | while IFS= read -r line; do printf '%s\\n' "$before$line"; done)
  if [[ ${#COMPREPLY[@]} -eq 0 && " ${takes[*]} " == *" files "* ]]; then _pi_files -f "$value"; fi
}

_pi() {
  local line=${COMP_LINE:0:COMP_POINT} word previous takes _pi_piece=$2
  COMPREPLY=()
  word=${line##*[[:space:]]}
  [[ $_pi_piece == [=:] ]] && _pi_piece=
  previous=${line%"$word"}
  previous=${previous%"${previous##*[![:space:]]}"}
  if [[ " $previous " == *" -- "* ]]; then
    previous=--
  else
    previous=${previous##*[[:space:]]}
  fi
  if [[ $word == --*=* ]]; then
    takes=$(_pi_takes "${word%%=*}") && _pi_values "$takes" "${word#*=}"
  elif takes=$(_pi_takes "$previous") && [[ $word != -* || $takes != *" maybe"* ]]; then
    _pi_values "$takes" "$word"
  elif [[ $word == @* ]]; then
    _pi_files -f "${word#@}"
  elif [[ $word == -* && $previous != -- ]]; then
    _pi_offer "$word" < <(printf '%s\\n' $_pi_options)
  elif [[ " $line " == *" --export "* ]]; then
    _pi_files -f "$word"
  fi
}

complete -F _pi pi
"""


def script(options: "Sequence[Option]") -> str:
    """The script for these options."""
    names = " ".join(name for option in options for name in option.names)
    cases = "\n".join(
        f"    {'|'.join(option.names)}) echo '{_takes(option)}' ;;"
        for option in options
        if option.takes_value
    )
    return _HEAD.format(options=names, cases=cases) + _BODY


def _takes(option: "Option") -> str:
    values = option.values
    if values is None:
        return "none"
    source = f"words:{'+'.join(values.words)}" if values.source == "words" else values.source
    marks = [source, *(["list"] if values.listed else []), *(["files"] if values.or_files else [])]
    return " ".join(marks + (["maybe"] if option.optional else []))
