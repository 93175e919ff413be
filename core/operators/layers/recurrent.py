"""Whole sequences of standard recurrent cells as one operator, and the same step by step in other operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32, int64
from core.kernels.engine.custom_kernels import kernel
from core.operators.creation.creation import arange, cast
from core.operators.indexing.masking import where
from core.operators.layers.activation import relu
from core.operators.layers.activation_smooth import sigmoid, tanh
from core.operators.linear_algebra._affine import affine_map
from core.operators.linear_algebra.linalg import swap_last
from core.operators.shape.joining import split, stack, unbind
from core.operators.shape.manipulation import reshape
from core.tensor import Tensor, apply

# A sequence's inputs are x (T, B, inputs), weight_ih, weight_hh, bias_ih, bias_hh, the states (B, H), and last, where
# they are given, the lengths (B,). Its outputs are y (T, B, H), the last states, and what the backward kernel reads.


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    """Refuse shapes that do not fit: the kernels would read other memory."""
    x, weight_ih, weight_hh, bias_ih, bias_hh, *others = [shape for shape, _ in metas]
    (rows, size), lengths = weight_hh, [shape for shape, dtype in metas[5:] if dtype is int64]
    states = others[: len(others) - len(lengths)]
    wanted: list[Any] = [(*x[:2], weight_ih[-1]), (rows, x[-1]), (rows,), (rows,)]
    wanted += [(x[1], size)] * len(states) + [(x[1],)] * len(lengths)
    if [x, weight_ih, bias_ih, bias_hh, *others] != wanted or not x[0]:
        raise OperatorError(
            "recurrent network: inputs (time, batch, size), weights, biases, states (batch, hidden) and lengths do not"
            f" fit each other: {', '.join(str(list(shape)) for shape, _ in metas)}"
        )


def _results(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (steps, batch, _), size, rows = metas[0][0], metas[2][0][1], metas[2][0][0]
    y, state, gates = (steps, batch, size), (batch, size), (steps, batch, rows)
    shapes: Any = {1: (y, state), 3: (y, state, gates, y), 4: (y, state, state, y, gates)}[rows // size]
    return [(shape, float32) for shape in shapes]


_MODULE = "layers.recurrent.sequences"
_lstm = HostOperator("lstm", kernel(_MODULE, "lstm"), check=_check, infer=_results, fills=True)
_gru = HostOperator("gru", kernel(_MODULE, "gru"), check=_check, infer=_results, fills=True)
_lstm.first_opaque, _gru.first_opaque = 3, 2  # what only the backward pass reads
_simple = HostOperator("simple_rnn", kernel(_MODULE, "simple"), check=_check, infer=_results, fills=True)


def _gradients(name: str, *places: int) -> HostOperator:
    """Return the backward kernel whose results are shaped like its inputs at these places."""
    return HostOperator(
        f"{name}_gradients",
        kernel("layers.recurrent.gradients", f"{name}_gradients"),
        infer=lambda metas, options: [
            metas[place] if place >= 0 else ((metas[-place][0][0],), float32) for place in places
        ],
        differentiable=False,
        fills=True,
    )


lstm_gradients = _gradients("lstm", 3, 4, 5, -5, 6, 7)
gru_gradients = _gradients("gru", 2, 3, 4, -4, -4, 5)
simple_gradients = _gradients("simple", 2, 3, 4, -4, 5)


def has_kernel(*tensors: Tensor) -> bool:
    """Return whether sequences of these inputs, weights and states are computed by one operator."""
    return _lstm.is_direct and all(tensor.dtype is float32 for tensor in tensors)


def recurrent_sequence(
    kind: str,
    x: Tensor,
    weights: Sequence[Tensor],
    states: Sequence[Tensor],
    lengths: Optional[Tensor] = None,
    reverse: bool = False,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Run a standard recurrent cell along sequences of float32 on the CPU, see :func:`has_kernel`.

    Args:
        kind: ``lstm``, ``gru``, ``tanh`` or ``relu`` (a simple network with that activation).
        x: Inputs (T, B, inputs), T at least 1.
        weights: weight_ih, weight_hh, bias_ih, bias_hh, of the gates in Paddle's order.
        states: Hidden state (B, H), and memory of an LSTM, before the first step.
        lengths: Number of valid steps of each sample (B,); the states stay as they are in the others.
        reverse: Whether the last step comes first.

    Returns:
        (hidden states of all steps (T, B, H), last states).
    """
    given = [x, *weights, *states]
    if lengths is not None:
        given.append(cast(lengths, int64))
    if kind == "lstm":
        y, hidden, memory, _, _ = apply(_lstm, *given, reverse=reverse)
        return y, (hidden, memory)
    if kind == "gru":
        y, hidden, _, _ = apply(_gru, *given, reverse=reverse)
    else:
        y, hidden = apply(_simple, *given, reverse=reverse, activation=kind)
    return y, (hidden,)


def recurrent_steps(
    kind: str,
    x: Tensor,
    weights: Sequence[Tensor],
    states: Sequence[Tensor],
    lengths: Optional[Tensor] = None,
    reverse: bool = False,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Compute :func:`recurrent_sequence` step by step, in operators that can be differentiated any number of times."""
    weight_ih, weight_hh, bias_ih, bias_hh = weights
    projected = unbind(affine_map(x, swap_last(weight_ih), bias_ih), axis=0)
    weight = swap_last(weight_hh)
    current = tuple(states)
    outputs: list[Any] = [None] * len(projected)
    for t in reversed(range(len(projected))) if reverse else range(len(projected)):
        new = recurrent_step(kind, projected[t], affine_map(current[0], weight, bias_hh), current)
        if lengths is not None:
            valid = reshape(arange(t, t + 1, dtype=lengths.dtype) < lengths, [-1, 1])
            new = tuple([where(valid.expand_as(part), part, old) for part, old in zip(new, current)])
        current = new
        outputs[t] = current[0]
    return stack(outputs, axis=0), current


def recurrent_step(kind: str, projected: Tensor, recurrent: Tensor, states: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the new states of one step.

    Args:
        kind: ``lstm``, ``gru``, ``tanh`` or ``relu``.
        projected: weight_ih x + bias_ih, (B, G · H).
        recurrent: weight_hh h + bias_hh, (B, G · H).
        states: The states before, (B, H) each.
    """
    if kind == "lstm":
        entry, keep, candidate, exit_ = split(projected + recurrent, 4, axis=-1)
        memory = sigmoid(keep) * states[1] + sigmoid(entry) * tanh(candidate)
        return sigmoid(exit_) * tanh(memory), memory
    if kind == "gru":
        size = states[0].shape[-1]
        gates = sigmoid(projected[:, : 2 * size] + recurrent[:, : 2 * size])
        reset, update = split(gates, 2, axis=-1)
        candidate = tanh(projected[:, 2 * size :] + reset * recurrent[:, 2 * size :])
        return ((states[0] - candidate) * update + candidate,)
    return ((tanh if kind == "tanh" else relu)(projected + recurrent),)
