"""Weights in 8 or 4 bits with a scale for each output, and products with them.

A weight of shape (inputs, outputs) is kept as int8 of shape (outputs, inputs); of 4-bit numbers, two outputs share a
byte: output 2 i is its lower half, 2 i + 1 its upper. Paddle's GPU kernels reorder the bytes for one generation of
processors; here they are in order, whatever ``arch`` says.
"""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dtypes import DType, DTypeLike, bfloat16, float16, float32, int8, to_dtype
from core.nn import functional as F
from core.operators import abs as absolute
from core.operators import cast, clip, floor, matmul, maximum, reshape, sign, stack, transpose, where, zeros_like
from core.operators import max as largest
from core.operators._arguments import need_tensor
from core.tensor import Tensor

ALGORITHMS = {"weight_only_int8": 127, "weight_only_int4": 7, "llm.int8": 127}
WEIGHTS = {"int8": "weight_only_int8", "int4": "weight_only_int4"}
_FLOATS = (float16, bfloat16, float32)


def weight_quantize(x: Tensor, algo: str = "weight_only_int8", arch: Optional[int] = None) -> tuple[Tensor, Tensor]:
    """Quantize the weight of a linear layer: each output is divided by its largest magnitude.

    Args:
        x: The weight, (inputs, outputs), float16, bfloat16 or float32.
        algo: ``weight_only_int8``, ``weight_only_int4`` (an even number of outputs) or ``llm.int8``.
        arch: Unused: the bytes are in order for every processor.

    Returns:
        The int8 numbers, (outputs, inputs) or (outputs / 2, inputs), and the scale of each output, of x's type.

    Raises:
        OperatorTypeError: the weight is of another type.
        OperatorError: it has another number of axes, or the algorithm is unknown.
    """
    most = _most("weight_quantize", algo)
    _need("weight_quantize", "x", need_tensor(x, "weight_quantize"), _FLOATS, 2)
    weight = cast(x, float32).detach()
    scale = _cut(largest(absolute(weight), axis=0) / most, x.dtype)
    divisor = cast(scale, float32)
    divided = weight / where(divisor == 0, 1.0, divisor)
    rounded = clip(sign(divided) * floor(absolute(divided) + 0.5), -most, most)
    numbers = transpose(rounded, [1, 0])
    if most == 7:
        numbers = _packed(numbers)
    return cast(numbers, int8), scale


def weight_dequantize(
    x: Tensor, scale: Tensor, algo: str = "weight_only_int8", out_dtype: DTypeLike = "float16"
) -> Tensor:
    """Return the weight that :func:`weight_quantize` has quantized, as near as it got.

    Args:
        x: The int8 numbers.
        scale: The scale of each output.
        algo: What they were quantized with.
        out_dtype: Element type of the result: float16, bfloat16 or float32.

    Returns:
        The weight, (inputs, outputs).

    Raises:
        OperatorTypeError: a type is another one.
        OperatorError: the shapes do not fit each other, or the algorithm is unknown.
    """
    element_type = to_dtype(out_dtype)
    if element_type not in _FLOATS:
        raise OperatorTypeError(f"weight_dequantize: out_dtype must be {_names(_FLOATS)}, not {element_type.name}")
    return cast(_weight("weight_dequantize", x, scale, algo), element_type)


def weight_only_linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    weight_scale: Optional[Tensor] = None,
    weight_dtype: str = "int8",
    arch: Optional[int] = None,
) -> Tensor:
    """Compute x · W + b with a quantized weight.

    Args:
        x: (..., inputs), float16, bfloat16 or float32.
        weight: The int8 numbers of :func:`weight_quantize`.
        bias: (outputs).
        weight_scale: The scale of each output.
        weight_dtype: ``int8`` or ``int4``.
        arch: Unused.

    Returns:
        (..., outputs), of x's type; gradients flow to x and the bias.

    Raises:
        OperatorTypeError: a type is another one.
        OperatorError: the shapes do not fit each other, there is no scale, or the ``weight_dtype`` is unknown.
    """
    caller = "weight_only_linear"
    if weight_dtype not in WEIGHTS:
        raise OperatorError(f"{caller}: weight_dtype must be {' or '.join(WEIGHTS)}, not {weight_dtype!r}")
    _need(caller, "x", need_tensor(x, caller), _FLOATS)
    return F.linear(x, cast(_weight(caller, weight, weight_scale, WEIGHTS[weight_dtype]), x.dtype), bias)


