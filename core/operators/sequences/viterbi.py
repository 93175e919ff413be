"""The best path through a chain of tags (Viterbi 1967, doi:10.1109/TIT.1967.1054010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int64
from core.kernels.engine.custom_kernels import kernel
from core.kernels.sizes.dimension import agree
from core.operators._arguments import need_tensor
from core.operators.creation.creation import cast
from core.operators.layers._activation_primitives import floating_tensor
from core.operators.sequences.linear_chain import check_chain
from core.tensor import Tensor, apply


def _best_paths_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (rows, steps, _), dtype = metas[0]
    return [((rows,), dtype), ((rows, steps), int64)]


_viterbi = HostOperator(
    "viterbi", kernel("layers.linear_chain", "best_paths"), infer=_best_paths_meta, differentiable=False, fills=True
)


def viterbi_decode(
    potentials: Tensor,
    transition_params: Tensor,
    lengths: Tensor,
    include_bos_eos_tag: bool = True,
    name: Optional[str] = None,
) -> tuple[Tensor, Tensor]:
    """Find the sequence of tags with the highest score.

    Paper: Viterbi 1967, doi:10.1109/TIT.1967.1054010.

    Args:
        potentials: The score of each tag at each step, (batch, steps, tags), float32 or float64.
        transition_params: The score of each tag (columns) behind each tag (rows), (tags, tags), of the same type.
        lengths: How many steps each sequence has, (batch,), int64.
        include_bos_eos_tag: Whether the last tag stands for the start and the one before it for the end, whose rows are
            added at the ends of the sequence.
        name: Unused, as in Paddle.

    Returns:
        The scores (batch,), and the paths, int64 (batch, longest length), 0 behind the end of a sequence. In a compiled
        program the paths have as many steps as the potentials. No gradient flows through either.

    Raises:
        OperatorError: the shapes do not fit each other, or a length is more than there are steps.
        OperatorTypeError: an argument is no Tensor, the scores are not floating-point, or the lengths no int64.
    """
    floating_tensor(potentials, "viterbi_decode")
    need_tensor(transition_params, "viterbi_decode", "transition_params")
    if need_tensor(lengths, "viterbi_decode", "lengths").dtype is not int64:
        raise OperatorTypeError(f"viterbi_decode: lengths are int64, got {lengths.dtype.name}: cast them")
    shapes = potentials.shape, transition_params.shape, lengths.shape
    if [len(shape) for shape in shapes] != [3, 2, 1] or not (
        agree(shapes[1], [shapes[0][2]] * 2) and agree(shapes[2], shapes[0][:1])
    ):
        raise OperatorError(
            "viterbi_decode: potentials, transition_params and lengths are (batch, steps, tags), (tags, tags) and"
            f" (batch,), got {', '.join(map(str, shapes))}"
        )
    if include_bos_eos_tag and shapes[1][0] < 2 or shapes[0][1] < 1:
        raise OperatorError(
            f"viterbi_decode: potentials of shape {shapes[0]} have no step, or no tags for start and end"
        )
    return _decoded(potentials, transition_params, lengths, tagged=bool(include_bos_eos_tag))


def best_chain(
    potentials: Tensor, moves: Tensor, start: Tensor, stop: Tensor, lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Find the best sequence of tags, as :func:`viterbi_decode` does; one of length 0 has the score 0.

    Args:
        potentials, moves, start, stop, lengths: As for :func:`core.operators.sequences.linear_chain.crf_log_norm`.

    Returns:
        As :func:`viterbi_decode`.

    Raises:
        OperatorError: the shapes do not fit each other, or a length is beyond the padding.
    """
    check_chain([(tuple(tensor.shape), tensor.dtype) for tensor in (potentials, moves, start, stop, lengths)], {})
    if potentials.shape[1] < 1:
        raise OperatorError(f"viterbi_decode: potentials of shape {potentials.shape} have no step")
    return _decoded(potentials, moves, lengths, start, stop, tagged=False)


def _decoded(potentials: Tensor, moves: Tensor, lengths: Tensor, *ends: Tensor, tagged: bool) -> tuple[Tensor, Tensor]:
    given = [cast(tensor, potentials.dtype).detach() for tensor in (moves, *ends)]
    scores, paths = apply(_viterbi, potentials.detach(), given[0], cast(lengths, int64), *given[1:], tagged=tagged)
    if lengths.size and not dispatcher.is_tracing():
        paths = paths[:, : max(int(lengths.max()), 1)]
    return scores, paths
