"""Operators of messages along edges: custom kernels, and what their inputs are checked for with each call.

Each takes tables of nodes and numbers of edges, then the edges, as arrays of compressed rows (indptr, neighbors,
edge ids): by their targets, and where gradients need them by their sources too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorIndexError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32

Arrays = tuple[np.ndarray, ...]


def _checked(rows: Arrays, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return indptr, neighbors and edge ids; refused where a kernel would read other memory.

    Args:
        rows: These three of the edges, and of the transposed ones where gradients will need them.
        nodes: How many rows the neighbors' table has.
    """
    from core.kernels.graphs.edge_work import edges_fit  # numba loads with the first use

    indptr, neighbors, edge_ids = rows[:3]
    for first, limit in zip(range(0, len(rows), 3), (nodes, indptr.size - 1)):
        wrong = edges_fit(*rows[first : first + 3], limit)
        if wrong:
            what = "leads to a node that does not exist" if wrong == 1 else "has a number beyond that of edges"
            raise OperatorIndexError(f"an edge {what}: make edges with Edges.from_index()")
    return indptr, neighbors, edge_ids


def _width(array: np.ndarray) -> int:
    return math.prod(array.shape[1:])


def _gather_sum(x: np.ndarray, *rows: np.ndarray, mean: bool, out: np.ndarray) -> None:
    from core.kernels.graphs.message_passing import gather_sum  # numba loads with the first use

    indptr, neighbors, _ = _checked(rows, x.shape[0])
    gather_sum(x.reshape(-1), indptr, neighbors, mean, _width(x), out.reshape(-1))


