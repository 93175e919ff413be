"""Fluid's operators on sequences, on padded batches with lengths instead of tables of offsets (LoD).

A sequence may be empty. Results behind a sequence's length are 0.
"""

from __future__ import annotations

from typing import Optional

from core.incubate.layers.dynamic_recurrent import all_lengths
from core.kernels.dispatch.errors import OperatorError
from core.kernels.layers.lengths import check_lengths
from core.nn import Layer
from core.nn import functional as F
from core.nn.param_attr import ParamAttrLike, PresentAttrLike
from core.operators import (
    arange,
    cast,
    clip,
    concat,
    full_like,
    sqrt,
    take_along_axis,
    where,
    zeros,
    zeros_like,
)
from core.operators import max as largest
from core.operators import sum as total
from core.tensor import Tensor, numbers_now

_LOWEST = -3.0e38
_POOLS = ("sum", "average", "sqrt", "max", "first", "last")


def sequence_pool(x: Tensor, pool_type: str, lengths: Optional[Tensor] = None, pad_value: float = 0.0) -> Tensor:
    """Return one row for each sequence, (N, ...).

    Args:
        x: (N, L, ...).
        pool_type: ``sum``, ``average``, ``sqrt`` (the sum over the root of the length), ``max``, ``first`` or ``last``.
        lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.
        pad_value: What an empty sequence gives.

    Raises:
        ValueError: ``pool_type`` is unknown.
        OperatorError: shapes do not fit each other.
    """
    kind = pool_type.lower()
    if kind not in _POOLS:
        raise ValueError(f"sequence_pool: pool_type is one of {', '.join(_POOLS)}, not {pool_type!r}")
    sizes = _sizes(x, lengths, "sequence_pool")
    inside = _inside(x, sizes)
    if kind == "max":
        result = largest(where(inside, x, full_like(x, _LOWEST)), axis=1)
    elif kind in ("first", "last"):
        place = clip(sizes - 1, 0) if kind == "last" else zeros_like(sizes)
        index = place.reshape([-1, *[1] * (x.ndim - 1)]).expand([x.shape[0], 1, *x.shape[2:]])
        result = take_along_axis(x, index, 1).squeeze(1)
    else:
        result = total(where(inside, x, zeros_like(x)), axis=1)
        if kind != "sum":
            count = clip(cast(sizes, x.dtype), 1.0)
            result = result / _spread(sqrt(count) if kind == "sqrt" else count, result)
    return where(_spread(sizes > 0, result), result, full_like(result, pad_value))


