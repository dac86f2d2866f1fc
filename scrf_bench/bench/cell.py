"""The cell: the smallest piece of an experiment worth running again on its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from scrf_bench.bench.canonical import plain_parameter, short_hash
from scrf_bench.bench.fields import Fields, parse_json
from scrf_bench.errors import UserError

Kind: TypeAlias = Literal["quality", "timing"]
KINDS: tuple[Kind, ...] = get_args(Kind)

SCHEMA = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Cell:
    """One planned measurement; two cells that would measure the same thing have the same :attr:`id`.

    Parameters
    ----------
    experiment : str
        The experiment's name, e.g. ``"table2"``.
    parameters : mapping of str to scalar or list of scalars
        What the experiment needs to know to measure it (map, seed, grid of D ...). NumPy scalars become plain
        ones and tuples lists. Not to be changed afterwards.
    kind : {"quality", "timing"}
        A timing cell runs alone on the machine.
    versions : mapping of str to int
        The declared versions of whatever determines the result, e.g. ``{"experiment": 1, "scrf": 1}``.
    dataset, dataset_identity : str, optional
        The dataset's name, and the hash of its text as the registry gives it.
    dtype : str
        ``"float64"`` or ``"float32"``.
    threads : int
        Threads for BLAS, OpenMP and numba.
    label : str
        What people read in progress lines; not part of the identity, like everything that follows.
    expected_s : float
        A guess of its wall-clock time in seconds, to weigh the time left.
    timeout_s : float, optional
        Its own limit of wall-clock time in seconds.
    memory_limit : int, optional
        Its own limit of resident memory in bytes.
    declared_limit : str, optional
        Words saying which limit of the configuration it exceeds. Such a cell is not run: its record has
        status ``memory`` and these words.
    unavailable : str, optional
        Words saying what it needs and cannot have here, known before anything starts. Such a cell is not run
        either: its record has status ``unavailable`` and these words. A cell file does not hold them.

    Raises
    ------
    TypeError, ValueError
        If a field has a wrong type or value.
    """

    experiment: str
    # Checked when the cell is made; Any, so that who reads a parameter need not prove its type again.
    parameters: Mapping[str, Any]
    kind: Kind
    versions: Mapping[str, int]
    dataset: str | None = None
    dataset_identity: str | None = None
    dtype: str = "float64"
    threads: int = 1
    label: str = field(default="", compare=False)
    expected_s: float = field(default=10.0, compare=False)
    timeout_s: float | None = field(default=None, compare=False)
    memory_limit: int | None = field(default=None, compare=False)
    declared_limit: str | None = field(default=None, compare=False)
    unavailable: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.experiment):
            raise ValueError(f"'{self.experiment}' cannot name an experiment: use letters, digits, '-', '_'.")
        if self.kind not in KINDS:
            raise ValueError(f"A cell's kind is one of {', '.join(KINDS)}, not {self.kind!r}.")
        if self.threads < 1:
            raise ValueError(f"A cell needs at least one thread, not {self.threads}.")
        if not self.expected_s > 0:
            raise ValueError(f"A cell's expected time must be above 0 s, not {self.expected_s!r}.")
        parameters = {
            str(name): plain_parameter(value, f"Parameter '{name}'") for name, value in self.parameters.items()
        }
        for name, version in self.versions.items():
            if not isinstance(version, int) or isinstance(version, bool):
                raise TypeError(f"The version of '{name}' is {version!r}: give an integer.")
        # Copies, so that a caller who goes on editing his dictionaries does not change a cell's identity.
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "versions", dict(self.versions))

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def identity(self) -> dict[str, object]:
        """The fields that decide what is measured: what :attr:`id` hashes."""
        return {
            "experiment": self.experiment,
            "parameters": dict(self.parameters),
            "kind": self.kind,
            "versions": dict(self.versions),
            "dataset": self.dataset,
            "dataset_identity": self.dataset_identity,
            "dtype": self.dtype,
            "threads": self.threads,
        }

    @cached_property
    def id(self) -> str:
        """Sixteen hexadecimal digits: sha256 of the canonical JSON of :attr:`identity`."""
        return short_hash(self.identity, 16)

    @property
    def name(self) -> str:
        """The label, or the experiment with dataset and parameters where there is none."""
        if self.label:
            return self.label
        words = [self.experiment, *([self.dataset] if self.dataset else [])]
        words += [f"{key}={value}" for key, value in self.parameters.items() if not isinstance(value, list)]
        return " ".join(words)

    def to_json(self) -> dict[str, object]:
        """Return a dictionary for ``json.dumps`` that :meth:`from_json` reads back."""
        return {
            "kind_of_file": "cell",
            "schema": SCHEMA,
            "id": self.id,
            **self.identity,
            "label": self.label,
            "expected_s": self.expected_s,
            "timeout_s": self.timeout_s,
            "memory_limit": self.memory_limit,
            "declared_limit": self.declared_limit,
        }

    @classmethod
    def from_json(cls, data: object, source: str = "cell", error: type[UserError] = UserError) -> Cell:
        """Build a cell from what :meth:`to_json` wrote.

        Parameters
        ----------
        data : object
            The parsed JSON.
        source : str
            The file's name for error messages.
        error : type of UserError
            The error to raise.

        Raises
        ------
        UserError
            If the data are not a cell's, of another schema, or do not match the id written with them.
        """
        fields = Fields(data, source, error)
        fields.check_schema(SCHEMA, "cell")
        try:
            cell = cls(
                experiment=fields.text("experiment"),
                parameters=fields.mapping("parameters"),
                kind=cast("Kind", fields.text("kind")),
                versions=cast("dict[str, int]", fields.mapping("versions")),
                dataset=fields.optional_text("dataset"),
                dataset_identity=fields.optional_text("dataset_identity"),
                dtype=fields.text("dtype"),
                threads=fields.integer("threads"),
                label=fields.text("label"),
                expected_s=fields.number("expected_s"),
                timeout_s=fields.optional_number("timeout_s"),
                memory_limit=fields.optional_integer("memory_limit"),
                declared_limit=fields.optional_text("declared_limit"),
            )
        except (TypeError, ValueError) as cause:
            raise error(f"{source}: {cause}") from cause
        if cell.id != fields.text("id"):
            raise fields.wrong(
                f"its id is {fields.text('id')!r} but its fields give {cell.id!r}; it was edited by hand"
            )
        return cell

    @classmethod
    def read(cls, path: Path) -> Cell:
        """Read a cell file; raise UserError naming it where that fails."""
        return cls.from_json(parse_json(path), str(path))
