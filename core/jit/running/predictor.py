"""Predictor: an exported folder as a function of numpy arrays, for many threads."""

from __future__ import annotations

import dataclasses
import threading
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from core.jit import forms
from core.jit.exported.interpreter import replay
from core.jit.exported.memory import check_memory, is_light
from core.jit.exported.paths import PathLike
from core.jit.exported.program import ExportedProgram, ProgramInput, ProgramWeight, has_control_flow
from core.jit.exported.reader import read_program
from core.jit.passes.fusion import optimized
from core.jit.running.engine_program import EngineProgram
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY, HostOperator
from core.kernels.dtypes import bfloat16
from core.kernels.engine import custom, engine, forked
from core.kernels.engine.engine import Array, MXNetError

MAXIMUM_PROGRAMS = 8


class Predictor:
    """Computes the results of an exported program; may be called from many threads at once.

    Loading runs no code from the folder. For each combination of input sizes the engine gets a program of its own; the
    least recently used ones beyond ``programs`` are dropped, so memory is bounded. The sizes of ``warm_up`` are ready
    when the constructor returns; others are compiled on their first call.

    Args:
        path: What :func:`core.jit.save` wrote.
        programs: How many combinations of sizes to keep compiled.
        warm_up: Input shapes to compile now: one shape per input, for each combination. None: the program's sizes where
            they are all known, else the smallest at which the export was checked; nothing where that takes long, or
            more memory than the program may make out of nothing.
        fuse: Fold batch normalisation and constants, and let the engine fuse neighbouring operators. None: do it,
            except where it gave other results when the program was exported.

    Raises:
        FileNotFoundError: it is no exported folder.
        ValueError: a file in it is damaged or of a newer version, or the sizes to warm up do not fit.

    Example:
        >>> predictor = core.jit.Predictor("exported/resnet18")
        >>> scores = predictor.run(images)  # float32, shape (N, 3, 224, 224)
    """

    def __init__(
        self,
        path: Union[PathLike, ExportedProgram],
        programs: int = MAXIMUM_PROGRAMS,
        warm_up: Optional[Sequence[Sequence[Sequence[int]]]] = None,
        fuse: Optional[bool] = None,
    ) -> None:
        if isinstance(programs, bool) or not isinstance(programs, int) or programs < 1:
            raise ValueError(f"programs must be an int from 1, not {programs!r}")
        source = path if isinstance(path, ExportedProgram) else read_program(path)
        self._where = source.name if isinstance(path, ExportedProgram) else str(path)
        self._specs = source.inputs
        self._result = source.result
        self.class_names = source.class_names
        self.preprocessing = source.preprocessing
        self._maximum = programs
        self._fuse = source.fuse if fuse is None else fuse
        try:
            program = optimized(source) if self._fuse else source
        except (ArithmeticError, KeyError, LookupError, MXNetError, TypeError, ValueError) as error:
            raise ValueError(f"{self._where}: an operation on weights alone fails: {_one_line(error)}") from None
        source = self._declared = _without_arrays(source)
        weights = dict(program.weights)
        program = self._program = _without_arrays(program)
        self._weights: dict[str, Array] = {}
        engine.release_freed_memory()  # of the file's weights, before those of the program are there twice
        for name in list(weights):  # one by one, so that few are
            self._weights[name] = _in_the_engine(weights.pop(name))
        engine.release_freed_memory()
        self._engine_programs: OrderedDict[tuple[tuple[int, ...], ...], EngineProgram] = OrderedDict()
        self._lock = forked.survives(threading.Lock())
        self._building = forked.survives(threading.Lock())
        if warm_up is None:
            warm_up = source.examples[:1] if source.cost is None or is_light(source) else []
        self._warm_up(warm_up)

    @property
    def inputs(self) -> list[ProgramInput]:
        """Name, type and shape of each input; None in a shape where any size will do."""
        return list(self._specs)

    @property
    def input_names(self) -> list[str]:
        """The inputs' names, in the order of their positions."""
        return [entry.name for entry in self._specs]

    @property
    def output_names(self) -> list[str]:
        """A name for each array of the results: ``output``, or ``output.0`` and ``output.key`` inside a structure."""
        return forms.tensor_names(self._result, "output")

    @property
    def number_of_programs(self) -> int:
        """How many combinations of sizes are compiled now."""
        return len(self._engine_programs)

    def run(self, inputs: Any) -> Any:
        """Compute the results for some inputs.

        Args:
            inputs: One array; a list or tuple of arrays by position; or a dict of arrays by name. Types and shapes must
                be those of :attr:`inputs`; Python numbers and nested lists take the type that is wanted.

        Returns:
            What the exported model returned, with numpy arrays for tensors (float32 for bfloat16).

        Raises:
            TypeError: an input is missing, unknown or of another type.
            ValueError: a shape does not fit, the program does not hold for these sizes, or an operation refuses the
                numbers.
        """
        return forms.filled(self._result, self.flat_results(inputs))

    __call__ = run

    def flat_results(self, inputs: Any) -> list[np.ndarray]:
        """Compute the results as :meth:`run` does, and return them as one list in the order of :attr:`output_names`.

        Args:
            inputs: As for :meth:`run`.

        Raises:
            TypeError, ValueError: As :meth:`run`.
        """
        arrays = self._checked(inputs)
        program = self._engine_program(tuple([array.shape for array in arrays]))
        try:
            return program(arrays)
        except MXNetError as error:
            raise ValueError(f"{self._where}: {_reason(str(error))}") from None

    def forget_programs(self) -> None:
        """Drop what was compiled, and its memory; the next call of each combination of sizes compiles again."""
        with self._lock:
            self._engine_programs.clear()

    def _engine_program(self, shapes: tuple[tuple[int, ...], ...]) -> EngineProgram:
        found = self._known(shapes)
        if found is None:
            with self._building:  # one at a time; calls of known sizes go on meanwhile
                found = self._known(shapes)
                if found is None:
                    found = self._compiled(shapes)
                    with self._lock:
                        self._engine_programs[shapes] = found
                        while len(self._engine_programs) > self._maximum:
                            self._engine_programs.popitem(last=False)
        return found

    def _known(self, shapes: tuple[tuple[int, ...], ...]) -> Optional[EngineProgram]:
        with self._lock:
            found = self._engine_programs.get(shapes)
            if found is not None:
                self._engine_programs.move_to_end(shapes)
            return found

    def _compiled(self, shapes: Sequence[tuple[int, ...]]) -> EngineProgram:
        known = self._declared.cost
        try:
            if known is not None and list(shapes) != known.shapes:
                check_memory(self._declared, shapes, known)
            return EngineProgram(self._program, self._weights, shapes, self._fuse)
        except (ArithmeticError, LookupError, MXNetError, TypeError, ValueError) as error:
            given = ", ".join(f"{entry.name} {list(shape)}" for entry, shape in zip(self._specs, shapes))
            kind = OperatorError if isinstance(error, OperatorError) else ValueError
            raise kind(f"{self._where}: the program does not run for {given}: {_one_line(error)}") from None

    def _warm_up(self, combinations: Sequence[Sequence[Sequence[int]]]) -> None:
        for shapes in combinations:
            zeros = [np.zeros(tuple(shape), entry.dtype.numpy) for shape, entry in zip(shapes, self._specs)]
            program = self._engine_program(tuple([a.shape for a in self._checked(zeros)]))
            if not self._takes_zeros(zeros):
                continue
            try:
                program(zeros)
            except MXNetError as error:
                given = ", ".join(f"{entry.name} {list(zero.shape)}" for entry, zero in zip(self._specs, zeros))
                raise ValueError(
                    f"{self._where}: the program does not run for {given}: {_reason(str(error))}"
                ) from None

    def _takes_zeros(self, zeros: Sequence[np.ndarray]) -> bool:
        """Return whether zeros are sure to pass: a loop need not end on them, nor a matrix have an inverse."""
        nodes = self._program.nodes
        if has_control_flow(self._program):
            return False
        if any(isinstance(REGISTRY[node.operator], HostOperator) for node in nodes):
            arrays = {e.name: engine.from_numpy(zero, e.dtype) for e, zero in zip(self._specs, zeros)}
            values = {name: dispatcher.constant(array) for name, array in {**arrays, **self._weights}.items()}
            try:
                with dispatcher.gradient_mode(False), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    replay(self._program, values, outputs_alone=True)
            except Exception:  # whatever it is, a call that meets it will say it
                return False
        return True

    def _checked(self, inputs: Any) -> list[np.ndarray]:
        """Return the inputs as arrays in order, each of the type and a shape that the program takes."""
        if isinstance(inputs, Mapping):
            unknown = [name for name in inputs if name not in self.input_names]
            missing = [name for name in self.input_names if name not in inputs]
            if unknown or missing:
                problem = f"there is no input {unknown[0]!r}" if unknown else f"the input {missing[0]!r} is missing"
                raise TypeError(f"{problem}; the inputs are {', '.join(self.input_names)}")
            given = [inputs[name] for name in self.input_names]
        else:
            given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            if len(given) != len(self._specs):
                raise TypeError(
                    f"{len(given)} inputs given, but the program has {len(self._specs)}: {', '.join(self.input_names)}"
                )
        return [_checked_input(item, entry) for item, entry in zip(given, self._specs)]


