"""Whole sequences of Fluid's recurrent cells as one operator each, and the same step by step in other operators.

Inputs are projected before; all are (T, B, ...), as in :mod:`core.operators.layers.recurrent`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32
from core.kernels.engine.custom_kernels import kernel
from core.kernels.sizes.dimension import agree
from core.operators.arithmetic.rounding import clip
from core.operators.creation.creation import arange, zeros_like
from core.operators.indexing.masking import where
from core.operators.layers.activation import relu
from core.operators.layers.activation_smooth import sigmoid, tanh
from core.operators.linear_algebra.linalg import matmul
from core.operators.shape.joining import split, stack, unbind
from core.operators.shape.manipulation import reshape
from core.tensor import Tensor, apply

States = tuple[Tensor, ...]
Step = Callable[[Tensor, States], States]


def _check_lstm(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernels would read other memory."""
    shapes = [tuple(shape) for shape, _ in metas]
    steps, batch = shapes[0][:2]
    (width, rows), size = shapes[1], shapes[4][-1]
    wanted: list[Any] = [(steps, batch, 4 * size), (width, 4 * size), (rows,), (batch, width), (batch, size), (batch,)]
    wanted += [(3, size)] * options["peeps"] + [(size, width)] * options["projects"]
    _compare(metas, wanted, width == size or options["projects"], "lstm", "(T, B, 4 H), (P, 4 H), (4 H,)")


