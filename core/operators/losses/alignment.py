"""Losses of label sequences that are not aligned with their inputs: CTC and the recurrent transducer.

Both run over the lattice of all alignments in logarithms, built from public operators, so they compile and have
derivatives of any order.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.operators._arguments import need_tensor
from core.operators.creation.creation import cast, full, to_tensor
from core.operators.indexing.gathering import take_along_axis
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor, through_float32
from core.operators.layers.activation_softmax import log_softmax
from core.operators.losses._reduction import check_reduction
from core.operators.reductions.reduction import logsumexp, mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape.joining import concat, stack, unbind
from core.tensor import Tensor

# the logarithm of an impossible alignment's probability: sums of a few stay finite in float32
IMPOSSIBLE = -1e30


def composed_ctc_loss(
    log_probs: Tensor, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor, blank: int
) -> Tensor:
    """Compute what :func:`core.kernels.layers.ctc.ctc` does with operators that can be differentiated again, slowly.

    Args:
        log_probs, labels, input_lengths, label_lengths, blank: Checked arguments of :func:`ctc_loss`.

    Returns:
        Losses, shape (N,).
    """
    steps, batch, _ = log_probs.shape
    dtype = log_probs.dtype
    symbols, skips = _with_blanks(labels, label_lengths, blank, dtype)
    length = symbols.shape[1]
    likelihoods = log_softmax(log_probs, axis=-1)
    chosen = take_along_axis(likelihoods, symbols.unsqueeze(0).expand([steps, batch, length]), axis=2)
    emitted = unbind(chosen, axis=0)
    ends = cast(input_lengths, "int64").reshape([batch, 1])
    start = np.full((1, length), IMPOSSIBLE)
    start[:, :2] = 0.0
    paths = emitted[0] + to_tensor(start, dtype=dtype)
    for step in range(1, steps):
        one_back = concat([full([batch, 1], IMPOSSIBLE, dtype), paths[:, :-1]], axis=1)
        arriving = [paths, one_back]
        if length > 2:
            arriving.append(concat([full([batch, 2], IMPOSSIBLE, dtype), paths[:, :-2]], axis=1) + skips)
        paths = where(ends > step, logsumexp(stack(arriving, axis=0), axis=0) + emitted[step], paths)
    last = cast(label_lengths, "int64").reshape([batch, 1]) * 2
    places = to_tensor(np.arange(length)[None], dtype="int64")
    at_end = cast((places == last).logical_or(places == last - 1), dtype)
    return -logsumexp(paths + (1.0 - at_end) * IMPOSSIBLE, axis=1)


def _with_blanks(labels: Tensor, lengths: Tensor, blank: int, dtype: Any) -> tuple[Tensor, Tensor]:
    """Return labels with blanks around them (N, 2 S + 1), and 0 where the blank before a label may be skipped."""
    batch, count = labels.shape
    inside = to_tensor(np.arange(count)[None], dtype="int64") < cast(lengths, "int64").reshape([batch, 1])
    plain = where(inside, cast(labels, "int64"), full([batch, count], blank, "int64"))
    blanks = full([batch, 1], blank, "int64")
    pairs = stack([plain * 0 + blank, plain], axis=2).reshape([batch, 2 * count])
    symbols = concat([pairs, blanks], axis=1)
    two_back = concat([full([batch, 2], blank, "int64"), symbols[:, :-2]], axis=1) if count else symbols
    allowed = (symbols != blank).logical_and(symbols != two_back)
    return symbols, (1.0 - cast(allowed, dtype)) * IMPOSSIBLE


def rnnt_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    fastemit_lambda: float = 0.001,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the negative log-likelihood of label sequences under a recurrent transducer.

    Papers: Graves 2012, arXiv:1211.3711; FastEmit, Yu et al. 2020, arXiv:2010.11148.

    Args:
        input: Scores before the softmax (N, T, U + 1, C), floating-point.
        label: Classes (N, U), integers.
        input_lengths: Number of valid steps of each sample (N,), integers.
        label_lengths: Number of labels of each sample (N,), integers.
        blank: Class of the blank, within [0, C).
        fastemit_lambda: How much more the gradients of labels weigh than those of blanks.
        reduction: ``mean`` over samples, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the loss per sample (N,).

    Raises:
        OperatorError: shapes do not fit each other, or an argument is out of range.
        OperatorTypeError: the scores are no floating-point Tensor.
    """
    check_reduction(reduction, "rnnt_loss")
    batch, steps, width, classes = lattice_sizes(input, 4, "rnnt_loss", "input", "(N, T, U + 1, C)")
    check_integers("rnnt_loss", batch, label, input_lengths, label_lengths)
    if label.shape[1] != width - 1:
        raise OperatorError(
            f"rnnt_loss: input has shape {input.shape}, so label has {width - 1} columns, not {label.shape[1]}"
        )
    if not 0 <= blank < classes:
        raise OperatorError(f"rnnt_loss: blank={blank} is outside the {classes} classes")
    if input.dtype.size == 2:
        return through_float32(
            rnnt_loss, input, label, input_lengths, label_lengths, blank, fastemit_lambda, reduction
        )
    likelihoods = log_softmax(input, axis=-1).transpose([1, 0, 2, 3])
    blanks = likelihoods[:, :, :, blank]
    index = cast(label, "int64").reshape([1, batch, width - 1, 1]).expand([steps, batch, width - 1, 1])
    emitted = take_along_axis(likelihoods[:, :, : width - 1], index, axis=3).squeeze(3)
    if fastemit_lambda:
        emitted = emitted + fastemit_lambda * (emitted - emitted.detach())
    paths = _transducer_paths(blanks, emitted)
    ends = cast(input_lengths, "int64").reshape([batch, 1]) - 1
    labels_at_end = cast(label_lengths, "int64").reshape([batch, 1])
    at_label = to_tensor(np.arange(width)[None], dtype="int64") == labels_at_end
    diagonals = to_tensor(np.arange(len(paths))[:, None, None], dtype="int64") == (ends + labels_at_end).unsqueeze(0)
    wanted = cast(diagonals.logical_and(at_label.unsqueeze(0)), input.dtype)
    arrived = reduce_sum(stack(paths, axis=0) * wanted, axis=[0, 2])
    at_step = to_tensor(np.arange(steps)[:, None, None], dtype="int64") == ends.unsqueeze(0)
    last = reduce_sum(blanks * cast(at_step.logical_and(at_label.unsqueeze(0)), input.dtype), axis=[0, 2])
    losses = -(arrived + last)
    if reduction == "mean":
        return mean(losses)
    return reduce_sum(losses) if reduction == "sum" else losses


