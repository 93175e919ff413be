"""Reduction of rows by segment, and messages along the edges of a graph (paddle.geometric)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32, float64, int32, int64
from core.kernels.engine import engine
from core.kernels.sizes.dimension import agree, is_known
from core.operators._arguments import need_tensor
from core.operators.creation._constants import positions
from core.operators.creation.creation import cast, filled
from core.operators.graphs._edges import Edges, edges_again, grouped_edges
from core.operators.graphs.message_passing import gather_multiply_reduce, gather_reduce, softmax_of_rows
from core.operators.indexing.gathering import check_range, index_argument, take_rows
from core.operators.indexing.masking import where
from core.operators.indexing.scattering import add_rows, as_rows
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import unsqueeze
from core.tensor import Tensor, apply, readable


def _summed(table: np.ndarray, source: np.ndarray, target: np.ndarray, size: int, out: np.ndarray) -> None:
    from core.kernels.graphs import segment  # numba loads with the first use

    segment.sum_edges(as_rows(table), source, target, size, as_rows(out))


def _found(
    table: np.ndarray, source: np.ndarray, target: np.ndarray, size: int, largest: bool, out: np.ndarray
) -> None:
    from core.kernels.graphs import segment  # numba loads with the first use

    segment.extreme_edges(table, source, target, size, largest, out)


def _summed_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [((options["size"], *shape[1:]), dtype)]


_sum_edges = HostOperator("sum_edges", _summed, infer=_summed_meta, fills=True)
_extreme_edges = HostOperator(
    "extreme_edges",
    _found,
    infer=lambda metas, options: [((options["size"], metas[0][0][1]), int64)],
    fills=True,
    differentiable=False,
)


def sum_edges(x: Tensor, source: Tensor, target: Tensor, size: int) -> Tensor:
    """Sum rows of x into the rows of a new table, edge by edge; the indices are checked int64."""
    if x.dtype.kind == "b" or x.dtype.size < 4 and x.dtype.is_floating:
        return cast(sum_edges(cast(x, float32 if x.dtype.is_floating else int64), source, target, size), x.dtype)
    return apply(_sum_edges, x, source, target, size=size)


def _extreme(x: Tensor, source: Tensor, target: Tensor, size: int, largest: bool) -> Tensor:
    """Return the largest or smallest element that edges bring to each place, 0 where none ends."""
    shape = x.shape
    width = math.prod(shape[1:])
    rows = reshape_exact(x, [shape[0], width])
    plain = cast(rows, float32) if x.dtype.is_floating and x.dtype.size < 4 else rows
    row = apply(_extreme_edges, plain.detach(), source, target, size=size, largest=largest)
    missing = row < 0
    place = where(missing, Tensor(0, dtype=int64), row * width + positions(width))
    found = where(missing, Tensor(0, dtype=x.dtype), take_rows(reshape_exact(rows, [rows.size]), place))
    return reshape_exact(found, [size, *shape[1:]])


def _mean(total: Tensor, target: Tensor, size: int) -> Tensor:
    ones = filled((target.shape[0],), 1, total.dtype)
    counts = add_rows(ones, target, size).maximum(Tensor(1, dtype=total.dtype))
    return total / reshape_exact(counts, [size] + [1] * (total.ndim - 1))


def reduce_edges(x: Tensor, source: Tensor, target: Tensor, size: int, operation: str) -> Tensor:
    """Reduce rows of x into the rows of a new table, edge by edge: "sum", "mean", "max" or "min"; 0 where none ends."""
    if operation in ("max", "min") and x.size:
        return _extreme(x, source, target, size, operation == "max")
    total = sum_edges(x, source, target, size)
    return _mean(total, target, size) if operation == "mean" else total


def _segment(data: Tensor, segment_ids: Tensor, operation: str) -> Tensor:
    caller = f"segment_{operation}"
    shape = need_tensor(data, caller, "data").shape
    ids = index_argument(segment_ids, caller, "segment_ids")
    if not shape or ids.shape != shape[:1]:
        raise OperatorError(f"{caller}: segment_ids must have one number per row of data, got {ids.shape}, {shape}")
    numbers = engine.view(readable(ids).array, *ids._value.meta)
    if numbers.size and (numbers[0] < 0 or (np.diff(numbers) < 0).any()):
        raise OperatorError(f"{caller}: segment_ids must start at 0 or above and never fall")
    size = int(numbers[-1]) + 1 if numbers.size else 0
    return reduce_edges(data, positions(shape[0]), cast(ids, int64), size, operation)


_SEGMENT_DOC = """{summary}

    Args:
        data: Rows, shape [n, ...].
        segment_ids: int32 or int64 of shape [n], never falling: the segment of each row.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [last id + 1, ...]; segments without rows are 0.

    Raises:
        OperatorError: the ids do not fit the data, or fall. Inside a compiled program they cannot be read: use
            :func:`send_u_recv` with ``out_size`` there.
    """


def _segment_function(operation: str, summary: str) -> Any:
    def function(data: Tensor, segment_ids: Tensor, name: Optional[str] = None) -> Tensor:
        return _segment(data, segment_ids, operation)

    function.__name__ = function.__qualname__ = f"segment_{operation}"
    function.__doc__ = _SEGMENT_DOC.format(summary=summary)
    return function


segment_sum = _segment_function("sum", "Add the rows of each segment.")
segment_mean = _segment_function("mean", "Average the rows of each segment.")
segment_max = _segment_function("max", "Take the largest elements of each segment.")
segment_min = _segment_function("min", "Take the smallest elements of each segment.")


def _runs(ids: np.ndarray, out: tuple[np.ndarray, np.ndarray]) -> None:
    """Write the rows of each id, compressed: where its run begins, and which they are."""
    if ids.size and (ids[0] < 0 or (np.diff(ids) < 0).any()):
        raise OperatorError("segment_softmax: segment_ids must start at 0 or above and never fall")
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    out[0][:] = ids.size
    out[0][: starts.size] = starts
    out[1][:] = np.arange(ids.size)


segment_runs = HostOperator(
    "segment_runs",
    _runs,
    infer=lambda metas, options: [((metas[0][0][0] + 1,), int64), (metas[0][0], int32)],
    fills=True,
    differentiable=False,
)


def segment_softmax(data: Tensor, segment_ids: Tensor) -> Tensor:
    """Take the softmax among the rows of each segment, element by element.

    Args:
        data: Rows, shape [n, ...], floating-point.
        segment_ids: int32 or int64 of shape [n], never falling: the segment of each row.

    Returns:
        A tensor of the same shape; over the rows of each segment it adds up to 1.

    Raises:
        OperatorError: the ids do not fit the data, or fall.
        OperatorTypeError: data is no floating-point Tensor.
    """
    floating_tensor(data, "segment_softmax")
    ids = index_argument(segment_ids, "segment_softmax", "segment_ids")
    if not data.ndim or not agree(ids.shape, data.shape[:1]):
        raise OperatorError(
            f"segment_softmax: segment_ids must have one number per row of data, got {ids.shape}, {data.shape}"
        )
    return softmax_of_rows(data, *apply(segment_runs, cast(ids, int64)))


def _edges(
    x: Tensor, src_index: Tensor, dst_index: Tensor, out_size: Any, operation: str, caller: str, group: bool = False
) -> tuple[Tensor, Tensor, int, Optional[Edges]]:
    """Return checked int64 ends, the number of receiving nodes, and, if asked, edges grouped where they came before."""
    source, target = index_argument(src_index, caller, "src_index"), index_argument(dst_index, caller, "dst_index")
    if source.ndim != 1 or source.shape != target.shape:
        raise OperatorError(
            f"{caller}: src_index and dst_index must be 1-D and equally long: {source.shape}, {target.shape}"
        )
    if x.ndim == 0:
        raise OperatorError(f"{caller}: x is 0-D, it has no rows")
    if operation not in ("sum", "mean", "max", "min"):
        raise OperatorError(f"{caller}: reduce_op {operation!r} is unknown: use 'sum', 'mean', 'max' or 'min'")
    size = int(out_size) if out_size is not None else 0
    size = size if size > 0 else x.shape[0]
    grouped = edges_again(source, target, x.shape[0], size) if group else None
    if grouped is None:
        check_range(source, x.shape[0], caller, name="src_index")
        check_range(target, size, caller, name="dst_index")
    return cast(source, int64), cast(target, int64), size, grouped


def send_u_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    reduce_op: str = "sum",
    out_size: Union[int, Tensor, None] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Send node features along edges and reduce what arrives at each node; no tensor of messages is made.

    Args:
        x: Node features, shape [n, ...].
        src_index: int32 or int64 of shape [edges]: where each edge begins.
        dst_index: int32 or int64 of shape [edges]: where it ends.
        reduce_op: ``sum``, ``mean``, ``max`` or ``min``.
        out_size: Number of receiving nodes; n when None or not positive.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [out_size, ...]; nodes that receive nothing are 0.

    Raises:
        OperatorIndexError: an edge begins or ends at a node that does not exist.
        OperatorError: the shapes or the operation do not fit.
    """
    added = need_tensor(x, "send_u_recv").dtype.is_floating and reduce_op in ("sum", "mean")
    source, target, size, grouped = _edges(x, src_index, dst_index, out_size, reduce_op, "send_u_recv", added)
    if grouped is not None:
        return gather_reduce(x, grouped, reduce_op)
    return reduce_edges(x, source, target, size, reduce_op)


