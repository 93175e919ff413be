"""16-bit types where the engine has no sound kernel: computed in float32 by the dispatcher, for all operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DType, float32
from core.operators.creation.creation import cast
from core.tensor import Tensor


def in_float32(operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
    """Run an operator on float32 copies of its 16-bit inputs, and round what it gives in float32 to their type.

    Args:
        operator: What to run.
        inputs: Its inputs, some of them 16-bit.
        attributes: Its attributes; the type among them is upcast too.

    Returns:
        Its outputs, of the types that they have for 16-bit inputs.
    """
    half = next(value.meta[1] for value in inputs if value.meta[1].size == 2)
    with dispatcher.precision_mode(None):
        wide = [_converted(value, float32) if value.meta[1].size == 2 else value for value in inputs]
        options = {key: float32 if value is half else value for key, value in attributes.items()}
        results = dispatcher.invoke(operator, wide, options)
        if operator.infer is not None:
            types = [dtype for _, dtype in operator.infer([value.meta for value in inputs], attributes)]
        else:
            types = [half if value.meta[1] is float32 else value.meta[1] for value in results]
        return [_converted(value, dtype) for value, dtype in zip(results, types)]


def _converted(value: Value, dtype: DType) -> Value:
    return cast(Tensor(value), dtype)._value


dispatcher.in_float32 = in_float32
