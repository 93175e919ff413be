"""Running a recurrent cell along a sequence: RNN and BiRNN."""

from __future__ import annotations

from typing import Any, Callable

from core import operators
from core.nn.layer.layers import Layer
from core.nn.layer.rnn_cell import GRUCell, LSTMCell, SimpleRNNCell, check_input_size
from core.operators.creation.creation import arange
from core.operators.layers.recurrent import has_kernel, recurrent_sequence
from core.operators.shape.joining import concat, stack, unbind
from core.tensor import Tensor

_SPLIT_CELLS = (SimpleRNNCell, LSTMCell, GRUCell)


class RNN(Layer):
    """Runs a cell along sequences.

    Args:
        cell: An RNNCellBase, or any layer with ``forward(inputs, states)`` and ``get_initial_states``.
        is_reverse: Whether it starts at the end of the sequences.
        time_major: Whether inputs and outputs are (time, batch, ...) instead of (batch, time, ...).
    """

    def __init__(self, cell: Any, is_reverse: bool = False, time_major: bool = False) -> None:
        super().__init__()
        self.cell = cell
        self.is_reverse = is_reverse
        self.time_major = time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None, **kwargs: Any
    ) -> tuple[Any, Any]:
        """Return (outputs of all steps, last states).

        Args:
            inputs: (batch, time, size), or (time, batch, size) when time-major.
            initial_states: The states before the first step; zeros when it is None.
            sequence_length: Number of valid steps of each sample (batch,); the states stay as they are beyond it.
            **kwargs: Passed on to the cell.
        """
        return run_cell(self.cell, inputs, initial_states, sequence_length, self.time_major, self.is_reverse, **kwargs)


class BiRNN(Layer):
    """Runs one cell forwards and one backwards along sequences and joins their outputs.

    Args:
        cell_fw: The cell that runs forwards.
        cell_bw: The cell that runs backwards.
        time_major: Whether inputs and outputs are (time, batch, ...) instead of (batch, time, ...).
    """

    def __init__(self, cell_fw: Any, cell_bw: Any, time_major: bool = False) -> None:
        super().__init__()
        sizes = [getattr(cell, "input_size", None) for cell in (cell_fw, cell_bw)]
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(f"BiRNN: both cells need one input_size, but they have {sizes[0]} and {sizes[1]}")
        self.cell_fw = cell_fw
        self.cell_bw = cell_bw
        self.time_major = time_major

    def forward(
        self, inputs: Any, initial_states: Any = None, sequence_length: Any = None, **kwargs: Any
    ) -> tuple[Any, tuple[Any, Any]]:
        """Return (joined outputs of all steps, (last states forwards, last states backwards)).

        Args:
            inputs: (batch, time, size), or (time, batch, size) when time-major.
            initial_states: (states forwards, states backwards); zeros when it is None.
            sequence_length: Number of valid steps of each sample (batch,).
            **kwargs: Passed on to the cells.

        Raises:
            ValueError: ``initial_states`` is no pair.
        """
        if initial_states is None:
            initial_states = (None, None)
        if not isinstance(initial_states, (list, tuple)) or len(initial_states) != 2:
            raise ValueError("BiRNN: initial_states is a pair (states forwards, states backwards)")
        forwards, last_forwards = run_cell(
            self.cell_fw, inputs, initial_states[0], sequence_length, self.time_major, False, **kwargs
        )
        backwards, last_backwards = run_cell(
            self.cell_bw, inputs, initial_states[1], sequence_length, self.time_major, True, **kwargs
        )
        return concat([forwards, backwards], axis=-1), (last_forwards, last_backwards)


