"""Attention of recurrent decoders to what an encoder gave, and a cell that is fed with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.nn import Layer, LayerList, Linear
from core.nn import functional as F
from core.nn.layer.rnn import RNNCellBase
from core.operators import arange, concat, full_like, matmul, tanh, where, zeros, zeros_like
from core.operators import sum as total
from core.tensor import Tensor

_LOWEST = -3.0e38


class Attention(Layer):
    """Weighs an encoder's steps by their scores with a decoder's state.

    Papers: ``additive`` Bahdanau et al. 2015, arXiv:1409.0473; ``general`` and ``dot`` Luong et al. 2015,
    arXiv:1508.04025.

    Args:
        query_size: Length of the decoder's state.
        memory_size: Length of an encoder's step.
        kind: ``general`` (state W step), ``dot`` (state step) or ``additive`` (v tanh(W state + U step)).
        attention_size: Length of what additive attention compares; ``query_size`` when None.

    Raises:
        ValueError: the kind is unknown, or sizes differ for ``dot``.
    """

    def __init__(
        self, query_size: int, memory_size: int, kind: str = "general", attention_size: Optional[int] = None
    ) -> None:
        super().__init__()
        if kind not in ("general", "dot", "additive"):
            raise ValueError(f"Attention: kind is 'general', 'dot' or 'additive', not {kind!r}")
        if kind == "dot" and query_size != memory_size:
            raise ValueError(f"Attention: kind='dot' needs equal sizes, got {query_size} and {memory_size}")
        self.kind = kind
        size = query_size if kind == "general" else attention_size or query_size
        if kind != "dot":
            self.memory_proj = Linear(memory_size, size, bias_attr=False)
        if kind == "additive":
            self.query_proj = Linear(query_size, size)
            self.score_proj = Linear(size, 1, bias_attr=False)

    def keys(self, memory: Tensor) -> Tensor:
        """Return what states are compared with, (N, L, ...): it is the same at every step of a decoder.

        Args:
            memory: An encoder's steps, (N, L, memory_size).
        """
        return memory if self.kind == "dot" else self.memory_proj(memory)

    def forward(
        self, query: Tensor, memory: Tensor, lengths: Optional[Tensor] = None, keys: Optional[Tensor] = None
    ) -> tuple[Tensor, Tensor]:
        """Return the weighted sum of the memory (N, memory_size) and the weights (N, L), both 0 for an empty memory.

        Args:
            query: The decoder's state, (N, query_size).
            memory: As for :meth:`keys`.
            lengths: Steps of each memory, integers (N,), from 0 to L; all steps when None.
            keys: Result of :meth:`keys`; computed when None.

        Raises:
            OperatorError: the batches differ.
        """
        if query.ndim != 2 or memory.ndim != 3 or query.shape[0] != memory.shape[0]:
            raise OperatorError(f"Attention: query is (N, Q) and memory (N, L, M), got {query.shape}, {memory.shape}")
        keys = self.keys(memory) if keys is None else keys
        if self.kind == "additive":
            scores = self.score_proj(tanh(self.query_proj(query).unsqueeze(1) + keys)).squeeze(2)
        else:
            scores = matmul(keys, query.unsqueeze(2)).squeeze(2)
        if lengths is None:
            weights = F.softmax(scores, axis=-1)
        else:
            inside = arange(memory.shape[1], dtype=lengths.dtype).unsqueeze(0) < lengths.unsqueeze(1)
            weights = F.softmax(where(inside, scores, full_like(scores, _LOWEST)), axis=-1)
            weights = where(inside, weights, zeros_like(weights))
        return total(weights.unsqueeze(2) * memory, axis=1), weights


class InputFeedingCell(RNNCellBase):
    """Recurrent cells whose input is joined with what attention gave at the step before (Luong et al. 2015).

    The output of a step is tanh(W [attended, state]), W without a bias. The cell runs in :class:`core.nn.RNN`, or step
    by step in :func:`core.text.generate`.

    Args:
        cells: LSTMCell or GRUCell layers, from the input to the output; the first takes ``input + output_size``
            numbers.
        attention: Looks from the last cell's state.
        memory_size: Length of an encoder's step.
        output_size: Length of an output; the last cell's when None.
        dropout: Probability of dropping what each cell gives, in training.

    Raises:
        ValueError: there is no cell.
    """

    def __init__(
        self,
        cells: Sequence[Any],
        attention: Attention,
        memory_size: int,
        output_size: Optional[int] = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if not cells:
            raise ValueError("InputFeedingCell: cells are the recurrent cells, at least one")
        self.cells = LayerList(list(cells))
        self.attention = attention
        width = cells[-1].hidden_size
        self.output_size = output_size or width
        self.output_proj = Linear(memory_size + width, self.output_size, bias_attr=False)
        self.dropout = dropout

    def first_states(self, states: Sequence[Any], batch_size: int) -> tuple[list[Any], Tensor]:
        """Return states before the first step: those of the cells, say an encoder's last, and a feed of zeros.

        Args:
            states: One for each cell.
            batch_size: N.
        """
        return list(states), zeros([batch_size, self.output_size])

    def forward(
        self,
        inputs: Tensor,
        states: tuple[Sequence[Any], Tensor],
        memory: Tensor,
        lengths: Optional[Tensor] = None,
        keys: Optional[Tensor] = None,
    ) -> tuple[Tensor, tuple[list[Any], Tensor]]:
        """Return a step's output (N, output_size), and the new states.

        Args:
            inputs: (N, input).
            states: Result of :meth:`first_states`, or of the step before.
            memory, lengths, keys: As for :class:`Attention`.
        """
        before, feed = states
        after: list[Any] = []
        x = concat([inputs, feed], axis=1)
        for cell, state in zip(self.cells, before):
            x, new = cell(x, state)
            x = F.dropout(x, self.dropout, training=self.training) if self.dropout else x
            after.append(new)
        attended, _ = self.attention(x, memory, lengths, keys)
        output = tanh(self.output_proj(concat([attended, x], axis=1)))
        return output, (after, output)
