"""The enumerations of paddle.inference: element types, devices, precisions."""

from __future__ import annotations

import enum

from core.kernels.dtypes import BY_NAME, DType


class DataType(enum.Enum):
    """An element type; the values are Paddle's."""

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7


class PlaceType(enum.Enum):
    """A kind of device; the values are Paddle's."""

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


class PrecisionType(enum.Enum):
    """The type that a program computes in; the values are Paddle's."""

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


def data_type_of(dtype: DType) -> DataType:
    """Return the DataType of one of core's element types; bfloat16's arrays are float32."""
    return DataType["FLOAT32" if dtype.name == "bfloat16" else dtype.name.upper()]


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """Return how many bytes an element has.

    Args:
        dtype: an element type.

    Raises:
        TypeError: it is no DataType.
    """
    if not isinstance(dtype, DataType):
        raise TypeError(f"get_num_bytes_of_data_type: expected a DataType, got {type(dtype).__name__}")
    return BY_NAME[dtype.name.lower()].size
