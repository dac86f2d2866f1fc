"""Rows from a file through a map, chunk by chunk: what `fig-scale` measures in a cell of its first part."""

from __future__ import annotations

import io
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from scrf_bench.atomic import is_full
from scrf_bench.bench import Stopwatch
from scrf_bench.errors import UserError
from scrf_bench.experiments.memory import reset_peak, resident

SEGMENTS = 10
"""Equal parts of one pass whose times are kept as its samples."""


@contextmanager
def rows_on_disk(rows: int, d: int, dtype: str, seed: int, chunk: int) -> Iterator[np.memmap[Any, Any]]:
    """Write points of U[0,1]^d to an .npy file that has no name, and give them as a memory map read from the disk.

    The file lies in the folder for temporary files (``TMPDIR``). Having no name, it is gone with the process, however
    that ends; its pages are dropped from the page cache after writing, so that reading means reading.

    Raises
    ------
    UserError
        If the rows do not fit into the folder, or it cannot be written: names the folder, and bytes needed and free.
    """
    header = _header(rows, d, dtype)
    with ExitStack() as files:
        with _room_for(len(header) + rows * d * np.dtype(dtype).itemsize) as folder:
            # Without a buffer, so that closing the file has nothing left to write that may fail once more.
            name = {"prefix": "scrf-bench-", "suffix": ".npy", "dir": folder}
            file = files.enter_context(tempfile.TemporaryFile(buffering=0, **name))
            _write(file, header)
            rng = np.random.default_rng(seed)
            for start in range(0, rows, chunk):
                _write(file, rng.random((min(chunk, rows - start), d), dtype=np.dtype(dtype)).data)
            _forget(file)
        X: np.memmap[Any, Any] = np.memmap(file, dtype=dtype, mode="r", offset=len(header), shape=(rows, d))
        try:
            yield X
        finally:
            del X


def _header(rows: int, d: int, dtype: str) -> bytes:
    header = io.BytesIO()
    npy.write_array_header_2_0(header, npy.header_data_from_array_1_0(np.empty((0, d), dtype)) | {"shape": (rows, d)})
    return header.getvalue()


@contextmanager
def _room_for(needed: int) -> Iterator[str]:
    """Give the folder for temporary files, and turn a failure to write `needed` bytes there into a UserError."""
    try:
        folder = tempfile.gettempdir()
    except FileNotFoundError as error:
        # Python tries TMPDIR and the system's folders, by writing a few bytes.
        raise UserError(
            f"The {needed:,d} bytes of rows to stream find no folder: {error.strerror or error}, or all are full. "
            "Set TMPDIR to a folder that can be written and has room."
        ) from error
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise _no_room(folder, needed, free)
    try:
        yield folder
    except OSError as error:
        if is_full(error):
            # What was written is still there: this is what others, or a quota, have left.
            raise _no_room(folder, needed, shutil.disk_usage(folder).free) from error
        raise UserError(
            f"Cannot write the {needed:,d} bytes of rows to stream in {folder}: {error.strerror or error}. "
            "Set TMPDIR to another folder."
        ) from error


def _no_room(folder: str, needed: int, free: int) -> UserError:
    return UserError(
        f"No room for the rows to stream: they need {needed:,d} bytes in {folder}, where {free:,d} are free (fewer "
        "under a quota). Free some, or set TMPDIR to a folder with more room."
    )


def _write(file: BinaryIO, content: bytes | memoryview) -> None:
    """Write all of it: a full disk, or a size beyond the system's limit of one call, takes a part without an error."""
    rest = memoryview(content).cast("B")
    while rest:
        rest = rest[file.write(rest) :]


def _forget(file: BinaryIO) -> None:
    """Bring the file to the disk and its pages out of memory, where the system can."""
    os.fsync(file.fileno())
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def stream(feature_map: Any, X: np.memmap[Any, Any], chunk: int) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Map all rows of X, chunk by chunk into one output, and return metrics and samples.

    The pages of rows that are done are given back as the pass goes on: the peak of resident memory then shows what the
    map needs, not how much of the file the kernel still keeps for us. Beside it stand the anonymous pages alone (what
    the process wrote itself), looked at after each chunk.
    """
    out = np.zeros((chunk, feature_map.n_components), X.dtype)
    # Warmed up without reading the file: its first pages must not be in the books when they are opened.
    feature_map.transform(np.zeros((chunk, X.shape[1]), X.dtype), out=out)
    pages = _Pages(X)
    books = reset_peak()
    before, anonymous = resident(), resident("RssAnon")
    most, ended, times = anonymous or 0, 0, []
    for segment in np.array_split(np.arange(0, len(X), chunk), SEGMENTS):
        if not len(segment):
            continue
        rows = min(int(segment[-1]) + chunk, len(X)) - int(segment[0])
        with Stopwatch() as watch:
            for start in segment:
                part = X[start : start + chunk]
                feature_map.transform(part, out=out[: len(part)])
                pages.give_back(int(start) + len(part))
                most = max(most, resident("RssAnon") or 0)
        times.append((rows, watch.cpu_s, watch.wall_s))
        ended += rows
    peak = resident("VmHWM")
    known = books and before is not None and peak is not None and anonymous is not None
    metrics = {
        "rows_per_cpu_s": ended / sum(cpu for _, cpu, _ in times),
        "rows_per_wall_s": ended / sum(wall for _, _, wall in times),
        "pass_cpu_s": sum(cpu for _, cpu, _ in times),
        "pass_wall_s": sum(wall for _, _, wall in times),
        "peak_extra_bytes": max(0, (peak or 0) - (before or 0)) if known else None,
        "anonymous_extra_bytes": max(0, most - (anonymous or 0)) if known else None,
        "output_bytes": out.nbytes,
    }
    samples = {
        "rows_per_cpu_s": [rows / cpu for rows, cpu, _ in times],
        "rows_per_wall_s": [rows / wall for rows, _, wall in times],
    }
    return metrics, samples


class _Pages:
    """Gives a memory map's pages back, from its beginning up to a row."""

    def __init__(self, X: np.memmap[Any, Any]) -> None:
        self._map: mmap.mmap | None = getattr(X, "_mmap", None)
        self._row_bytes, self._done = X.strides[0], 0

    def give_back(self, row: int) -> None:
        """Drop whole pages of the rows before `row`; the file keeps them, and so may the page cache."""
        # The map begins at most a page before the first row: its last page stays, it may hold the next row.
        end = row * self._row_bytes // mmap.PAGESIZE * mmap.PAGESIZE
        if self._map is None or not hasattr(mmap, "MADV_DONTNEED") or end <= self._done:
            return
        self._map.madvise(mmap.MADV_DONTNEED, self._done, end - self._done)
        self._done = end


def one_chunk(rows: int, d: int, dtype: str, seed: int) -> NDArray[Any]:
    """Return the first rows of what `rows_on_disk` writes."""
    return np.random.default_rng(seed).random((rows, d), dtype=np.dtype(dtype))
