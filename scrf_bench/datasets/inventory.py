"""What of a dataset lies on this machine, whether it is sound, and its removal from the cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scrf_bench.datasets.acquire import verified_file
from scrf_bench.datasets.checks import check_content
from scrf_bench.datasets.compression import read_bytes, sha256, unpack
from scrf_bench.datasets.content import parse_content
from scrf_bench.datasets.locations import DataSources, absence, is_there, places
from scrf_bench.datasets.parsed_cache import ParsedCache
from scrf_bench.datasets.spec import DatasetSpec, FileSpec
from scrf_bench.datasets.verify import HashRecords, verify
from scrf_bench.errors import DataError


@dataclass(frozen=True)
class FileStatus:
    """The state of one file on this machine.

    Attributes
    ----------
    file : FileSpec
    state : str
        ``ok``, ``missing`` or ``broken``.
    path : Path or None
        Where it lies.
    origin : str
        The place in words; empty if missing.
    reason : str
        What is wrong with it; empty if nothing is.
    """

    file: FileSpec
    state: str
    path: Path | None = None
    origin: str = ""
    reason: str = ""


def local_status(spec: DatasetSpec, file: FileSpec, sources: DataSources, *, deep: bool = False) -> FileStatus:
    """Look for a file on this machine, without the network and without changing anything but hash records.

    Parameters
    ----------
    spec : DatasetSpec
    file : FileSpec
        One of ``spec.files``.
    sources : DataSources
    deep : bool
        Unpack, parse and check the content, even where the packed file's hash is known.
    """
    broken: FileStatus | None = None
    faults: list[str] = []
    for place in places(spec, file, sources):
        if place.path is None:
            continue
        if not is_there(place.path):
            words, is_fault = absence(place)
            faults += [words] if is_fault else []
            continue
        try:
            if deep:
                _check_deeply(place.path, spec, file, sources)
            else:
                verified_file(place.path, place.words, spec, file, sources)
        except DataError as error:
            broken = broken or FileStatus(file, "broken", place.path, place.words, str(error))
        else:
            return FileStatus(file, "ok", place.path, place.words)
    reason = "; ".join(dict.fromkeys(["not on this machine", *faults]))
    return broken or FileStatus(file, "missing", reason=reason)


def _check_deeply(path: Path, spec: DatasetSpec, file: FileSpec, sources: DataSources) -> None:
    raw = read_bytes(path)
    verify(raw, path.name, spec, file, HashRecords(sources.raw_folder).get(file))
    text = unpack(raw, path.name)
    if file.text_sha256 is not None and sha256(text) != file.text_sha256:
        msg = f"{path.name}: the packed file is the right one, but its text is not; the registry is at fault."
        raise DataError(msg)
    check_content(parse_content(text, spec, file, path.name), spec, file)


def clean(spec: DatasetSpec, sources: DataSources) -> list[Path]:
    """Remove a dataset from the cache: raw and parsed files, leftovers, locks and recorded hashes.

    Returns
    -------
    list of Path
        What was removed.

    Raises
    ------
    DataError
        If something cannot be removed.
    """
    removed = []
    for path in _cached(spec, sources):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"{path}: cannot be removed ({error.strerror or error}).") from error
        removed.append(path)
    return removed


def _cached(spec: DatasetSpec, sources: DataSources) -> Iterator[Path]:
    parsed = ParsedCache(sources.parsed_folder)
    records = HashRecords(sources.raw_folder)
    for file in spec.files:
        known = file.text_sha256 or records.get(file)
        entry = parsed.path(known, spec.n_features) if known is not None else None
        if entry is not None and entry.exists():
            yield entry
        endings = ("", ".part", ".broken", ".lock", ".sha256")
        candidates = [sources.raw_folder / f"{name}{ending}" for name in file.names for ending in endings]
        yield from (path for path in candidates if is_there(path))
