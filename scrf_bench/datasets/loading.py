"""``fetch`` and ``load``: a name to verified files, and to arrays."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from scrf_bench.datasets.acquire import Acquired, DatasetUnavailableError, acquire
from scrf_bench.datasets.catalogue import lookup
from scrf_bench.datasets.checks import check_content
from scrf_bench.datasets.compression import read_bytes, unpack
from scrf_bench.datasets.content import parse_content
from scrf_bench.datasets.locations import DataSources
from scrf_bench.datasets.parsed_cache import ParsedCache
from scrf_bench.datasets.parser import ParsedText
from scrf_bench.datasets.scaling import check_scaling, fit_scaling
from scrf_bench.datasets.spec import DatasetSpec, FileSpec, identity_of
from scrf_bench.datasets.splits import default_train_rows, random_split, random_subsample
from scrf_bench.datasets.verify import HashRecords
from scrf_bench.errors import DataError

_log = logging.getLogger(__name__)

Scaling = Literal["none", "minmax", "standard", "max"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Arrays ready for a learner, and how they came about.

    Attributes
    ----------
    name, task : str
    X_train, X_test : ndarray of shape (n, n_features)
        Dense and C-contiguous, of the dtype asked for.
    y_train, y_test : ndarray of shape (n,)
        int64 codes 0..k-1 of the classes, or float64 targets of a regression.
    classes : ndarray of shape (k,), int64
        The original label of each code; empty in a regression.
    identity : str
        Hex sha256 of the files used; the registry's ``identity`` unless an optional file was missing.
    split, scaling : str
        What was done, in words.
    sources : dict
        File name -> where it came from.
    """

    name: str
    task: str
    X_train: NDArray[Any]
    y_train: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]
    classes: NDArray[np.int64]
    identity: str
    split: str
    scaling: str
    sources: dict[str, str] = field(default_factory=dict)


def fetch(name: str, sources: DataSources | None = None) -> list[Path]:
    """Make sure that a dataset's raw files are on this machine, and sound.

    Parameters
    ----------
    name : str
        A name of the registry.
    sources : DataSources or None
        None reads the environment.

    Returns
    -------
    list of Path
        One verified file for each that ``load`` reads, in place where it is embedded or in a mirror folder.
        An optional file that cannot be had is left out.

    Raises
    ------
    UnknownNameError
        For a name that is not in the registry.
    DatasetUnavailableError
        If no source has a sound copy.
    """
    spec = lookup(name)
    sources = sources or DataSources.from_environment()
    paths = []
    for file in spec.loaded_files:
        found = _acquire(spec, file, sources)
        if found is not None:
            _keep_parsed(spec, found, sources)
            paths.append(found.path)
    return paths


def load(
    name: str,
    *,
    scaling: Scaling = "none",
    split_seed: int = 0,
    train_rows: int | None = None,
    dtype: DTypeLike = np.float64,
    sources: DataSources | None = None,
) -> Dataset:
    """Load a dataset: get, verify, parse, check, split, scale.

    Parameters
    ----------
    name : str
        A name of the registry.
    scaling : str
        ``none``, ``minmax``, ``standard`` or ``max``, fitted on the training rows alone (see
        ``fit_scaling``).
    split_seed : int
        Seed of a random split where there is no official one, and of the subsample that ``train_rows`` asks
        for.
    train_rows : int or None
        Train on so many rows, a plain random sample of the training part. The scaling is fitted on the
        sample.
    dtype : dtype
        float64 or float32.
    sources : DataSources or None
        None reads the environment.

    Returns
    -------
    Dataset

    Raises
    ------
    UnknownNameError
        For a name that is not in the registry.
    DataError
        If the data cannot be had or are not what the registry states, or an argument is out of range.

    Examples
    --------
    >>> load("dna", scaling="minmax").X_train.shape
    (2000, 180)
    """
    spec = lookup(name)
    check_scaling(scaling)
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise DataError(f"dtype '{kind}' is not float32 or float64.")
    sources = sources or DataSources.from_environment()
    origins: dict[str, str] = {}
    parsed: dict[str, ParsedText] = {}
    for file in spec.loaded_files:
        got = _parsed(spec, file, sources)
        if got is not None:
            parsed[file.role], origins[file.name] = got
    train, test, words = _split(spec, parsed, split_seed)
    train, words = _thin(spec, train, words, split_seed, train_rows)
    fitted = fit_scaling(scaling, train.X)
    return Dataset(
        name=name,
        task=spec.task,
        X_train=fitted.dense(train.X, kind),
        y_train=_targets(spec, train.y),
        X_test=fitted.dense(test.X, kind),
        y_test=_targets(spec, test.y),
        classes=np.array(spec.classes, dtype=np.int64),
        identity=identity_of(spec, tuple(f for f in spec.loaded_files if f.role in parsed)),
        split=words,
        scaling=fitted.words,
        sources=origins,
    )


