"""Losses that compare samples: rankings, embeddings, triplets and pairs."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators._arguments import need_tensor
from core.operators.arithmetic.math import maximum, minimum, sqrt, square
from core.operators.creation.creation import cast
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation import relu
from core.operators.layers.linear import pairwise_distance
from core.operators.linear_algebra.linalg import matmul
from core.operators.losses._reduction import check_reduction, reduced
from core.operators.losses.classes import softmax_with_cross_entropy
from core.operators.reductions.reduction import mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor


def margin_ranking_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    other: Tensor,
    label: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute max(0, -label * (input - other) + margin).

    Args:
        input: Scores, floating-point; the three shapes broadcast.
        other: Scores to compare with.
        label: 1 where input should be larger, -1 where other should be.
        margin: By how much.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the broadcast shape under ``none``.

    Raises:
        OperatorError: the shapes do not broadcast, or the reduction is unknown.
    """
    check_reduction(reduction, "margin_ranking_loss")
    floating_tensor(input, "margin_ranking_loss")
    return reduced(relu((other - input) * cast(label, input.dtype) + float(margin)), reduction)


def hinge_embedding_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    margin: float = 1.0,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute input where label is 1, max(0, margin - input) where it is -1, 0 elsewhere.

    Args:
        input: Distances, floating-point.
        label: 1 or -1; the shapes broadcast.
        margin: The distance that unlike samples should have.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the broadcast shape under ``none``.

    Raises:
        OperatorError: the shapes do not broadcast, or the reduction is unknown.
    """
    check_reduction(reduction, "hinge_embedding_loss")
    floating_tensor(input, "hinge_embedding_loss")
    near = where(label == 1, input, 0.0)
    far = where(label == -1, relu(margin - input), 0.0)
    return reduced(near + far, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    label: Tensor,
    margin: float = 0,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute 1 - cos(input1, input2) where label is 1, max(0, cos - margin) where it is -1.

    Args:
        input1: Shape (N, D) or (D,), floating-point.
        input2: Of input1's shape.
        label: Shape (N,), 1 or -1.
        margin: The cosine that unlike samples may have.
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or shape (N,) under ``none``.

    Raises:
        OperatorError: shapes do not fit each other, or the reduction is unknown.
    """
    check_reduction(reduction, "cosine_embedding_loss")
    floating_tensor(input1, "cosine_embedding_loss")
    need_tensor(input2, "cosine_embedding_loss", "input2")
    need_tensor(label, "cosine_embedding_loss", "label")
    if label.ndim != 1 or input1.shape != input2.shape or not 1 <= input1.ndim <= 2:
        raise OperatorError(
            f"cosine_embedding_loss: expects two inputs of shape (N, D) and a label of shape (N,), got {input1.shape},"
            f" {input2.shape} and {label.shape}"
        )
    lengths = [reduce_sum(square(x), -1) + 10e-12 for x in (input1, input2)]
    cosine = reduce_sum(input1 * input2, -1) / sqrt(lengths[0] * lengths[1])
    like = where(label == 1, 1.0 - cosine, 0.0)
    unlike = where(label == -1, maximum(cosine - float(margin), 0.0), 0.0)
    return reduced(like + unlike, reduction)


def triplet_margin_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    epsilon: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute max(0, d(input, positive) - d(input, negative) + margin) with the p-norm's distance.

    Args:
        input: Shape (N, D), floating-point.
        positive: Samples like input, of its shape.
        negative: Samples unlike input, of its shape.
        margin: By how much the negative should be farther, not negative.
        p: The norm's order.
        epsilon: Added to differences.
        swap: Take the smaller of d(input, negative) and d(positive, negative).
        reduction: ``mean``, ``sum`` or ``none``.
        name: Unused, as in Paddle.

    Returns:
        0-D, or shape (N,) under ``none``.

    Raises:
        OperatorError: shapes differ, the margin is negative, or the reduction is unknown.
    """

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, epsilon)

    return _triplet("triplet_margin_loss", input, positive, negative, distance, margin, swap, reduction)


def triplet_margin_with_distance_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    positive: Tensor,
    negative: Tensor,
    distance_function: Optional[Callable[[Tensor, Tensor], Tensor]] = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: Optional[str] = None,
) -> Tensor:
    """Compute the triplet loss of :func:`triplet_margin_loss` with a distance of one's own.

    Args:
        input: As there.
        positive: As there.
        negative: As there.
        distance_function: Takes two tensors, returns the distance per sample; the 2-norm when None.
        margin: As there.
        swap: As there.
        reduction: As there.
        name: Unused, as in Paddle.

    Returns:
        0-D, or the distances' shape under ``none``.

    Raises:
        OperatorError: shapes differ, the margin is negative, or the reduction is unknown.
    """
    distance = pairwise_distance if distance_function is None else distance_function
    caller = "triplet_margin_with_distance_loss"
    return _triplet(caller, input, positive, negative, distance, margin, swap, reduction)


def _triplet(
    caller: str, x: Tensor, positive: Tensor, negative: Tensor, distance: Any, margin: float, swap: bool, reduction: str
) -> Tensor:
    check_reduction(reduction, caller)
    for name, tensor in (("input", x), ("positive", positive), ("negative", negative)):
        need_tensor(tensor, caller, name)
    if margin < 0:
        raise OperatorError(f"{caller}: the margin must not be negative, got {margin}")
    if not x.shape == positive.shape == negative.shape:
        raise OperatorError(f"{caller}: the shapes {x.shape}, {positive.shape} and {negative.shape} differ")
    near, far = distance(x, positive), distance(x, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(maximum(near - far + float(margin), 0.0), reduction)


def npair_loss(anchor: Tensor, positive: Tensor, labels: Tensor, l2_reg: float = 0.002) -> Tensor:
    """Compute the N-pair loss: cross entropy over similarities, with a penalty on the embeddings' length.

    From https://papers.nips.cc/paper/6200 (Sohn, 2016).

    Args:
        anchor: Embeddings, shape (N, D), floating-point.
        positive: Of anchor's shape.
        labels: Classes, shape (N,).
        l2_reg: Weight of the penalty.

    Returns:
        0-D.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    floating_tensor(anchor, "npair_loss")
    need_tensor(positive, "npair_loss", "positive")
    need_tensor(labels, "npair_loss", "labels")
    if anchor.size == 0 or anchor.ndim != 2 or anchor.shape != positive.shape or labels.size != anchor.shape[0]:
        raise OperatorError(
            f"npair_loss: expects embeddings of one shape (N, D) and N labels, got {anchor.shape}, {positive.shape} and"
            f" {labels.shape}"
        )
    batch = anchor.shape[0]
    same = cast(reshape_exact(labels, [batch, 1]) == reshape_exact(labels, [1, batch]), anchor.dtype)
    shares = same / reduce_sum(same, 1, keepdim=True)
    lengths = mean(reduce_sum(square(anchor), 1)) + mean(reduce_sum(square(positive), 1))
    similarity = matmul(anchor, positive, transpose_y=True)
    losses = softmax_with_cross_entropy(similarity, shares, soft_label=True)
    return mean(reduce_sum(shares * losses, 0)) + lengths * (0.25 * l2_reg)


__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "npair_loss", "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]  # fmt: skip
