"""What the system says of a file, in words a model can act on."""

import errno

_TEXTS = {
    errno.ENOENT: "{path} does not exist.",
    errno.EACCES: "No permission to {action} {path}.",
    errno.EPERM: "No permission to {action} {path}.",
    errno.EROFS: "Cannot {action} {path}: it is on a read-only file system.",
    errno.ENOSPC: "Cannot {action} {path}: no space is left on the disk. Nothing was changed.",
    errno.EDQUOT: "Cannot {action} {path}: the disk quota is used up. Nothing was changed.",
    errno.ENOTDIR: "Cannot {action} {path}: a part of the path is a file, not a directory.",
    errno.EISDIR: "Cannot {action} {path}: it is a directory.",
    errno.ENAMETOOLONG: "Cannot {action} {path}: the name is too long.",
    errno.ELOOP: "Cannot {action} {path}: its symbolic links lead in a circle.",
    errno.ENXIO: "Cannot {action} {path}: it is a socket or a device without a driver.",
}


def file_error(error: OSError, path: str, action: str) -> str:
    """One sentence on why a file could not be used.

    Args:
        action: `read`, `edit` or `write`.
    """
    text = _TEXTS.get(error.errno or 0)
    if text is None:
        return f"Cannot {action} {path}: {error.strerror or error}."
    return text.format(path=path, action=action)
