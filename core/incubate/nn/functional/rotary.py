"""Rotary positions (Su et al. 2021, arXiv:2104.09864)."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.nn import functional as F
from core.operators import arange, concat, outer, stack
from core.tensor import Tensor

BASE = 10000.0


def fused_rotary_position_embedding(
    q: Tensor,
    k: Optional[Tensor] = None,
    v: Optional[Tensor] = None,
    sin: Optional[Tensor] = None,
    cos: Optional[Tensor] = None,
    position_ids: Optional[Tensor] = None,
    use_neox_rotary_style: bool = True,
) -> tuple[Optional[Tensor], Optional[Tensor], Optional[Tensor]]:
    """Turn pairs of numbers of queries, keys and values by angles that grow with the position.

    Paper: Su et al. 2021, arXiv:2104.09864.

    Args:
        q: (batch, steps, heads, head size), the head size even.
        k: like q, or None.
        v: like q, or None.
        sin: sines of the angles, (positions, head size) or (1, positions, 1, head size); those of
            ``position / 10000 ** (2i / head size)`` for the pair i when it is None.
        cos: cosines of them, given where the sines are.
        position_ids: (batch, steps), integers: which row of the tables each step has; counted from 0 when it is None.
        use_neox_rotary_style: whether neighbours are a pair, instead of one number of each half.

    Returns:
        The turned q, k and v, None for those that are None.

    Raises:
        OperatorError: the head size is odd, the tables do not fit it, or one of them is missing; they are needed with
            ``position_ids`` and for halves.
    """
    if q.ndim != 4 or q.shape[3] % 2:
        raise OperatorError(
            "fused_rotary_position_embedding: q is (batch, steps, heads, head size) with an even head size, got"
            f" {q.shape}"
        )
    if (sin is None) != (cos is None):
        raise OperatorError("fused_rotary_position_embedding: give both sin and cos, or neither")
    if sin is None and (position_ids is not None or not use_neox_rotary_style):
        raise OperatorError(
            "fused_rotary_position_embedding: give sin and cos; without them neighbours are turned, at positions from 0"
        )
    tables = _tables(q) if sin is None or cos is None else (sin, cos)
    sines, cosines = [_placed(table, q, position_ids) for table in tables]
    turn = _turn_neighbours if use_neox_rotary_style else _turn_halves
    turned = [None if x is None else x * cosines + turn(x) * sines for x in (q, k, v)]
    return turned[0], turned[1], turned[2]


def _tables(q: Tensor) -> tuple[Tensor, Tensor]:
    """Return sines and cosines, (steps, head size)."""
    size = q.shape[3]
    speeds = BASE ** (arange(0, size, 2, dtype="float32") * (-1.0 / size))
    angles = outer(arange(0, q.shape[1], dtype="float32"), speeds)
    both = stack([angles, angles], axis=-1).flatten(1)
    return both.sin().astype(q.dtype), both.cos().astype(q.dtype)


def _placed(table: Tensor, q: Tensor, position_ids: Optional[Tensor]) -> Tensor:
    """Return a table as (batch or 1, steps, 1, head size)."""
    size = q.shape[3]
    if table.shape[-1] != size or table.ndim not in (2, 4):
        raise OperatorError(
            "fused_rotary_position_embedding: sin and cos are (positions, head size) or (1, positions, 1, head size)"
            f" with the head size {size}, got {table.shape}"
        )
    rows = table.reshape([-1, size])
    if position_ids is None:
        return rows[: q.shape[1]].unsqueeze([0, 2])
    return F.embedding(position_ids, rows).unsqueeze(2)


def _turn_neighbours(x: Tensor) -> Tensor:
    """Return (-b, a) in the place of each pair of neighbours (a, b)."""
    return stack([-x[..., 1::2], x[..., 0::2]], axis=-1).flatten(-2)


def _turn_halves(x: Tensor) -> Tensor:
    """Return (-b, a) for the halves (a, b) of the last axis."""
    half = x.shape[-1] // 2
    return concat([-x[..., half:], x[..., :half]], axis=-1)
