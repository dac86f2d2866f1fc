"""Every error the suite raises on purpose, with the exit code it ends a command with.

A message is built where the fault is found; it names the offending value and says what to do about it.
The command line prints the message without a traceback (``--debug`` shows it).
"""

from __future__ import annotations

from collections.abc import Iterable


class ScrfBenchError(Exception):
    """Something went wrong inside the suite itself (exit code 1)."""

    exit_code = 1


class UserError(ScrfBenchError):
    """Something the user can mend: arguments, files, data, network (exit code 2)."""

    exit_code = 2


class ConfigError(UserError):
    """A configuration file is malformed; the message holds the key's path."""


class UnknownNameError(UserError):
    """A name of an experiment, dataset, map or learner that nobody registered."""


class DataError(UserError):
    """A dataset cannot be had, or is not what the registry says it is."""


class ParseError(DataError):
    """A LIBSVM text file breaks the format; the message holds file, line and token."""


class UnavailableError(UserError):
    """A cell cannot run here for want of data or a package; its record says ``unavailable``."""


def error_words(error: BaseException) -> str:
    """Return ``RuntimeError: what it says`` on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def did_you_mean(name: str, known: Iterable[str], *, at_most: int = 1) -> str:
    """Return a sentence that offers the known names nearest to a mistyped one, with a blank before; "" if none is."""
    import difflib  # rarely needed, and this module is loaded at every start

    near = difflib.get_close_matches(name, list(known), n=at_most)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
