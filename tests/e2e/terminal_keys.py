"""What terminals send for a key: xterm's sequences, and kitty's once its keyboard protocol is on."""

from __future__ import annotations

LEGACY = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "space": " ",
    "backspace": "\x7f",
    "shift+tab": "\x1b[Z",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "ctrl+up": "\x1b[1;5A",
    "ctrl+down": "\x1b[1;5B",
    "alt+up": "\x1b[1;3A",
    "alt+enter": "\x1b\r",
    "wheel up": "\x1b[<64;10;5M",
    "wheel down": "\x1b[<65;10;5M",
    "focus out": "\x1b[O",
    "focus in": "\x1b[I",
} | {f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghjklnopqrstuvwxyz"}

KITTY = LEGACY | {
    "escape": "\x1b[27u",
    "enter": "\x1b[13u",
    "tab": "\x1b[9u",
    "backspace": "\x1b[127u",
    "shift+tab": "\x1b[9;2u",
    "shift+enter": "\x1b[13;2u",
    "alt+enter": "\x1b[13;3u",
    **{f"ctrl+{letter}": f"\x1b[{ord(letter)};5u" for letter in "abcdefghijklmnopqrstuvwxyz"},
}

MODIFIED_ENTER = {"shift+enter": "\x1b[27;2;13~", "alt+enter": "\x1b[27;3;13~"}
"""xterm's modifyOtherKeys, as tmux passes it on."""


def encode(key: str, *, kitty_flags: int, modify_other_keys: int) -> bytes:
    """The bytes a terminal sends for `key` in its present mode; KeyError for a key it cannot send at all."""
    if kitty_flags:
        return KITTY[key].encode()
    if modify_other_keys and key in MODIFIED_ENTER:
        return MODIFIED_ENTER[key].encode()
    return LEGACY[key].encode()
