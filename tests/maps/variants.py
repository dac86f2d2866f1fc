"""The maps that tests run over: every registered one, and those whose options change the code they take."""

from functools import partial
from inspect import signature

from scrf_bench.maps import MAPS, RandomFeatureMap

OPTIONS = {
    "rks-matern": ("rks", {"kernel": "matern", "nu": 2.5}),
    "fastfood-no-S": ("fastfood", {"scaling": False}),
    "fastfood-matern": ("fastfood", {"kernel": "matern", "nu": 2.5}),
    "scrf-unsigned": ("scrf", {"row_signs": False}),
    "scrf-matern": ("scrf", {"kernel": "matern", "nu": 2.5}),
    "sorf-matern": ("sorf", {"kernel": "matern", "nu": 2.5}),
    "column_signed-fresh": ("column_signed", {"fresh_signs": True}),
    "ocrf-plain": ("ocrf", {"order": "input", "radial": False, "fresh_signs": False}),
    "ocrf-matern": ("ocrf", {"kernel": "matern", "nu": 2.5}),
    "qmc-halton": ("qmc", {"sequence": "halton"}),
    "nystroem-matern": ("nystroem", {"kernel": "matern", "nu": 2.5}),
}

# Name -> constructor. A map's own option is left out where its class does not have it.
ALL = {
    **MAPS,
    **{
        name: partial(MAPS[base], **options)
        for name, (base, options) in OPTIONS.items()
        if base in MAPS and set(options) <= set(signature(MAPS[base]).parameters)
    },
}


def map_class(name):
    """Return the class behind a variant."""
    return getattr(ALL[name], "func", ALL[name])


# Maps of random frequencies: with both embeddings, project and featurize.
RANDOM = {name: make for name, make in ALL.items() if issubclass(map_class(name), RandomFeatureMap)}
# (name, constructor's keywords): every variant, with both embeddings where there are two.
EMBEDDED = [
    (name, {"embedding": embedding} if name in RANDOM else {})
    for name in ALL
    for embedding in (("phase", "pair") if name in RANDOM else ("phase",))
]


def embedded_id(value):
    """Return the name of a parameter of a test over `EMBEDDED`."""
    if isinstance(value, dict):
        return value.get("embedding", "whole")
    return None
