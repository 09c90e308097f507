"""Writes `docs/keys.md` from the table of actions: `python scripts/make_keys_page.py`."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pi_tui.tui.keys.actions import ACTIONS, Action  # noqa: E402
from pi_tui.tui.keys.names import readable_key, textual_key  # noqa: E402

PAGE = ROOT / "docs" / "keys.md"

INTRODUCTION = """\
# Keys

Everything a key does has a name. `keybindings.json` in the agent dir (`~/.pi/agent`, or `PI_CODING_AGENT_DIR`) gives
it other keys:

```json
{
  "app.session.new": "ctrl+shift+n",
  "app.session.tree": ["ctrl+shift+t", "alt+shift+t"],
  "tui.altScreen.pageUp": []
}
```

What is given there takes the place of the keys below; an empty list takes them away. `/reload` applies a change, and
`/hotkeys` lists the keys as they are. Hints on screen name the keys in use.

A key is written `modifier+key`. Modifiers are `ctrl`, `shift`, `alt` and `super` (which few terminals report). Keys are
`a` to `z`, `0` to `9`, `f1` to `f12`, `escape` (`esc`), `enter` (`return`), `tab`, `space`, `backspace`, `delete`,
`insert`, `clear`, `home`, `end`, `pageUp`, `pageDown`, `up`, `down`, `left`, `right`, and the signs
`` ` - = [ ] \\ ; ' , . / ! @ # $ % ^ & * ( ) _ + | ~ { } : < > ? ``.

A name nobody knows, a key nobody has, and a key that two actions want in the same place are reported at the start with
their line, and the latter in `/hotkeys` as well; the rest of the file counts. What shares a key as shipped does not
get in its own way: `ctrl+d` deletes a character, and leaves where there is none.

In the editor the keys of the application come first, then those of the transcript, then the editor's own.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for group, actions in groupby(ACTIONS, key=lambda action: action.group):
        rows = [f"| `{one.id}` | {_keys(one)} | {one.description} |" for one in actions]
        parts.append("\n".join([f"## {group}", "", "| action | keys | |", "|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def _keys(action: Action) -> str:
    return ", ".join(readable_key(textual_key(key)) for key in action.keys) or "none"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(PAGE)