def run_cell(
    cell: Any,
    inputs: Any,
    initial_states: Any,
    sequence_length: Any,
    time_major: bool,
    is_reverse: bool,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Return (outputs of all steps, last states) of a cell run along sequences.

    Args:
        cell: The cell.
        inputs: (batch, time, size), or (time, batch, size) when time-major.
        initial_states: The states before the first step; zeros when it is None.
        sequence_length: Number of valid steps of each sample (batch,), or None.
        time_major: The layout.
        is_reverse: Whether the last step comes first.
        **kwargs: Passed on to the cell.

    Raises:
        ValueError: the inputs have fewer than three axes or no steps.
    """
    if len(inputs.shape) < 3:
        raise ValueError(
            f"RNN: inputs have the axes (batch, time, size), or (time, batch, size) when time-major, but their shape is"
            f" {list(inputs.shape)}"
        )
    states = initial_states
    if states is None:
        states = cell.get_initial_states(inputs, cell.state_shape, batch_dim_idx=1 if time_major else 0)
    if not time_major:
        inputs = inputs.transpose([1, 0, *range(2, len(inputs.shape))])
    if sequence_length is None and not kwargs and in_one_piece(cell, inputs, states):
        joined, states = whole_sequence(cell, inputs, states, None, is_reverse)
        return joined if time_major else joined.transpose([1, 0, 2]), states
    steps = inputs.shape[0]
    if steps == 0:
        raise ValueError("RNN: the sequences have no steps")
    parts, step = _step_function(cell, inputs, kwargs)
    masks = None if sequence_length is None else unbind(valid_steps(sequence_length, steps), axis=0)
    outputs: list[Any] = [None] * steps
    for time in reversed(range(steps)) if is_reverse else range(steps):
        outputs[time], new_states = step(parts[time], states)
        states = new_states if masks is None else _choose(masks[time], new_states, states)
    return _join(outputs, 0 if time_major else 1), states


def in_one_piece(cell: Any, inputs: Any, states: Any) -> bool:
    """Return whether :func:`whole_sequence` can run a cell on inputs (time, batch, size) and states."""
    given = states if isinstance(states, (list, tuple)) else (states,)
    return (
        _is_standard(cell)
        and len(inputs.shape) == 3
        and inputs.shape[0] != 0
        and len(given) == (2 if cell.kind == "lstm" else 1)
        and all(isinstance(state, Tensor) for state in given)
        and has_kernel(inputs, *_weights(cell), *given)
    )


def whole_sequence(cell: Any, inputs: Any, states: Any, sequence_length: Any, is_reverse: bool) -> tuple[Any, Any]:
    """Return (outputs of all steps, last states) of a standard cell, computed by one operator.

    Args:
        cell: The cell.
        inputs: (time, batch, size).
        states: The states before the first step.
        sequence_length: Number of valid steps of each sample (batch,), or None; beyond it the outputs repeat the last
            valid one, or, in reverse, the initial state.
        is_reverse: Whether the last step comes first.
    """
    check_input_size(cell, inputs)
    given = states if isinstance(states, (list, tuple)) else (states,)
    outputs, last = recurrent_sequence(cell.kind, inputs, _weights(cell), given, sequence_length, is_reverse)
    return outputs, last if len(last) > 1 else last[0]


def _is_standard(cell: Any) -> bool:
    return type(cell) in _SPLIT_CELLS and not (cell._forward_pre_hooks or cell._forward_post_hooks)


def _weights(cell: Any) -> tuple[Any, ...]:
    return cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh


def _step_function(cell: Any, inputs: Any, kwargs: Any) -> tuple[list[Any], Callable[[Any, Any], tuple[Any, Any]]]:
    """Return the inputs cut into steps and what to call for each; a standard cell projects all steps at once."""
    if _is_standard(cell) and not kwargs:
        check_input_size(cell, inputs)
        weight = cell.weight_hh.transpose([1, 0])
        return unbind(cell.project(inputs), axis=0), lambda part, states: cell.recur(part, states, weight)
    return unbind(inputs, axis=0), lambda part, states: cell(part, states, **kwargs)


def valid_steps(sequence_length: Any, steps: int) -> Any:
    """Return a bool tensor (steps, batch, 1): whether a step lies within each sample's length.

    Args:
        sequence_length: Integer tensor (batch,).
        steps: Number of steps.
    """
    times = arange(steps, dtype=sequence_length.dtype).reshape([steps, 1])
    return operators.less_than(times, sequence_length.reshape([1, -1])).unsqueeze(-1)


def _choose(mask: Any, new: Any, old: Any) -> Any:
    """Return new states where the mask is set and old ones elsewhere, through any nesting."""
    if isinstance(new, (list, tuple)):
        return type(new)(_choose(mask, *pair) for pair in zip(new, old))
    return operators.where(mask.reshape([mask.shape[0], *[1] * (len(new.shape) - 1)]).expand(new.shape), new, old)


def _join(outputs: list[Any], axis: int) -> Any:
    """Stack the steps' outputs along a new axis, through any nesting."""
    if isinstance(outputs[0], (list, tuple)):
        return type(outputs[0])(_join(list(column), axis) for column in zip(*outputs))
    return stack(outputs, axis=axis)
