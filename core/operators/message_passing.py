"""Messages along the edges of a graph, reduced at their targets; nothing as long as edges x features is made.

Everything here takes :class:`Edges`, made once for a graph. Tensors of nodes have one row for each source or target;
tensors of edges have one for each edge, in the order in which the edges were given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dimension import agree
from core.kernels.door import Meta
from core.kernels.dtypes import DType, float32, float64, int32, int64
from core.kernels.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.operator import HostOperator
from core.operators.activation_primitives import floating_tensor
from core.operators.creation import cast
from core.operators.edges import Edges as Edges
from core.operators.edges import Rows, check_edges
from core.operators.manipulation import reshape_exact
from core.tensor import Tensor, apply

Arrays = tuple[np.ndarray, ...]


def _checked(rows: Arrays, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return indptr, neighbors and edge ids; refused where a kernel would read other memory.

    Args:
        rows: These three of the edges, and of the transposed ones where gradients will need them.
        nodes: How many rows the neighbors' table has.
    """
    from core.kernels.edge_work import edges_fit  # numba loads with the first use

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
    from core.kernels.message_passing import gather_sum

    indptr, neighbors, _ = _checked(rows, x.shape[0])
    gather_sum(x.reshape(-1), indptr, neighbors, mean, _width(x), out.reshape(-1))


