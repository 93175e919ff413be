"""What is checked of a graph's edges and features before anything is computed with them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

_LARGEST_WHOLE = 2.0**53
"""Below it every whole number is a float64 of its own."""


def is_tensor(value: Any) -> bool:
    """Return whether a value is a Tensor of core, without loading the engine."""
    module = sys.modules.get("core.tensor")
    return module is not None and isinstance(value, module.Tensor)


def edge_array(edges: Any, owner: str) -> np.ndarray:
    """Return edges as int64 of shape [edges, 2].

    Args:
        edges: pairs (source, target): a list, an array or a Tensor.
        owner: what the edges are given to, for messages.

    Raises:
        ValueError: they are not pairs, or an id is not a whole number.
    """
    try:
        array = np.asarray(edges)
    except ValueError:
        raise ValueError(f"{owner}: edges must be pairs (source, target), and these differ in length") from None
    if array.size == 0 and array.shape in ((0,), (0, 2)):
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{owner}: edges must be pairs (source, target) of shape [edges, 2], not {list(array.shape)}")
    if array.dtype.kind == "f":
        whole = (np.abs(array) < _LARGEST_WHOLE) & (np.floor(array) == array)
        if not whole.all():
            place = int(np.flatnonzero(~whole.all(axis=1))[0])
            raise ValueError(f"{owner}: edge {place} is {array[place].tolist()}: node ids must be whole numbers")
    elif array.dtype.kind not in "iu":
        raise ValueError(f"{owner}: node ids must be whole numbers below 2^63, not {array.dtype}")
    if array.dtype == np.uint64 and (array >= 2**63).any():
        raise ValueError(f"{owner}: node ids must be whole numbers below 2^63, not {int(array.max())}")
    return array.astype(np.int64, copy=False)


def check_ends(edges: np.ndarray, num_sources: int, num_targets: int, owner: str) -> None:
    """Check that both ends of every edge exist.

    Args:
        edges: int64 of shape [edges, 2].
        num_sources: how many nodes edges may begin at.
        num_targets: how many nodes edges may end at.
        owner: what the edges are given to, for messages.

    Raises:
        ValueError: one does not.
    """
    for column, count, end in ((0, num_sources, "begins"), (1, num_targets, "ends")):
        ids = edges[:, column]
        if ids.size and (ids.min() < 0 or ids.max() >= count):
            place = int(np.flatnonzero((ids < 0) | (ids >= count))[0])
            if ids[place] < 0:
                raise ValueError(f"{owner}: edge {place} is {edges[place].tolist()}: node ids are not negative")
            raise ValueError(
                f"{owner}: edge {place} is {edges[place].tolist()}, but the nodes where it {end} are numbered from 0 to"
                f" {count - 1}; give a larger number of nodes or correct the edge"
                if count
                else f"{owner}: edge {place} is {edges[place].tolist()}, but there are no nodes where it {end}"
            )


def count_nodes(edges: np.ndarray) -> int:
    """Return the smallest number of nodes with which all ends exist, 0 without edges."""
    return int(edges.max()) + 1 if edges.size else 0


def check_count(count: Any, owner: str, name: str = "num_nodes") -> int:
    """Return a number of nodes as an int.

    Args:
        count: a whole number, of Python, numpy or core.
        owner: what it is given to, for messages.
        name: its name, for messages.

    Raises:
        ValueError: it is no whole number of at least 0.
    """
    array = np.asarray(count)
    if array.size != 1 or array.dtype.kind not in "iu" or array.reshape(()).item() < 0:
        raise ValueError(f"{owner}: {name} must be a whole number of at least 0, not {count!r}")
    return int(array.reshape(()).item())


def node_ids(ids: Any, count: int, what: str) -> np.ndarray:
    """Return ids as int64 of shape [n].

    Args:
        ids: a number, a list, an array or a Tensor.
        count: how many nodes, or edges, there are.
        what: what an id is, for messages.

    Raises:
        ValueError: one is no whole number from 0 to below ``count``.
    """
    array = np.asarray(ids).reshape(-1)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{what} must be a whole number, not {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= count):
        wrong = array[(array < 0) | (array >= count)][0]
        raise ValueError(f"{what} {wrong} does not exist: there are {count}, numbered from 0")
    return array.astype(np.int64, copy=False)


def check_features(features: Optional[Mapping[str, Any]], rows: int, owner: str, kind: str) -> dict[str, Any]:
    """Return features as a dictionary of arrays or Tensors with a row for each node or edge.

    Args:
        features: arrays, Tensors or lists by name; None: none.
        rows: how many rows each must have.
        owner: what they are given to, for messages.
        kind: what they are, such as "node_feat", for messages.

    Raises:
        TypeError: they are no dictionary.
        ValueError: one has another number of rows.
    """
    if features is None:
        return {}
    if not isinstance(features, Mapping):
        raise TypeError(f"{owner}: {kind} must be arrays by name, a dict, not {type(features).__name__}")
    checked = {name: value if hasattr(value, "shape") else np.asarray(value) for name, value in features.items()}
    for name, value in checked.items():
        if not len(value.shape) or value.shape[0] != rows:
            raise ValueError(
                f"{owner}: {kind} {name!r} of shape {list(value.shape)} must have {rows} rows, one for each"
                f" {'edge' if kind == 'edge_feat' else 'node'}"
            )
    return checked


def check_finite(features: Mapping[str, Any], owner: str) -> None:
    """Check that features hold neither NaN nor infinity, which would spread along the edges to every node.

    Args:
        features: arrays or Tensors by name, the first axis over nodes or edges.
        owner: what they belong to, for messages.

    Raises:
        ValueError: one does; names its first row.
    """
    for name, value in features.items():
        array = np.asarray(value)
        if array.dtype.kind not in "fc":
            continue
        finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
        if not finite.all():
            row = int(np.flatnonzero(~finite)[0])
            count = int(np.count_nonzero(~finite))
            raise ValueError(
                f"{owner}: feature {name!r} has NaN or infinity in {count} of {len(array)} rows, first in row {row}"
            )