def _transducer_paths(blanks: Tensor, emitted: Tensor) -> list[Tensor]:
    """Return the log-probability of reaching each cell of the lattice, one tensor (N, U + 1) per diagonal t + u.

    Args:
        blanks: Log-probability of a blank at each cell (T, N, U + 1).
        emitted: Log-probability of the next label at each cell (T, N, U).
    """
    steps, batch, width = blanks.shape
    dtype = blanks.dtype
    across = unbind(_skewed(blanks), axis=0)
    upwards = unbind(_skewed(emitted), axis=0) if width > 1 else []
    start = np.full((1, width), IMPOSSIBLE)
    start[0, 0] = 0.0
    paths = [to_tensor(start, dtype=dtype).expand([batch, width])]
    for diagonal in range(steps + width - 2):
        waiting = paths[-1] + across[diagonal]
        if width == 1:
            paths.append(waiting)
            continue
        moving = concat([full([batch, 1], IMPOSSIBLE, dtype), paths[-1][:, :-1] + upwards[diagonal]], axis=1)
        paths.append(logsumexp(stack([waiting, moving], axis=0), axis=0))
    return paths


def _skewed(cells: Tensor) -> Tensor:
    """Return cells (T, N, W) by diagonal (T + W, N, W): entry [d, :, u] is cell [d - u, :, u], or impossible."""
    steps, batch, width = cells.shape
    times = np.arange(steps + width)[:, None] - np.arange(width)[None]
    index = to_tensor(np.clip(times, 0, steps - 1)[:, None], dtype="int64").expand([steps + width, batch, width])
    outside = to_tensor(np.where((times < 0) | (times >= steps), IMPOSSIBLE, 0.0)[:, None], dtype=cells.dtype)
    return take_along_axis(cells, index, axis=0) + outside


def lattice_sizes(scores: Tensor, rank: int, caller: str, name: str, axes: str) -> list[int]:
    """Return the shape of scores of a given rank, refusing others."""
    floating_tensor(scores, caller)
    if scores.ndim != rank or 0 in scores.shape:
        raise OperatorError(f"{caller}: {name} has the shape {axes}, none of them 0, but got {scores.shape}")
    return scores.shape


def check_integers(caller: str, batch: int, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor) -> None:
    """Refuse labels and lengths that are no integers or do not fit the batch."""
    for name, tensor, rank in (
        ("labels", labels, 2),
        ("input_lengths", input_lengths, 1),
        ("label_lengths", label_lengths, 1),
    ):
        need_tensor(tensor, caller, name)
        if tensor.ndim != rank or tensor.shape[0] != batch or not tensor.dtype.is_integer:
            axes = "(N, S)" if rank == 2 else "(N,)"
            raise OperatorError(
                f"{caller}: {name} are integers of shape {axes} with N = {batch}, but got {tensor.dtype.name} of shape"
                f" {tensor.shape}"
            )


__all__ = ["rnnt_loss"]
