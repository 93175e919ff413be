"""What kernels on graphs return: tuples of arrays, apart from the kernels, so that naming them loads no numba."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class AliasTables(NamedTuple):
    """Tables to draw from given chances, those of several rows one behind another.

    Attributes:
        chances: float32 (entries,): with what chance an entry that was picked is kept.
        others: int32 (entries,): the entry that is taken otherwise, counted from the row's first one; -1 in a row
            without any weight.
    """

    chances: np.ndarray
    others: np.ndarray


class SampledNeighbors(NamedTuple):
    """Drawn neighbours: those of node i are ``neighbors[indptr[i] : indptr[i + 1]]``, in no meaningful order.

    Attributes:
        indptr: int64 (n + 1,).
        neighbors: (drawn,), of the type of the graph's ids.
        places: int64 (drawn,): where in the graph's rows each drawn edge is.
    """

    indptr: np.ndarray
    neighbors: np.ndarray
    places: np.ndarray


class VisitedNeighbors(NamedTuple):
    """Visited nodes: those of node i are ``neighbors[indptr[i] : indptr[i + 1]]``, the most visited ones first.

    Attributes:
        indptr: int64 (n + 1,).
        neighbors: int64 (found,).
        visits: int64 (found,): how often walks came to each.
    """

    indptr: np.ndarray
    neighbors: np.ndarray
    visits: np.ndarray
