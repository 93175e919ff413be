"""Chains of tags: the sum over all paths and the score of one (conditional random fields, Lafferty et al. 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float64, int64
from core.kernels.engine.custom_kernels import kernel
from core.kernels.layers.lengths import check_lengths
from core.kernels.sizes.dimension import agree
from core.operators._arguments import need_tensor
from core.operators.creation.creation import cast, to_tensor, zeros_like
from core.operators.indexing.masking import one_hot, where
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.linear_algebra.linalg import matmul
from core.operators.reductions.reduction import logsumexp
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape.joining import unbind
from core.tensor import Tensor, apply

# A chain is potentials (N, L, K), moves (K, K) from the row's tag to the column's, start and stop (K,), lengths (N,).


def check_chain(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit each other: the kernels would read other memory."""
    potentials, moves, start, stop, *others = [tuple(shape) for shape, _ in metas]
    tags = potentials[-1]
    wanted = [potentials[:2]] * (len(others) - 1) + [potentials[:1]]
    if not all(map(agree, (moves, start, stop, *others), ((tags, tags), (tags,), (tags,), *wanted))):
        raise OperatorError(
            "linear chain: potentials (N, L, K), moves (K, K), start (K,), stop (K,), labels (N, L) and lengths (N,) do"
            f" not fit each other: {', '.join(str(list(shape)) for shape, _ in metas)}"
        )


