"""What a map says of itself, and scikit-learn's own checks."""

from __future__ import annotations

import inspect
from typing import Any

from scrf_bench.errors import UserError
from scrf_bench.maps.base import FeatureMap
from scrf_bench.maps.contract.breach import drawn, require
from scrf_bench.maps.registry import MAPS, check_map_class


def finished(kind: Any) -> None:
    """A concrete subclass of `FeatureMap`, with a name of its own, a label and whole-numbered versions."""
    try:
        check_map_class(kind, getattr(kind, "__qualname__", repr(kind)))
    except UserError as error:
        require(False, str(error))  # noqa: FBT003
    for attribute in ("name", "label"):
        value = getattr(kind, attribute)
        require(isinstance(value, str) and value.strip(), f"`{attribute}` is {value!r}; give it a text.")
    sane = kind.name == kind.name.lower() and not set(kind.name) & set(", \t")
    require(sane, f"`name` is {kind.name!r}; the command line wants lower case without blanks or commas.")
    require(MAPS.get(kind.name, kind) is kind, f"`name` is {kind.name!r}, which {MAPS.get(kind.name)!r} has already.")
    for attribute in ("version", "implementation"):
        value = getattr(kind, attribute)
        require(type(value) is int and value >= 1, f"`{attribute}` is {value!r}; give a whole number from 1 on.")


def constructor(kind: Any) -> None:
    """Experiments construct maps with these keywords."""
    parameters = inspect.signature(kind).parameters
    lacking = [name for name in ("n_components", "gamma", "random_state") if name not in parameters]
    require(not lacking, f"the constructor lacks {' and '.join(lacking)}.")
    needed = [name for name, p in parameters.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    require(not needed, f"the constructor's {', '.join(needed)} has no default; scikit-learn's estimators need one.")


def docstring(kind: Any) -> None:
    """``scrf-bench list maps`` shows it."""
    own = kind.__doc__ or ""
    inherited = any(base.__doc__ == own for base in kind.__mro__[1:])
    require(own.strip() and not inherited, "the class has no docstring; `scrf-bench list maps` shows its first line.")


def scikit_learn(kind: Any) -> None:
    """All of ``sklearn.utils.estimator_checks``; those that scikit-learn itself skips are no breach."""
    from sklearn.utils.estimator_checks import check_estimator

    require(issubclass(kind, FeatureMap), "no FeatureMap")
    results = check_estimator(drawn(kind, 8), on_fail=None, on_skip=None)
    failed = [f"{result['check_name']} ({_short(result['exception'])})" for result in results
              if result["status"] == "failed"]  # fmt: skip
    more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
    require(not failed, f"{len(failed)} of {len(results)} fail: {'; '.join(failed[:3])}{more}.")


def _short(error: Any) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}{'...' if len(text) > 160 else ''}"
