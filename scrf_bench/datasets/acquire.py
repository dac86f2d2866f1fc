"""Get one verified raw file: try its places in order, keep what was downloaded, say what each place said."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scrf_bench.datasets.compression import read_bytes
from scrf_bench.datasets.download import NotThereError, disk_fault, download
from scrf_bench.datasets.locations import DataSources, Place, absence, is_there, places
from scrf_bench.datasets.spec import DatasetSpec, FileSpec
from scrf_bench.datasets.verify import HashRecords, Verified, verify
from scrf_bench.errors import DataError, UnavailableError

_log = logging.getLogger(__name__)


class DatasetUnavailableError(DataError, UnavailableError):
    """No source has a sound copy of a file; the message holds what each source said."""


@dataclass(frozen=True)
class Acquired:
    """A verified raw file.

    Attributes
    ----------
    path : Path
        Where it lies; embedded files and those of mirror folders are read in place.
    origin : str
        Where it came from, in words.
    verified : Verified
    """

    path: Path
    origin: str
    verified: Verified


def acquire(spec: DatasetSpec, file: FileSpec, sources: DataSources) -> Acquired:
    """Return a verified raw file from the first place that has it.

    Parameters
    ----------
    spec : DatasetSpec
    file : FileSpec
        One of ``spec.files``.
    sources : DataSources

    Raises
    ------
    DatasetUnavailableError
        If no place has a sound copy. The cache then holds no unsound one either.
    """
    said: list[str] = []
    faults: list[str] = []  # those of them that tell of more than the file's absence
    for place in places(spec, file, sources):
        if place.url is not None and sources.offline:
            said.append(f"{place.words}: not asked (offline)")
            continue
        try:
            if place.url is not None:
                found = _from_network(place.url, place.words, spec, file, sources)
            elif place.path is not None and is_there(place.path):
                found = _from_folder(place.path, place, spec, file, sources)
            else:
                found = None
        except DataError as error:
            # The place's words end with the file's name already.
            reason = str(error).removeprefix(f"{place.words.rsplit('/', 1)[1]}: ").rstrip(".")
            said.append(f"{place.words}: {reason}")
            if not isinstance(error, NotThereError):
                faults.append(said[-1])
            continue
        if found is not None:
            if said and place.kind != "cache":
                after = f", after: {'; '.join(dict.fromkeys(faults))}" if faults else ""
                _log.info("%s: taken from %s%s", file.name, place.words, after)
            return found
        words, is_fault = absence(place)
        said.append(words)
        if is_fault:
            faults.append(words)
    raise DatasetUnavailableError(_unavailable(spec, file, sources, said))


def _from_folder(path: Path, place: Place, spec: DatasetSpec, file: FileSpec, sources: DataSources) -> Acquired:
    try:
        return verified_file(path, place.words, spec, file, sources)
    except DataError:
        if place.kind != "cache":
            raise
    # Under the lock: a twin may have replaced the broken file meanwhile, and its good one must stay.
    with _locked(file, sources):
        try:
            return verified_file(path, place.words, spec, file, sources)
        except DataError as error:
            broken = _set_aside(path, sources)
            _log.warning("The cached file %s is set aside as %s: %s", path, broken.name, error)
            raise DataError(f"{error} (set aside as {broken.name})") from error


def _set_aside(path: Path, sources: DataSources) -> Path:
    broken = path.with_name(path.name + ".broken")
    try:
        path.replace(broken)
    except OSError as error:
        raise DataError(disk_fault(error, sources.raw_folder)) from error
    return broken


def _from_network(url: str, words: str, spec: DatasetSpec, file: FileSpec, sources: DataSources) -> Acquired:
    name = url.rsplit("/", 1)[1]
    target = sources.raw_folder / name
    part = target.with_name(name + ".part")
    with _locked(file, sources):
        if is_there(target):  # a twin process was faster
            return verified_file(target, f"cache {target}", spec, file, sources)
        try:
            _log.info("Fetching %s", url)
            download(url, part)
            found = verified_file(part, words, spec, file, sources, name=name)
            part.replace(target)
        except OSError as error:
            raise DataError(disk_fault(error, sources.raw_folder)) from error
        finally:
            part.unlink(missing_ok=True)
        return Acquired(target, words, found.verified)


def verified_file(
    path: Path,
    origin: str,
    spec: DatasetSpec,
    file: FileSpec,
    sources: DataSources,
    *,
    name: str | None = None,
) -> Acquired:
    """Return a local file if it is what the registry means; record its hash if the registry knows none.

    Parameters
    ----------
    path : Path
    origin : str
        Where it came from, in words.
    spec, file, sources
        What it should be, and the settings.
    name : str or None
        What to call it in a message; None takes the path's last part.

    Raises
    ------
    DataError
        If it cannot be read, or is another file or a damaged one.
    """
    records = HashRecords(sources.raw_folder)
    recorded = records.get(file)
    verified = verify(read_bytes(path), name or path.name, spec, file, recorded)
    if file.text_sha256 is None:
        try:
            records.put(file, verified.text_sha256)
        except OSError as error:  # the data are sound all the same
            _log.warning("%s: its hash is not recorded: %s", path.name, disk_fault(error, sources.raw_folder))
    return Acquired(path, origin, verified)


@contextmanager
def _locked(file: FileSpec, sources: DataSources) -> Iterator[None]:
    """Hold the lock of a cached file against a twin process."""
    import filelock

    folder = sources.raw_folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(folder / f"{file.name}.lock")
        try:
            lock.acquire(timeout=1.0)
        except filelock.Timeout:
            _log.info("Another process is fetching %s; waiting for it.", file.name)
            lock.acquire()
    except OSError as error:
        raise DataError(disk_fault(error, folder)) from error
    try:
        yield
    finally:
        lock.release()


def _unavailable(spec: DatasetSpec, file: FileSpec, sources: DataSources, said: list[str]) -> str:
    remedies = []
    if sources.offline and file.site_url is not None:
        remedies.append("run without --offline")
    remedies.append(f"name a mirror that holds '{file.name}' (--mirror or SCRF_BENCH_MIRROR)")
    if spec.alternative is not None:
        remedies.append(f"use the dataset '{spec.alternative}' instead")
    lines = "".join(f"\n  {line}" for line in dict.fromkeys(said))
    words = " or ".join([", ".join(remedies[:-1]), remedies[-1]] if len(remedies) > 1 else remedies)
    return f"{spec.name}: cannot get the file '{file.name}' ({file.role}).{lines}\nTo mend this, {words}."
