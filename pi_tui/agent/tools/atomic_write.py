"""Replacing a file's content whole or not at all, with everything else of the file kept.

The content goes to a temporary file in the same folder, which then takes the file's name. Mode, owner and
extended attributes (access lists) are carried over; of a symbolic link the target is replaced, the link
stays.

A file with several names (hard links) is written in place, so that it stays one file under all of them; so is
one that cannot be renamed over (a mount of its own) or whose owner or folder does not allow a new file. Then
the room on the disk is reserved beforehand where possible, and the old content is put back if writing fails.
"""

import errno
import os
import re
import secrets
import stat as stat_module
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.file_state import FileState, NotRegularError, Signature, kind_of

_TEMPORARY = re.compile(r"\.pi-[0-9a-f]{16}\.tmp")
_NOT_BY_RENAME = {errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.EROFS}


class ChangedMeanwhileError(Exception):
    """The file is not the one whose content the new one was made from."""


def write_file(path: Path, content: bytes, expected: Signature | None = None) -> FileState:
    """Give `path` this content; make it, and the folders to it, if it does not exist.

    Args:
        expected: The state the file must be in; None for whatever is there.

    Raises:
        ChangedMeanwhileError: It is in another state. Nothing was written.
        NotRegularError: It is a directory, device, FIFO or socket.
        OSError: It cannot be written. What was there before is still there.
    """
    target = Path(os.path.realpath(path))
    try:
        stat = target.stat()
    except FileNotFoundError:
        if expected is not None:
            raise ChangedMeanwhileError from None
        target.parent.mkdir(parents=True, exist_ok=True)
        _rename_into_place(target, content, like=None, expected=None)
    else:
        _check_replaceable(target, stat)
        _replace(target, content, stat, expected)
    return FileState.of(target.stat(), content)


def _check_replaceable(target: Path, stat: os.stat_result) -> None:
    if kind := kind_of(stat.st_mode):
        raise NotRegularError(kind)
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))


def _replace(target: Path, content: bytes, stat: os.stat_result, expected: Signature | None) -> None:
    if stat.st_nlink == 1:
        try:
            _rename_into_place(target, content, like=stat, expected=expected)
        except OSError as error:
            if error.errno not in _NOT_BY_RENAME:
                raise
        else:
            return
    _check_unchanged(target, expected)
    _overwrite(target, content)


def _check_unchanged(target: Path, expected: Signature | None) -> None:
    if expected is None:
        return
    try:
        unchanged = FileState.signature_of(target.stat()) == expected
    except FileNotFoundError:
        unchanged = False
    if not unchanged:
        raise ChangedMeanwhileError


def _rename_into_place(
    target: Path, content: bytes, like: os.stat_result | None, expected: Signature | None
) -> None:
    _remove_abandoned(target.parent)
    temporary = target.parent / f".pi-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb", buffering=0):
            if like is not None:
                os.fchmod(descriptor, 0o600)
            _write_all(descriptor, content)
            if like is not None:
                _carry_over(target, like, descriptor)
            os.fsync(descriptor)
        _check_unchanged(target, expected)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove_abandoned(folder: Path) -> None:
    """What a program that was killed while it wrote here has left."""
    with suppress(OSError), os.scandir(folder) as names:
        for entry in islice(names, limits.LS_SCANNED_NAMES):
            if not _TEMPORARY.fullmatch(entry.name):
                continue
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > limits.ABANDONED_SECONDS:
                Path(entry.path).unlink(missing_ok=True)


def _carry_over(target: Path, stat: os.stat_result, descriptor: int) -> None:
    """Owner first: a change of owner takes the set-user bit away."""
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (stat.st_uid, stat.st_gid):
        os.fchown(descriptor, stat.st_uid, stat.st_gid)
    os.fchmod(descriptor, stat_module.S_IMODE(stat.st_mode))
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # a file system without them, or attributes only the system may set
            for name in os.listxattr(target):
                os.setxattr(descriptor, name, os.getxattr(target, name))


def _overwrite(target: Path, content: bytes) -> None:
    with target.open("r+b", buffering=0) as file:
        descriptor = file.fileno()
        old = file.read(limits.EDIT_FILE_BYTES)
        try:
            _reserve(descriptor, len(content))
            os.lseek(descriptor, 0, os.SEEK_SET)
            _write_all(descriptor, content)
            os.ftruncate(descriptor, len(content))
            os.fsync(descriptor)
        except BaseException:
            os.lseek(descriptor, 0, os.SEEK_SET)
            _write_all(descriptor, old)
            if len(old) < limits.EDIT_FILE_BYTES:
                os.ftruncate(descriptor, len(old))
            raise


def _reserve(descriptor: int, size: int) -> None:
    """Make sure the disk has room before a byte is changed, where the file system can tell."""
    if not hasattr(os, "posix_fallocate") or size == 0:
        return
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view[: limits.MIB]) :]
