"""What the registry states about a dataset: frozen records, no input or output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

TASKS = ("binary", "multiclass", "regression")
ROLES = ("train", "test", "all", "train_part", "validation")
PACKED_SUFFIXES = (".xz", ".bz2", ".zip")


@dataclass(frozen=True)
class TableSpec:
    """How a comma-separated table with a header line holds the data.

    Attributes
    ----------
    target : str
        The column of labels or targets.
    left_out : tuple of str
        Columns that are no features (who a row belongs to, say).
    """

    target: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileSpec:
    """One file of a dataset.

    Attributes
    ----------
    role : str
        ``train``, ``test``, ``all`` (no official split), ``train_part`` or ``validation``.
    name : str
        File name, as in a mirror (``dna.scale.xz``).
    rows : int
        Number of data points.
    value_range : tuple of float
        Smallest and largest feature value (zeros left out of the file count).
    target_range : tuple of float or None
        Smallest and largest target of a regression.
    label_counts : mapping of int to int or None
        Rows of each label; None where they are not known, or in a regression.
    text_sha256, text_md5 : str or None
        Hashes of the unpacked text with LF line ends: the file's identity. None where unknown.
    packed_sha256 : frozenset of str
        Known hashes of the packed file, whichever source serves it: enough to accept it, not needed.
    packed_md5 : str or None
        The only hash known of the packed file; stands in for the text's hash.
    site_url : str or None
        Address at the LIBSVM site, or at the site that publishes the data; None for a derived set.
    optional : bool
        Whether the dataset can be loaded without this file.
    table : TableSpec or None
        Where the text is a comma-separated table and not LIBSVM's format.
    """

    role: str
    name: str
    rows: int
    value_range: tuple[float, float]
    target_range: tuple[float, float] | None = None
    label_counts: Mapping[int, int] | None = None
    text_sha256: str | None = None
    text_md5: str | None = None
    packed_sha256: frozenset[str] = frozenset()
    packed_md5: str | None = None
    site_url: str | None = None
    optional: bool = False
    table: TableSpec | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which a source may hold this file: the mirror's, then its site's."""
        site = [self.site_url.rsplit("/", 1)[1]] if self.site_url else []
        return tuple(dict.fromkeys([self.name, *site]))

    @property
    def has_hash(self) -> bool:
        """Whether any hash of the file is known."""
        return self.text_sha256 is not None or self.packed_md5 is not None


@dataclass(frozen=True)
class DatasetSpec:
    """One dataset of the registry.

    Attributes
    ----------
    name, title : str
    task : str
        ``binary``, ``multiclass`` or ``regression``.
    n_features : int
        Width of the data, whatever largest index a file uses.
    files : tuple of FileSpec
    licence, notes : str
    page : str or None
        The dataset's page at the LIBSVM site.
    derived : bool
        Whether the values were converted from another form of the data and are not the LIBSVM site's bytes.
    embedded : bool
        Whether the dataset travels with the package.
    alternative : str or None
        A dataset to use where this one cannot be had.
    train_rows : int or None
        Rows of a random training part where no official split exists; None means the default fraction.
    """

    name: str
    title: str
    task: str
    n_features: int
    files: tuple[FileSpec, ...]
    licence: str
    notes: str = ""
    page: str | None = None
    derived: bool = False
    embedded: bool = False
    alternative: str | None = None
    train_rows: int | None = None

    def file(self, role: str) -> FileSpec | None:
        """Return the file of a role, or None."""
        return next((f for f in self.files if f.role == role), None)

    @property
    def has_official_split(self) -> bool:
        """Whether a training and a test file exist (the test file may still be hard to get)."""
        return self.file("train") is not None and self.file("test") is not None

    @property
    def main_file(self) -> FileSpec:
        """The file of role ``train``, or ``all`` where there is no official split."""
        found = self.file("train") or self.file("all")
        if found is None:
            msg = f"Dataset '{self.name}' has neither a file of role 'train' nor one of role 'all'."
            raise ValueError(msg)
        return found

    @property
    def loaded_files(self) -> tuple[FileSpec, ...]:
        """The files that ``load`` reads: train and test, or all."""
        return tuple(f for f in self.files if f.role in ("train", "test", "all"))

    @property
    def n_train(self) -> int:
        """Rows of the training part."""
        from scrf_bench.datasets.splits import default_train_rows

        if self.has_official_split:
            return self.main_file.rows
        return self.train_rows or default_train_rows(self.main_file.rows)

    @property
    def n_test(self) -> int:
        """Rows of the test part."""
        test = self.file("test")
        return test.rows if test is not None else self.main_file.rows - self.n_train

    @property
    def classes(self) -> tuple[int, ...]:
        """The original labels in ascending order; empty in a regression."""
        counts = self.main_file.label_counts
        return tuple(sorted(counts)) if counts is not None else ()

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 in a regression."""
        return len(self.classes)

    @property
    def identity(self) -> str:
        """Hex sha256 over what the files that ``load`` reads are: text hashes, or shape and labels."""
        return identity_of(self, self.loaded_files)


def identity_of(spec: DatasetSpec, files: tuple[FileSpec, ...]) -> str:
    """Return the identity of a dataset as loaded from ``files``.

    Parameters
    ----------
    spec : DatasetSpec
    files : tuple of FileSpec
        A subset of ``spec.files``, in order of use.

    Returns
    -------
    str
        64 hex digits.
    """
    parts: list[object] = [spec.task, spec.n_features]
    for file in files:
        known = file.text_sha256 or file.packed_md5
        shape = [file.rows, sorted((file.label_counts or {}).items())]
        parts.append([file.role, known or shape])
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()
