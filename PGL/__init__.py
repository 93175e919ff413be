"""PGL: graph learning, with the names of the Paddle Graph Library 2.2: ``import PGL as pgl``.

>>> import PGL as pgl
>>> graph = pgl.Graph(edges=[(0, 1), (1, 2), (3, 4)], num_nodes=5)
>>> graph.indegree()
array([0, 1, 1, 0, 1])

Importing this package loads no engine: a data loader's worker process may import it, and read graphs, freely.
"""

from __future__ import annotations

import importlib
from typing import Any

SUBMODULES = ("data", "math", "models", "nn", "sampling", "storage")
NAMES = {
    "Adjacency": "core.graphs",
    "BiGraph": "PGL.bigraph",
    "Graph": "PGL.graph",
    "HeterGraph": "PGL.heter_graph",
    "Message": "PGL.message",
}
__all__ = [*NAMES, *SUBMODULES, "dataset"]


def __getattr__(name: str) -> Any:
    if name in NAMES:
        found = getattr(importlib.import_module(NAMES[name]), name)
    elif name == "dataset":  # pgl's name of its data sets
        found = importlib.import_module("PGL.data")
    elif name in SUBMODULES:
        found = importlib.import_module(f"PGL.{name}")
    else:
        raise AttributeError(f"PGL has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
