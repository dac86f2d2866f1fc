"""Where raw files may lie: the settings, and the places of one file in the order in which they are tried."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from scrf_bench.datasets.spec import DatasetSpec, FileSpec
from scrf_bench.errors import DataError
from scrf_bench.resources import resource_path

MIRROR_VARIABLE = "SCRF_BENCH_MIRROR"
OFFLINE_VARIABLE = "SCRF_BENCH_OFFLINE"
CACHE_VARIABLE = "SCRF_BENCH_CACHE"
EMBEDDED_FOLDER = "data/embedded"


@dataclass(frozen=True)
class DataSources:
    """Where to look for data.

    Parameters
    ----------
    mirrors : tuple of str
        Folders, or http(s) addresses of folders, that hold files named as in the registry.
    offline : bool
        Whether the network is out of bounds.
    cache : Path or None
        The cache folder; None means the user's cache folder.

    Raises
    ------
    DataError
        If a mirror is neither a folder's name nor a sound http(s) or file address.
    """

    mirrors: tuple[str, ...] = ()
    offline: bool = False
    cache: Path | None = None

    def __post_init__(self) -> None:
        for mirror in self.mirrors:
            _check_mirror(mirror)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> DataSources:
        """Return what SCRF_BENCH_MIRROR, SCRF_BENCH_OFFLINE and SCRF_BENCH_CACHE say.

        Mirrors are separated by commas or by the path separator; an address with a user name and password
        needs commas.
        """
        env = os.environ if environ is None else environ
        offline = env.get(OFFLINE_VARIABLE, "").strip().lower() not in ("", "0", "no", "false")
        cache = env.get(CACHE_VARIABLE, "").strip()
        mirrors = _split_mirrors(env.get(MIRROR_VARIABLE, ""))
        return cls(mirrors=mirrors, offline=offline, cache=Path(cache) if cache else None)

    @property
    def cache_folder(self) -> Path:
        """The cache folder in use."""
        if self.cache is not None:
            return _expanded(self.cache)
        import platformdirs

        return Path(platformdirs.user_cache_dir("scrf-bench"))

    @property
    def raw_folder(self) -> Path:
        """The part of the cache that holds files as downloaded."""
        return self.cache_folder / "raw"

    @property
    def parsed_folder(self) -> Path:
        """The part of the cache that holds parsed files."""
        return self.cache_folder / "parsed"


@dataclass(frozen=True)
class Place:
    """One place where a file may be had.

    Attributes
    ----------
    kind : str
        ``embedded``, ``cache``, ``mirror`` or ``site``.
    path : Path or None
        A local file, read in place.
    url : str or None
        An address to download from.
    """

    kind: str
    path: Path | None = None
    url: str | None = None

    @property
    def words(self) -> str:
        """The place in words, e.g. ``mirror /data/dna.scale.xz``."""
        kind = "LIBSVM site" if self.kind == "site" and "/libsvmtools/" in str(self.url) else self.kind
        return f"{kind} {self.path if self.path is not None else self.url}"


def places(spec: DatasetSpec, file: FileSpec, sources: DataSources) -> Iterator[Place]:
    """Yield the places of a file: embedded, cache, mirrors, the site that publishes it."""
    if spec.embedded:
        yield Place("embedded", path=_embedded_folder() / file.name)
    for name in file.names:
        yield Place("cache", path=sources.raw_folder / name)
    for mirror in sources.mirrors:
        for name in file.names:
            if urlsplit(mirror).scheme in ("http", "https"):
                yield Place("mirror", url=f"{mirror.rstrip('/')}/{quote(name)}")
            else:
                yield Place("mirror", path=_mirror_folder(mirror) / name)
    if file.site_url is not None:
        yield Place("site", url=file.site_url)


def _embedded_folder() -> Path:
    try:
        return resource_path(EMBEDDED_FOLDER)
    except FileNotFoundError:  # a broken installation is no reason not to try the other places
        return Path(EMBEDDED_FOLDER)


def is_there(path: Path) -> bool:
    """Tell whether a file lies at a path; none can at a path that is too long or closed to us."""
    try:
        return path.is_file()
    except OSError:
        return False


def absence(place: Place) -> tuple[str, bool]:
    """Return why a local place does not have its file, in words, and whether a fault is behind it.

    That a file is not there is none; that a mirror's folder is not there is one.
    """
    plain = f"{place.words}: not there", False
    if place.kind != "mirror" or place.path is None:
        return plain
    folder = place.path.parent
    try:
        if folder.is_dir():
            return plain
        reason = "this is a file, not a folder" if folder.exists() else "there is no such folder"
    except OSError as error:
        reason = f"the folder cannot be read ({error.strerror or error})"
    return f"mirror {folder}: {reason}", True


def _check_mirror(mirror: str) -> None:
    """Raise DataError unless a mirror is the name of a folder or an address that can be asked."""
    if not mirror.strip():
        msg = "A mirror's name is empty: give a folder or an http(s) address (for the current folder, write '.')."
        raise DataError(msg)
    if "://" not in mirror:
        return
    try:
        parts = urlsplit(mirror)
        _ = parts.port  # looked at only when asked for
    except ValueError as error:
        msg = f"Mirror {mirror!r}: this is not a valid address ({error})."
        raise DataError(msg) from error
    if parts.scheme not in ("http", "https", "file"):
        msg = f"Mirror {mirror!r}: only http, https and file addresses and folders can be mirrors."
        raise DataError(msg)
    if parts.scheme != "file" and not parts.hostname:
        msg = f"Mirror {mirror!r}: the address names no host."
        raise DataError(msg)


def _mirror_folder(mirror: str) -> Path:
    return _expanded(Path(unquote(urlsplit(mirror).path) if mirror.startswith("file://") else mirror))


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # ~nobody: not a user's folder, so it is taken as it is written
        return path


def _split_mirrors(text: str) -> tuple[str, ...]:
    """Split at commas and path separators, but not at the colons of ``http://host:8080/`` and ``[::1]``."""
    pattern = r",|:(?!//)(?!\d+(?:/|,|$|:))(?![^\[\],]*\])" if os.pathsep == ":" else rf",|{re.escape(os.pathsep)}"
    return tuple(part.strip() for part in re.split(pattern, text) if part.strip())
