"""Edges from one set of nodes to another: what graphs and bipartite graphs have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PGL.checks import check_ends, check_features, edge_array, is_tensor
from PGL.forms import Forms
from PGL.messaging import Messaging
from PGL.queries import Queries


class Relation(Queries, Messaging, Forms):
    """Edges that lead from sources to targets, in numpy's arrays or in Tensors.

    Args:
        edges: pairs (source, target): a list, an array or a Tensor of shape [edges, 2].
        num_sources: how many nodes edges may begin at.
        num_targets: how many nodes edges may end at.
        features: features by kind, each arrays or Tensors by name, or None.

    Raises:
        TypeError: features are no dictionary.
        ValueError: an edge is no pair of ids of existing nodes, or a feature has another number of rows.
    """

    def __init__(self, edges: Any, num_sources: int, num_targets: int, features: Mapping[str, Any]) -> None:
        owner = type(self).__name__
        array = edge_array(edges, owner)
        check_ends(array, num_sources, num_targets, owner)
        self._begin(num_sources, num_targets, len(array))
        self._edges = array
        self._edge_tensor = edges if is_tensor(edges) else None
        for kind, given in features.items():
            self._features[kind] = check_features(given, self._rows(kind), owner, kind)
        given_tensors = [value for tables in self._features.values() for value in tables.values()]
        if any(is_tensor(value) for value in (edges, *given_tensors)):
            self.tensor()

    def __repr__(self) -> str:
        sizes = [f"{name}={getattr(self, name)}" for name in dict.fromkeys(self.PARTS.values())]
        features = [
            f"{kind}={{{', '.join(f'{name!r}: {value.dtype} {list(value.shape)}' for name, value in tables.items())}}}"
            for kind, tables in self._features.items()
            if tables
        ]
        return f"{type(self).__name__}({', '.join([*sizes, *features])})"
