"""Which key an escape sequence stands for, named as Textual names keys.

Understands the legacy forms, xterm's `modifyOtherKeys` (`CSI 27 ; modifiers ; code ~`) and the kitty keyboard
protocol (`CSI code:shifted:base ; modifiers:event u`). Pure.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual.keys import KEY_NAME_REPLACEMENTS, _character_to_key


class Key(NamedTuple):
    name: str
    """Modifiers in alphabetical order and the key, joined by `+`: `alt+ctrl+x`, `shift+enter`."""
    character: str | None
    """What the key types, if it types anything."""


_CSI: Final = re.compile(r"\x1b(?P<alt>\x1b?)\[(?P<parameters>[\d:;]*)(?P<final>[~u@-Z])\Z")
_SS3: Final = re.compile(r"\x1b(?P<alt>\x1b?)O(?P<modifiers>\d*)(?P<letter>[A-Za-z])\Z")

_MODIFIER_BITS: Final = ((2, "alt"), (4, "ctrl"), (16, "hyper"), (32, "meta"), (1, "shift"), (8, "super"))
_KEY_RELEASED: Final = "3"
_KEYPAD_CHARACTERS: Final = {
    57409: ".",
    57410: "/",
    57411: "*",
    57412: "-",
    57413: "+",
    57415: "=",
    57416: ",",
}
_KEYPAD_CHARACTERS.update({57399 + digit: str(digit) for digit in range(10)})
_CONTROL_NAMES: Final = {"\r": "enter", "\n": "ctrl+j", "\t": "tab", "\x7f": "backspace", "\x08": "backspace"}
_OTHER_LEGACY: Final = {"\x1b[Z": "shift+tab", "\x1b[1;2Z": "shift+tab"}
_PRIVATE_USE: Final = range(57344, 63744)
_CONTROL_KEY_CODES: Final = {9: "tab", 13: "enter", 27: "escape", 127: "backspace", 8: "backspace"}


def key_of_character(character: str) -> Key:
    """The key that sends this one character without an escape sequence."""
    if character in _CONTROL_NAMES:
        return Key(_CONTROL_NAMES[character], character)
    if character == "\x1b":
        return Key("escape", character)
    if character < " ":
        keys = ANSI_SEQUENCES_KEYS[character]
        return Key(keys[0].value if isinstance(keys, tuple) else character, character)
    return Key(_printable_name(character), character)


@lru_cache(maxsize=1024)
def key_of_sequence(sequence: str) -> Key | None:
    """The key of a whole escape sequence, or `None` when it is no key (or a key let go)."""
    if match := _CSI.match(sequence):
        key = _of_csi(match["parameters"], match["final"])
        if key is not None:
            return _with_alt(key) if match["alt"] else key
    elif match := _SS3.match(sequence):
        name = FUNCTIONAL_KEYS.get(f"1{match['letter']}")
        if name:
            key = Key(_join(int(match["modifiers"] or 1) - 1, name), None)
            return _with_alt(key) if match["alt"] else key
    if sequence == "\x1b":
        return Key("escape", sequence)
    if sequence in _OTHER_LEGACY:
        return Key(_OTHER_LEGACY[sequence], None)
    if len(sequence) == 2:
        return _with_alt(key_of_character(sequence[1]))
    keys = ANSI_SEQUENCES_KEYS.get(sequence)
    return Key(keys[0].value, None) if isinstance(keys, tuple) and keys[0].value[0] != "<" else None


def _of_csi(parameters: str, final: str) -> Key | None:
    fields = [field.split(":") for field in parameters.split(";")]
    if final == "~" and fields[0] == ["27"]:
        return _modified(int(fields[2][0]), 0, 0, int(fields[1][0] or 1) - 1) if len(fields) == 3 else None
    modifiers, event = 0, ""
    if len(fields) > 1:
        modifiers = int(fields[1][0] or 1) - 1
        event = fields[1][1] if len(fields[1]) > 1 else ""
    if event == _KEY_RELEASED:
        return None
    code = int(fields[0][0] or 1)
    name = FUNCTIONAL_KEYS.get(f"{code}{final}")
    if final != "u":
        return Key(_join(modifiers, name), None) if name else None
    if code in _KEYPAD_CHARACTERS:
        return _modified(ord(_KEYPAD_CHARACTERS[code]), 0, 0, modifiers)
    if name in MODIFIER_FUNCTIONAL_KEYS:
        return None
    if name and code not in _CONTROL_KEY_CODES:
        return Key(_join(modifiers, name), None)
    if code in _PRIVATE_USE:
        return None
    shifted, base = (int(code or 0) for code in [*fields[0][1:3], "", ""][:2])
    return _modified(code, shifted, base, modifiers)


def _modified(code: int, shifted: int, base: int, modifiers: int) -> Key | None:
    """The key of a code point; `shifted` is what it types with Shift, `base` its place on a US layout."""
    if code in _CONTROL_KEY_CODES:
        name = _CONTROL_KEY_CODES[code]
        character = {"enter": "\r", "tab": "\t"}.get(name) if not modifiers else None
        return Key(_join(modifiers, name), character)
    if not 32 <= code < 0x110000:
        return None
    character = chr(code)
    shift = bool(modifiers & 1)
    chorded = modifiers & ~1
    if not chorded:
        typed = (
            chr(shifted) if shift and shifted else character.upper() if shift and code < 128 else character
        )
        return Key(_printable_name(typed), typed)
    if base and code >= 128:
        character = chr(base)
    if character.isalpha():
        modifiers |= character.isupper()
        character = character.lower()
    elif shift and character != " ":
        # Ctrl+? is one key to everybody, though Shift helps to type it.
        modifiers &= ~1
        character = chr(shifted) if shifted else character
    return Key(_join(modifiers, _printable_name(character)), None)


def _with_alt(key: Key) -> Key:
    *modifiers, name = key.name.split("+")
    if len(name) == 1 and name.isupper():
        name = name.lower()
        modifiers.append("shift")
    return Key("+".join([*sorted({*modifiers, "alt"}), name]), None)


def _join(modifiers: int, name: str) -> str:
    return "+".join([*(word for bit, word in _MODIFIER_BITS if modifiers & bit), name])


def _printable_name(character: str) -> str:
    name = _character_to_key(character)
    return KEY_NAME_REPLACEMENTS.get(name, name)
