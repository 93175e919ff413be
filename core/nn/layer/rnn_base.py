"""What SimpleRNN, LSTM and GRU share: layers, directions, names of the weights, sequence lengths."""

from __future__ import annotations

from typing import Any

from core.nn import functional as F
from core.nn.layer.checks import one_of, positive
from core.nn.layer.container import LayerList
from core.nn.layer.rnn_cell import GRUCell, LSTMCell, SimpleRNNCell
from core.nn.layer.rnn_run import RNN, BiRNN, in_one_piece, run_cell, valid_steps, whole_sequence
from core.nn.param_attr import ParamAttrLike
from core.operators.shape.joining import concat, stack, unbind

_WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class RNNBase(LayerList):
    """What SimpleRNN, LSTM and GRU share.

    Every weight has two names, that of the whole (``weight_ih_l0_reverse``) and that of its cell
    (``0.cell_bw.weight_ih``); both name one tensor, and ``state_dict`` has both, as Paddle's has.

    Args:
        mode: ``SimpleRNN``, ``LSTM`` or ``GRU``.
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
        activation: ``tanh`` or ``relu``, of a SimpleRNN.
    """

    def __init__(
        self,
        mode: str,
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
        activation: str = "tanh",
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        one_of(owner, "direction", direction, ("forward", "bidirect", "bidirectional"))
        self.mode = mode
        self.input_size = positive(owner, "input_size", input_size)
        self.hidden_size = positive(owner, "hidden_size", hidden_size)
        self.num_layers = positive(owner, "num_layers", num_layers)
        self.num_directions = 1 if direction == "forward" else 2
        self.state_components = 2 if mode == "LSTM" else 1
        self.time_major = time_major
        if not 0 <= dropout <= 1:
            raise ValueError(f"{owner}: dropout must be a number between 0 and 1, but got {dropout!r}")
        self.dropout = dropout
        attributes: dict[str, Any] = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
        }

        def make_cell(size: int) -> Any:
            if mode == "SimpleRNN":
                return SimpleRNNCell(size, hidden_size, activation, **attributes)
            return (LSTMCell if mode == "LSTM" else GRUCell)(size, hidden_size, **attributes)

        for layer in range(num_layers):
            size = input_size if layer == 0 else hidden_size * self.num_directions
            if self.num_directions == 1:
                self.append(RNN(make_cell(size), False, time_major))
            else:
                self.append(BiRNN(make_cell(size), make_cell(size), time_major))
        for layer in range(num_layers):
            for cell, suffix in zip(self._cells(layer), ("", "_reverse")):
                for name in _WEIGHTS:
                    if attributes[f"{name}_attr"] is not False:
                        self.add_parameter(f"{name}_l{layer}{suffix}", getattr(cell, name))

    def _cells(self, layer: int) -> tuple[Any, ...]:
        run = self[layer]
        return (run.cell,) if self.num_directions == 1 else (run.cell_fw, run.cell_bw)

    def forward(self, inputs: Any, initial_states: Any = None, sequence_length: Any = None) -> tuple[Any, Any]:
        """Return (outputs of the last layer at all steps, last states of all layers).

        Args:
            inputs: (batch, time, input_size), or (time, batch, input_size) when time-major.
            initial_states: (layers · directions, batch, hidden_size), for an LSTM a pair of such; zeros when None.
            sequence_length: Number of valid steps of each sample (batch,); outputs beyond it are 0.

        Returns:
            Outputs (batch, time, directions · hidden_size) or time-major, and states shaped like ``initial_states``.

        Raises:
            ValueError: an input or initial state has a wrong shape.
        """
        owner = type(self).__name__
        if len(inputs.shape) != 3 or inputs.shape[-1] != self.input_size:
            raise ValueError(
                f"{owner}: inputs have the shape {'(time, batch' if self.time_major else '(batch, time'},"
                f" input_size={self.input_size}), but got {list(inputs.shape)}"
            )
        states = self._given_states(initial_states, inputs.shape[1 if self.time_major else 0])
        sequence = inputs if self.time_major else inputs.transpose([1, 0, 2])
        valid = None
        if sequence_length is not None:
            valid = valid_steps(sequence_length, sequence.shape[0]).astype(inputs.dtype)
        last: list[Any] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                sequence = F.dropout(sequence, self.dropout, training=self.training, mode="upscale_in_train")
            outputs = []
            for direction, cell in enumerate(self._cells(layer)):
                state = states[layer * self.num_directions + direction]
                output, state = self._run(cell, sequence, state, sequence_length, direction == 1)
                outputs.append(output)
                last.append(state)
            sequence = outputs[0] if len(outputs) == 1 else concat(outputs, axis=-1)
            if valid is not None:
                sequence = sequence * valid
        if not self.time_major:
            sequence = sequence.transpose([1, 0, 2])
        if self.state_components == 1:
            return sequence, _stacked(last)
        return sequence, (_stacked([state[0] for state in last]), _stacked([state[1] for state in last]))

    @staticmethod
    def _run(cell: Any, sequence: Any, state: Any, sequence_length: Any, is_reverse: bool) -> tuple[Any, Any]:
        """Return (outputs, last state) of one cell; the outputs beyond a sample's length are of no account."""
        if state is None:
            state = _first_state(cell, sequence)
        if in_one_piece(cell, sequence, state):
            return whole_sequence(cell, sequence, state, sequence_length, is_reverse)
        return run_cell(cell, sequence, state, sequence_length, True, is_reverse)

    def _given_states(self, initial_states: Any, batch: int) -> list[Any]:
        """Return one state per layer and direction, None where zeros are wanted."""
        count = self.num_layers * self.num_directions
        if initial_states is None:
            return [None] * count
        given = initial_states if isinstance(initial_states, (list, tuple)) else [initial_states]
        wanted = [count, batch, self.hidden_size]
        shapes = [list(state.shape) for state in given]
        if shapes != [wanted] * self.state_components:
            raise ValueError(
                f"{type(self).__name__}: initial_states need {self.state_components} tensor(s) of shape {wanted},"
                f" but have {shapes}"
            )
        parts = [unbind(state, axis=0) for state in given]
        return parts[0] if self.state_components == 1 else list(zip(*parts))

    def flatten_parameters(self) -> None:
        """Do nothing: there is no flat copy of the weights to keep up to date here."""

    def extra_repr(self) -> str:
        """Return sizes and the options that differ from their defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major:
            text += f", time_major={self.time_major}"
        if self.dropout:
            text += f", dropout={self.dropout}"
        return text


def _first_state(cell: Any, sequence: Any) -> Any:
    """Return zeros for a cell; an LSTM's two are one tensor, as nobody else sees them."""
    if cell.kind != "lstm":
        return cell.get_initial_states(sequence, cell.state_shape, batch_dim_idx=1)
    zeros = cell.get_initial_states(sequence, cell.state_shape[0], batch_dim_idx=1)
    return zeros, zeros


def _stacked(states: list[Any]) -> Any:
    """Return the states of all layers, with an axis for them in front."""
    return states[0].unsqueeze(0) if len(states) == 1 else stack(states, axis=0)
