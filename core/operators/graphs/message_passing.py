"""Messages along the edges of a graph, reduced at their targets; nothing as long as edges x features is made.

Everything here takes :class:`Edges`, made once for a graph. Tensors of nodes have one row for each source or target;
tensors of edges have one for each edge, in the order in which the edges were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DType, float32, float64, int64
from core.kernels.sizes.dimension import agree
from core.operators.creation.creation import cast
from core.operators.graphs import _message_primitives as primitives
from core.operators.graphs._edges import Edges as Edges
from core.operators.graphs._edges import Rows, check_edges
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply

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
    counts = (rows.indptr[1:] - rows.indptr[:-1]).maximum(Tensor(1, dtype=int64))
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
        return _computed(primitives.gather_sum, x, rows=rows, mean=reduce == "mean")
    return _computed(primitives.gather_extreme, x, rows=rows, largest=reduce == "max")


def gather_multiply_reduce(
    x: Tensor, weight: Tensor, edges: Edges, reduce: str = "sum", bias: Optional[Tensor] = None
) -> Tensor:
    """Send each source's features along its edges, times the edge's weight, and add up what arrives at each target.

    Args:
        x: [sources, ..., D] of any number of axes, floating-point.
        weight: [edges, ...]: its axes but the first are x's next ones, so [edges] weighs whole rows, [edges, H] the
            heads of [sources, H, D], and [edges, D] each element of [sources, D].
        edges: The edges.
        reduce: ``sum`` or ``mean``.
        bias: [..., D], added to what arrives at each target.

    Returns:
        [targets, ..., D]: the sum (or mean) of weight x source over the edges that end there, and the bias.

    Raises:
        OperatorError: the shapes do not fit each other and the edges, or ``reduce`` is unknown.
        OperatorTypeError: x, weight and bias are no floating-point Tensors, only some of them are float64, or
            ``edges`` are no edges.
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
    rows = (*incoming, *outgoing)
    if bias is None:
        total = _computed(primitives.gather_multiply_sum, x, weight, rows=rows)
        return total / degrees(incoming, total.dtype, total.ndim) if reduce == "mean" else total
    floating_tensor(bias, caller)
    _same_type(x, bias, caller, "x and bias")
    if not agree(x.shape[1:], bias.shape):
        raise OperatorError(f"{caller}: bias must have x's axes but the first, got bias {bias.shape} and x {x.shape}")
    if reduce == "mean":
        return gather_multiply_reduce(x, weight, edges, reduce) + bias
    return _computed(primitives.gather_multiply_add, x, weight, bias, rows=rows)


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
    return _computed(primitives.add_ends, source, target, rows=_ends(source, target, edges, "add_ends"))


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
    return _computed(primitives.dot_ends, source, target, rows=rows)


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
    """Take the softmax among those of the first axis that are grouped: see :class:`._edges.Rows`."""
    return _computed(primitives.edge_softmax, x, rows=(indptr, numbers))


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
        return _computed(primitives.edge_extreme, message, rows=rows, largest=reduce == "max")
    total = _computed(primitives.edge_sum, message, rows=rows)
    return total / degrees(incoming, total.dtype, total.ndim) if reduce == "mean" else total


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
    return _computed(primitives.edge_expand, x, rows=(rows.indptr, rows.edge_ids))


__all__ = [
    "add_ends", "dot_ends", "edge_expand", "edge_reduce", "edge_softmax", "gather_multiply_reduce", "gather_reduce",
]  # fmt: skip
