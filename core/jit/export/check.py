"""Is an exported folder the live model? It is read back, run, and compared at several sizes before it gets its name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from core.jit import forms
from core.jit.export.differences import difference, in_steps, within
from core.jit.exported.file import PROGRAM_FILE, is_quantized
from core.jit.exported.interpreter import replay
from core.jit.exported.program import ExportedProgram, has_control_flow
from core.jit.exported.reader import read_program
from core.jit.exported.rounding import (
    ROUNDING,
    TOLERANCE,
    Rounding,
    chosen_results,
    given_to_choices,
    in_float64,
)
from core.jit.input_spec import InputSpec
from core.jit.passes.fusion import optimized
from core.jit.passes.passes import is_random
from core.jit.running.engine_program import EngineProgram
from core.kernels.dispatch import dispatcher
from core.kernels.dtypes import DType, bfloat16, float32, float64
from core.kernels.engine import engine
from core.kernels.engine.engine import MXNetError
from core.operators.creation.random import get_rng_state, set_rng_state
from core.tensor import Tensor

SMALL_BATCHES = (1, 3)
_IN_16_BITS = {**ROUNDING, "float32": ROUNDING["bfloat16"]}
_SEED = 20


@dataclasses.dataclass
class Example:
    """One call of the live model.

    Attributes:
        inputs: The input arrays, flattened.
        form: How the results are nested.
        outputs: The result arrays, flattened; bfloat16 as float32.
        again: Repeats it in float64; gives None where the model cannot be run so.
    """

    inputs: list[np.ndarray]
    form: Any
    outputs: list[np.ndarray]
    again: Callable[[], Optional[list[np.ndarray]]] = lambda: None


def live_examples(
    function: Callable[..., Any],
    arguments: Sequence[tuple[str, Any]],
    arrays: Mapping[str, np.ndarray],
    program: ExportedProgram,
    layers: Sequence[Any] = (),
) -> list[Example]:
    """Run the live model at the examples' sizes: small ones first, then those that the program was traced with.

    Args:
        function: The model, in evaluation mode.
        arguments: A name and an argument each, with an InputSpec for each tensor.
        arrays: Values for inputs of which an example was given; the others get random ones.
        program: What was made of it.
        layers: The Layers whose parameters and buffers it uses.

    Returns:
        One example, or two where sizes are unknown; those sizes that the model itself refuses are left out.

    Raises:
        ValueError: the model refuses all of them.
    """
    taken = [forms.form_of(item, lambda part: isinstance(part, InputSpec), "an argument") for _, item in arguments]
    specs = [spec for _, found in taken for spec in found]
    open_sizes = any(-1 in spec.shape for spec in specs)
    problems: list[ValueError] = []
    for numbers in (_numbers, _fractions, _definite, _ones):
        for batches in (SMALL_BATCHES, (None, None))[: 1 + open_sizes]:
            examples: list[Example] = []
            for hypothesis in range(1 + open_sizes):
                shapes = [_shape(spec, hypothesis, batches[hypothesis]) for spec in specs]
                try:
                    examples.append(_live_example(function, taken, specs, shapes, arrays, program, numbers, layers))
                except ValueError as error:  # a batch of one, for instance, may be too small for this model
                    problems.append(error)
            if examples:
                return examples
        if len(arrays) == len(specs):
            raise problems[0]
    raise ValueError(
        f"jit.save: {program.name} is compared with what is exported, but refuses the random inputs of that"
        f" ({problems[0]}): give an example Tensor, with values that it takes, in the place of an InputSpec"
    )


def _shape(spec: InputSpec, hypothesis: int, batch: Optional[int]) -> tuple[int, ...]:
    traced = spec.traced_shapes()[hypothesis]
    if batch is not None and spec.shape and spec.shape[0] == -1 and 0 not in spec.examples:
        return (batch, *traced[1:])
    return traced


def _live_example(
    function: Callable[..., Any],
    taken: Any,
    specs: Sequence[InputSpec],
    shapes: Sequence[tuple[int, ...]],
    arrays: Mapping[str, np.ndarray],
    program: ExportedProgram,
    numbers: Callable[..., np.ndarray],
    layers: Sequence[Any],
) -> Example:
    generator = np.random.default_rng(_SEED)
    inputs = [arrays.get(str(s.name), numbers(generator, shape, s.dtype)) for shape, s in zip(shapes, specs)]

    def run(dtypes: Sequence[DType]) -> tuple[Any, list[np.ndarray]]:
        tensors = iter([Tensor(array, dtype=dtype) for array, dtype in zip(inputs, dtypes)])
        arguments = [forms.filled(form, [next(tensors) for _ in found]) for form, found in taken]
        with dispatcher.gradient_mode(False), _seeded(program):
            form, results = forms.form_of(function(*arguments), lambda item: isinstance(item, Tensor), "the result")
        return form, [result.as_float_numpy() for result in results]

    def again() -> Optional[list[np.ndarray]]:
        return in_float64(layers, lambda: run([float64 if s.dtype is float32 else s.dtype for s in specs])[1])

    return Example(inputs, *run([spec.dtype for spec in specs]), again)


def _numbers(generator: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    if dtype.is_floating:
        return generator.standard_normal(shape).astype(np.float32 if dtype.size == 2 else dtype.numpy)
    return generator.integers(0, 2, shape).astype(dtype.numpy)


def _fractions(generator: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return numbers between 0 and 1, for means and probabilities."""
    if dtype.is_floating:
        return generator.random(shape).astype(np.float32 if dtype.size == 2 else dtype.numpy)
    return _numbers(generator, shape, dtype)


