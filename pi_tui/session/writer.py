"""What is in memory gets into the file: late, whole, in order, and again when it failed."""

from collections.abc import Callable
from pathlib import Path

from pi_tui.session.errors import SessionError
from pi_tui.session.file import SessionFile, write_whole
from pi_tui.session.lines import find_header
from pi_tui.session.memory import SessionMemory


class SessionWriter:
    """Keeps one file in step with the entries in memory.

    Args:
        path: Where the file is or will be.
        file: The open file; None as long as there is none.
    """

    def __init__(self, memory: SessionMemory, path: Path, file: SessionFile | None) -> None:
        self.path = path
        self.waiting: list[str] = []
        """Entries that are not in the file yet."""
        self.trouble: OSError | SessionError | None = None
        """Why the last attempt to save failed."""
        self.on_trouble: Callable[[str], None] | None = None
        self._memory = memory
        self._file = file
        self._header_stored = file is not None and file.seen > 0

    @property
    def begun(self) -> bool:
        """The file is there, and has its header."""
        return self._header_stored

    def save(self) -> bool:
        """Writes what is waiting with one write; True if nothing is waiting any more."""
        if not self.waiting:
            return True
        try:
            self._save()
        except (OSError, SessionError) as error:
            self.trouble = error
            if self.on_trouble is not None:
                self.on_trouble(self._explain(error))
            return False
        self.trouble = None
        return True

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _save(self) -> None:
        self.look()
        if self._file is None:
            self._create()
        elif self._memory.outdated:
            self._replace(self._file)
        else:
            self._append(self._file)
        self.waiting.clear()

    def _create(self) -> None:
        file = SessionFile.create(self.path)
        try:
            file.append(self._lines(with_header=True))
        except OSError:
            file.close()
            self.path.unlink(missing_ok=True)
            raise
        self._file = file
        self._header_stored = True

    def _append(self, file: SessionFile) -> None:
        fresh = file.fresh_line
        lines = self._lines(with_header=not self._header_stored)
        between = file.append(lines)
        if between:
            self._memory.take_in(between)
        self._header_stored = True
        self._memory.torn = b""
        self._memory.next_line += lines.count(b"\n") + (not fresh)

    def _replace(self, old: SessionFile) -> None:
        """Writes the file anew in the present format; the old one stays beside it."""
        memory = self._memory
        data = memory.whole_file()
        self._file = write_whole(self.path, data, keep_old_as=_free_name(self.path))
        old.close()
        memory.outdated = False
        memory.torn = b""
        memory.next_line = data.count(b"\n") + 1

    def look(self) -> None:
        """Takes in what others appended; what a deleted, cut or replaced file lacks of ours waits again.

        Raises:
            OSError, SessionError: The file cannot be read, or another session's file is in its place.
        """
        file = self._file
        if file is None and not self._header_stored:
            return
        if file is not None and not file.gone:
            news = file.news()
            if news is not None:
                if news:
                    self._memory.take_in(news)
                return
        self.close()
        self._header_stored = False
        self.waiting = self._memory.ids()
        if self.path.exists():
            self._rejoin()

    def _rejoin(self) -> None:
        """Goes on with the file that is now in the place of ours, if it is the same session's."""
        file = SessionFile.open(self.path)
        data = file.news() or b""
        found = find_header(data)
        if data and (found is None or found.header.id != self._memory.header.id):
            file.close()
            raise OSError(f"{self.path} was replaced by another file")
        present = self._memory.compare(data, found.end, found.line) if found else set()
        self._file, self._header_stored = file, bool(data)
        self.waiting = [entry_id for entry_id in self.waiting if entry_id not in present]

    def _lines(self, *, with_header: bool) -> bytes:
        lines = [self._memory.header_line] if with_header else []
        lines += [self._memory.raw(entry_id) for entry_id in self.waiting]
        return b"".join(line + b"\n" for line in lines)

    def _explain(self, error: OSError | SessionError) -> str:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        return (
            f"The session could not be saved to {self.path}: {reason}. {len(self.waiting)} entries are kept "
            "in memory and are written as soon as it works again."
        )


def _free_name(path: Path) -> Path:
    """A name for the old form beside the new one that no earlier file has."""
    name = path.with_name(path.name + ".bak")
    number = 2
    while name.exists():
        name = path.with_name(f"{path.name}.bak{number}")
        number += 1
    return name
