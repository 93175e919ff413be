"""Hierarchical sigmoid: classes as leaves of a binary tree."""

from __future__ import annotations

import functools
from typing import Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.operators._arguments import need_tensor, optional_tensor
from core.operators.creation.creation import cast, to_tensor
from core.operators.indexing.gathering import gather
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.layers.activation_smooth import softplus
from core.operators.reductions.reduction import sum as reduce_sum
from core.tensor import Tensor


def hsigmoid_loss(
    input: Tensor,  # noqa: A002 - Paddle's name
    label: Tensor,
    num_classes: int,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    path_table: Optional[Tensor] = None,
    path_code: Optional[Tensor] = None,
    is_sparse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Compute the negative log-likelihood of classes that are paths of yes/no decisions down a binary tree.

    As Paddle does, each decision by which a class's path is shorter than the longest adds log 2, a constant.

    Paper: Morin and Bengio 2005, Hierarchical probabilistic neural network language model.

    Args:
        input: Features (N, D), floating-point.
        label: Classes (N, 1) or (N,), integers within [0, num_classes).
        num_classes: Number of classes, at least 2.
        weight: One row per inner node (num_classes - 1, D); (num_classes, D) with a custom tree.
        bias: One number per inner node (num_classes - 1, 1), or None.
        path_table: Inner nodes on the way to each sample's class (N, L), -1 beyond the end; a complete tree when None.
        path_code: Decisions on that way (N, L).
        is_sparse: Whether the gradient holds only the rows that were used; the values are the same either way.
        name: Unused, as in Paddle.

    Returns:
        The loss of each sample (N, 1).

    Raises:
        OperatorError: shapes do not fit each other, or only one of path_table and path_code is given.
        OperatorIndexError: a label is no class.
        OperatorTypeError: the input is no floating-point Tensor.
    """
    floating_tensor(input, "hsigmoid_loss")
    need_tensor(label, "hsigmoid_loss", "label")
    need_tensor(weight, "hsigmoid_loss", "weight")
    for given, title in ((bias, "bias"), (path_table, "path_table"), (path_code, "path_code")):
        optional_tensor(given, "hsigmoid_loss", title)
    if num_classes < 2:
        raise OperatorError(f"hsigmoid_loss: num_classes must be at least 2, got {num_classes}")
    if (path_table is None) != (path_code is None):
        raise OperatorError("hsigmoid_loss: path_table and path_code come together: give both or neither")
    if input.ndim != 2 or weight.ndim != 2 or input.shape[1] != weight.shape[1]:
        raise OperatorError(
            f"hsigmoid_loss: input (N, D) and weight (nodes, D) share D, but have shapes {input.shape}, {weight.shape}"
        )
    if path_table is None or path_code is None:
        nodes, decisions = _complete_tree(num_classes)
        classes = cast(label, "int64").reshape([-1])
        path_table, path_code = gather(to_tensor(nodes), classes), gather(to_tensor(decisions), classes)
    if list(path_table.shape) != list(path_code.shape) or path_table.shape[0] != input.shape[0]:
        raise OperatorError(
            f"hsigmoid_loss: path_table and path_code have one row for each of the {input.shape[0]} samples, but have"
            f" shapes {path_table.shape} and {path_code.shape}"
        )
    length = path_table.shape[1]
    valid = cast(path_table >= 0, input.dtype)
    flat = cast(path_table, "int64").clip(min=0).reshape([-1])
    rows = gather(weight, flat).reshape([-1, length, weight.shape[1]])
    scores = reduce_sum(rows * input.unsqueeze(1), axis=2)
    if bias is not None:
        scores = scores + gather(bias.reshape([-1]), flat).reshape([-1, length])
    scores = scores * valid
    return reduce_sum(softplus(scores) - scores * cast(path_code, input.dtype) * valid, axis=1, keepdim=True)


@functools.lru_cache(maxsize=16)
def _complete_tree(num_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the inner nodes (-1 beyond the end) and the decisions on the way to each class of a complete tree.

    The nodes of a heap are numbered from 1 at the root; class c is leaf number c + num_classes.
    """
    leaves = np.arange(num_classes) + num_classes
    levels = np.arange(1, int(leaves.max()).bit_length())
    ancestors = leaves[:, None] >> levels[None]
    decisions = (leaves[:, None] >> (levels[None] - 1)) & 1
    return np.where(ancestors > 0, ancestors - 1, -1), np.where(ancestors > 0, decisions, 0)


__all__ = ["hsigmoid_loss"]
