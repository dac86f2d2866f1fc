"""Bytes of a raw file, and the text in it: bz2, xz, zip (of one file) and plain."""

from __future__ import annotations

import bz2
import hashlib
import io
import lzma
import zipfile
import zlib
from pathlib import Path

from scrf_bench.errors import DataError

_BZ2_MAGIC = b"BZh"
_XZ_MAGIC = b"\xfd7zXZ\x00"
_FOREIGN = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd"}
_HTML_STARTS = (b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--")


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises
    ------
    DataError
        If it cannot be read; the message holds the path and the system's words.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from error


def unpack(raw: bytes, name: str) -> bytes:
    """Return the text of a raw file: unpacked, with LF line ends.

    Parameters
    ----------
    raw : bytes
        The file as it is on disk or on the wire.
    name : str
        What to call it in a message; a packing suffix (``.xz``, ``.bz2``, ``.zip``) is a promise that the bytes
        must keep, and only by that name is a zip archive one.

    Raises
    ------
    DataError
        If the file is empty, is an HTML page, is packed in a way not known here, or does not unpack.
    """
    if not raw:
        raise DataError(f"{name}: the file is empty (0 bytes).")
    if looks_like_html(raw):
        start = raw[:40].decode("utf-8", "replace").split("\n")[0]
        msg = f"{name}: an HTML page in place of data (it starts with {start!r}): a login or error page?"
        raise DataError(msg)
    foreign = next((kind for magic, kind in _FOREIGN.items() if raw.startswith(magic)), None)
    if foreign is not None and not (foreign == "zip" and name.endswith(".zip")):
        raise DataError(f"{name}: packed with {foreign}; only bz2, xz, plain text and .zip files are read.")
    try:
        text = _decompress(raw, name)
    except (OSError, EOFError, ValueError, lzma.LZMAError, zipfile.BadZipFile, zlib.error) as error:
        msg = f"{name}: does not unpack after {len(raw):,} bytes ({error}); it is cut short or damaged."
        raise DataError(msg) from error
    return text.replace(b"\r\n", b"\n") if b"\r\n" in text else text


def _decompress(raw: bytes, name: str) -> bytes:
    if raw.startswith(_BZ2_MAGIC):
        return bz2.decompress(raw)
    if raw.startswith(_XZ_MAGIC):
        return lzma.decompress(raw, format=lzma.FORMAT_XZ)
    suffix = Path(name).suffix
    if suffix == ".zip":
        return _only_member(raw)
    if suffix in (".bz2", ".xz"):
        msg = f"its name says {suffix[1:]}, but its first bytes are {raw[:6]!r}"
        raise ValueError(msg)
    return raw


def _only_member(raw: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        if len(members) != 1:
            msg = f"the archive holds {len(members)} files, not one"
            raise ValueError(msg)
        return archive.read(members[0])


def looks_like_html(raw: bytes) -> bool:
    """Whether bytes begin as an HTML or XML page does."""
    return raw[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_HTML_STARTS)


def sha256(data: bytes) -> str:
    """Return the sha256 of bytes as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def md5(data: bytes) -> str:
    """Return the md5 of bytes as 32 hex digits (an identity published by others, not a safeguard)."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
