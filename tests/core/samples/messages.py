"""Example calls of message passing: a graph of four sources, three targets and seven edges."""

from __future__ import annotations

import numpy as np

from core.operators.graphs._edges import Edges
from core.operators.linear_algebra.sparse_rows import SparseRows
from tests.core.samples import Draw, Sample, call


def edges() -> Edges:
    """Return the edges; no edge leads to the second target."""
    return Edges.from_index(np.array([0, 1, 1, 2, 3, 3, 1]), np.array([0, 2, 0, 0, 2, 2, 0]), 4, 3)


def matrix(draw: Draw) -> SparseRows:
    """Return a matrix whose numbers need a gradient."""
    return SparseRows(edges(), draw.f(7))


SAMPLES: dict[str, list[Sample]] = {
    "add_ends": [lambda d: call(d.f(4, 2), d.f(3, 2), edges())],
    "dot_ends": [lambda d: call(d.f(4, 2, 5), d.f(3, 2, 5), edges())],
    "edge_expand": [lambda d: call(d.f(3, 2), edges()), lambda d: call(d.f(4, 2), edges(), "source")],
    "edge_reduce": [lambda d, r=r: call(d.f(7, 2), edges(), r) for r in ("sum", "mean", "max", "min")],
    "edge_softmax": [lambda d: call(d.f(7, 2), edges())],
    "gather_multiply_reduce": [
        lambda d: call(d.f(4, 2, 5), d.f(7, 2), edges()),
        lambda d: call(d.f(4, 5), d.f(7), edges(), "mean"),
        lambda d: call(d.f(4, 2, 5), d.f(7, 2), edges(), bias=d.f(2, 5)),
    ],
    "gather_reduce": [lambda d, r=r: call(d.f(4, 5), edges(), r) for r in ("sum", "mean", "max", "min")],
    "sparse_product": [lambda d: call(matrix(d), d.f(4, 5))],
}
