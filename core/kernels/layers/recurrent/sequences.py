"""Whole sequences of LSTM, GRU and simple recurrent cells in one call, float32 on the CPU.

Inputs are projected many steps at a time, in one product. What is left of a step are products with the state, whose
sums become states while they are in the cache (:mod:`core.kernels.layers.recurrent.forward`). Threads share out the
samples, so that no step waits for a thread; where these are few, or the weight is too large to be read by each, the
units. Steps behind a sample's length are not computed. What is right is defined by
:mod:`core.kernels.layers.recurrent.reference`.

Shapes: x (T, B, inputs), y and memory (T, B, H), gates (T, B, G · H), weights (G · H, inputs) and (G · H, H). Of
memories, gates and recurrent candidates the first rows are used, one for each valid step.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import number_of_threads
from core.kernels.layers.recurrent.cells import GRU, LSTM, RELU, TANH
from core.kernels.layers.recurrent.forward import counters_of, forward_steps
from core.kernels.layers.recurrent.rows import Rows
from core.kernels.numeric.products import biased_product, panels, panels_of
from core.kernels.numeric.tiles import COLUMNS

_NOTHING = np.empty((0, 0), np.float32)
_FEWEST_SAMPLES = 4
"""Samples of one thread: with fewer, reading the weights takes longer than using them."""
_WORTH_CUTTING = 2**18
"""Bytes of a weight: of a larger one a single sample's steps read the rows as they are, rather than panels cut anew."""
_LARGEST_SHARED = 2**24
"""Bytes of a weight that each thread may read; of a larger one each reads a part."""
_TOGETHER = 512
"""Rows of inputs that are projected at a time."""


def lstm(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Run long short-term memory; writes hidden states of all steps, last states, memories and gates of all steps.

    Args:
        x: Inputs.
        weight_ih, weight_hh, bias_ih, bias_hh: Of the gates in the order i, f, g, o.
        hidden, memory: (B, H) before the first step.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
        out: (y, last hidden state, last memory, memories, gates); the last two stay as they are where they are no
            sequences, because nothing is learned.
    """
    y, last_hidden, last_memory, memories, gates = out
    rows = Rows(len(x), x.shape[1], lengths, reverse)
    kept = _kept(gates, memories)
    cells = rows.sorted(memory)
    _forward(LSTM, rows, x, weight_ih, weight_hh, bias_ih + bias_hh, hidden, cells, y, last_hidden, kept)
    rows.put(cells, last_memory)


def gru(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Run gated recurrent units; writes hidden states of all steps, the last one, gates, and what r is multiplied with.

    Args:
        x: Inputs.
        weight_ih, weight_hh, bias_ih, bias_hh: Of the gates in the order r, z, c.
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
        out: (y, last state, gates, recurrent candidates (T, B, H)); the last two as of :func:`lstm`.
    """
    y, last_hidden, gates, candidates = out
    rows = Rows(len(x), x.shape[1], lengths, reverse)
    bias, of_candidates = bias_ih.copy(), bias_hh[2 * hidden.shape[1] :]
    bias[: 2 * hidden.shape[1]] += bias_hh[: 2 * hidden.shape[1]]
    kept = _kept(gates, candidates)
    _forward(GRU, rows, x, weight_ih, weight_hh, bias, hidden, _NOTHING, y, last_hidden, kept, of_candidates)


def simple(
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias_ih: np.ndarray,
    bias_hh: np.ndarray,
    hidden: np.ndarray,
    lengths: Optional[np.ndarray] = None,
    *,
    reverse: bool,
    activation: str,
    out: tuple[np.ndarray, ...],
) -> None:
    """Run a simple recurrent network; writes its states of all steps and the last one.

    Args:
        x: Inputs.
        weight_ih, weight_hh, bias_ih, bias_hh: Its weights.
        hidden: (B, H) before the first step.
        lengths: Number of valid steps of each sample; the states stay as they are in the others.
        reverse: Whether the last step comes first.
        activation: ``tanh`` or ``relu``.
        out: (y, last state).
    """
    y, last_hidden = out
    rows = Rows(len(x), x.shape[1], lengths, reverse)
    kind = RELU if activation == "relu" else TANH
    _forward(kind, rows, x, weight_ih, weight_hh, bias_ih + bias_hh, hidden, _NOTHING, y, last_hidden, None)


def _kept(gates: np.ndarray, others: np.ndarray) -> Optional[tuple[np.ndarray, np.ndarray]]:
    """Return the rows of what the backward pass reads, None where there is no room for it."""
    return (gates.reshape(-1, gates.shape[-1]), others.reshape(-1, others.shape[-1])) if gates.ndim == 3 else None


def _forward(
    kind: int,
    rows: Rows,
    x: np.ndarray,
    weight_ih: np.ndarray,
    weight_hh: np.ndarray,
    bias: np.ndarray,
    hidden: np.ndarray,
    memory: np.ndarray,
    y: np.ndarray,
    last_hidden: np.ndarray,
    kept: Optional[tuple[np.ndarray, np.ndarray]],
    of_candidates: np.ndarray = np.empty(0, np.float32),  # noqa: B008  # nothing, and never written
) -> None:
    """Write all states and the last ones; ``memory``, in the order of the rows, is renewed."""
    steps, size, wide = len(y), hidden.shape[1], weight_hh.shape[0]
    inputs, result = rows.of(x), rows.room(y)
    first = rows.sorted(hidden)
    states = np.stack([first, first])
    groups, parts = shares_of(x.shape[1], weight_hh)
    counters = counters_of(steps, groups, parts)
    cut = panels(weight_ih.T)
    of_gates, whole = weight_hh.reshape(-1, size, size), x.shape[1] == 1 and weight_hh.nbytes > _WORTH_CUTTING
    recurrent = of_gates[..., None] if whole else panels_of(of_gates.transpose(0, 2, 1))
    gates, others = kept if kept is not None else (_NOTHING, _NOTHING)
    together = max(1, _TOGETHER // max(x.shape[1], 1))
    for low in range(0, steps, together):
        high = min(low + together, steps)
        begin, end = (steps - high, steps - low) if rows.reverse else (low, high)
        base, last = int(rows.bounds[begin]), int(rows.bounds[end])
        projected = np.empty((last - base, wide), np.float32) if kept is None else gates[base:last]
        biased_product(inputs[base:last], cut, bias, projected)
        given = (kind, low, high, rows.bounds, rows.reverse, recurrent, of_candidates, projected, base)
        forward_steps(*given, states, memory, result, others, others, kept is not None, counters, groups, parts)
    last_states = rows.last(result, first)
    rows.put(last_states, last_hidden)
    rows.spread(result, first if rows.reverse else last_states, y)


def shares_of(batch: int, weight: np.ndarray) -> tuple[int, int]:
    """Return among how many groups of threads samples are shared out, and each group's units."""
    workers = number_of_threads()
    groups = 1 if weight.nbytes > _LARGEST_SHARED else max(1, min(workers, batch // _FEWEST_SAMPLES))
    return groups, max(1, min(workers // groups, -(-weight.shape[1] // COLUMNS)))


def multiply(left: np.ndarray, right: np.ndarray, result: np.ndarray) -> None:
    """Write the product of two matrices."""
    biased_product(left, panels(right), np.zeros(result.shape[1], np.float32), result)


def groups_of(x: np.ndarray) -> int:
    """Return among how many threads to share the batch out."""
    return max(1, min(number_of_threads(), x.shape[1] // _FEWEST_SAMPLES))
