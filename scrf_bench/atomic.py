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
_STREAMS = {"/dev", "/dev/fd", "/proc/self/fd"}
_ABANDONED_S = 3600.0


def is_full(error: OSError) -> bool:
    """Tell whether an error says that the disk, or a quota on it, is full."""
    return error.errno in _FULL


def write_new(path: Path, content: str | bytes) -> None:
    """Write a file that must not exist yet, atomically and through to the disk; missing folders are made.

    Two processes that write the same name get one file: the first's; the other gets an error.

    Raises
    ------
    FileExistsError
        If there is a file of this name.
    UserError
        If the disk is full, or the path is blocked; nothing is left behind.
    """
    with mendable(path), _temporary(path, content) as temporary:
        _publish(temporary, path)


def write_over(path: Path, content: str | bytes) -> Path:
    """Write a file atomically, in place of one that may exist: a reader sees the old one or the new.

    Text is written as UTF-8, its line ends as they are.

    Raises
    ------
    UserError
        As :func:`write_new`; the file that was there stays.
    """
    with mendable(path):
        if path.is_dir():
            raise UserError(f"Cannot write {path}: a folder stands in its place; remove it or choose another folder.")
        if str(path.parent) in _STREAMS or (path.exists() and not path.is_file()):
            # A device, a pipe or a stream of this process is written to, never replaced.
            with path.open("ab", buffering=0) as stream:
                stream.write(content.encode() if isinstance(content, str) else content)
            return path
        target = path.resolve() if path.is_symlink() else path
        with _temporary(target, content) as temporary:
            temporary.replace(target)
    return path


@contextlib.contextmanager
def mendable(path: Path) -> Iterator[None]:
    """Turn a full disk or a missing permission into a UserError that names `path` and says what to do.

    TimeoutError passes: it answers a question; so does FileExistsError about `path` itself.
    """
    try:
        yield
    except TimeoutError:
        raise
    except OSError as error:
        if isinstance(error, FileExistsError) and not _blocked(path):
            raise
        if is_full(error):
            raise UserError(
                f"No space left on the disk (or quota) to write {path}. Free some and run the same command "
                "again; everything finished before is kept."
            ) from error
        remedy = "a file stands where its folder should be" if _blocked(path) else error.strerror or str(error)
        raise UserError(
            f"Cannot write {path}: {remedy}. Choose a folder you can write to and run the same command again."
        ) from error


@contextlib.contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn a failure to look into the folder `path` into a UserError that names it."""
    try:
        yield
    except OSError as error:
        raise UserError(f"Cannot read {path}: {error.strerror or error}. Name another folder.") from error


def _blocked(path: Path) -> bool:
    """Tell whether a part of the path that should be a folder is a file."""
    return any(_is_file(parent) for parent in path.parents)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # e.g. a name that is too long
        return False


def sweep(folder: Path) -> None:
    """Remove what killed writers left in `folder` more than an hour ago."""
    for path in folder.glob(f"{_TEMPORARY}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_S:
                path.unlink()


@contextlib.contextmanager
def _temporary(path: Path, content: str | bytes) -> Iterator[Path]:
    """Give a synced temporary file in the folder of `path`, and remove it if it is still there afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f"{_TEMPORARY}{os.getpid()}-{secrets.token_hex(6)}"
    try:
        with temporary.open("xb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
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