def _acquire(spec: DatasetSpec, file: FileSpec, sources: DataSources) -> Acquired | None:
    """Return a verified raw file; None if it is optional and cannot be had."""
    try:
        return acquire(spec, file, sources)
    except DatasetUnavailableError as error:
        if not file.optional:
            raise
        _log.warning("%s: going on without '%s', which no source has; try 'data fetch'.", spec.name, file.name)
        _log.info("%s", error)
        return None


def _parsed(spec: DatasetSpec, file: FileSpec, sources: DataSources) -> tuple[ParsedText, str] | None:
    """Return a file's content and where it came from, from the parsed cache if it is there."""
    cache = ParsedCache(sources.parsed_folder)
    known = file.text_sha256 or HashRecords(sources.raw_folder).get(file)
    if known is not None and (kept := cache.get(known, spec.n_features)) is not None:
        parsed, origin = kept
        return parsed, f"parsed copy of {origin}"
    found = _acquire(spec, file, sources)
    if found is None:
        return None
    if (done := _keep_parsed(spec, found, sources)) is not None:
        return done, found.origin
    verified = found.verified
    text = verified.text if verified.text is not None else unpack(read_bytes(found.path), found.path.name)
    parsed = parse_content(text, spec, file, found.path.name)
    check_content(parsed, spec, file)
    cache.put(verified.text_sha256, spec.n_features, parsed, found.origin)
    return parsed, found.origin


def _keep_parsed(spec: DatasetSpec, found: Acquired, sources: DataSources) -> ParsedText | None:
    """Store and return the content of a file that had to be parsed to be verified."""
    parsed = found.verified.parsed
    if parsed is not None:
        ParsedCache(sources.parsed_folder).put(found.verified.text_sha256, spec.n_features, parsed, found.origin)
    return parsed


def _split(spec: DatasetSpec, parsed: dict[str, ParsedText], seed: int) -> tuple[ParsedText, ParsedText, str]:
    if "train" in parsed and "test" in parsed:
        return parsed["train"], parsed["test"], "official split"
    whole = parsed.get("all") or parsed["train"]
    rows = whole.X.shape[0]
    n_train = spec.train_rows or default_train_rows(rows)
    train, test = random_split(spec.name, seed, rows, n_train)
    part = "" if "all" in parsed else " of the training file (the test file could not be had)"
    words = f"random split{part}: {n_train:,} of {rows:,} rows to train, shuffled, seed {seed}"
    return _rows(whole, train), _rows(whole, test), words


def _thin(spec: DatasetSpec, train: ParsedText, words: str, seed: int, wanted: int | None) -> tuple[ParsedText, str]:
    rows = train.X.shape[0]
    if wanted is None or wanted == rows:
        return train, words
    if not 0 < wanted < rows:
        raise DataError(f"{spec.name}: train_rows is {wanted:,}, but the training part has {rows:,} rows.")
    chosen = random_subsample(spec.name, seed, rows, wanted)
    words = f"{words}; trained on a plain random sample of {wanted:,} of {rows:,} training rows, seed {seed}"
    return _rows(train, chosen), words


def _rows(parsed: ParsedText, rows: NDArray[np.int64]) -> ParsedText:
    return ParsedText(X=sparse.csr_matrix(parsed.X[rows]), y=parsed.y[rows])


def _targets(spec: DatasetSpec, y: NDArray[np.float64]) -> NDArray[Any]:
    if spec.task == "regression":
        return np.array(y, dtype=np.float64)
    return np.searchsorted(np.array(spec.classes, dtype=np.float64), y).astype(np.int64)
