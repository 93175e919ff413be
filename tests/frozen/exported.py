"""Stored exported programs: what an archive holds, the ways a program is run, and what is kept of its numbers."""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Union

import numpy as np

import core
from core.inference import Config, create_predictor
from core.jit import forms

EXPORTS = Path(__file__).resolve().parent / "exports"
TABLE = EXPORTS / "programs.json"
"""Of each program of each archive: whether gradients and numbers in mixed precision are kept, and its operators."""
WHOLE = 256
"""Arrays of up to so many elements are kept whole."""
SAMPLED, SECTIONS = 192, 64
Arrays = dict[str, np.ndarray]


def kept(array: np.ndarray) -> np.ndarray:
    """Return an array flat or, of a large one, some elements evenly spread, and the means of sections."""
    numbers = np.asarray(array).reshape(-1)
    if numbers.dtype == np.bool_:
        numbers = numbers.astype(np.float32)
    if numbers.size <= WHOLE:
        return numbers
    step = numbers.size // SAMPLED | 1
    starts = np.arange(SECTIONS) * numbers.size // SECTIONS
    sums = np.add.reduceat(numbers.astype(np.float64), starts) / np.diff([*starts, numbers.size])
    found = np.concatenate([numbers[::step][:SAMPLED], sums])
    return found.astype(np.float64 if numbers.dtype == np.float64 else np.float32)


def as_arrays(results: Any) -> list[np.ndarray]:
    """Return the tensors or arrays of nested results in order, 16-bit ones in float32."""
    tensors = forms.form_of(results, lambda item: isinstance(item, (core.Tensor, np.ndarray)), "the results")[1]
    return [item.as_float_numpy() if isinstance(item, core.Tensor) else item for item in tensors]


def _tensors(folder: Path, inputs: Sequence[np.ndarray], learns: bool = False) -> tuple[Any, list[Any], Any]:
    """Return the loaded layer, a Tensor for each input, and the arguments that hold them."""
    layer = core.jit.load(folder)
    entries = layer.program.inputs
    tensors = [
        core.to_tensor(array, dtype=entry.dtype.name, stop_gradient=not (learns and entry.dtype.is_floating))
        for array, entry in zip(inputs, entries)
    ]
    given = iter(tensors)
    arguments = [
        forms.filled(form, [next(given) for _ in forms.tensor_names(form, name)])
        for name, form in layer.program.arguments
    ]
    return layer, tensors, arguments


def by_layer(folder: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run a folder by ``core.jit.load`` without gradients."""
    layer, _, arguments = _tensors(folder, inputs)
    with core.no_grad():
        return as_arrays(layer(*arguments))


def mixed(folder: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run a folder by ``core.jit.load`` under ``auto_cast`` in bfloat16."""
    layer, _, arguments = _tensors(folder, inputs)
    with core.no_grad(), core.amp.auto_cast(dtype="bfloat16"):
        return as_arrays(layer(*arguments))


def by_predictor(folder: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run a folder by ``core.jit.Predictor``."""
    return core.jit.Predictor(folder).flat_results(list(inputs))


def unfused(folder: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run a folder by ``core.jit.Predictor`` without passes over its program."""
    return core.jit.Predictor(folder, fuse=False).flat_results(list(inputs))


def by_inference(folder: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run a folder by ``core.inference``, with handles."""
    predictor = create_predictor(Config(str(folder)))
    for name, array in zip(predictor.get_input_names(), inputs):
        predictor.get_input_handle(name).copy_from_cpu(array)
    predictor.run()
    return [predictor.get_output_handle(name).copy_to_cpu() for name in predictor.get_output_names()]


def saved_again(folder: Path, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Load a folder as a layer, export that, and run what was written by ``core.jit.Predictor``."""
    again = folder.with_name(f"{folder.name}_again")
    if not again.exists():
        core.jit.save(core.jit.load(folder), again)
    return by_predictor(again, inputs)


WAYS: dict[str, Callable[[Path, Sequence[np.ndarray]], list[np.ndarray]]] = {
    "layer": by_layer,
    "predictor": by_predictor,
    "unfused": unfused,
    "inference": by_inference,
    "again": saved_again,
    "mixed": mixed,
}
SAME_AS = {"inference": "predictor", "again": "predictor"}
"""Ways that must give what another one gave."""


_WEIGHTS = (np.arange(127, dtype=np.float32) * 37 % 127 - 63) / 64  # of the sum, in turn; 127 is a prime


def gradients(folder: Path, inputs: Sequence[np.ndarray]) -> Arrays:
    """Return results and gradients, of the inputs and of the trained weights, of a weighted sum of all results."""
    layer, tensors, arguments = _tensors(folder, inputs, learns=True)
    results = layer(*arguments)
    outputs = forms.form_of(results, lambda item: isinstance(item, core.Tensor), "the results")[1]
    total: Any = 0.0
    for output in outputs:
        if output.dtype.is_floating and not output.stop_gradient:
            weights = np.resize(_WEIGHTS, tuple(output.shape))
            total = total + (output * core.to_tensor(weights, dtype=output.dtype.name)).sum()
    total.backward()
    found = {f"output.{number}": output.as_float_numpy() for number, output in enumerate(outputs)}
    learning = {entry.name: tensor for entry, tensor in zip(layer.program.inputs, tensors)}
    learning.update(layer.named_parameters())
    for name, tensor in learning.items():
        if tensor.grad is not None:
            found[f"gradient.{name}"] = tensor.grad.as_float_numpy()
    return found


def spread(shape: Sequence[int], period: int, largest: float = 1.0) -> np.ndarray:
    """Return seeded float32 numbers of few binary digits, which repeat after a prime number so that they compress."""
    assert all(period % divisor for divisor in range(2, math.isqrt(period) + 1))
    numbers = np.random.default_rng(period).integers(-32, 33, period) * (largest / 32)
    return np.resize(numbers.astype(np.float32), tuple(shape)) if 0 not in shape else np.zeros(shape, np.float32)


class Stored:
    """A stored program: a folder with the export, and what it gave.

    Args:
        folder: holds ``program`` and ``numbers.npz``.
    """

    def __init__(self, folder: Path) -> None:
        self.name, self.program = folder.name, folder / "program"
        with np.load(folder / "numbers.npz") as arrays:
            self.arrays = {key: arrays[key] for key in arrays.files}
        self.calls = range(1 + max(int(key.partition(".")[0]) for key in self.arrays))

    def starting_with(self, prefix: str) -> Arrays:
        """Return the arrays of a kind, in order, by what follows in their names."""
        found = {key[len(prefix) :]: array for key, array in self.arrays.items() if key.startswith(prefix)}
        return {key: found[key] for key in sorted(found, key=lambda key: (len(key), key))}

    def inputs(self, call: int) -> list[np.ndarray]:
        """Return what the program was given."""
        return list(self.starting_with(f"{call}.input.").values())

    def content(self) -> dict[str, Any]:
        """Return the program file."""
        found: dict[str, Any] = json.loads((self.program / "program.json").read_text(encoding="utf-8"))
        return found


def operators(content: Union[dict[str, Any], Sequence[Any]]) -> Iterator[str]:
    """Yield the operators of a program file, those of branches and loops too."""
    for node in content["operations"] if isinstance(content, dict) else content:
        yield node["operator"]
        for body in node.get("region", {}).get("bodies", {}).values():
            yield from operators(body)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what is printed inside a ``with`` block from the terminal."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
