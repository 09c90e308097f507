"""Why a session file cannot be opened or written to."""

from pathlib import Path


class SessionError(Exception):
    """Something about one session file that its user has to decide or repair."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


class NotASession(SessionError):
    """The file has no session header: it belongs to something else, and its bytes were left as they are."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, f"{path} is not a session file: {reason}. It was left untouched.")


class SessionBusy(SessionError):
    """Another process has the session open for writing."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            f"{path} is open in another pi. Leave it there first, fork the session, or open it read-only.",
        )


class SessionReadOnly(SessionError):
    """The session was opened for reading only."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, f"{path} is open read-only: fork the session to go on.")
