"""Decide whether bytes are the file that the registry means."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from scrf_bench.datasets.checks import check_content
from scrf_bench.datasets.compression import md5, sha256, unpack
from scrf_bench.datasets.content import parse_content
from scrf_bench.datasets.parser import ParsedText
from scrf_bench.datasets.spec import DatasetSpec, FileSpec
from scrf_bench.errors import DataError


@dataclass(frozen=True)
class Verified:
    """What was learnt while a file was verified.

    Attributes
    ----------
    text_sha256 : str
        Hash of its text.
    text : bytes or None
        The text, if it had to be unpacked.
    parsed : ParsedText or None
        The content, if it had to be parsed (where no hash is known).
    """

    text_sha256: str
    text: bytes | None = None
    parsed: ParsedText | None = None


def verify(raw: bytes, name: str, spec: DatasetSpec, file: FileSpec, recorded: str | None) -> Verified:
    """Accept the bytes of a raw file, or say why not.

    Parameters
    ----------
    raw : bytes
    name : str
        The name under which they lie.
    spec : DatasetSpec
    file : FileSpec
    recorded : str or None
        The text hash recorded at the first sight of a file whose hash the registry does not know.

    Raises
    ------
    DataError
        If they are another file, or a damaged one.
    """
    if file.text_sha256 is not None and sha256(raw) in file.packed_sha256:
        return Verified(file.text_sha256)
    text = unpack(raw, name)
    seen = sha256(text)
    expected = file.text_sha256
    if expected is not None:
        if seen != expected:
            raise _mismatch(name, "its text has sha256", expected, seen, len(text))
        return Verified(seen, text)
    if recorded is not None and seen != recorded:
        hint = f"; if the new one is right, run 'scrf-bench data clean {spec.name}' first"
        raise _mismatch(name, "its text has sha256", f"{recorded} as first seen", seen, len(text), hint)
    if file.packed_md5 is not None:
        if md5(raw) != file.packed_md5:
            raise _mismatch(name, "its md5 is", file.packed_md5, md5(raw), len(raw))
        return Verified(seen, text)
    if recorded is not None:
        return Verified(seen, text)
    parsed = parse_content(text, spec, file, name)
    check_content(parsed, spec, file)
    return Verified(seen, text, parsed)


class HashRecords:
    """Text hashes as first seen, of files whose hash the registry does not know: one small file each.

    Parameters
    ----------
    folder : Path
        The folder of the raw cached files; the record lies beside the file, ``NAME.sha256``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, file: FileSpec) -> Path:
        """Return where the record of a file lies."""
        return self.folder / f"{file.name}.sha256"

    def get(self, file: FileSpec) -> str | None:
        """Return the recorded hash, or None."""
        try:
            words = self.path(file).read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError):
            return None
        return words[0] if words and len(words[0]) == 64 else None

    def put(self, file: FileSpec, text_sha256: str) -> None:
        """Record a hash, once.

        Raises
        ------
        OSError
            If the cache cannot be written.
        """
        if self.get(file) is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.path(file).with_suffix(f".sha256.{os.getpid()}.part")
        part.write_text(f"{text_sha256}  text of {file.name}\n", encoding="ascii")
        part.replace(self.path(file))


def _mismatch(name: str, what: str, expected: str, seen: str, size: int, hint: str = "") -> DataError:
    words = f"{name}: {what} {seen}, expected {expected} ({size:,} bytes): damaged, or another version{hint}"
    return DataError(words)