def _message(first: Tensor, second: Tensor, operation: str, caller: str) -> Tensor:
    while first.ndim < second.ndim:
        first = unsqueeze(first, 1)
    while second.ndim < first.ndim:
        second = unsqueeze(second, 1)
    if operation == "add":
        return first + second
    if operation == "sub":
        return first - second
    if operation == "mul":
        return first * second
    if operation == "div":
        return first / second
    raise OperatorError(f"{caller}: message_op {operation!r} is unknown: use 'add', 'sub', 'mul' or 'div'")


def send_ue_recv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    reduce_op: str = "sum",
    out_size: Union[int, Tensor, None] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Combine node with edge features, send them along the edges and reduce what arrives; see :func:`send_u_recv`.

    Args:
        x: Node features, shape [n, ...].
        y: Edge features, shape [edges, ...]; the other axes broadcast with x's.
        src_index: Where each edge begins, shape [edges].
        dst_index: Where it ends, shape [edges].
        message_op: ``add``, ``sub``, ``mul`` or ``div``.
        reduce_op: ``sum``, ``mean``, ``max`` or ``min``.
        out_size: Number of receiving nodes; n when None or not positive.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [out_size, ...].

    Raises:
        OperatorIndexError: an edge begins or ends at a node that does not exist.
        OperatorError: the shapes or operations do not fit.
    """
    weighted = message_op in ("mul", "div") and reduce_op in ("sum", "mean")
    source, target, size, grouped = _edges(
        need_tensor(x, "send_ue_recv"), src_index, dst_index, out_size, reduce_op, "send_ue_recv", weighted
    )
    if need_tensor(y, "send_ue_recv", "y").shape[:1] != source.shape:
        raise OperatorError(f"send_ue_recv: y must have one row for each of {source.shape[0]} edges, got {y.shape}")
    every = positions(source.shape[0])
    if reduce_op in ("sum", "mean") and x.dtype is y.dtype and x.dtype in (float32, float64):
        if message_op in ("add", "sub"):  # the sum of sums
            first, second = (reduce_edges(*given, target, size, reduce_op) for given in ((x, source), (y, every)))
            return _message(first, second, message_op, "send_ue_recv")
        weight = _weight(x, y)
        if message_op in ("mul", "div") and weight is not None:
            edges = grouped or grouped_edges(source, target, x.shape[0], size)
            factor = 1.0 / weight if message_op == "div" else weight
            return gather_multiply_reduce(x, factor, edges, reduce_op)
    messages = _message(take_rows(x, source), y, message_op, "send_ue_recv")
    return reduce_edges(messages, every, target, size, reduce_op)


def _weight(x: Tensor, y: Tensor) -> Optional[Tensor]:
    """Return what edges hold as weights of x's leading axes, or None where it is spread otherwise."""
    axes = y.ndim
    while axes > 1 and is_known(y.shape[axes - 1], 1):
        axes -= 1
    if axes > x.ndim or (axes > 1 and y.ndim != x.ndim) or not agree(y.shape[1:axes], x.shape[1:axes]):
        return None
    return y if axes == y.ndim else reshape_exact(y, y.shape[:axes])


def send_uv(
    x: Tensor, y: Tensor, src_index: Tensor, dst_index: Tensor, message_op: str = "add", name: Optional[str] = None
) -> Tensor:
    """Combine the features of the two nodes of each edge.

    Args:
        x: Features of nodes where edges begin, shape [n, ...].
        y: Features of nodes where edges end, shape [m, ...].
        src_index: Where each edge begins, shape [edges].
        dst_index: Where it ends, shape [edges].
        message_op: ``add``, ``sub``, ``mul`` or ``div``.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [edges, ...].

    Raises:
        OperatorIndexError: an edge begins or ends at a node that does not exist.
        OperatorError: the shapes or the operation do not fit.
    """
    rows = need_tensor(y, "send_uv", "y").shape[0] if y.ndim else 0
    source, target, *_ = _edges(need_tensor(x, "send_uv"), src_index, dst_index, rows, "sum", "send_uv")
    return _message(take_rows(x, source), take_rows(y, target), message_op, "send_uv")
