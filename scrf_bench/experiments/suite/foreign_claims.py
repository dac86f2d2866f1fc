"""What a map of another package or a plug-in file is held to: what the variance experiment's records say of OCRF.

Its records are made by ``scrf-bench run variance --maps NAME``; RKS's variance is exact by formula and needs none.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from scrf_bench.experiments.claims import Claim
from scrf_bench.experiments.suite.variance_claims import CLAIMS
from scrf_bench.maps import OCRF, RandomFeatureMap, map_by_name
from scrf_bench.maps.registry import foreign_map_names

PAPER = "plug-ins"
_MODELS = ("ocrf-unbiased", "ocrf-variance-below-rks", "ocrf-variance-at-most-rks")


def foreign_map_claims() -> list[Claim]:
    """Return the claims about every map of random frequencies that does not come with this package.

    Whether its bias does not matter, and whether its error is below that of RKS (pair embedding) and no larger (phase
    embedding): the sentences, tests and judges are those of OCRF's claims.
    """
    kinds = [map_by_name(name) for name in foreign_map_names()]
    random = [kind for kind in kinds if issubclass(kind, RandomFeatureMap)]
    return [_about(kind, model) for kind in random for model in CLAIMS if model.id in _MODELS]


def _about(kind: type[RandomFeatureMap], model: Claim) -> Claim:
    plugin = plugin_file(kind)
    return replace(
        model,
        id=model.id.replace(OCRF.name, kind.name, 1),
        paper=PAPER,
        place=f"{plugin.name if plugin else kind.__module__}:{kind.__qualname__}",
        sentence=model.sentence.replace(OCRF.label, kind.label),
        judge=partial(model.judge, name=kind.name),  # type: ignore[call-arg]  # a partial itself
        maps=(kind.name,),
        plugin=None if plugin is None else str(plugin),
    )


def plugin_file(kind: type[RandomFeatureMap]) -> Path | None:
    """Return the file that a map was loaded from with ``--plugin``; None for a package's."""
    # Such a file is a module by a name of its own, which nobody can import.
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return Path(file) if file and kind.__module__.startswith("scrf_bench_plugin_") else None