def _in_the_engine(weight: ProgramWeight) -> Array:
    return engine.from_numpy(weight.array, weight.dtype)


def _without_arrays(program: ExportedProgram) -> ExportedProgram:
    """Return a program whose weights have shapes and types, but no memory."""
    shells = {
        name: dataclasses.replace(weight, array=np.broadcast_to(weight.array.dtype.type(0), weight.array.shape))
        for name, weight in program.weights.items()
    }
    return dataclasses.replace(program, weights=shells)


def _checked_input(item: Any, entry: ProgramInput) -> np.ndarray:
    wanted = entry.dtype
    shape = f"[{', '.join('any' if size is None else str(size) for size in entry.shape)}]"
    if not isinstance(item, np.ndarray):
        if hasattr(item, "_value"):
            raise TypeError(f"input {entry.name!r} is a Tensor: a Predictor takes numpy arrays, give tensor.numpy()")
        array = np.asarray(item)
        if array.dtype.kind in "biuf" and (array.dtype.kind == "f") <= (wanted.kind == "f"):
            array = array.astype(np.float32 if wanted is bfloat16 else wanted.numpy)
    else:
        array = item
    accepted = (np.dtype(np.float32), wanted.numpy) if wanted is bfloat16 else (wanted.numpy,)
    if array.dtype not in accepted:
        raise TypeError(
            f"input {entry.name!r} must be {wanted.name}{shape}, not {array.dtype}{list(array.shape)}: convert it with"
            f" .astype({accepted[0].name!r})"
        )
    fits = array.ndim == len(entry.shape) and all(size in (None, n) for size, n in zip(entry.shape, array.shape))
    if not fits:
        raise ValueError(f"input {entry.name!r} must have shape {shape}, not {list(array.shape)}")
    if 0 in array.shape and None in entry.shape:
        raise ValueError(f"input {entry.name!r} of shape {list(array.shape)} is empty: sizes start at 1")
    return array


def _reason(message: str) -> str:
    """Return what a custom operator said, where the engine only knows that it raised, or else the engine's reason."""
    if "kCustomOpForward" in message and custom.failures:
        return _one_line(custom.failures.pop())
    return engine.first_line(message)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__} {text}" if isinstance(error, LookupError) else text