def _definite(generator: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return numbers between 0 and 1, in square matrices positive definite ones."""
    numbers = _fractions(generator, shape, dtype)
    if dtype.is_floating and len(shape) > 1 and shape[-1] == shape[-2]:
        numbers = (numbers + numbers.swapaxes(-1, -2)) / 2 + shape[-1] * np.eye(shape[-1], dtype=numbers.dtype)
    return numbers


def _ones(generator: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return what :func:`_fractions` does, and integers that are 1: one row for each image, where rows are counted."""
    return _fractions(generator, shape, dtype) if dtype.is_floating else np.ones(shape, dtype.numpy)


class _seeded:
    """Seed the random numbers inside a ``with`` block where the program draws some; they go on from before after it."""

    def __init__(self, program: ExportedProgram) -> None:
        self.active = is_random(program.nodes)

    def __enter__(self) -> None:
        if self.active:
            self.state = get_rng_state()
            engine.seed(_SEED)

    def __exit__(self, *_: object) -> None:
        if self.active:
            set_rng_state(self.state)


def compare_with_live(folder: Path, examples: Sequence[Example]) -> str:
    """Read a folder back and compare its results with the live model's, operation by operation and compiled.

    Args:
        folder: What was written.
        examples: Calls of the live model.

    Returns:
        What is wrong with the compiled results, with the first operation that a pass got wrong; or nothing.

    Raises:
        ValueError: the program itself gives other results than the live model, or could not be loaded again.
    """
    program = _read_back(folder)
    fast = optimized(program) if program.fuse else program
    weights = {name: engine.from_numpy(weight.array, weight.dtype) for name, weight in fast.weights.items()}
    rounding = Rounding(program, [(example.outputs, example.again) for example in examples])
    for example in examples:
        known = _replayed(program, example)
        got = [_readable(known[name]) for name in program.outputs]
        measure = within(_tolerances(program, TOLERANCE), rounding.explains(example.outputs, known))
        problem = difference(got, example.outputs, "the live model's", measure)
        problem = problem or _other_form(program, example)
        if problem:
            raise ValueError(
                f"jit.save: {program.name}: {problem}. Its Python code computes something that is no operation of the"
                " program, such as numpy's random numbers or a value that changes between calls: nothing was written"
            )
        if is_random(program.nodes):
            continue  # a compiled program draws in an order of its own
        try:
            compiled = EngineProgram(fast, weights, [array.shape for array in example.inputs], program.fuse)
            if not has_control_flow(program):  # nothing of a first call may show in the second
                compiled([array * 0.5 if array.dtype.kind == "f" else array for array in example.inputs])
            whose = "the uncompiled program's"
            if is_quantized(program):
                problem = difference(compiled(example.inputs), got, whose, in_steps, chosen_results(program))
            elif any(dtype is bfloat16 for node in program.nodes for _, dtype in node.metas):
                measure = within(_IN_16_BITS, chosen=chosen_results(program))
                problem = difference(compiled(example.inputs), got, whose, measure)
                problem = problem or _difference_before_choices(program, fast, weights, example, known)
            else:
                measure = within(_tolerances(program, ROUNDING), rounding.explains(got))
                problem = difference(compiled(example.inputs), got, whose, measure)
        except MXNetError as error:
            problem = f"the engine refuses it: {engine.first_line(str(error))}"
        if problem:
            return f"{problem}; {_first_difference(fast, weights, example, known)}"
    return ""


def _read_back(folder: Path) -> ExportedProgram:
    try:
        return read_program(folder)
    except ValueError as error:
        reason = str(error).replace(f"{folder / PROGRAM_FILE}: ", "").replace(": the file is damaged", "")
        raise ValueError(
            f"jit.save: the program would be refused when it is loaded ({reason}): nothing was written"
        ) from None


def _replayed(program: ExportedProgram, example: Example) -> dict[str, dispatcher.Value]:
    values = {
        entry.name: Tensor(array, dtype=entry.dtype)._value for entry, array in zip(program.inputs, example.inputs)
    }
    for name, weight in program.weights.items():
        values[name] = dispatcher.constant(engine.from_numpy(weight.array, weight.dtype))
    with dispatcher.gradient_mode(False), _seeded(program):
        return replay(program, values)


def _tolerances(program: ExportedProgram, usual: Mapping[str, float]) -> Mapping[str, float]:
    """Return how far results of each type may lie apart: float64 that was float32 before no closer than float32."""
    widened = any(node.operator == "cast" and node.metas[0][1] is float64 for node in program.nodes)
    return {**usual, "float64": usual["float32"]} if widened else usual


def _readable(value: dispatcher.Value) -> np.ndarray:
    return Tensor(value).as_float_numpy()


def _difference_before_choices(
    program: ExportedProgram,
    fast: ExportedProgram,
    weights: Mapping[str, Any],
    example: Example,
    known: Mapping[str, dispatcher.Value],
) -> str:
    """Return what is wrong with the numbers that boxes, places or orders are chosen by, or nothing.

    In 16 bits two that are about as good change places, so that everything behind the choice is another thing. Maps at
    the end of deep networks are compared by their lengths: of a million numbers some differ by more than the others.
    """
    pairs = [(one, other) for one, other in given_to_choices(program, fast) if one in known]
    if not pairs:
        return ""
    shapes = [array.shape for array in example.inputs]
    values = EngineProgram(fast, weights, shapes, program.fuse, [other for _, other in pairs])(example.inputs)
    problem = difference(values, [_readable(known[one]) for one, _ in pairs], "the uncompiled program's", in_steps)
    return problem and f"of what is chosen by, {problem}"


def _other_form(program: ExportedProgram, example: Example) -> str:
    return "" if program.result == example.form else "its results are nested in another way than the live model's"


def _first_difference(
    program: ExportedProgram, weights: dict[str, Any], example: Example, known: dict[str, dispatcher.Value]
) -> str:
    """Return where values of the folded program and of the original part first, without the engine's fusion."""
    names = [name for node in program.nodes for name in node.outputs if name in known]
    makers = {name: node.operator for node in program.nodes for name in node.outputs}
    shapes = [array.shape for array in example.inputs]
    values = EngineProgram(program, weights, shapes, fuse=False, results=names)(example.inputs)
    for name, ours in zip(names, values):
        if difference([ours], [_readable(known[name])], "the unfused one's", within()):
            return f"the first operation that differs is {makers[name]} ({name})"
    return "operation by operation nothing differs, so the engine's fusion is at fault"
