"""The casts of mixed precision: what the dispatcher asks before each operator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from core.amp.table import KERNELS
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import REGISTRY, Operator
from core.kernels.dtypes import DType, bfloat16, float16, float32
from core.operators.creation.creation import cast
from core.tensor import Tensor

_AS_GIVEN = ("cast", "half_cast")


class Casts:
    """Chooses the type that an operator computes in, and casts what it is given to that.

    An operator of the white list computes in 16 bits. Another one of the table does where everything that it is given
    is 16-bit already (``promote``), or always; and everything else computes in float32.

    Args:
        dtype: The 16-bit type.
        white: Operators that 16-bit inputs are made for.
        black: Operators that compute in float32.
        only_white: Whether all that is not in the white list computes in float32.
        promote: Whether a float32 input makes an operator that is in neither list compute in float32.

    Attributes:
        signature: Equal where two of them cast alike: part of what identifies a compiled program.
    """

    def __init__(
        self, dtype: DType, white: Collection[str], black: Collection[str], only_white: bool, promote: bool
    ) -> None:
        self.dtype = dtype
        self.white = frozenset(white)
        self.black = frozenset(black)
        self.only_white = only_white
        self.promote = promote
        self.signature = (dtype.name, self.white, self.black, only_white, promote)
        self._made: dict[tuple[int, DType], tuple[Value, Any, int, Value]] = {}

    def __call__(
        self, operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]
    ) -> Sequence[Value]:
        """Return the inputs, cast."""
        name = operator.name
        if name in _AS_GIVEN or REGISTRY.get(name) is not operator:  # a program in a program has types of its own
            return inputs
        kernel = KERNELS.get(name)
        if kernel is not None and name not in self.black and not (self.only_white and name not in self.white):
            if kernel.fits([value.meta for value in inputs], attributes):
                count = len(inputs) if kernel.inputs is None else kernel.inputs
                types = [value.meta[1] for value in inputs[:count] if value.meta[1].is_floating]
                if name in self.white or not self.promote:
                    if all(dtype in (float32, self.dtype) for dtype in types):
                        grouped = name == "convolution" and attributes["groups"] > 1
                        return [
                            *[self.cast(v, self.dtype, grouped and i == 1) for i, v in enumerate(inputs[:count])],
                            *inputs[count:],
                        ]
                elif types and all(dtype is self.dtype for dtype in types):
                    return inputs
        return [self.cast(value, float32) for value in inputs]

    def cast(self, value: Value, dtype: DType, grouped: bool = False) -> Value:
        """Return a value in float32 or the 16-bit type; a parameter is cast once, and in a trace everything is.

        Args:
            value: What to cast.
            dtype: What to.
            grouped: It is the weight of a convolution of several groups: inference in float32 leaves it in memory of
                five axes, which the engine casts only after another operator has put it in order.
        """
        given = value.meta[1]
        if given is dtype or given not in (float32, float16, bfloat16):
            return value
        trace = dispatcher.state.trace
        recorded = dispatcher.state.gradients and value.requires_grad
        if trace is None and (value.owner is None or value.node is not None):
            return _cast(value, dtype, grouped)
        key = (id(value), dtype)
        known = self._made.get(key)
        if known is not None:
            _, found_in, written, made = known
            fresh = written == dispatcher.written() or trace is not None
            used_up = made.node is not None and made.node.inputs is None
            if found_in is trace and fresh and not used_up and made.requires_grad == recorded:
                return made
        made = _cast(value, dtype, grouped)
        self._made[key] = (value, trace, dispatcher.written(), made)
        return made

    def forget(self) -> None:
        """Let go of the parameters that were cast."""
        self._made.clear()


def _cast(value: Value, dtype: DType, grouped: bool) -> Value:
    x = Tensor(value)
    return cast(x * 1.0 if grouped else x, dtype)._value
