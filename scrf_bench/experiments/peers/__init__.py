"""Maps composed from other packages, timed beside ours; none of them is a dependency of the library."""

from __future__ import annotations

from scrf_bench.experiments.peers.base import Peer
from scrf_bench.experiments.peers.circulant import ScipyCirculant
from scrf_bench.experiments.peers.dense import Rfflearn, SklearnSampler
from scrf_bench.experiments.peers.floor import Fill
from scrf_bench.experiments.peers.hadamard import FhtFastfood, Xgpr

PEERS: dict[str, type[Peer]] = {
    peer.name: peer for peer in (SklearnSampler, FhtFastfood, ScipyCirculant, Xgpr, Rfflearn, Fill)
}

__all__ = ["PEERS", "Peer"]
