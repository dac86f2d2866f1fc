"""Files that are there whole or not at all, and never take another's place."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from scrf_bench.errors import UserError

_FULL = {errno.ENOSPC, errno.EDQUOT}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_TEMPORARY = ".part-"
_ABANDONED_S = 3600.0


def write_new(path: Path, text: str) -> None:
    """Write `text` to a file that must not exist yet, atomically and through to the disk.

    Two processes that write the same name get one file: the first's; the other gets an error.

    Raises
    ------
    FileExistsError
        If there is a file of this name.
    UserError
        If the disk is full, or the folder cannot be written to; nothing is left behind.
    """
    with mendable(path), _temporary(path, text) as temporary:
        _publish(temporary, path)


def write_over(path: Path, text: str) -> None:
    """Write `text` to a file atomically, in place of one that may exist.

    Raises
    ------
    UserError
        As :func:`write_new`; the file that was there stays.
    """
    with mendable(path), _temporary(path, text) as temporary:
        temporary.replace(path)


@contextlib.contextmanager
def mendable(path: Path) -> Iterator[None]:
    """Turn a full disk or a missing permission into a UserError that names `path` and says what to do.

    FileExistsError and time-outs pass: they answer a question.
    """
    try:
        yield
    except (FileExistsError, TimeoutError):
        raise
    except OSError as error:
        if error.errno in _FULL:
            raise UserError(
                f"No space left on the disk (or quota) to write {path}. Free some and run the same command "
                "again; everything finished before is kept."
            ) from error
        raise UserError(
            f"Cannot write {path}: {error.strerror or error}. Choose a folder you can write to and run the "
            "same command again."
        ) from error


def sweep(folder: Path) -> None:
    """Remove what killed writers left in `folder` more than an hour ago."""
    for path in folder.glob(f"{_TEMPORARY}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_S:
                path.unlink()


@contextlib.contextmanager
def _temporary(path: Path, text: str) -> Iterator[Path]:
    """Give a synced temporary file in the folder of `path`, and remove it if it is still there afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f"{_TEMPORARY}{os.getpid()}-{secrets.token_hex(6)}"
    try:
        with temporary.open("x", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        yield temporary
        _sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _publish(temporary: Path, path: Path) -> None:
    """Give the temporary file its final name, unless the name is taken."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without hard links: reserve the name, then move onto it. A kill in between leaves an
        # empty file, which readers report and skip.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        temporary.replace(path)


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
