"""Writing a file whole or not at all, with errors that say what to do."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from scrf_bench.errors import UserError

_REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "your disk quota is used up; free some space",
    errno.EACCES: "permission is denied; choose a folder you may write to",
    errno.EPERM: "permission is denied; choose a folder you may write to",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOTDIR: "a part of its path is a file, not a folder; choose another folder",
    errno.EEXIST: "a file stands where its folder should be; choose another folder",
    errno.EISDIR: "a folder stands in its place; remove it or choose another folder",
}


def write_atomically(path: Path, content: bytes | str) -> Path:
    """Write a file under a temporary name beside it and rename: a reader sees the old file or the new one.

    Missing folders are made. Text is written as UTF-8, its line ends as they are.

    Raises
    ------
    UserError
        If the disk is full, permission is denied or the path is blocked; nothing half-written is left.
    """
    data = content.encode() if isinstance(content, str) else content
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        raise UserError(f"Cannot write '{path}': {remedy}.") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return path


def _umask() -> int:
    """Return the process's umask; mkstemp makes files that only their owner may read."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
