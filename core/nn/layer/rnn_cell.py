"""Recurrent cells: one step of a simple, LSTM or GRU network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dtypes import DTypeLike
from core.nn import functional as F
from core.nn.initializer import Constant, Uniform
from core.nn.layer.checks import one_of, positive
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttrLike
from core.operators.creation.creation import full
from core.operators.layers.recurrent import recurrent_step


class RNNCellBase(Layer):
    """Base of recurrent cells: they define ``forward(inputs, states) -> (outputs, new states)`` and ``state_shape``.

    Args:
        name_scope: Prefix of the layer's name; the class name in snake case when it is None.
        dtype: Element type of the parameters it creates.
    """

    @property
    def state_shape(self) -> Any:
        """The shape of one sample's state, a tuple of integers, or a tuple of such tuples."""
        raise NotImplementedError(f"{type(self).__name__} does not define state_shape")

    def get_initial_states(
        self,
        batch_ref: Any,
        shape: Any = None,
        dtype: DTypeLike = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Return states of one value for a batch.

        Args:
            batch_ref: A tensor (or nested tuple of tensors) whose size says how large the batch is.
            shape: Shape(s) of one sample's state; the cell's when it is None.
            dtype: Element type; that of ``batch_ref`` when it is None.
            init_value: The value.
            batch_dim_idx: The batch's axis in ``batch_ref``.

        Returns:
            Tensors of the structure of ``shape``.
        """
        reference = batch_ref
        while isinstance(reference, (list, tuple)):
            reference = reference[0]
        batch = reference.shape[batch_dim_idx]
        element_type = reference.dtype if dtype is None else dtype

        def make(shapes: Any) -> Any:
            if len(shapes) and isinstance(shapes[0], (list, tuple)):
                return tuple(make(item) for item in shapes)
            return full([batch, *shapes], init_value, element_type)

        return make(self.state_shape if shape is None else shape)


class GatedCell(RNNCellBase):
    """What the three standard cells share: weights, and a step split into projection and recurrence.

    Attributes:
        kind: What :func:`core.operators.layers.recurrent.recurrent_step` calls the cell.

    Args:
        gates: Number of gates.
        input_size: Size of the input.
        hidden_size: Size of the state.
        weight_ih_attr: ParamAttr of the input weight.
        weight_hh_attr: ParamAttr of the recurrent weight.
        bias_ih_attr: ParamAttr of the input bias; False fixes it at 0.
        bias_hh_attr: ParamAttr of the recurrent bias; False fixes it at 0.
    """

    kind: str

    def __init__(
        self,
        gates: int,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.input_size = positive(owner, "input_size", input_size)
        self.hidden_size = positive(owner, "hidden_size", hidden_size)
        bound = 1.0 / math.sqrt(hidden_size)
        rows = gates * hidden_size
        self.weight_ih = self._weight([rows, input_size], weight_ih_attr, bound, 1.0)
        self.weight_hh = self._weight([rows, hidden_size], weight_hh_attr, bound, 1.0)
        self.bias_ih = self._weight([rows], bias_ih_attr, bound, 0.0)
        self.bias_hh = self._weight([rows], bias_hh_attr, bound, 0.0)

    def _weight(self, shape: Sequence[int], attr: ParamAttrLike, bound: float, fixed: float) -> Any:
        is_bias = len(shape) == 1
        if attr is not False:
            return self.create_parameter(shape, attr, is_bias=is_bias, default_initializer=Uniform(-bound, bound))
        parameter = self.create_parameter(shape, Constant(fixed), is_bias=is_bias)
        parameter.stop_gradient = True
        return parameter

    @property
    def state_shape(self) -> Any:
        """The shape of one sample's state."""
        return (self.hidden_size,)

    def project(self, inputs: Any) -> Any:
        """Return what the inputs, of one step or of many, contribute to the gates.

        Args:
            inputs: (..., input_size).
        """
        return F.linear(inputs, self.weight_ih.transpose([1, 0]), self.bias_ih)

    def recur(self, projected: Any, states: Any, weight: Any) -> tuple[Any, Any]:
        """Return (outputs, new states) of one step.

        Args:
            projected: What :meth:`project` made of the step's inputs (batch, gates · hidden_size).
            states: The states before.
            weight: The transposed recurrent weight (hidden_size, gates · hidden_size).
        """
        before = states if isinstance(states, (list, tuple)) else (states,)
        after = recurrent_step(self.kind, projected, F.linear(before[0], weight, self.bias_hh), before)
        return after[0], after if len(after) > 1 else after[0]

    def forward(self, inputs: Any, states: Any = None) -> tuple[Any, Any]:
        """Return (outputs, new states) of one step.

        Args:
            inputs: (batch, input_size).
            states: The states before; zeros when it is None.

        Raises:
            ValueError: the inputs have another size than ``input_size``.
        """
        check_input_size(self, inputs)
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        return self.recur(self.project(inputs), states, self.weight_hh.transpose([1, 0]))

    def extra_repr(self) -> str:
        """Return sizes."""
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(GatedCell):
    """h' = act(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size: Size of the input.
        hidden_size: Size of the state.
        activation: ``tanh`` or ``relu``.
        weight_ih_attr: ParamAttr of weight_ih (hidden_size, input_size); Uniform(±1/sqrt(hidden_size)) by default.
        weight_hh_attr: ParamAttr of weight_hh (hidden_size, hidden_size).
        bias_ih_attr: ParamAttr of bias_ih (hidden_size,); False fixes it at 0.
        bias_hh_attr: ParamAttr of bias_hh (hidden_size,); False fixes it at 0.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        del name
        super().__init__(1, input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)
        self.activation = one_of("SimpleRNNCell", "activation", activation, ("tanh", "relu"))
        self.kind = self.activation

    def extra_repr(self) -> str:
        """Return sizes and the activation."""
        text = super().extra_repr()
        return text if self.activation == "tanh" else f"{text}, activation={self.activation}"


class LSTMCell(GatedCell):
    """Long short-term memory (Hochreiter and Schmidhuber 1997); the gates are in the order i, f, g, o.

    i, f, o = sigmoid(...), g = tanh(...), c' = f · c + i · g, h' = o · tanh(c'), each of W_ih x + b_ih + W_hh h + b_hh.

    Args:
        input_size: Size of the input.
        hidden_size: Size of the state.
        weight_ih_attr: ParamAttr of weight_ih (4 hidden_size, input_size); Uniform(±1/sqrt(hidden_size)) by default.
        weight_hh_attr: ParamAttr of weight_hh (4 hidden_size, hidden_size).
        bias_ih_attr: ParamAttr of bias_ih (4 hidden_size,); False fixes it at 0.
        bias_hh_attr: ParamAttr of bias_hh (4 hidden_size,); False fixes it at 0.
        name: Unused; for Paddle's signature.
    """

    kind = "lstm"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        del name
        super().__init__(4, input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)

    @property
    def state_shape(self) -> Any:
        """The shapes of one sample's h and c."""
        return ((self.hidden_size,), (self.hidden_size,))


class GRUCell(GatedCell):
    """Gated recurrent unit (Cho et al. 2014, arXiv:1406.1078); the gates are in the order r, z, c.

    r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh), c = tanh(W_ih x + b_ih + r · (W_hh h + b_hh)),
    h' = z · h + (1 - z) · c.

    Args:
        input_size: Size of the input.
        hidden_size: Size of the state.
        weight_ih_attr: ParamAttr of weight_ih (3 hidden_size, input_size); Uniform(±1/sqrt(hidden_size)) by default.
        weight_hh_attr: ParamAttr of weight_hh (3 hidden_size, hidden_size).
        bias_ih_attr: ParamAttr of bias_ih (3 hidden_size,); False fixes it at 0.
        bias_hh_attr: ParamAttr of bias_hh (3 hidden_size,); False fixes it at 0.
        name: Unused; for Paddle's signature.
    """

    kind = "gru"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike = None,
        weight_hh_attr: ParamAttrLike = None,
        bias_ih_attr: ParamAttrLike = None,
        bias_hh_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        del name
        super().__init__(3, input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr)


def check_input_size(cell: GatedCell, inputs: Any) -> None:
    """Refuse inputs of another size than a cell's.

    Args:
        cell: The cell.
        inputs: (..., input_size).

    Raises:
        ValueError: the size differs.
    """
    if inputs.shape[-1] != cell.input_size:
        raise ValueError(
            f"{type(cell).__name__}: input_size is {cell.input_size}, but the input has shape {list(inputs.shape)}"
        )
