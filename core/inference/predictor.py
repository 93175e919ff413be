"""Predictor: an exported program behind named handles (paddle.inference.Predictor)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

import core
from core.device import is_compiled_with_cuda, set_device
from core.inference.config import Config
from core.inference.handle import Tensor
from core.inference.kinds import PrecisionType
from core.inference.mixed_precision import TYPES, computes_in, in_mixed_precision
from core.inference.program_files import folder_of
from core.jit.exported.file import is_quantized
from core.jit.exported.reader import read_program
from core.jit.running.predictor import Predictor as Compiled
from core.kernels.dtypes import DType
from core.kernels.engine import engine

logger = logging.getLogger("core.inference")


class Predictor:
    """Runs an exported program: fill the input handles, ``run()``, read the output handles.

    Threads each take a :meth:`clone`: clones share weights and compiled programs, and have handles of their own.
    ``run([tensors])`` uses no handles, so threads may share a predictor for that.

    Args:
        config: what to run and how; or what another Predictor has compiled.
    """

    def __init__(self, config: Any) -> None:
        self._compiled: Compiled = config if isinstance(config, Compiled) else _compiled(config)
        self._inputs = {entry.name: Tensor(entry.name, entry) for entry in self._compiled.inputs}
        self._found: dict[str, np.ndarray] = {}
        self._outputs = {name: Tensor(name, results=lambda: self._found) for name in self._compiled.output_names}

    def get_input_names(self) -> list[str]:
        """Return the inputs' names: those of the InputSpecs, or of ``forward``'s arguments."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Return the outputs' names: ``output``, or ``output.0``, ``output.1`` ... where there are several."""
        return list(self._outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """Return the place where an input is put.

        Args:
            name: one of :meth:`get_input_names`.

        Raises:
            ValueError: there is no such input.
        """
        return _named(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """Return the place where an output is read; it shows the last run's.

        Args:
            name: one of :meth:`get_output_names`.

        Raises:
            ValueError: there is no such output.
        """
        return _named(self._outputs, name, "output")

    def run(self, inputs: Optional[Sequence[core.Tensor]] = None) -> Optional[list[core.Tensor]]:
        """Compute.

        Args:
            inputs: a list of Tensors, in the order of :meth:`get_input_names`; None: what the input handles hold.

        Returns:
            The outputs as Tensors, in the order of :meth:`get_output_names`; None without ``inputs``: read the
            output handles.

        Raises:
            RuntimeError: an input handle holds nothing.
            TypeError: ``inputs`` are no list of Tensors, or an input is of another type than the program's: integers of
                another size are taken where they fit.
            ValueError: a shape does not fit.
        """
        if inputs is None:
            self._found = dict(zip(self._outputs, self._results([handle.array() for handle in self._inputs.values()])))
            return None
        if not isinstance(inputs, (list, tuple)) or not all(isinstance(item, core.Tensor) for item in inputs):
            raise TypeError("Predictor.run takes a list of Tensors, or nothing where the input handles are filled")
        results = self._results([tensor.as_float_numpy() for tensor in inputs])
        self._found = dict(zip(self._outputs, results))
        return [core.to_tensor(result) for result in results]

    def _results(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        declared = self._compiled.inputs
        if len(arrays) == len(declared):
            arrays = [_as_declared(array, entry.dtype) for array, entry in zip(arrays, declared)]
        return self._compiled.flat_results(arrays)

    def clone(self) -> Predictor:
        """Return a predictor with handles of its own and the same weights and compiled programs."""
        return Predictor(self._compiled)

    def clear_intermediate_tensor(self) -> None:
        """Free the memory between inputs and outputs: the next run compiles again."""
        self._compiled.forget_programs()

    def try_shrink_memory(self) -> int:
        """Free the memory between inputs and outputs and hand it back to the system: the next run compiles again.

        Returns:
            0: how much it was is not known.
        """
        self._compiled.forget_programs()
        engine.release_freed_memory()
        return 0


class PredictorPool:
    """Several predictors of one program that share its weights.

    Args:
        config: what to run and how.
        size: how many.

    Raises:
        ValueError: there would be none.
    """

    def __init__(self, config: Config, size: int = 1) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ValueError(f"PredictorPool: size must be an int from 1, not {size!r}")
        first = create_predictor(config)
        self._predictors = [first, *[first.clone() for _ in range(size - 1)]]

    def retrive(self, idx: int) -> Predictor:
        """Return one of them; Paddle spells it so.

        Args:
            idx: its number, from 0.

        Raises:
            ValueError: there are not so many.
        """
        if not 0 <= idx < len(self._predictors):
            raise ValueError(f"PredictorPool has the predictors 0 to {len(self._predictors) - 1}, not {idx}")
        return self._predictors[idx]


def create_predictor(config: Config) -> Predictor:
    """Load the program that a Config names.

    Args:
        config: what to run and how; later changes of it change nothing.

    Raises:
        TypeError: it is no Config.
        ValueError: it names no program, two different ones, or a damaged one.
        FileNotFoundError: there is no exported program.
        NotImplementedError: the program is one that Paddle wrote.
    """
    if not isinstance(config, Config):
        raise TypeError(f"create_predictor takes a Config, not {type(config).__name__}")
    return Predictor(config)


def _compiled(config: Config) -> Compiled:
    folder = folder_of(config.model_dir(), config.prog_file(), config.params_file())
    program = read_program(folder)
    if config.mkldnn_int8_enabled() and not is_quantized(program):
        raise ValueError(
            f"Config.enable_mkldnn_int8: {folder} is no program in 8 bits: export it in 8 bits"
            " (export.py RUN --int8, or core.quantization.post_training.PostTraining), which then computes so by itself"
        )
    if config.use_gpu():
        if is_compiled_with_cuda():
            set_device(f"gpu:{config.gpu_device_id()}")
        else:
            logger.warning("enable_use_gpu: the installed engine has no CUDA; the predictor runs on the CPU")
    precision = config.precision()
    if precision is not PrecisionType.Float32:
        if computes_in(precision):
            program = in_mixed_precision(program, precision, config.black_list(), config.white_list())
        else:
            where = engine.device_text()
            logger.warning("%s does not compute in %s; the predictor uses float32", where, TYPES[precision])
    return Compiled(program, config.mkldnn_cache_capacity(), fuse=None if config.ir_optim() else False)


def _as_declared(array: np.ndarray, dtype: DType) -> np.ndarray:
    """Return integers as the program's type of integers where they fit, as Paddle takes them; the rest as it is."""
    if array.dtype.kind in "iu" and dtype.kind in "iu" and array.dtype != dtype.numpy and array.size:
        limits = np.iinfo(dtype.numpy)
        if limits.min <= array.min() and array.max() <= limits.max:
            return array.astype(dtype.numpy)
    return array


def _named(handles: dict[str, Tensor], name: str, what: str) -> Tensor:
    if name not in handles:
        raise ValueError(f"there is no {what} {name!r}; the {what}s are {', '.join(handles)}")
    return handles[name]