def _gather_multiply_sum(x: np.ndarray, weight: np.ndarray, *rows: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.message_passing import gather_multiply_sum

    heads = _width(weight)
    given = (x.reshape(-1), weight.reshape(-1), *_checked(rows, x.shape[0]), heads, _width(x) // max(heads, 1))
    gather_multiply_sum(*given, out.reshape(-1))


def _gather_multiply_gradients(
    gradient: np.ndarray, x: np.ndarray, weight: np.ndarray, *rows: np.ndarray, out: Arrays
) -> None:
    from core.kernels.message_passing import gather_multiply_gradients

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


def _dot_ends(source: np.ndarray, target: np.ndarray, *rows: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.message_passing import dot_ends

    three = _checked(rows, source.shape[0])
    given = (source.reshape(-1), target.reshape(-1), *three, _width(out), source.shape[-1])
    dot_ends(*given, out.reshape(-1))


def _add_ends(source: np.ndarray, target: np.ndarray, *rows: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.edge_rows import add_ends

    three = _checked(rows, source.shape[0])
    add_ends(source.reshape(-1), target.reshape(-1), *three, _width(source), out.reshape(-1))


def _edge_sum(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray) -> None:
    _gather_sum(x, indptr, edge_ids, edge_ids, mean=False, out=out)


def _edge_expand(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.edge_rows import edge_expand

    _checked((indptr, edge_ids, edge_ids), out.shape[0])
    edge_expand(x.reshape(-1), indptr, edge_ids, _width(x), out.reshape(-1))


def _gather_extreme(x: np.ndarray, *rows: np.ndarray, largest: bool, out: Arrays) -> None:
    from core.kernels.message_extremes import gather_extreme

    three = _checked(rows, x.shape[0])
    gather_extreme(x.reshape(-1), *three, largest, _width(x), (out[0].reshape(-1), out[1].reshape(-1)))


def _edge_extreme(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, largest: bool, out: Arrays) -> None:
    _gather_extreme(x, indptr, edge_ids, edge_ids, largest=largest, out=out)


def _sum_of_winners(x: np.ndarray, winners: np.ndarray, *rows: np.ndarray, forward: bool, out: np.ndarray) -> None:
    from core.kernels.message_extremes import sum_of_winners

    three = _checked(rows, x.shape[0])
    sum_of_winners(x.reshape(-1), winners.reshape(-1), *three, forward, _width(x), out.reshape(-1))


def _edge_softmax(x: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray) -> None:
    from core.kernels.edge_softmax import edge_softmax

    _checked((indptr, edge_ids, edge_ids), x.shape[0])
    edge_softmax(x.reshape(-1), indptr, edge_ids, _width(x), out.reshape(-1))


def _edge_softmax_gradient(
    gradient: np.ndarray, result: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, out: np.ndarray
) -> None:
    from core.kernels.edge_softmax import edge_softmax_gradient

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
gather_multiply_gradients = HostOperator(
    "gather_multiply_gradients",
    _gather_multiply_gradients,
    infer=lambda metas, options: metas[1:3],
    fills=True,
    differentiable=False,
)
sum_of_winners = HostOperator("sum_of_winners", _sum_of_winners, infer=_of_targets(2), fills=True)
_dot_ends_operator = HostOperator("dot_ends", _dot_ends, infer=_products, fills=True)
_add_ends_operator = HostOperator("add_ends", _add_ends, infer=_of_edges, fills=True)
edge_sum = HostOperator("edge_sum", _edge_sum, infer=_of_targets(1), fills=True)
edge_extreme = HostOperator("edge_extreme", _edge_extreme, infer=_with_winners, fills=True)
edge_expand_operator = HostOperator("edge_expand", _edge_expand, infer=_of_edges, fills=True)
_edge_softmax_operator = HostOperator("edge_softmax", _edge_softmax, infer=_alike, fills=True)
edge_softmax_gradient = HostOperator(
    "edge_softmax_gradient", _edge_softmax_gradient, infer=_alike, fills=True, differentiable=False
)

REDUCTIONS = ("sum", "mean", "max", "min")


def _rows_of(x: Tensor, size: int, caller: str, name: str, kind: str) -> Tensor:
    """Return a floating-point tensor that has one row for each node or edge."""
    floating_tensor(x, caller)
    if not x.ndim or not agree(x.shape[:1], [size]):
        raise OperatorError(f"{caller}: {name} must have one row for each of {size} {kind}, got shape {x.shape}")
    return x


def _reduction(reduce: str, caller: str) -> str:
    if reduce not in REDUCTIONS:
        raise OperatorError(f"{caller}: reduce {reduce!r} is unknown: use 'sum', 'mean', 'max' or 'min'")
    return reduce


def _computed(operator: HostOperator, *tensors: Tensor, rows: Sequence[Tensor], **options: Any) -> Tensor:
    """Apply an operator; half precision is computed in float32, and beside float32 becomes that."""
    dtype = tensors[0].dtype if len({tensor.dtype for tensor in tensors}) == 1 else float32
    if any(tensor.dtype.size < 4 for tensor in tensors):
        tensors = tuple(cast(tensor, float32) for tensor in tensors)
    found = apply(operator, *tensors, *rows, **options)
    return cast(found[0] if isinstance(found, (list, tuple)) else found, dtype)


def _same_type(first: Tensor, second: Tensor, caller: str, names: str) -> None:
    if (first.dtype is float64) != (second.dtype is float64):
        raise OperatorTypeError(f"{caller}: {names} must be of one type, got {first.dtype.name}, {second.dtype.name}")


def degrees(rows: Rows, dtype: DType, axes: int) -> Tensor:
    """Return how many edges each node has, at least 1: a tensor of so many axes, of size 1 behind the first."""
    counts = (rows.indptr[1:] - rows.indptr[:-1]).maximum(Tensor(1, dtype=int64))  # type: ignore[operator, attr-defined]
    return reshape_exact(cast(counts, dtype), [rows.indptr.shape[0] - 1] + [1] * (axes - 1))


def gather_reduce(x: Tensor, edges: Edges, reduce: str = "sum") -> Tensor:
    """Send each source's features along its edges and reduce what arrives at each target.

    Args:
        x: [sources, ...], floating-point.
        edges: The edges.
        reduce: ``sum``, ``mean``, ``max`` or ``min``.

    Returns:
        [targets, ...]; 0 where no edge ends. The gradient of ``max`` and ``min`` flows to the first of several
        equal ones.

    Raises:
        OperatorError: the number of rows is not that of sources, or ``reduce`` is unknown.
        OperatorTypeError: x is no floating-point Tensor, or ``edges`` are no edges.
    """
    (incoming, outgoing), caller = check_edges(edges, "gather_reduce"), "gather_reduce"
    _rows_of(x, edges.num_sources, caller, "x", "sources")
    rows = (*incoming, *outgoing)
    if _reduction(reduce, caller) in ("sum", "mean"):
        return _computed(gather_sum, x, rows=rows, mean=reduce == "mean")
    return _computed(gather_extreme, x, rows=rows, largest=reduce == "max")


def gather_multiply_reduce(x: Tensor, weight: Tensor, edges: Edges, reduce: str = "sum") -> Tensor:
    """Send each source's features along its edges, times the edge's weight, and add up what arrives at each target.

    Args:
        x: [sources, ..., D] of any number of axes, floating-point.
        weight: [edges, ...]: its axes but the first are x's next ones, so [edges] weighs whole rows, [edges, H] the
            heads of [sources, H, D], and [edges, D] each element of [sources, D].
        edges: The edges.
        reduce: ``sum`` or ``mean``.

    Returns:
        [targets, ..., D]: the sum (or mean) of weight x source over the edges that end there.

    Raises:
        OperatorError: the shapes do not fit each other and the edges, or ``reduce`` is unknown.
        OperatorTypeError: x and weight are no floating-point Tensors, only one of them is float64, or ``edges``
            are no edges.
    """
    (incoming, outgoing), caller = check_edges(edges, "gather_multiply_reduce"), "gather_multiply_reduce"
    _rows_of(x, edges.num_sources, caller, "x", "sources")
    _rows_of(weight, edges.num_edges, caller, "weight", "edges")
    _same_type(x, weight, caller, "x and weight")
    if not agree(x.shape[1 : weight.ndim], weight.shape[1:]):
        raise OperatorError(
            f"{caller}: weight's axes behind the first must be x's, got weight {weight.shape} and x {x.shape}"
        )
    if reduce not in ("sum", "mean"):
        raise OperatorError(f"{caller}: reduce {reduce!r} is unknown: use 'sum' or 'mean'")
    total = _computed(gather_multiply_sum, x, weight, rows=(*incoming, *outgoing))
    return total / degrees(incoming, total.dtype, total.ndim) if reduce == "mean" else total  # type: ignore[operator, no-any-return]


def _ends(source: Tensor, target: Tensor, edges: Edges, caller: str) -> tuple[Tensor, ...]:
    incoming, outgoing = check_edges(edges, caller)
    _rows_of(source, edges.num_sources, caller, "source", "sources")
    _rows_of(target, edges.num_targets, caller, "target", "targets")
    _same_type(source, target, caller, "source and target")
    if not agree(source.shape[1:], target.shape[1:]):
        raise OperatorError(
            f"{caller}: source and target must have the same axes behind the first, got {source.shape}, {target.shape}"
        )
    return (*incoming, *outgoing)


def add_ends(source: Tensor, target: Tensor, edges: Edges) -> Tensor:
    """Add, for each edge, the features of its two ends.

    Args:
        source: [sources, ...], floating-point.
        target: [targets, ...], of the same type.
        edges: The edges.

    Returns:
        [edges, ...], in the order in which the edges were given.

    Raises:
        OperatorError: the shapes do not fit each other and the edges.
        OperatorTypeError: they are no floating-point Tensors, only one of them is float64, or ``edges`` are no edges.
    """
    return _computed(_add_ends_operator, source, target, rows=_ends(source, target, edges, "add_ends"))


def dot_ends(source: Tensor, target: Tensor, edges: Edges) -> Tensor:
    """Multiply, for each edge, the features of its two ends and add up along the last axis.

    Args:
        source: [sources, ..., D], floating-point.
        target: [targets, ..., D], of the same type.
        edges: The edges.

    Returns:
        [edges, ...], in the order in which the edges were given.

    Raises:
        OperatorError: the shapes do not fit each other and the edges, or there is no axis to add up along.
        OperatorTypeError: they are no floating-point Tensors, only one of them is float64, or ``edges`` are no edges.
    """
    rows = _ends(source, target, edges, "dot_ends")
    if source.ndim < 2:
        raise OperatorError(f"dot_ends: source and target need an axis of features, got shape {source.shape}")
    return _computed(_dot_ends_operator, source, target, rows=rows)


def edge_softmax(logits: Tensor, edges: Edges) -> Tensor:
    """Take the softmax among the edges that end at one node.

    Args:
        logits: [edges, ...], floating-point.
        edges: The edges.

    Returns:
        A tensor of the same shape; over the edges of each target it adds up to 1.

    Raises:
        OperatorError: there is not one row for each edge.
        OperatorTypeError: logits are no floating-point Tensor, or ``edges`` are no edges.
    """
    (indptr, _, edge_ids), _ = check_edges(edges, "edge_softmax")
    _rows_of(logits, edges.num_edges, "edge_softmax", "logits", "edges")
    return softmax_of_rows(logits, indptr, edge_ids)


def softmax_of_rows(x: Tensor, indptr: Tensor, numbers: Tensor) -> Tensor:
    """Take the softmax among those of the first axis that are grouped: see :class:`~core.operators.edges.Rows`."""
    return _computed(_edge_softmax_operator, x, rows=(indptr, numbers))


def edge_reduce(message: Tensor, edges: Edges, reduce: str = "sum") -> Tensor:
    """Reduce, at each target, what the edges that end there hold.

    Args:
        message: [edges, ...], floating-point.
        edges: The edges.
        reduce: ``sum``, ``mean``, ``max`` or ``min``.

    Returns:
        [targets, ...]; 0 where no edge ends.

    Raises:
        OperatorError: there is not one row for each edge, or ``reduce`` is unknown.
        OperatorTypeError: the message is no floating-point Tensor, or ``edges`` are no edges.
    """
    incoming, _ = check_edges(edges, "edge_reduce")
    _rows_of(message, edges.num_edges, "edge_reduce", "message", "edges")
    rows = (incoming.indptr, incoming.edge_ids)
    if _reduction(reduce, "edge_reduce") in ("max", "min"):
        return _computed(edge_extreme, message, rows=rows, largest=reduce == "max")
    total = _computed(edge_sum, message, rows=rows)
    return total / degrees(incoming, total.dtype, total.ndim) if reduce == "mean" else total  # type: ignore[operator, no-any-return]


def edge_expand(x: Tensor, edges: Edges, end: str = "target") -> Tensor:
    """Give each edge the features of one of its ends.

    Args:
        x: [targets, ...] or [sources, ...], floating-point.
        edges: The edges.
        end: Whose features they are, ``target`` or ``source``.

    Returns:
        [edges, ...], in the order in which the edges were given.

    Raises:
        OperatorError: there is not one row for each node, or ``end`` is neither of the two.
        OperatorTypeError: x is no floating-point Tensor, or ``edges`` are no edges.
    """
    check_edges(edges, "edge_expand")
    if end not in ("source", "target"):
        raise OperatorError(f"edge_expand: end must be 'source' or 'target', got {end!r}")
    rows = edges.incoming if end == "target" else edges.outgoing
    _rows_of(x, rows.indptr.shape[0] - 1, "edge_expand", "x", f"{end}s")
    return _computed(edge_expand_operator, x, rows=(rows.indptr, rows.edge_ids))


__all__ = [
    "add_ends", "dot_ends", "edge_expand", "edge_reduce", "edge_softmax", "gather_multiply_reduce", "gather_reduce",
]  # fmt: skip
TENSOR_METHODS = ()
IN_PLACE_METHODS = ()
