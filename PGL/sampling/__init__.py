"""Walks and samples from graphs, under the names of pgl 2.2.6; every draw follows from a seed alone.

Importing this package loads neither the engine nor numba.
"""

from __future__ import annotations

import importlib
from typing import Any

NAMES = {
    "Block": "PGL.sampling.blocks",
    "Blocks": "PGL.sampling.blocks",
    "NegativeSampler": "PGL.sampling.negative",
    "NeighborLoader": "PGL.sampling.loader",
    "NeighborSampler": "PGL.sampling.neighbors",
    "graph_saint_random_walk_sample": "PGL.sampling.subgraphs",
    "graphsage_sample": "PGL.sampling.neighbors",
    "metapath_walk": "PGL.sampling.walk",
    "node2vec_walk": "PGL.sampling.walk",
    "pinsage_sample": "PGL.sampling.subgraphs",
    "random_walk": "PGL.sampling.walk",
    "sample_blocks": "PGL.sampling.blocks",
    "sorted_neighbors": "PGL.sampling.walk",
    "subgraph": "PGL.subgraph",
}
__all__ = [*NAMES]


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"PGL.sampling has no attribute {name!r}")
    found = getattr(importlib.import_module(NAMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
