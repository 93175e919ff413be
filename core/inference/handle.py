"""Tensor: the place where a predictor's input is put, or its output read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np

import core
from core.inference.kinds import DataType, data_type_of
from core.jit.exported.program import ProgramInput
from core.kernels.dtypes import dtype_of_numpy

_ELEMENTS = {kind.name.lower() for kind in DataType}


class Tensor:
    """One input or output of a predictor; made by ``get_input_handle`` and ``get_output_handle``.

    An output's handle shows the results of the last run, whenever it was asked for.

    Args:
        name: what it is called.
        declared: for an input: what the program says of it.
        results: for an output: returns the last results by name.
    """

    def __init__(
        self,
        name: str,
        declared: Optional[ProgramInput] = None,
        results: Optional[Callable[[], dict[str, np.ndarray]]] = None,
    ) -> None:
        self.name = name
        self._declared = declared
        self._results = results
        self._shape: Optional[list[int]] = None
        self._given: Any = None

    def reshape(self, shape: Union[int, Sequence[int]]) -> None:
        """Say which shape the next data will have; ``copy_from_cpu`` says it too.

        Args:
            shape: the sizes, or the only one.

        Raises:
            ValueError: a size is no int from 0.
            RuntimeError: it is an output.
        """
        self._need_input("reshape")
        sizes = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
        if any(isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 0 for size in sizes):
            raise ValueError(f"reshape of {self.name!r}: sizes are ints from 0, not {shape!r}")
        self._shape, self._given = [int(size) for size in sizes], None

    def copy_from_cpu(self, data: np.ndarray) -> None:
        """Put a copy of an array into an input; its shape is the input's from now on.

        Args:
            data: numbers of the input's type.

        Raises:
            TypeError: it is no array, or of a type that no program takes.
            RuntimeError: it is an output.
        """
        self._need_input("copy_from_cpu")
        if not isinstance(data, np.ndarray):
            raise TypeError(f"copy_from_cpu of {self.name!r} takes a numpy array, not {type(data).__name__}")
        if data.dtype.name not in _ELEMENTS:
            raise TypeError(f"copy_from_cpu of {self.name!r} does not take elements of type {data.dtype}")
        self._shape, self._given = list(data.shape), data.copy()

    def share_external_data(self, data: core.Tensor) -> None:
        """Let an input read a tensor at each run, so that later changes of the tensor count.

        Args:
            data: a Tensor of the input's type.

        Raises:
            TypeError: it is no Tensor.
            RuntimeError: it is an output.
        """
        self._need_input("share_external_data")
        if not isinstance(data, core.Tensor):
            raise TypeError(f"share_external_data of {self.name!r} takes a Tensor, not {type(data).__name__}")
        self._shape, self._given = list(data.shape), data

    def copy_to_cpu(self) -> np.ndarray:
        """Return a copy of what is in it.

        Raises:
            RuntimeError: nothing is.
        """
        return self.array().copy()

    def array(self) -> np.ndarray:
        """Return what is in it, not copied.

        Raises:
            RuntimeError: nothing is.
        """
        if self._results is not None:
            found = self._results()
            if self.name not in found:
                raise RuntimeError(f"the output {self.name!r} has no data yet: call run() first")
            return found[self.name]
        if self._given is None:
            raise RuntimeError(f"the input {self.name!r} has no data: call copy_from_cpu(array) on its handle first")
        return self._given.as_float_numpy() if isinstance(self._given, core.Tensor) else self._given

    def shape(self) -> list[int]:
        """Return its sizes; before there is data, an input's as the program says, -1 where any will do."""
        if self._results is not None:
            found = self._results().get(self.name)
            return [] if found is None else list(found.shape)
        assert self._declared is not None
        return list(self._shape or [-1 if size is None else size for size in self._declared.shape])

    def type(self) -> DataType:
        """Return its element type; FLOAT32 for an output before the first run, as in Paddle."""
        if self._results is not None:
            found = self._results().get(self.name)
            return DataType.FLOAT32 if found is None else data_type_of(dtype_of_numpy(found))
        assert self._declared is not None
        if isinstance(self._given, np.ndarray):
            return data_type_of(dtype_of_numpy(self._given))
        return data_type_of(self._declared.dtype if self._given is None else self._given.dtype)

    def lod(self) -> list[list[int]]:
        """Return []: there are no sequences of several lengths in one tensor."""
        return []

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Accept [] alone.

        Args:
            lod: where sequences begin.

        Raises:
            NotImplementedError: it is not empty.
        """
        if lod:
            raise NotImplementedError(f"set_lod of {self.name!r}: tensors hold no sequences; pad them, with a mask")

    def _need_input(self, what: str) -> None:
        if self._results is not None:
            raise RuntimeError(f"{what} of {self.name!r}: it is an output, which run() fills")
