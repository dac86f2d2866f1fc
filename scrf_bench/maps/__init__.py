"""Random feature maps ``x -> Phi(x)`` for the Gaussian kernel, as scikit-learn transformers."""

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.fastfood import Fastfood
from scrf_bench.maps.registry import MAPS, map_by_name, map_names, register_map
from scrf_bench.maps.rks import RKS
from scrf_bench.maps.scrf import SCRF

__all__ = [
    "MAPS",
    "RKS",
    "SCRF",
    "Embedding",
    "Fastfood",
    "RandomFeatureMap",
    "map_by_name",
    "map_names",
    "register_map",
]