def _gather_multiply_sum(x: np.ndarray, weight: np.ndarray, *rows: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.graphs.message_passing import gather_multiply_sum  # numba loads with the first use

    heads = _width(weight)
    given = (x.reshape(-1), weight.reshape(-1), *_checked(rows, x.shape[0]), heads, _width(x) // max(heads, 1))
    gather_multiply_sum(*given, out.reshape(-1))


def _gather_multiply_add(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, *rows: np.ndarray, out: np.ndarray
) -> None:
    from core.kernels.numeric.matrix_rows import add_to_rows  # numba loads with the first use

    _gather_multiply_sum(x, weight, *rows, out=out)
    add_to_rows(out.reshape(len(out), _width(out)), bias.reshape(-1))


def _gather_multiply_gradients(
    gradient: np.ndarray, x: np.ndarray, weight: np.ndarray, *rows: np.ndarray, out: Arrays
) -> None:
    from core.kernels.graphs.message_passing import gather_multiply_gradients  # numba loads with the first use

    heads = _width(weight)
    three = _checked(rows, gradient.shape[0])
    given = (gradient.reshape(-1), x.reshape(-1), weight.reshape(-1), *three, heads, _width(x) // max(heads, 1))
    gather_multiply_gradients(*given, (out[0].reshape(-1), out[1].reshape(-1)))


def _into_gather_multiply_sum(
    gradients: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
) -> None:
    (gradient, *_), (x, weight, *rows) = gradients, inputs
    of_x, of_weight = out[:2]
    if of_x is not None and of_weight is not None:
        _gather_multiply_gradients(gradient, x, weight, *rows[3:], out=(of_x, of_weight))
    elif of_x is not None:
        _gather_multiply_sum(gradient, weight, *rows[3:], *rows[:3], out=of_x)
    elif of_weight is not None:
        shape = (*weight.shape[1:], _width(x) // max(_width(weight), 1))
        ends = x.reshape(-1, *shape), gradient.reshape(-1, *shape)
        _dot_ends(*ends, *rows, out=of_weight)


def _into_gather_multiply_add(
    gradients: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
) -> None:
    x, weight, _, *rows = inputs
    of_x, of_weight, of_bias, *_ = out
    if of_bias is not None:
        from core.kernels.numeric.matrix_rows import sum_of_rows  # numba loads with the first use

        gradient = gradients[0]
        sum_of_rows(gradient.reshape(len(gradient), _width(gradient)), of_bias.reshape(-1))
    _into_gather_multiply_sum(gradients, (x, weight, *rows), outputs, (of_x, of_weight))


def _dot_ends(source: np.ndarray, target: np.ndarray, *rows: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.graphs.message_passing import dot_ends  # numba loads with the first use

    three = _checked(rows, source.shape[0])
    if source.shape[-1] == 0:  # the kernel would write nothing
        out[...] = 0.0
        return
    given = (source.reshape(-1), target.reshape(-1), *three, _width(out), source.shape[-1])
    dot_ends(*given, out.reshape(-1))


def _add_ends(source: np.ndarray, target: np.ndarray, *rows: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.graphs.edge_rows import add_ends  # numba loads with the first use

    three = _checked(rows, source.shape[0])
    add_ends(source.reshape(-1), target.reshape(-1), *three, _width(source), out.reshape(-1))


def _edge_sum(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray) -> None:
    _gather_sum(x, indptr, edge_ids, edge_ids, mean=False, out=out)


def _edge_expand(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.graphs.edge_rows import edge_expand  # numba loads with the first use

    _checked((indptr, edge_ids, edge_ids), out.shape[0])
    edge_expand(x.reshape(-1), indptr, edge_ids, _width(x), out.reshape(-1))


def _gather_extreme(x: np.ndarray, *rows: np.ndarray, largest: bool, out: Arrays) -> None:
    from core.kernels.graphs.message_extremes import gather_extreme  # numba loads with the first use

    three = _checked(rows, x.shape[0])
    gather_extreme(x.reshape(-1), *three, largest, _width(x), (out[0].reshape(-1), out[1].reshape(-1)))


def _edge_extreme(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, largest: bool, out: Arrays) -> None:
    _gather_extreme(x, indptr, edge_ids, edge_ids, largest=largest, out=out)


def _sum_of_winners(x: np.ndarray, winners: np.ndarray, *rows: np.ndarray, forward: bool, out: np.ndarray) -> None:
    from core.kernels.graphs.message_extremes import sum_of_winners  # numba loads with the first use

    three = _checked(rows, x.shape[0])
    sum_of_winners(x.reshape(-1), winners.reshape(-1), *three, forward, _width(x), out.reshape(-1))


def _edge_softmax(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.graphs.edge_softmax import edge_softmax  # numba loads with the first use

    _checked((indptr, edge_ids, edge_ids), x.shape[0])
    edge_softmax(x.reshape(-1), indptr, edge_ids, _width(x), out.reshape(-1))


def _edge_softmax_gradient(
    gradient: np.ndarray, result: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray
) -> None:
    from core.kernels.graphs.edge_softmax import edge_softmax_gradient  # numba loads with the first use

    _checked((indptr, edge_ids, edge_ids), result.shape[0])
    given = (gradient.reshape(-1), result.reshape(-1), indptr, edge_ids, _width(result))
    edge_softmax_gradient(*given, out.reshape(-1))


def _of_targets(first_row: int) -> Callable[[Sequence[Meta], dict[str, Any]], Sequence[Meta]]:
    """Return an inference: the first input's shape, with a row for each target; its indptr is input ``first_row``."""

    def infer(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
        shape, dtype = metas[0]
        return [((metas[first_row][0][0] - 1, *shape[1:]), dtype)]

    return infer


def _with_winners(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    """Infer the result and the numbers of the edges that won, one for each of its elements."""
    (shape, dtype), size = metas[0], metas[1][0][0] - 1
    return [((size, *shape[1:]), dtype), ((size, *shape[1:]), int32)]


def _of_edges(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    """Infer the first input's shape, with a row for each edge."""
    shape, dtype = metas[0]
    return [((*metas[-1][0], *shape[1:]), dtype)]


def _products(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [((*metas[-1][0], *shape[1:-1]), dtype)]


def _alike(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return metas[:1]


gather_sum = HostOperator("gather_sum", _gather_sum, infer=_of_targets(1), fills=True)
gather_extreme = HostOperator("gather_extreme", _gather_extreme, infer=_with_winners, fills=True)
gather_multiply_sum = HostOperator(
    "gather_multiply_sum",
    _gather_multiply_sum,
    infer=_of_targets(2),
    fills=True,
    gradients=_into_gather_multiply_sum,
)
gather_multiply_add = HostOperator(
    "gather_multiply_add",
    _gather_multiply_add,
    infer=_of_targets(3),
    fills=True,
    gradients=_into_gather_multiply_add,
)
gather_multiply_gradients = HostOperator(
    "gather_multiply_gradients",
    _gather_multiply_gradients,
    infer=lambda metas, options: metas[1:3],
    fills=True,
    differentiable=False,
)
sum_of_winners = HostOperator("sum_of_winners", _sum_of_winners, infer=_of_targets(2), fills=True)
dot_ends = HostOperator("dot_ends", _dot_ends, infer=_products, fills=True)
add_ends = HostOperator("add_ends", _add_ends, infer=_of_edges, fills=True)
edge_sum = HostOperator("edge_sum", _edge_sum, infer=_of_targets(1), fills=True)
edge_extreme = HostOperator("edge_extreme", _edge_extreme, infer=_with_winners, fills=True)
edge_expand = HostOperator("edge_expand", _edge_expand, infer=_of_edges, fills=True)
edge_softmax = HostOperator("edge_softmax", _edge_softmax, infer=_alike, fills=True)
edge_softmax_gradient = HostOperator(
    "edge_softmax_gradient", _edge_softmax_gradient, infer=_alike, fills=True, differentiable=False
)