def llm_int8_linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    weight_scale: Optional[Tensor] = None,
    threshold: float = 6.0,
) -> Tensor:
    """Compute x · W + b in 8 bits, but for inputs with large values (LLM.int8(), Dettmers et al., arXiv 2208.07339).

    Each row of x is divided by its largest magnitude and rounded to 8 bits. An input in which any row has a magnitude
    above the threshold is multiplied in x's type instead.

    Args:
        x: (..., inputs), float16, bfloat16 or float32.
        weight: The int8 numbers of :func:`weight_quantize`, with ``llm.int8``.
        bias: (outputs).
        weight_scale: The scale of each output.
        threshold: From which magnitude on an input counts as large; 0 for none.

    Returns:
        (..., outputs), of x's type; no gradient flows to x.

    Raises:
        OperatorTypeError: a type is another one.
        OperatorError: the shapes do not fit each other, or there is no scale.
    """
    caller = "llm_int8_linear"
    _need(caller, "x", need_tensor(x, caller), _FLOATS)
    matrix = _weight(caller, weight, weight_scale, "llm.int8")
    rows = reshape(cast(x, float32).detach(), [-1, x.shape[-1]])
    magnitude = absolute(rows)
    is_large = (magnitude > threshold) if threshold > 0 else magnitude < 0
    large = where(largest(cast(is_large, float32), axis=0, keepdim=True) > 0, rows, zeros_like(rows))
    small = rows - large
    reach = largest(where(is_large, zeros_like(magnitude), magnitude), axis=1, keepdim=True)
    reach = maximum(reach, zeros_like(reach) + 1e-30)
    scaled = small / reach * 127
    rounded = sign(scaled) * floor(absolute(scaled) + 0.5)
    numbers = cast(transpose(weight, [1, 0]), float32)
    assert weight_scale is not None  # _weight has refused it
    product = matmul(rounded, numbers) * (reach / 127) * cast(weight_scale, float32) + matmul(large, matrix)
    out = cast(reshape(product, [*x.shape[:-1], matrix.shape[1]]), x.dtype)
    return out if bias is None else out + bias


def _weight(caller: str, numbers: Tensor, scale: Optional[Tensor], algo: str) -> Tensor:
    most = _most(caller, algo)
    _need(caller, "weight", need_tensor(numbers, caller), (int8,), 2)
    if scale is None:
        raise OperatorError(f"{caller}: weight_scale is missing: give what weight_quantize returned")
    _need(caller, "scale", need_tensor(scale, caller), _FLOATS, 1)
    values = cast(numbers, float32)
    if most == 7:
        values = _unpacked(values)
    if scale.shape[0] != values.shape[0]:
        raise OperatorError(f"{caller}: {scale.shape[0]} scales do not fit {values.shape[0]} outputs of the weight")
    return transpose(values, [1, 0]) * cast(scale, float32)


def _cut(values: Tensor, dtype: DType) -> Tensor:
    """Convert to fewer bits as Paddle's kernel does: towards zero."""
    nearest = cast(values, dtype)
    back = cast(nearest, float32)
    half_a_step = {float16: 2.0**-11, bfloat16: 2.0**-8}.get(dtype, 0.0)
    return where(back > values, cast(back * (1 - half_a_step), dtype), nearest)


def _packed(numbers: Tensor) -> Tensor:
    outputs, inputs = numbers.shape
    if outputs % 2:
        raise OperatorError(f"weight_quantize: weight_only_int4 needs an even number of outputs, not {outputs}")
    pairs = reshape(numbers, [outputs // 2, 2, inputs])
    upper, lower = pairs[:, 1], pairs[:, 0]
    return upper * 16 + where(lower < 0, lower + 16, lower)


def _unpacked(values: Tensor) -> Tensor:
    upper = floor(values / 16)
    lower = values - upper * 16
    lower = where(lower > 7, lower - 16, lower)
    return reshape(stack([lower, upper], axis=1), [2 * values.shape[0], values.shape[1]])


def _most(caller: str, algo: str) -> int:
    if algo not in ALGORITHMS:
        raise OperatorError(f"{caller}: algo must be one of {', '.join(ALGORITHMS)}, not {algo!r}")
    return ALGORITHMS[algo]


def _need(caller: str, name: str, tensor: Tensor, types: tuple[DType, ...], axes: Optional[int] = None) -> None:
    if tensor.dtype not in types:
        raise OperatorTypeError(f"{caller}: {name} must be {_names(types)}, not {tensor.dtype.name}")
    if tensor.ndim != axes if axes is not None else tensor.ndim == 0:
        raise OperatorError(f"{caller}: {name} must have {axes or 'at least 1'} axes, but its shape is {tensor.shape}")


def _names(types: tuple[DType, ...]) -> str:
    return ", ".join(element_type.name for element_type in types)
