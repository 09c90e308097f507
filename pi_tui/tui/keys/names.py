"""Key names: as `keybindings.json` writes them, as Textual names them, as people read them."""

import re
from functools import lru_cache
from typing import Final

from textual.keys import KEY_NAME_REPLACEMENTS, REPLACED_KEYS, _character_to_key, key_to_character

_MODIFIERS: Final = frozenset({"alt", "ctrl", "shift", "super"})
_SYMBOLS: Final = frozenset("`-=[]\\;',./!@#$%^&*()_+|~{}:<>?")
_NAMED: Final = {
    "escape": "escape",
    "esc": "escape",
    "enter": "enter",
    "return": "enter",
    "tab": "tab",
    "space": "space",
    "backspace": "backspace",
    "delete": "delete",
    "insert": "insert",
    "clear": "kp_begin",
    "home": "home",
    "end": "end",
    "pageup": "pageup",
    "pagedown": "pagedown",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
}
_FUNCTION_KEY: Final = re.compile(r"f([1-9]|1[0-2])\Z")
_SAME_BYTE: Final = {
    # Terminals without an extended keyboard protocol send one byte for both.
    "ctrl+underscore": "ctrl+minus",
    "ctrl+@": "ctrl+space",
    "ctrl+at": "ctrl+space",
    "alt+ctrl+@": "alt+ctrl+space",
}
_READABLE: Final = {"pageup": "PgUp", "pagedown": "PgDn", "escape": "Esc", "kp_begin": "Clear"}


class KeyNameError(ValueError):
    """No key has this name; the message says which part nobody knows."""


def textual_key(written: str) -> str:
    """Textual's name of a key written as `modifier+key`; raises `KeyNameError`."""
    text = written.strip()
    *modifiers, key = (
        [*text[:-1].removesuffix("+").split("+"), "+"] if text.endswith("+") else text.split("+")
    )
    words = [word.strip().lower() for word in modifiers if word]
    for word in words:
        if word not in _MODIFIERS:
            raise KeyNameError(f'"{written}": "{word}" is no modifier (ctrl, shift, alt, super)')
    name = _key_name(key.strip(), written)
    held = set(words)
    if held == {"shift"} and len(name) == 1 and name.isalpha():
        return name.upper()
    return canonical("+".join([*sorted(held), name]))


def _key_name(key: str, written: str) -> str:
    low = key.lower()
    if low in _NAMED:
        return _NAMED[low]
    if _FUNCTION_KEY.match(low) or (len(low) == 1 and low.isascii() and low.isalnum()):
        return low
    if key in _SYMBOLS and key:
        name = _character_to_key(key)
        return KEY_NAME_REPLACEMENTS.get(name, name)
    raise KeyNameError(f'"{written}": there is no key "{key}"')


@lru_cache(maxsize=512)
def canonical(key: str) -> str:
    """One name for keys that are the same to some terminals."""
    return _SAME_BYTE.get(key, key)


def readable_key(key: str) -> str:
    """A Textual key name as it is printed on keyboards: `ctrl+right_square_bracket` is `Ctrl+]`."""
    *modifiers, name = key.split("+")
    if len(name) == 1:
        shown = name.upper()
        if name.isupper() and not modifiers:
            modifiers = ["shift"]
    else:
        character = key_to_character(REPLACED_KEYS.get(name, name)) or ""
        shown = _READABLE.get(name) or (
            character if character > " " and character.isprintable() else name.capitalize()
        )
    order = ["super", "ctrl", "alt", "shift"]
    return "+".join([*(word.capitalize() for word in order if word in modifiers), shown])
