"""auth.json: the keys that `/login` stores.

Provider → `{"type": "api_key", "key": …, "env": {…}}`. Entries of other types (OAuth tokens) cannot be used
here and are kept as they are.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pi_tui.llm import values
from pi_tui.llm.problems import Problem, json_problem
from pi_tui.llm.replace_file import replace_file

LOCK_SECONDS = 10
FILE_MODE = 0o600


class CredentialsError(Exception):
    """auth.json could not be read or written; it is left as it was."""


class Credentials:
    """The keys in auth.json. A file that cannot be read gives none, and is never overwritten."""

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self.path = path
        self.problem: Problem | None = None
        self._environ = environ
        self._commands: dict[str, str | None] = {}
        self._entries: dict[str, Any] = {}
        try:
            self._entries = _read(path)
        except CredentialsError as error:
            self.problem = error.args[0]

    @property
    def providers(self) -> list[str]:
        """Those a key is stored for."""
        return [provider for provider in self._entries if self.has_key(provider)]

    def has_key(self, provider: str) -> bool:
        """Whether there is a key, without running the command that may give it."""
        key = self._stored(provider)
        return bool(key) and (values.is_command(key) or self.key(provider) is not None)

    def foreign_entry(self, provider: str) -> str | None:
        """The type of an entry that cannot be used here; None where there is none."""
        entry = self._entries.get(provider)
        kind = entry.get("type", "api_key") if isinstance(entry, dict) else "unknown"
        return None if entry is None or kind == "api_key" else str(kind)

    def key(self, provider: str) -> str | None:
        """The key for a provider. A `!command` is run once, blocking; its output is kept for this process."""
        key = self._stored(provider)
        if not key:
            return None
        environ = {**self._environ, **self._variables(provider)}
        if not values.is_command(key):
            return values.interpolate(key, environ)
        if key not in self._commands:
            self._commands[key] = values.run(key, environ)
        return self._commands[key]

    def store(self, provider: str, key: str) -> None:
        """Keeps a key, taken literally, for next time.

        Raises:
            CredentialsError: The file cannot be read or written.
        """
        literal = key.replace("$", "$$")
        if literal.startswith("!"):
            literal = f"${literal}"

        def change(entries: dict[str, Any]) -> None:
            before = entries.get(provider)
            variables = {"env": before["env"]} if isinstance(before, dict) and before.get("env") else {}
            entries[provider] = {"type": "api_key", "key": literal, **variables}

        self._change(change)

    def remove(self, provider: str) -> bool:
        """Forgets the entry of a provider; False if there was none.

        Raises:
            CredentialsError: The file cannot be read or written.
        """
        had = provider in self._entries
        self._change(lambda entries: entries.pop(provider, None))
        return had

    def _stored(self, provider: str) -> str:
        entry = self._entries.get(provider)
        if not isinstance(entry, dict) or entry.get("type", "api_key") != "api_key":
            return ""
        key = entry.get("key")
        return key if isinstance(key, str) else ""

    def _variables(self, provider: str) -> dict[str, str]:
        given = self._entries[provider].get("env")
        return {name: str(value) for name, value in given.items()} if isinstance(given, dict) else {}

    def _change(self, change: Any) -> None:
        from filelock import FileLock, Timeout

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(f"{self.path}.lock", timeout=LOCK_SECONDS):
                entries = _read(self.path)
                change(entries)
                _write(self.path, entries)
        except (OSError, Timeout) as error:
            raise CredentialsError(
                Problem(str(self.path), None, "", f"cannot be written: {error}")
            ) from error
        self._entries = entries
        self.problem = None


def _read(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CredentialsError(Problem(str(path), None, "", f"cannot be read: {error.strerror}")) from error
    try:
        entries = msgspec.json.decode(data or b"{}")
    except msgspec.DecodeError as error:
        raise CredentialsError(json_problem(path, data, error)) from error
    if not isinstance(entries, dict):
        raise CredentialsError(Problem(str(path), 1, "", "must be an object of providers"))
    return entries


def _write(path: Path, entries: dict[str, Any]) -> None:
    data = msgspec.json.format(msgspec.json.encode(entries), indent=2)
    replace_file(path, data + b"\n", mode=FILE_MODE)
