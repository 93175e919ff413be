"""What parallel layers do between the ranks of the model axis; with one rank most of it is nothing."""

from __future__ import annotations

from typing import Any, Optional

from core.distributed.group import Group, ReduceOp, check_member
from core.nn import functional as F
from core.operators.arithmetic.logic import logical_and
from core.operators.creation.creation import assign, zeros_like
from core.operators.indexing.masking import where
from core.operators.shape.manipulation import unsqueeze
from core.tensor import Tensor


def identity(tensor: Tensor, group: Optional[Group] = None, skip_c_identity_dynamic: bool = False) -> Tensor:
    """Return a tensor whose gradient is added up over the ranks.

    Args:
        tensor: any tensor.
        group: the ranks; all when it is None.
        skip_c_identity_dynamic: accepted for Paddle's signature.
    """
    check_member("_c_identity", group)
    return tensor if skip_c_identity_dynamic else assign(tensor)


def concatenated(tensor: Tensor, group: Optional[Group] = None) -> Tensor:
    """Join the tensors of all ranks along the last axis.

    Args:
        tensor: that of this rank.
        group: the ranks; all when it is None.
    """
    check_member("_c_concat", group)
    return assign(tensor)


def own_part(tensor: Tensor, group: Optional[Group] = None) -> Tensor:
    """Cut a tensor along the last axis, and return the part of this rank.

    Args:
        tensor: the whole.
        group: the ranks; all when it is None.
    """
    check_member("_c_split", group)
    return assign(tensor)


def added_up(
    tensor: Tensor,
    op: int = ReduceOp.SUM,
    group: Optional[Group] = None,
    use_calc_stream: bool = True,
    use_model_parallel: bool = True,
    skip_c_identity_dynamic: bool = False,
) -> Tensor:
    """Add up the tensors of all ranks; the gradient passes unchanged.

    Args:
        tensor: that of this rank.
        op: ReduceOp.SUM.
        group: the ranks; all when it is None.
        use_calc_stream: accepted for Paddle's signature.
        use_model_parallel: accepted likewise.
        skip_c_identity_dynamic: accepted likewise.

    Raises:
        ValueError: another way to reduce is asked for.
    """
    check_member("_mp_allreduce", group)
    if op != ReduceOp.SUM:
        raise ValueError(f"_mp_allreduce: op must be ReduceOp.SUM, not {op!r}")
    return assign(tensor)


def rows_of_part(
    table: Tensor, index: Tensor, start_index: int = 0, vocab_size: int = -1, name: Optional[str] = None
) -> Tensor:
    """Look rows up in a part of a table; a row of another part is zeros.

    Args:
        table: the part, of shape [rows, width].
        index: row numbers of the whole, int32 or int64.
        start_index: the number that the part's first row has in the whole.
        vocab_size: how many rows the whole has; -1 does not say.
        name: unused, as in Paddle.

    Returns:
        A tensor of index's shape and the width.
    """
    local = index - start_index
    inside = logical_and(local >= 0, local < table.shape[0])
    rows = F.embedding(where(inside, local, zeros_like(local)), table)
    found: Tensor = where(unsqueeze(inside, -1), rows, zeros_like(rows))
    return found


def softmax_with_cross_entropy(
    logits: Tensor, label: Tensor, group: Optional[Group] = None, return_softmax: bool = False, ignore_index: int = -100
) -> Any:
    """Compute the cross entropy of scores whose classes are spread over the ranks.

    Args:
        logits: scores of shape [..., classes].
        label: class numbers of shape [...] or [..., 1].
        group: the ranks; all when it is None.
        return_softmax: also return the probabilities.
        ignore_index: samples with this label give 0.

    Returns:
        The loss, of shape [..., 1]; with ``return_softmax`` also the probabilities.

    Raises:
        ValueError: the label has another number of axes.
    """
    check_member("_c_softmax_with_cross_entropy", group)
    if label.ndim not in (logits.ndim, logits.ndim - 1):
        raise ValueError(
            f"_c_softmax_with_cross_entropy: label must have {logits.ndim - 1} or {logits.ndim} axes, not {label.ndim}"
        )
    if label.ndim == logits.ndim - 1:
        label = unsqueeze(label, -1)
    return F.softmax_with_cross_entropy(logits, label, ignore_index=ignore_index, return_softmax=return_softmax)
