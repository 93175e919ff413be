"""How far two right computations of one result may lie apart: by the rounding of float32, and no further.

A program and the live model may add in another order, and a deep network amplifies what that changes. How much, no
formula for a whole network says without being useless: a bound that is carried through the layers doubles in each. The
live model is run in float64, and float32's distance from that is its rounding. The result's last sum is bounded by its
terms: 8 rounding steps of the sum of their sizes, also where the terms cancel.
"""

from __future__ import annotations

import contextlib
import functools
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.jit.exported.interpreter import resolved
from core.jit.exported.program import ExportedProgram
from core.kernels.data import get_default_dtype, set_default_dtype
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.dtypes import DType, float32, float64
from core.kernels.engine import engine
from core.tensor import Tensor

TOLERANCE = {"float64": 1e-9, "float32": 1e-5, "float16": 5e-3, "bfloat16": 4e-2}
ROUNDING = {**TOLERANCE, "float32": 1e-4}  # other kernels add in another order, and a deep network amplifies it
TERMS_FACTOR = 8 * float(np.finfo(np.float32).eps)
"""A result may be off by this share of the sum of its terms' sizes."""
LEAST = 32 * float(np.finfo(np.float32).eps)
"""Or by this share of the largest element: of a few numbers, the noise that is measured may happen to be none."""
STEPS = 0.05
"""By what share of its length a result in 8 bits, or what is chosen by in 16, may change between right computations."""
CHOOSING = frozenset(
    {
        "arg_extreme", "argsort", "generate_proposals", "generate_proposals_padded", "match_boxes",
        "matrix_suppression", "matrix_suppression_padded", "mode", "multiclass_suppression",
        "multiclass_suppression_padded", "non_maximum_suppression", "non_maximum_suppression_padded", "nonzero",
        "share_out_proposals", "topk", "unique", "unique_consecutive",
    }
)  # fmt: skip
"""Operators whose results jump where numbers change a little."""
COMPARING = frozenset({"equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal"})
"""Operators, and those with ``_scalar`` behind, that jump as well."""
NOISE_FACTOR = 4
"""Or by so many times the live model's distance from its run in float64."""
_MOVING = frozenset({"reshape", "transpose", "slice", "assign", "detach", "split", "split_equally", "broadcast_to"})
_SUMS = {"add": "add", "subtract": "add", "sum": "sum"} | {
    name: name for name in ("affine", "convolution", "inner_products", "linear", "matrix_product")
}
"""Operators that add products or terms up, and what adds up their sizes where the inputs are sizes."""


def terms_of(program: ExportedProgram, known: dict[str, Value], output: str) -> float:
    """Return the largest sum of the sizes of the terms that a result of a program was added up from.

    Args:
        program: The program.
        known: All of its values in one run.
        output: The result; operators that only move numbers are passed over to the one that computes it.

    Returns:
        A number that is at least as large as the result's largest element.
    """
    makers = {name: node for node in program.nodes for name in node.outputs}
    name = output
    while name in makers and makers[name].operator in _MOVING:
        name = makers[name].inputs[0]
    largest = _largest(known[output])
    node = makers.get(name)
    if node is None or node.operator not in _SUMS or known[name].meta[1] is not float32:
        return largest
    sizes = [_sizes(known[name]) for name in node.inputs]
    with dispatcher.gradient_mode(False):
        attributes = {key: resolved(value, known) for key, value in node.attributes.items()}
        return max(largest, _largest(REGISTRY[_SUMS[node.operator]].replay(sizes, attributes)[0]))


def _sizes(value: Value) -> Value:
    return abs(Tensor(value))._value if value.meta[1].is_floating else value


def _largest(value: Value) -> float:
    return largest_of(Tensor(value).as_float_numpy())


def in_float64(layers: Sequence[Any], run: Callable[[], list[np.ndarray]]) -> Optional[list[np.ndarray]]:
    """Run a live model with its parameters and buffers in float64.

    Args:
        layers: The Layers whose parameters and buffers it uses.
        run: Runs it on inputs in float64, and returns its results.

    Returns:
        The results; None where the model cannot be run in float64, because its code asks for float32 somewhere.
    """
    try:
        with _upcast(layers), dispatcher.gradient_mode(False):
            return run()
    except Exception:  # whatever the model's own code raises
        return None


@contextlib.contextmanager
def _upcast(layers: Sequence[Any]) -> Iterator[None]:
    """Give the Layers' float32 tensors their values in float64 inside a ``with`` block."""
    tensors = {id(tensor): tensor for layer in layers for tensor in [*layer.parameters(), *layer.buffers()]}
    before = [(tensor, tensor._value) for tensor in tensors.values() if tensor.dtype is float32]
    default = get_default_dtype()
    try:
        set_default_dtype("float64")
        for tensor, value in before:
            wide = Value(engine.from_numpy(tensor.numpy().astype(np.float64), float64), (value.meta[0], float64))
            wide.requires_grad = value.requires_grad
            wide.owner = weakref.ref(tensor)
            tensor._value = wide
        yield
    finally:
        set_default_dtype(default)
        for tensor, value in before:
            tensor._value = value


