"""Parsed files kept as ``.npz`` without pickle, so that a text is parsed once.

The key is the text's sha256, the width and the parser's version: an entry never goes stale. Values are stored
in the narrowest type that holds them exactly, which makes mnist's pixels one byte each. A damaged entry is
dropped and built again; an entry that cannot be written (full disk, read-only folder) costs time later,
nothing else.
"""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from scrf_bench.datasets.parser import PARSER_VERSION, ParsedText

_log = logging.getLogger(__name__)


class ParsedCache:
    """The folder of parsed files.

    Parameters
    ----------
    folder : Path
        Created when first written to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, text_sha256: str, n_features: int) -> Path:
        """Return where the entry of a text lies, whether or not it exists."""
        return self.folder / f"{text_sha256[:32]}-w{n_features}-v{PARSER_VERSION}.npz"

    def get(self, text_sha256: str, n_features: int) -> tuple[ParsedText, str] | None:
        """Return a parsed text and where its raw file came from; None if it is not (soundly) here."""
        path = self.path(text_sha256, n_features)
        try:
            # opened here, since np.load leaves the file open when it is no zip archive
            with path.open("rb") as file, np.load(file, allow_pickle=False) as entry:
                return _from_entry(entry, text_sha256, n_features), str(entry["origin"])
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - a damaged archive raises nearly anything
            _log.info("The parsed copy %s is damaged (%s); it is built again.", path, error)
            return None

    def put(self, text_sha256: str, n_features: int, parsed: ParsedText, origin: str) -> None:
        """Store a parsed text; a failure to write is logged, not raised."""
        path = self.path(text_sha256, n_features)
        temporary: str | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(suffix=".part", dir=self.folder)
            with os.fdopen(handle, "wb") as out:
                X = parsed.X
                np.savez(
                    out,
                    data=_narrowest(X.data),
                    indices=_narrowest(X.indices),
                    indptr=X.indptr,
                    y=parsed.y,
                    origin=np.array(origin),
                    text_sha256=np.array(text_sha256),
                )
            Path(temporary).replace(path)
        except OSError as error:
            reason = error.strerror or error
            _log.warning("The parsed copy %s cannot be kept (%s); the text is parsed again next time.", path, reason)
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)


def _from_entry(entry: np.lib.npyio.NpzFile, text_sha256: str, n_features: int) -> ParsedText:
    if str(entry["text_sha256"]) != text_sha256:
        msg = "it belongs to another text"
        raise ValueError(msg)
    y = entry["y"]
    parts = (entry["data"].astype(np.float64), entry["indices"].astype(np.int32), entry["indptr"])
    X = sparse.csr_matrix(parts, shape=(len(y), n_features))
    X.check_format(full_check=True)
    return ParsedText(X=X, y=y)


def _narrowest(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the array in the smallest type that holds every value exactly, a zero's sign included."""
    negative_zero = values.dtype.kind == "f" and bool(np.any((values == 0) & np.signbit(values)))
    for kind in (np.uint8, np.uint16, np.int16, np.float32):
        if negative_zero and np.dtype(kind).kind != "f":
            continue
        with np.errstate(invalid="ignore", over="ignore"):
            narrow = values.astype(kind)
        if np.array_equal(narrow, values):
            return narrow
    return values
