"""Which key does what: the keys as shipped, and the user's `keybindings.json` over them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from pi_tui.llm.problems import Problem, line_of
from pi_tui.tui.keys.actions import ACTIONS, ACTIONS_BY_ID
from pi_tui.tui.keys.conflicts import Conflict, conflicts
from pi_tui.tui.keys.names import KeyNameError, canonical, readable_key, textual_key

FILE_NAME: Final = "keybindings.json"
FILE_BYTES_LIMIT: Final = 256 * 1024


class KeyBindings:
    """The keys of every action."""

    def __init__(self, overrides: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """`overrides` replace the keys as shipped; they are Textual's names."""
        self._keys = _shipped_keys() | dict(overrides or {})

    def take_over(self, other: "KeyBindings") -> None:
        """Has the keys of `other` from now on, for everyone who holds these bindings."""
        self._keys = other._keys

    def keys(self, action: str) -> tuple[str, ...]:
        """The keys of an action, as Textual names them."""
        return self._keys.get(action, ())

    def match(self, action: str, key: str) -> bool:
        """Whether `key`, an `event.key` of Textual's, triggers the action."""
        return canonical(key) in self._keys.get(action, ())

    def action_of(self, key: str, among: Iterable[str]) -> str | None:
        """The first of these actions that the key triggers; elsewhere it may do something else."""
        key = canonical(key)
        return next((action for action in among if key in self._keys.get(action, ())), None)

    def readable(self, action: str, separator: str = " or ") -> str:
        """The keys of an action for people, `Shift+Enter or Ctrl+J`; empty when it has none."""
        return separator.join(map(readable_key, self.keys(action)))

    def hint(self, action: str) -> str:
        """The first key of an action as hints name it, `ctrl+o`; empty when it has none."""
        return next((readable_key(key).lower() for key in self.keys(action)), "")

    def conflicts(self) -> list[Conflict]:
        """The keys that two actions have in the same place, where shipped they have not."""
        return conflicts(self._keys, _shipped_keys())

    def listing(self) -> list[tuple[str, str, str]]:
        """Group, keys and description of every action that has a key, in the order of the table."""
        return [
            (action.group, self.readable(action.id, ", "), action.description)
            for action in ACTIONS
            if self.keys(action.id)
        ]


def load_key_bindings(agent_dir: Path) -> tuple[KeyBindings, list[Problem]]:
    """The bindings with the user's file, and what is wrong in it; what is right still counts."""
    path = agent_dir / FILE_NAME
    try:
        if path.stat().st_size > FILE_BYTES_LIMIT:
            text = f"is larger than {FILE_BYTES_LIMIT} bytes; the shipped keys are used"
            return KeyBindings(), [Problem(str(path), None, "", text)]
        text = path.read_text("utf-8-sig")
        data = json.loads(text)
    except FileNotFoundError:
        return KeyBindings(), []
    except OSError as error:
        return KeyBindings(), [Problem(str(path), None, "", f"cannot be read: {error.strerror}")]
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        return KeyBindings(), [Problem(str(path), line, "", f"is not valid JSON: {error}")]
    overrides, problems = read_overrides(data, str(path), text)
    bindings = KeyBindings(overrides)
    for conflict in bindings.conflicts():
        action = conflict.first if conflict.first in overrides else conflict.second
        problems.append(Problem(str(path), line_of(text, [action]), action, str(conflict)))
    return bindings, problems


def _shipped_keys() -> dict[str, tuple[str, ...]]:
    return {action.id: tuple(map(textual_key, action.keys)) for action in ACTIONS}


def read_overrides(
    data: object, path: str, text: str = ""
) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """The bindings in a decoded `keybindings.json`: action to a key, or a list of keys.

    `path` and `text` of the file are for the problems.
    """
    if not isinstance(data, dict):
        return {}, [Problem(path, None, "", "holds no JSON object; the shipped keys are used")]
    overrides: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []

    def wrong(action: str, message: str) -> None:
        problems.append(Problem(path, line_of(text, [action]), action, message))

    for action, value in data.items():
        if action == "$schema":
            continue
        keys = [value] if isinstance(value, str) else value
        if action not in ACTIONS_BY_ID:
            wrong(action, "there is no such action; the line is ignored")
        elif not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            wrong(action, "must be a key or a list of keys; the shipped keys stay")
        else:
            try:
                overrides[action] = tuple(map(textual_key, keys))
            except KeyNameError as error:
                wrong(action, f"{error}; the shipped keys stay")
    return overrides, problems