def _check_gru(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    shapes = [tuple(shape) for shape, _ in metas]
    steps, batch, size = *shapes[0][:2], shapes[4][-1]
    wanted = [(steps, batch, 3 * size), (size, 2 * size), (size, size), (3 * size,), (batch, size), (batch,)]
    _compare(metas, wanted, True, "gru", "(T, B, 3 H), (H, 2 H), (H, H), (3 H,)")


def _compare(metas: Sequence[Meta], wanted: Sequence[Any], good: bool, name: str, axes: str) -> None:
    shapes = [tuple(shape) for shape, _ in metas]
    if not good or len(shapes) != len(wanted) or not all(map(agree, shapes, wanted)) or not shapes[0][0]:
        raise OperatorError(
            f"{name}: projected inputs, weights and biases are {axes}, then states (B, H) and lengths (B,), with at"
            f" least one step; got {', '.join(str(list(shape)) for shape in shapes)}"
        )


def _lstm_results(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    x, hidden, memory = metas[0][0], metas[3][0], metas[4][0]
    y, memories = (*x[:2], hidden[1]), (*x[:2], memory[1])
    shapes = [y, memories, hidden, memory, x] + [memories] * options["projects"]
    return [(shape, float32) for shape in shapes]


def _gru_results(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    x, hidden = metas[0][0], metas[4][0]
    return [(shape, float32) for shape in ((*x[:2], hidden[1]), hidden, x, (*x[:2], hidden[1]))]


def _lstm_gradients(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    weight, gates, others = metas[4], metas[10], metas[11 + options["projects"] :]
    return [gates, weight, (gates[0][2:], float32), metas[5], metas[6], *others]


def _gru_gradients(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[7], metas[2], metas[3], (metas[7][0][2:], float32), metas[4]]


_LSTM, _GRU = "layers.recurrent.peephole_lstm", "layers.recurrent.reset_first_gru"
_lstm = HostOperator(
    "peephole_lstm", kernel(_LSTM, "peephole_lstm"), check=_check_lstm, infer=_lstm_results, fills=True
)
_gru = HostOperator(
    "reset_first_gru", kernel(_GRU, "reset_first_gru"), check=_check_gru, infer=_gru_results, fills=True
)
peephole_lstm_gradients = HostOperator(
    "peephole_lstm_gradients",
    kernel(_LSTM, "peephole_lstm_gradients"),
    infer=_lstm_gradients,
    differentiable=False,
    fills=True,
)
reset_first_gru_gradients = HostOperator(
    "reset_first_gru_gradients",
    kernel(_GRU, "reset_first_gru_gradients"),
    infer=_gru_gradients,
    differentiable=False,
    fills=True,
)


def peephole_lstm(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    states: States,
    lengths: Tensor,
    peepholes: Optional[Tensor] = None,
    projection: Optional[Tensor] = None,
    **options: Any,
) -> tuple[Tensor, Tensor, States]:
    """Run an LSTM along sequences whose inputs are projected already (Gers and Schmidhuber 2000; Sak et al. 2014).

    Args:
        x: (T, B, 4 H), in the order candidate, input, forget, output.
        weight: Of the states, (P, 4 H), where P is H without a projection.
        bias: (4 H,).
        states: Hidden state (B, P) and memory (B, H) before the first step.
        lengths: Number of valid steps of each sample, int64 (B,).
        peepholes: What the input, forget and output gates see of the memory, (3, H).
        projection: Of the hidden state, (H, P).
        options: All of ``reverse``, ``cell_clip``, ``projection_clip``, ``squashed`` and ``repeated``, which
            :func:`core.kernels.layers.recurrent.peephole_lstm.peephole_lstm` explains.

    Returns:
        Hidden states (T, B, P), memories (T, B, H), and the last ones.

    Raises:
        OperatorError: shapes do not fit each other, or a length is beyond the padding.
    """
    others = [tensor for tensor in (peepholes, projection) if tensor is not None]
    given: list[Any] = [x, weight, bias, *states, lengths, *others]
    options = {"peeps": peepholes is not None, "projects": projection is not None, **options}
    if not _has_kernel(_lstm, given):
        return peephole_lstm_steps(*given, **options)
    y, memories, hidden, memory, *_ = apply(_lstm, *given, **options)
    return y, memories, (hidden, memory)


def reset_first_gru(
    x: Tensor, weight: Tensor, candidate_weight: Tensor, bias: Tensor, hidden: Tensor, lengths: Tensor, **options: Any
) -> tuple[Tensor, Tensor]:
    """Run gated recurrent units that reset before they multiply along projected inputs (Cho et al. 2014).

    Args:
        x: (T, B, 3 H), in the order update, reset, candidate.
        weight, candidate_weight: Of the states, (H, 2 H) and (H, H).
        bias: (3 H,).
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample, int64 (B,).
        options: All of ``reverse``, ``origin`` and ``repeated``, perhaps ``rectified``, which
            :func:`core.kernels.layers.recurrent.reset_first_gru.reset_first_gru` explains.

    Returns:
        Hidden states (T, B, H), and the last one.

    Raises:
        OperatorError: shapes do not fit each other, or a length is beyond the padding.
    """
    given = [x, weight, candidate_weight, bias, hidden, lengths]
    if not _has_kernel(_gru, given):
        return reset_first_gru_steps(*given, **options)
    y, last, *_ = apply(_gru, *given, **options)
    return y, last


def _has_kernel(operator: HostOperator, tensors: Sequence[Tensor]) -> bool:
    return operator.is_direct and all(not tensor.dtype.is_floating or tensor.dtype is float32 for tensor in tensors)


def peephole_lstm_steps(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    hidden: Tensor,
    memory: Tensor,
    lengths: Tensor,
    *others: Tensor,
    peeps: bool,
    projects: bool,
    reverse: bool,
    cell_clip: float,
    projection_clip: float,
    squashed: bool,
    repeated: bool,
) -> tuple[Tensor, Tensor, States]:
    """Compute :func:`peephole_lstm` step by step, in operators that can be differentiated any number of times."""
    peepholes: Any = unbind(others[0], axis=0) if peeps else (0.0, 0.0, 0.0)

    def step(projected: Tensor, states: States) -> States:
        before = states[1]
        candidate, entry, keep, exit_ = split(projected + bias + matmul(states[0], weight), 4, axis=-1)
        after = sigmoid(keep + before * peepholes[1]) * before
        after = after + sigmoid(entry + before * peepholes[0]) * tanh(candidate)
        after = clip(after, -cell_clip, cell_clip) if cell_clip else after
        new = sigmoid(exit_ + after * peepholes[2]) * tanh(after)
        if projects:
            new = matmul(new, others[-1])
            new = tanh(new) if squashed else new
            new = clip(new, -projection_clip, projection_clip) if projection_clip else new
        return new, after

    (y, memories), last = _run(step, x, (hidden, memory), lengths, reverse, repeated)
    return y, memories, last


def reset_first_gru_steps(
    x: Tensor,
    weight: Tensor,
    candidate_weight: Tensor,
    bias: Tensor,
    hidden: Tensor,
    lengths: Tensor,
    *,
    reverse: bool,
    origin: bool,
    repeated: bool,
    rectified: bool = False,
) -> tuple[Tensor, Tensor]:
    """Compute :func:`reset_first_gru` step by step, in operators that can be differentiated any number of times."""
    size, activation = hidden.shape[1], relu if rectified else tanh

    def step(projected: Tensor, states: States) -> States:
        given = projected + bias
        gates = sigmoid(given[:, : 2 * size] + matmul(states[0], weight))
        update, reset = split(gates, 2, axis=-1)
        candidate = activation(given[:, 2 * size :] + matmul(reset * states[0], candidate_weight))
        new = 1.0 - update if origin else update
        return (states[0] + new * (candidate - states[0]),)

    (y,), (last,) = _run(step, x, (hidden,), lengths, reverse, repeated)
    return y, last


def _run(
    step: Step, x: Tensor, states: States, lengths: Tensor, reverse: bool, repeated: bool
) -> tuple[States, States]:
    """Return all steps' states (T, B, ...), and the last ones."""
    parts = unbind(x, axis=0)
    found: list[Any] = [None] * len(parts)
    for t in reversed(range(len(parts))) if reverse else range(len(parts)):
        valid = reshape(arange(t, t + 1, dtype=lengths.dtype) < lengths, [-1, 1])
        new = step(parts[t], states)
        states = tuple([where(valid.expand_as(part), part, old) for part, old in zip(new, states)])
        kept = states if repeated else [where(valid.expand_as(part), part, zeros_like(part)) for part in states]
        found[t] = tuple(kept)
    return tuple([stack(list(column), axis=0) for column in zip(*found)]), states