class Rounding:
    """How far float32 results may lie apart; measured when it is asked for, because most do not differ at all.

    Args:
        program: The exported program.
        runs: For each example the live model's results, and a function that gives them in float64, or None.
    """

    def __init__(
        self,
        program: ExportedProgram,
        runs: Sequence[tuple[list[np.ndarray], Callable[[], Optional[list[np.ndarray]]]]],
    ) -> None:
        self.program = program
        self.runs = runs

    @functools.cached_property
    def noise(self) -> Optional[list[float]]:
        """By result, the live model's distance from its run in float64, as a share of the largest element.

        It is at most ROUNDING, so that a model that answers otherwise each time is not taken for a noisy one. None
        where there is no such run.
        """
        shares: list[list[float]] = []
        for outputs, again in self.runs:
            exact = again()
            if exact is None or [array.shape for array in exact] != [array.shape for array in outputs]:
                return None
            shares.append([distance_between(*pair, 0.0) for pair in zip(outputs, exact)])
        return [min(max(share), ROUNDING["float32"]) for share in zip(*shares)]

    def explains(
        self, wanted: Sequence[np.ndarray], known: Optional[dict[str, Value]] = None
    ) -> Callable[[int, float], bool]:
        """Return a function that says whether rounding explains by how much a result (its number, the gap) differs.

        Args:
            wanted: What the results should be.
            known: The values of a run of the program by the live model's own operators; None for a compiled program,
                which may compute in another way and is measured with the coarser ROUNDING.
        """

        def explained(i: int, gap: float) -> bool:
            largest = largest_of(wanted[i])
            if known is None:
                least = ROUNDING["float32"] * max(1.0, largest)
            else:
                terms = terms_of(self.program, known, self.program.outputs[i])
                least = max(TERMS_FACTOR * terms, LEAST * largest)
            if gap <= least:
                return True
            if self.noise is None:
                return gap <= TOLERANCE["float32"] * max(1.0, largest)
            return gap <= NOISE_FACTOR * self.noise[i] * largest

        return explained


def gap_between(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest difference of two arrays; infinite where only one is finite."""
    first, second = ours.astype(np.float64), theirs.astype(np.float64)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    if same.all():
        return 0.0
    if not np.isfinite(first[~same]).all() or not np.isfinite(second[~same]).all():
        return float("inf")
    return float(np.abs(first[~same] - second[~same]).max())


def distance_between(ours: np.ndarray, theirs: np.ndarray, smallest_scale: float = 1.0) -> float:
    """Return the largest difference relative to the largest element; infinite where only one is finite.

    Args:
        ours: Results.
        theirs: What they should be.
        smallest_scale: What takes the largest element's place where that is smaller.
    """
    gap = gap_between(ours, theirs)
    return gap / max(smallest_scale, largest_of(theirs), float(np.finfo(np.float64).tiny))


def steps_between(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the size of the difference of two arrays as a share of the size of the second, root mean squares both.

    Where numbers are rounded to 8 bits, the last digit of float32 decides now and then between two of them, so that
    single values are a whole step off, in any layer.
    """
    first, second = (np.nan_to_num(array.astype(np.float64)) for array in (ours, theirs))
    size = float(np.linalg.norm(second))
    return float(np.linalg.norm(first - second)) / max(size, float(np.finfo(np.float64).tiny))


def chosen_results(program: ExportedProgram) -> set[int]:
    """Return the numbers of the results that depend on a choice: of boxes, places, orders.

    Where a step of 8 bits decides between two that are about as good, everything behind the choice is another thing.
    So it is in 16 bits, and behind a comparison of what was computed in them.
    """
    chosen, _ = _choices(program)
    return {i for i, name in enumerate(program.outputs) if name in chosen}


def given_to_choices(program: ExportedProgram, rewritten: ExportedProgram) -> list[tuple[str, str]]:
    """Return the values that choices are made by, of which none is behind a choice: their names in both programs.

    Args:
        program: A program.
        rewritten: What passes made of it.
    """
    makers = {node.outputs[0]: node for node in rewritten.nodes if node.outputs}
    _, choosing = _choices(program)
    pairs = [(node, makers[node.outputs[0]]) for node in choosing if node.outputs[0] in makers]
    return sorted({names for one, other in pairs for names in zip(one.inputs, other.inputs)})


def _choices(program: ExportedProgram) -> tuple[set[str], list[Any]]:
    """Return the names of what depends on a choice, and the operations that choose first."""

    def is_narrow(dtype: DType) -> bool:
        return dtype.is_floating and dtype.size == 2

    in_16_bits = {entry.name for entry in program.inputs if is_narrow(entry.dtype)}
    in_16_bits.update([name for name, weight in program.weights.items() if is_narrow(weight.dtype)])
    chosen: set[str] = set()
    choosing: list[Any] = []
    for node in program.nodes:
        if any(is_narrow(dtype) for _, dtype in node.metas) or not in_16_bits.isdisjoint(node.inputs):
            in_16_bits.update(node.outputs)
        compares = node.operator.removesuffix("_scalar") in COMPARING and not in_16_bits.isdisjoint(node.inputs)
        chooses = compares or node.operator in CHOOSING or node.control_flow is not None
        behind = not chosen.isdisjoint(node.inputs)
        if chooses and not behind:
            choosing.append(node)
        if chooses or behind:
            chosen.update(node.outputs)
    return chosen, choosing


def largest_of(array: np.ndarray) -> float:
    """Return the size of an array's largest finite element; 0 where there is none."""
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))
