"""Recurrent networks of several layers and directions: SimpleRNN, LSTM, GRU; cells and runners are re-exported."""

from __future__ import annotations

from typing import Optional

from core.nn.layer.rnn_base import RNNBase
from core.nn.layer.rnn_cell import GRUCell, LSTMCell, RNNCellBase, SimpleRNNCell
from core.nn.layer.rnn_run import RNN, BiRNN
from core.nn.param_attr import ParamAttrLike

__all__ = [
    "BiRNN",
    "GRU",
    "GRUCell",
    "LSTM",
    "LSTMCell",
    "RNN",
    "RNNCellBase",
    "SimpleRNN",
    "SimpleRNNCell",
]


class SimpleRNN(RNNBase):
    """Layers of simple recurrent cells, see :class:`SimpleRNNCell`.

    Args:
        input_size: Size of the input.
        hidden_size: Size of each state.
        num_layers: Number of layers on top of each other.
        direction: ``forward``, or ``bidirect`` (``bidirectional``).
        time_major: Whether inputs and outputs are (time, batch, ...) instead of (batch, time, ...).
        dropout: Probability of dropping the inputs of every layer but the first, in training mode.
        activation: ``tanh`` or ``relu``.
        weight_ih_attr: ParamAttr of the input weights.
        weight_hh_attr: ParamAttr of the recurrent weights.
        bias_ih_attr: ParamAttr of the input biases; False fixes them at 0.
        bias_hh_attr: ParamAttr of the recurrent biases; False fixes them at 0.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        del name
        super().__init__(
            "SimpleRNN",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
            activation,
        )


class LSTM(RNNBase):
    """Layers of long short-term memory, see :class:`LSTMCell`.

    Args:
        input_size: Size of the input.
        hidden_size: Size of each state.
        num_layers: Number of layers on top of each other.
        direction: ``forward``, or ``bidirect`` (``bidirectional``).
        time_major: Whether inputs and outputs are (time, batch, ...) instead of (batch, time, ...).
        dropout: Probability of dropping the inputs of every layer but the first, in training mode.
        weight_ih_attr: ParamAttr of the input weights.
        weight_hh_attr: ParamAttr of the recurrent weights.
        bias_ih_attr: ParamAttr of the input biases; False fixes them at 0.
        bias_hh_attr: ParamAttr of the recurrent biases; False fixes them at 0.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        del name
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
        )


class GRU(RNNBase):
    """Layers of gated recurrent units, see :class:`GRUCell`.

    Args:
        input_size: Size of the input.
        hidden_size: Size of each state.
        num_layers: Number of layers on top of each other.
        direction: ``forward``, or ``bidirect`` (``bidirectional``).
        time_major: Whether inputs and outputs are (time, batch, ...) instead of (batch, time, ...).
        dropout: Probability of dropping the inputs of every layer but the first, in training mode.
        weight_ih_attr: ParamAttr of the input weights.
        weight_hh_attr: ParamAttr of the recurrent weights.
        bias_ih_attr: ParamAttr of the input biases; False fixes them at 0.
        bias_hh_attr: ParamAttr of the recurrent biases; False fixes them at 0.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        del name
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
        )
