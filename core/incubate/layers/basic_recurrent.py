"""Fluid's recurrent layers that multiply inputs and states by one weight: basic_lstm and basic_gru.

Layers stand on top of each other in each direction by itself; both directions are joined at the end. Behind a
sequence's length states stay as they are.
"""

from __future__ import annotations

from typing import Any, Optional

from core.incubate.layers.dynamic_recurrent import all_lengths, first_state, joined_directions
from core.nn import Layer, LayerList
from core.nn import functional as F
from core.nn.param_attr import PresentAttrLike
from core.operators import concat, matmul, stack
from core.operators.sequences.recurrent import peephole_lstm, reset_first_gru
from core.tensor import Tensor


class _Basic(Layer):
    """What both kinds share: layers of units in one or two directions."""

    def __init__(self, num_layers: int, dropout_prob: float, bidirectional: bool, units: Any) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(f"{type(self).__name__}: num_layers counts layers, from 1 on, got {num_layers}")
        self.num_layers = num_layers
        self.dropout_prob = dropout_prob
        self.layers = LayerList([units(i) for i in range(num_layers)])
        if bidirectional:
            self.reverse_layers = LayerList([units(i) for i in range(num_layers)])
        self.bidirectional = bidirectional

    def _run(self, x: Tensor, lengths: Optional[Tensor], states: tuple[Optional[Tensor], ...]) -> list[Any]:
        """Return the outputs (N, L, directions * H), and the last states, (layers * directions, N, H) each."""
        steps, directions = all_lengths(lengths, x), 1 + self.bidirectional
        outputs: list[Any] = []
        last: list[Any] = [None] * (self.num_layers * directions)
        for direction in range(directions):
            y = x.transpose([1, 0, 2])
            for i, unit in enumerate(self.reverse_layers if direction else self.layers):
                place = i * directions + direction
                given = [first_state(None if s is None else s[place], x, unit.hidden_size) for s in states]
                y, last[place] = unit(y, steps, given, bool(direction))
                if self.dropout_prob:
                    y = F.dropout(y, self.dropout_prob, training=self.training, mode="downscale_in_infer")
            outputs.append(y.transpose([1, 0, 2]))
        return [joined_directions(outputs, 2), *[stack(list(column), axis=0) for column in zip(*last)]]


class BasicLSTM(_Basic):
    """Long short-term memory, Fluid's ``basic_lstm``.

    Parameters of each layer, in ``layers`` and ``reverse_layers``: ``weight`` (inputs + H, 4 H), in the order input,
    candidate, forget, output, and ``bias`` (4 H,).

    Args:
        input_size: Length of an input.
        hidden_size: H.
        num_layers: Layers of each direction.
        dropout_prob: Probability of dropping a layer's output, in training.
        bidirectional: Whether there are layers that run backwards.
        forget_bias: What is added to the forget gates.
        param_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the biases.

    Raises:
        ValueError: there is no layer.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        dropout_prob: float = 0.0,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
        param_attr: PresentAttrLike = None,
        bias_attr: PresentAttrLike = None,
    ) -> None:
        def unit(i: int) -> Layer:
            return _LSTMUnit(hidden_size if i else input_size, hidden_size, forget_bias, param_attr, bias_attr)

        super().__init__(num_layers, dropout_prob, bidirectional, unit)

    def forward(
        self,
        input: Tensor,  # noqa: A002  # Fluid's name
        lengths: Optional[Tensor] = None,
        init_hidden: Optional[Tensor] = None,
        init_cell: Optional[Tensor] = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return outputs (N, L, directions * H), and the last hidden states and memories (layers * directions, N, H).

        Args:
            input: (N, L, input_size).
            lengths: Steps of each sequence, integers (N,), from 0 to L; all steps when None.
            init_hidden, init_cell: States before the first step, (layers * directions, N, H); zeros when None.

        Raises:
            OperatorError: shapes do not fit each other, or a length is beyond the padding.
        """
        y, hidden, cell = self._run(input, lengths, (init_hidden, init_cell))
        return y, hidden, cell


