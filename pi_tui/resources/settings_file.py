"""Reading and writing one settings file without losing what stands in it."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from pi_tui.llm.replace_file import replace_file

MAX_SETTINGS_BYTES = 256 * 1024
LOCK_TIMEOUT = 5.0
"""Seconds to wait for another process that writes the same file."""


class SettingsFileError(Exception):
    """A settings file that cannot be read or must not be rewritten: says what is wrong, without the path."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def read_settings(path: Path) -> tuple[dict[str, Any], str]:
    """The object in a settings file, and its text; both empty where there is no file.

    Comments and trailing commas are allowed.

    Raises:
        SettingsFileError: It cannot be read, is too large, or is not a JSON object.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SETTINGS_BYTES + 1)
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        raise SettingsFileError(f"cannot be read ({error.strerror})") from error
    if len(raw) > MAX_SETTINGS_BYTES:
        raise SettingsFileError(f"is larger than {MAX_SETTINGS_BYTES // 1024} KiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsFileError(f"is not UTF-8 (byte {error.start})") from error
    data = _parse(text) if text.strip() else {}
    if not isinstance(data, dict):
        raise SettingsFileError("is not a JSON object")
    return data, text


def save_setting(path: Path, key: str, value: object) -> None:
    """Sets one setting in a file and keeps everything else, in its order; `None` takes the setting out.

    The file is read anew under a lock, so what another process wrote stays, and is replaced as a whole.
    Blocks while another process holds the lock, at most `LOCK_TIMEOUT` seconds.

    Args:
        path: The settings file; it is made if there is none.
        key: The name, with dots for what is inside an object: `retry.maxRetries`.
        value: Anything JSON can hold.

    Raises:
        SettingsFileError: The file is not valid, has comments in the way, or is locked.
        OSError: It cannot be written.
    """
    import filelock

    target = path.resolve()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with filelock.FileLock(target.with_name(".settings.lock"), timeout=LOCK_TIMEOUT):
            data, text = read_settings(target)
            _set(data, key.split("."), value)
            if text.strip() and not _is_plain_json(text):
                content = _with_comments(text, key, value, data)
            else:
                content = json.dumps(data, indent=_indent(text), ensure_ascii=False) + "\n"
            replace_file(target, content.encode())
    except filelock.Timeout:
        raise SettingsFileError(f"another process has held it for {LOCK_TIMEOUT:.0f} s; try again") from None


def _parse(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        import json5

        try:
            return json5.loads(text)
        except ValueError as error:
            # "<string>:3 Unexpected "x" at column 7"
            line, _, reason = str(error).removeprefix("<string>:").partition(" ")
            number = int(line) if line.isdigit() else None
            raise SettingsFileError(f"is not valid JSON: {reason or error}", number) from error


def _is_plain_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return True


def _with_comments(text: str, key: str, value: object, data: dict[str, Any]) -> str:
    """The text with the setting changed and its comments kept, which has to mean `data` then."""
    from pi_tui.resources.json_edit import CannotEdit, edited

    try:
        content = edited(text, key.split("."), value, _indent(text))
        if _parse(content) == data:
            return content
    except (CannotEdit, SettingsFileError):
        pass
    raise SettingsFileError(f"has comments, which a rewrite would lose; set {key} there by hand")


def _set(data: dict[str, Any], keys: list[str], value: object) -> None:
    for key in keys[:-1]:
        inner = data.get(key)
        if not isinstance(inner, dict):
            if value is None:
                return
            inner = data[key] = {}
        data = inner
    if value is None:
        data.pop(keys[-1], None)
    else:
        data[keys[-1]] = value


def _indent(text: str) -> int | str:
    """The indentation a file already has."""
    found = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    return found.group(1) if found else 2
