"""Names of Paddle's C++ library that Python code reads: places and element types."""

from __future__ import annotations

from collections.abc import Sequence

from core.device import is_compiled_with_cuda as is_compiled_with_cuda
from core.device import is_compiled_with_xpu as is_compiled_with_xpu
from core.kernels import dtypes
from core.kernels.place import CPUPlace as CPUPlace
from core.kernels.place import CUDAPinnedPlace as CUDAPinnedPlace
from core.kernels.place import CUDAPlace as CUDAPlace
from core.kernels.place import Place as Place
from core.operators.creation import random


class VarType:
    """The element types under their names in static programs."""

    BOOL = dtypes.bool_
    UINT8 = dtypes.uint8
    INT8 = dtypes.int8
    INT32 = dtypes.int32
    INT64 = dtypes.int64
    FP16 = dtypes.float16
    BF16 = dtypes.bfloat16
    FP32 = dtypes.float32
    FP64 = dtypes.float64


class VarDesc:
    """Holds :class:`VarType`."""

    VarType = VarType


class Generator:
    """The stream of random numbers, of which there is one."""

    @staticmethod
    def get_state() -> list[int]:
        """Return a state from which :meth:`set_state` repeats the numbers drawn after this call."""
        return random.get_rng_state()

    @staticmethod
    def set_state(state: Sequence[int]) -> None:
        """Continue from a state.

        Args:
            state: what :meth:`get_state` returned.
        """
        random.set_rng_state(state)

    @staticmethod
    def manual_seed(seed: int) -> None:
        """Begin the stream again.

        Args:
            seed: where.
        """
        random.seed(seed)


def default_cpu_generator() -> Generator:
    """Return the stream of random numbers."""
    return Generator()