class BasicGRU(_Basic):
    """Gated recurrent units that reset before they multiply, Fluid's ``basic_gru``.

    Parameters of each layer, in ``layers`` and ``reverse_layers``: ``gate_weight`` (inputs + H, 2 H), in the order
    reset, update, ``candidate_weight`` (inputs + H, H), ``gate_bias`` (2 H,) and ``candidate_bias`` (H,).

    Args:
        input_size: Length of an input.
        hidden_size: H.
        num_layers: Layers of each direction.
        dropout_prob: Probability of dropping a layer's output, in training.
        bidirectional: Whether there are layers that run backwards.
        param_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the biases.

    Raises:
        ValueError: there is no layer.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        dropout_prob: float = 0.0,
        bidirectional: bool = False,
        param_attr: PresentAttrLike = None,
        bias_attr: PresentAttrLike = None,
    ) -> None:
        def unit(i: int) -> Layer:
            return _GRUUnit(hidden_size if i else input_size, hidden_size, param_attr, bias_attr)

        super().__init__(num_layers, dropout_prob, bidirectional, unit)

    def forward(
        self,
        input: Tensor,  # noqa: A002  # Fluid's name
        lengths: Optional[Tensor] = None,
        init_hidden: Optional[Tensor] = None,
    ) -> tuple[Tensor, Tensor]:
        """Return outputs (N, L, directions * H), and the last hidden states (layers * directions, N, H).

        Args:
            input, lengths, init_hidden: As in :meth:`BasicLSTM.forward`.

        Raises:
            OperatorError: see there.
        """
        y, hidden = self._run(input, lengths, (init_hidden,))
        return y, hidden


class _LSTMUnit(Layer):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        forget_bias: float,
        param_attr: PresentAttrLike,
        bias_attr: PresentAttrLike,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.forget_bias = input_size, hidden_size, forget_bias
        self.weight = self.create_parameter([input_size + hidden_size, 4 * hidden_size], attr=param_attr)
        self.bias = self.create_parameter([4 * hidden_size], attr=bias_attr, is_bias=True)

    def forward(self, x: Tensor, lengths: Tensor, states: Any, reverse: bool) -> tuple[Tensor, Any]:
        size = self.hidden_size
        weight = _ordered(self.weight, size, (1, 0, 2, 3))
        entry, candidate, keep, exit_ = [self.bias[i * size : (i + 1) * size] for i in range(4)]
        y, _, last = peephole_lstm(
            matmul(x, weight[: self.input_size]),
            weight[self.input_size :],
            concat([candidate, entry, keep + self.forget_bias, exit_], axis=0),
            tuple(states),
            lengths,
            reverse=reverse,
            cell_clip=0.0,
            projection_clip=0.0,
            squashed=False,
            repeated=True,
        )
        return y, last


class _GRUUnit(Layer):
    def __init__(
        self, input_size: int, hidden_size: int, param_attr: PresentAttrLike, bias_attr: PresentAttrLike
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        rows = input_size + hidden_size
        self.gate_weight = self.create_parameter([rows, 2 * hidden_size], attr=param_attr)
        self.candidate_weight = self.create_parameter([rows, hidden_size], attr=param_attr)
        self.gate_bias = self.create_parameter([2 * hidden_size], attr=bias_attr, is_bias=True)
        self.candidate_bias = self.create_parameter([hidden_size], attr=bias_attr, is_bias=True)

    def forward(self, x: Tensor, lengths: Tensor, states: Any, reverse: bool) -> tuple[Tensor, Any]:
        size, count = self.hidden_size, self.input_size
        gates = _ordered(self.gate_weight, size, (1, 0))
        weight = concat([gates, self.candidate_weight], axis=1)
        y, last = reset_first_gru(
            matmul(x, weight[:count]),
            gates[count:],
            self.candidate_weight[count:],
            concat([self.gate_bias[size:], self.gate_bias[:size], self.candidate_bias], axis=0),
            states[0],
            lengths,
            reverse=reverse,
            origin=True,
            repeated=True,
        )
        return y, (last,)


def _ordered(weight: Tensor, size: int, order: tuple[int, ...]) -> Tensor:
    """Return a weight whose blocks of columns stand in another order."""
    return concat([weight[:, i * size : (i + 1) * size] for i in order], axis=1)