def _score(
    potentials: np.ndarray,
    moves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    labels: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:
    """Return the score of each path (N,)."""
    rows, first, last, inside, behind = _places(labels, lengths, potentials.shape[2])
    chosen = np.take_along_axis(potentials, labels[..., None] * inside[..., None], 2)[..., 0]
    total = np.where(inside, chosen, 0).sum(1)
    total[rows] += start[first] + stop[last]
    if labels.shape[1] > 1:
        passed = np.where(behind, labels[:, :-1], 0), np.where(behind, labels[:, 1:], 0)
        total += np.where(behind, moves[passed], 0).sum(1)
    return np.asarray(total, potentials.dtype)


def _score_gradients(
    gradient: np.ndarray,
    potentials: np.ndarray,
    moves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    labels: np.ndarray,
    lengths: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Return the gradients of (potentials, moves, start, stop) of :func:`_score`."""
    rows, first, last, inside, behind = _places(labels, lengths, potentials.shape[2])
    results = tuple(np.zeros_like(array) for array in (potentials, moves, start, stop))
    samples, steps = np.nonzero(inside)
    results[0][samples, steps, labels[inside]] = gradient[samples]
    if labels.shape[1] > 1:
        samples = np.nonzero(behind)[0]
        np.add.at(results[1], (labels[:, :-1][behind], labels[:, 1:][behind]), gradient[samples])
    np.add.at(results[2], first, gradient[rows])
    np.add.at(results[3], last, gradient[rows])
    return results


def _places(labels: np.ndarray, lengths: np.ndarray, tags: int) -> tuple[np.ndarray, ...]:
    """Return the samples that have a path, its first and last tags, and which steps, and moves, are within one.

    Raises:
        OperatorError: a length is beyond the padding.
        OperatorIndexError: a path goes through what is no tag.
    """
    steps = labels.shape[1]
    check_lengths(lengths, steps, "crf_path_score")
    inside = np.arange(steps) < lengths[:, None]
    wrong = inside & ((labels < 0) | (labels >= tags))
    if wrong.any():
        row, step = np.argwhere(wrong)[0]
        raise OperatorIndexError(
            f"crf_path_score: label {labels[row, step]} of sequence {row}, step {step}, is outside the {tags} tags"
        )
    rows = np.nonzero(lengths)[0]
    ends = (labels[rows, 0], labels[rows, lengths[rows] - 1]) if steps else (rows, rows)
    return (rows, *ends, inside, inside[:, 1:])


def _sums(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype) = metas[0]
    return [((shape[0],), dtype), (shape, float64)]


_log_norm = HostOperator(
    "crf_log_norm", kernel("layers.linear_chain", "partition"), check=check_chain, infer=_sums, fills=True
)
log_norm_gradients = HostOperator(
    "crf_log_norm_gradients",
    kernel("layers.linear_chain", "partition_gradients"),
    infer=lambda metas, options: metas[1:5],
    differentiable=False,
    fills=True,
)
_path_score = HostOperator(
    "crf_path_score", _score, check=check_chain, infer=lambda metas, options: [((metas[0][0][0],), metas[0][1])]
)
path_score_gradients = HostOperator(
    "crf_path_score_gradients", _score_gradients, infer=lambda metas, options: metas[1:5], differentiable=False
)


def crf_log_norm(potentials: Tensor, moves: Tensor, start: Tensor, stop: Tensor, lengths: Tensor) -> Tensor:
    """Return the logarithm of the sum over all paths of their exponentiated scores, (N,), 0 for a sequence of length 0.

    Args:
        potentials: The score of each tag at each step, (N, L, K), float32 or float64.
        moves: The score of each tag (columns) behind each tag (rows), (K, K), of the same type.
        start: The score of each tag at the first step, (K,).
        stop: The score of each tag at the last step, (K,).
        lengths: How many steps each sequence has, integers (N,).

    Raises:
        OperatorError: the shapes do not fit each other, or a length is beyond the padding.
        OperatorTypeError: potentials are no floating-point Tensor, or lengths no integers.
    """
    return apply(_log_norm, *_checked(potentials, moves, start, stop, lengths))[0]


def crf_path_score(
    potentials: Tensor, moves: Tensor, start: Tensor, stop: Tensor, labels: Tensor, lengths: Tensor
) -> Tensor:
    """Return the score of one path through each sequence, (N,), 0 for a sequence of length 0.

    Args:
        potentials, moves, start, stop, lengths: As for :func:`crf_log_norm`.
        labels: The tags of the path, integers (N, L); what is behind the length is not read.

    Raises:
        OperatorError: the shapes do not fit each other, or a length is beyond the padding.
        OperatorIndexError: a label is no tag.
        OperatorTypeError: potentials are no floating-point Tensor, or labels or lengths no integers.
    """
    return apply(_path_score, *_checked(potentials, moves, start, stop, labels, lengths))


def _checked(potentials: Tensor, moves: Tensor, start: Tensor, stop: Tensor, *integers: Tensor) -> list[Tensor]:
    floating_tensor(potentials, "linear chain")
    if potentials.ndim != 3 or potentials.shape[2] < 1:
        raise OperatorError(f"linear chain: potentials are (N, L, K) with K at least 1, got {potentials.shape}")
    for name, tensor in zip(("labels", "lengths")[-len(integers) :], integers):
        if not need_tensor(tensor, "linear chain", name).dtype.is_integer:
            raise OperatorTypeError(f"linear chain: {name} are integers, got {tensor.dtype.name}")
    same = [cast(tensor, potentials.dtype) for tensor in (moves, start, stop)]
    return [potentials, *same, *[cast(tensor, int64) for tensor in integers]]


def log_norm_steps(potentials: Tensor, moves: Tensor, start: Tensor, stop: Tensor, lengths: Tensor) -> Tensor:
    """Compute :func:`crf_log_norm` step by step, in operators that can be differentiated any number of times."""
    reached: Any = None
    for step, emitted in enumerate(unbind(potentials, axis=1)):
        if reached is None:
            reached = emitted + start
            continue
        through = logsumexp(reached.unsqueeze(2) + moves, axis=1) + emitted
        reached = where((lengths > step).unsqueeze(1).expand_as(reached), through, reached)
    total = logsumexp(reached + stop, axis=1)
    return where(lengths > 0, total, zeros_like(total))


def path_score_parts(
    potentials: Tensor, moves: Tensor, start: Tensor, stop: Tensor, labels: Tensor, lengths: Tensor
) -> Tensor:
    """Compute :func:`crf_path_score` by products, which can be differentiated any number of times."""
    steps, tags = potentials.shape[1:]
    times = to_tensor(np.arange(steps)[None], dtype="int64")
    inside = cast(times < lengths.unsqueeze(1), int64)
    path = cast(one_hot(labels * inside, tags), potentials.dtype) * cast(inside.unsqueeze(2), potentials.dtype)
    ends = path * cast(times == lengths.unsqueeze(1) - 1, potentials.dtype).unsqueeze(2)
    total = reduce_sum(potentials * path + ends * stop, axis=[1, 2]) + reduce_sum(path[:, 0] * start, axis=1)
    return total + reduce_sum(matmul(path[:, :-1], moves) * path[:, 1:], axis=[1, 2])
