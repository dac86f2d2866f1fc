"""Feature maps ``x -> Phi(x)`` for the Gaussian and the Matern kernel, as scikit-learn transformers."""

from scrf_bench.maps.base import FeatureMap, RandomFeatureMap
from scrf_bench.maps.column_signed import ColumnSignedCirculant
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.fastfood import Fastfood
from scrf_bench.maps.nystroem import Nystroem, RPCholeskyNystroem
from scrf_bench.maps.ocrf import OCRF
from scrf_bench.maps.orf import ORF
from scrf_bench.maps.qmc import QMC
from scrf_bench.maps.radial import Kernel
from scrf_bench.maps.rbfsampler import RBFSampler
from scrf_bench.maps.registry import MAPS, map_by_name, map_names, register_map
from scrf_bench.maps.rks import RKS
from scrf_bench.maps.scrf import SCRF
from scrf_bench.maps.sorf import SORF

__all__ = [
    "MAPS",
    "OCRF",
    "ORF",
    "QMC",
    "RKS",
    "SCRF",
    "SORF",
    "ColumnSignedCirculant",
    "Embedding",
    "Fastfood",
    "FeatureMap",
    "Kernel",
    "Nystroem",
    "RBFSampler",
    "RPCholeskyNystroem",
    "RandomFeatureMap",
    "map_by_name",
    "map_names",
    "register_map",
]
