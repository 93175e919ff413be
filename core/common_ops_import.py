"""What functions that serve eager and static mode import in Paddle (paddle.common_ops_import)."""

from __future__ import annotations

from typing import Any

from core.framework.mode import in_dynamic_mode
from core.kernels.dtypes import DTypeLike, to_dtype
from core.kernels.dtypes import to_dtype as convert_np_dtype_to_dtype_
from core.nn import ParamAttr as ParamAttr
from core.nn.layer_helper import LayerHelper as LayerHelper
from core.tensor import Tensor

Variable = Tensor

__all__ = [
    "LayerHelper", "ParamAttr", "Variable", "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype",
    "convert_np_dtype_to_dtype_",
]  # fmt: skip


def convert_dtype(dtype: DTypeLike) -> str:
    """Return the name of an element type.

    Args:
        dtype: a type or its name.

    Raises:
        TypeError: it is none.
    """
    return to_dtype(dtype).name


def check_type(input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = "") -> None:
    """Check an argument's Python type while a function is compiled; eager operators check by themselves.

    Args:
        input: the argument.
        input_name: its name.
        expected_type: a class or a tuple of classes.
        op_name: the name of the function.
        extra_message: put at the end of the error.

    Raises:
        TypeError: it is of none of them.
    """
    if not in_dynamic_mode() and not isinstance(input, expected_type):
        raise TypeError(
            f"{op_name}: {input_name} must be of {expected_type}, not {type(input).__name__}. {extra_message}".rstrip()
        )


def check_dtype(
    input_dtype: DTypeLike, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """Check an element type while a function is compiled; eager operators check by themselves.

    Args:
        input_dtype: the element type.
        input_name: the argument's name.
        expected_dtype: a type's name, or a list or tuple of names.
        op_name: the name of the function.
        extra_message: put at the end of the error.

    Raises:
        TypeError: it is none of them.
    """
    if in_dynamic_mode():
        return
    expected = [expected_dtype] if isinstance(expected_dtype, str) else list(expected_dtype)
    if convert_dtype(input_dtype) not in expected:
        raise TypeError(
            f"{op_name}: {input_name} must be of {', '.join(expected)}, not {convert_dtype(input_dtype)}."
            f" {extra_message}".rstrip()
        )


def check_variable_and_dtype(
    input: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = ""
) -> None:
    """Check that an argument is a tensor of some element type while a function is compiled.

    Args:
        input: the argument.
        input_name: its name.
        expected_dtype: a type's name, or a list or tuple of names.
        op_name: the name of the function.
        extra_message: put at the end of the error.

    Raises:
        TypeError: it is no tensor, or of another type.
    """
    check_type(input, input_name, Tensor, op_name, extra_message)
    if not in_dynamic_mode():
        check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)