def sequence_first_step(x: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
    """Return the first row of each sequence; see :func:`sequence_pool`."""
    return sequence_pool(x, "first", lengths)


def sequence_last_step(x: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
    """Return the last row of each sequence; see :func:`sequence_pool`."""
    return sequence_pool(x, "last", lengths)


def sequence_softmax(x: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
    """Return the softmax over the steps of each sequence, (N, L) or (N, L, 1).

    Args:
        x: Scores, (N, L) or (N, L, 1).
        lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] != 1):
        raise OperatorError(f"sequence_softmax: scores are (N, L) or (N, L, 1), got {x.shape}")
    inside = _inside(x, _sizes(x, lengths, "sequence_softmax"))
    shares = F.softmax(where(inside, x, full_like(x, _LOWEST)), axis=1)
    return where(inside, shares, zeros_like(shares))


def sequence_reverse(x: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
    """Return each sequence from its last step to its first, (N, L, ...).

    Args:
        x: (N, L, ...).
        lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    sizes = _sizes(x, lengths, "sequence_reverse")
    places = clip(sizes.unsqueeze(1) - 1 - arange(x.shape[1], dtype="int64").unsqueeze(0), 0)
    index = places.reshape([*places.shape, *[1] * (x.ndim - 2)]).expand_as(x)
    return where(_inside(x, sizes), take_along_axis(x, index, 1), zeros_like(x))


def sequence_expand(x: Tensor, steps: int, lengths: Optional[Tensor] = None) -> Tensor:
    """Return each row repeated for the steps of a sequence, (N, steps, ...).

    Args:
        x: One row for each sequence, (N, ...).
        steps: How many steps the padded sequences have.
        lengths: Steps of each sequence, integers (N,), from 0 to ``steps``; all steps when None.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    wide = x.unsqueeze(1).expand([x.shape[0], steps, *x.shape[1:]])
    return where(_inside(wide, _sizes(wide, lengths, "sequence_expand")), wide, zeros_like(wide))


def sequence_conv(
    x: Tensor,
    weight: Tensor,
    lengths: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    padding_start: Optional[int] = None,
) -> Tensor:
    """Return what a window of steps, 0 beyond the sequence's ends, gives, (N, L, M).

    Args:
        x: (N, L, D).
        weight: (window * D, M), Fluid's, the window's steps in order.
        lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.
        bias: (M,).
        padding_start: The window's first step, from the current one; minus half the window, rounded down, when None.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    sizes = _sizes(x, lengths, "sequence_conv")
    if x.ndim != 3 or weight.ndim != 2 or not x.shape[2] or weight.shape[0] % x.shape[2]:
        raise OperatorError(
            f"sequence_conv: x is (N, L, D) and weight (window * D, M), got {x.shape} and {weight.shape}"
        )
    batch, steps, depth = x.shape
    window = weight.shape[0] // depth
    start = -(window // 2) if padding_start is None else padding_start
    inside = _inside(x, sizes)
    x = where(inside, x, zeros_like(x))
    shift = max(start, 0) or min(start + window - 1, 0)  # of windows without the current step
    if shift:
        gap = zeros([batch, min(abs(shift), steps), depth], dtype=x.dtype)
        x = concat([x[:, shift:], gap] if shift > 0 else [gap, x[:, : max(steps + shift, 0)]], axis=1)
    edges = [shift - start, window - 1 + start - shift]
    kernel = weight.reshape([window, depth, weight.shape[1]]).transpose([2, 1, 0])
    result = F.conv1d(x, kernel, bias, padding=edges, data_format="NLC")
    return where(_inside(result, sizes), result, zeros_like(result))


class SequenceConv(Layer):
    """A convolution over the steps of sequences, Fluid's ``sequence_conv``.

    Parameters: ``weight`` (filter_size * input_size, num_filters), ``bias`` (num_filters,).

    Args:
        input_size: Length of a step.
        num_filters: Length of a result.
        filter_size: Steps of the window.
        padding_start: See :func:`sequence_conv`.
        param_attr: ParamAttr of the weight.
        bias_attr: ParamAttr of the bias; False leaves it out.
        act: The name of a function of core.nn.functional for the result; none when None.
    """

    def __init__(
        self,
        input_size: int,
        num_filters: int,
        filter_size: int = 3,
        padding_start: Optional[int] = None,
        param_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        act: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.padding_start, self.act = padding_start, act
        self.weight = self.create_parameter([filter_size * input_size, num_filters], attr=param_attr)
        self.bias = self.create_parameter([num_filters], attr=bias_attr, is_bias=True)

    def forward(self, x: Tensor, lengths: Optional[Tensor] = None) -> Tensor:
        """Return (N, L, num_filters), 0 behind the lengths; arguments are those of :func:`sequence_conv`."""
        result = sequence_conv(x, self.weight, lengths, self.bias, self.padding_start)
        if self.act is None:
            return result
        active = getattr(F, self.act)(result)
        return where(_inside(active, _sizes(x, lengths, "sequence_conv")), active, zeros_like(active))


def _sizes(x: Tensor, lengths: Optional[Tensor], caller: str) -> Tensor:
    """Return the lengths, int64 (N,), refusing what is no batch or does not fit it."""
    if x.ndim < 2:
        raise OperatorError(f"{caller}: a batch of sequences is (N, L, ...), got {x.shape}")
    if lengths is not None and (lengths.shape != x.shape[:1] or not lengths.dtype.is_integer):
        raise OperatorError(
            f"{caller}: lengths are integers ({x.shape[0]},), got {lengths.dtype.name} of shape {lengths.shape}"
        )
    numbers = None if lengths is None else numbers_now(lengths)
    if numbers is not None:
        check_lengths(numbers, x.shape[1], caller)
    return all_lengths(lengths, x)


def _inside(x: Tensor, sizes: Tensor) -> Tensor:
    """Return whether each place of x is within its sequence."""
    steps = arange(x.shape[1], dtype="int64").unsqueeze(0) < sizes.unsqueeze(1)
    return steps.reshape([*steps.shape, *[1] * (x.ndim - 2)]).expand_as(x)


def _spread(by_sequence: Tensor, x: Tensor) -> Tensor:
    """Return numbers of sequences (N,) for each place of x (N, ...)."""
    return by_sequence.reshape([-1, *[1] * (x.ndim - 1)]).expand_as(x)
