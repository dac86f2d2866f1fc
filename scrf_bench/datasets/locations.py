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
        If a mirror is neither a folder's name nor an http(s) or file address.
    """

    mirrors: tuple[str, ...] = ()
    offline: bool = False
    cache: Path | None = None

    def __post_init__(self) -> None:
        for mirror in self.mirrors:
            if "://" in mirror and urlsplit(mirror).scheme not in ("http", "https", "file"):
                msg = f"Mirror '{mirror}': only http, https and file addresses and folders can be mirrors."
                raise DataError(msg)

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
            return self.cache.expanduser()
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
        kind = "LIBSVM site" if self.kind == "site" else self.kind
        return f"{kind} {self.path if self.path is not None else self.url}"


def places(spec: DatasetSpec, file: FileSpec, sources: DataSources) -> Iterator[Place]:
    """Yield the places of a file: embedded, cache, mirrors, LIBSVM site."""
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


def _mirror_folder(mirror: str) -> Path:
    return Path(unquote(urlsplit(mirror).path) if mirror.startswith("file://") else mirror).expanduser()


def _split_mirrors(text: str) -> tuple[str, ...]:
    """Split at commas and path separators, but not at the colons of ``http://host:8080/``."""
    pattern = r",|:(?!//)(?!\d+(?:/|,|$|:))" if os.pathsep == ":" else rf",|{re.escape(os.pathsep)}"
    return tuple(part.strip() for part in re.split(pattern, text) if part.strip())
