"""Maps with their options, by name: what the variance experiment compares beyond the maps as they come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scrf_bench.errors import UnknownNameError
from scrf_bench.maps import MAPS, map_by_name, map_names


@dataclass(frozen=True)
class Variant:
    """A registered map with some of its options set.

    Attributes
    ----------
    map : str
        Its registered name.
    label : str
        What tables and figures call it.
    options : dict
        Keywords of its constructor.
    """

    map: str
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, n_components: int, *, gamma: float, embedding: str, seed: int) -> Any:
        """Construct the unfitted map."""
        kind = map_by_name(self.map)
        return kind(
            n_components=n_components,
            gamma=gamma,
            embedding=embedding,  # type: ignore[call-arg]  # see variant()
            random_state=seed,
            **self.options,
        )


# Of OCRF, whose default takes dense Haar blocks below d = 64: the circulants themselves at every d, and what each of
# its parts is good for.
VARIANTS: Mapping[str, Variant] = {
    "unsigned": Variant("scrf", "Circulant, no signs", {"row_signs": False}),
    "fastfood-no-S": Variant("fastfood", "Fastfood without S", {"scaling": False}),
    "ocrf-circulant": Variant("ocrf", "OCRF, never dense", {"dense_below": 0}),
    "ocrf-no-radial": Variant("ocrf", "OCRF, no radial factors", {"dense_below": 0, "radial": False}),
    "ocrf-order-d": Variant("ocrf", "OCRF, order d", {"dense_below": 0, "order": "input"}),
    "ocrf-shared-signs": Variant(
        "ocrf", "OCRF, order d, shared signs", {"dense_below": 0, "order": "input", "fresh_signs": False}
    ),
}


def variant(name: str) -> Variant:
    """Return a variant, or a registered map with its default options.

    Raises
    ------
    UnknownNameError
        If there is neither, or the map has no random frequencies (Nystroem): its kernel estimate has no variance of
        this kind.
    """
    if name in VARIANTS:
        return VARIANTS[name]
    if name not in MAPS and name not in map_names():
        known = ", ".join([*VARIANTS, *map_names()])
        raise UnknownNameError(f"There is no map or variant '{name}'. Known: {known}.")
    kind = map_by_name(name)
    if not hasattr(kind, "featurize"):
        raise UnknownNameError(
            f"The map '{name}' has no random frequencies; name one that does, such as {next(iter(MAPS))}."
        )
    return Variant(name, kind.label)
