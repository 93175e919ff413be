"""One table of operator calls, run by Paddle (make_references.py) and by core (test_operators.py).

A case is a call, written once for both: a function of the package and of drawn inputs. Its name begins with the
operator that it is about. It is run with inputs of each of its types; results, and gradients of floating-point inputs
(through a weighted sum of all results), are stored from Paddle 2.6.2 and compared with ours: values, types and shapes.
The same calls are made in place, and those of layers' functions compiled.

To add an operator, add its cases to the family that it belongs to::

    case("lerp: broadcast", lambda p, x, y: p.lerp(x, y, 0.3), real(2, 3), real(3), types=FLOATS)

and write the family's answers anew, with a Python that has paddlepaddle==2.6.2::

    python -m tests.parity.operators.make_references FAMILY

What Paddle's CPU build refuses is listed in references/refused.txt. Where it is wrong, ``wrong`` says how, and
``expected`` (NumPy, of the inputs as arrays) stands for its results.
"""

from __future__ import annotations

import functools
import importlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

FLOATS = ("float32", "float64")
INTEGERS = ("int32", "int64")
NUMBERS = (*FLOATS, *INTEGERS)
EVERY = (*NUMBERS, "bool")
DOUBLE = ("float64",)
SINGLE = ("float32",)

FAMILIES = (
    "elementwise",
    "arithmetic",
    "reduction",
    "arrangement",
    "indexing",
    "creation",
    "products",
    "convolution",
    "normalization",
    "activation",
    "loss",
    "vision",
)

Draw = Callable[[np.random.RandomState, str], np.ndarray]


@dataclass(frozen=True)
class Case:
    """One call: ``call(package, *inputs)``, where the package is ``paddle`` or ``core`` or a part of it."""

    name: str
    call: Callable[..., Any]
    inputs: tuple[Draw, ...]
    types: tuple[str, ...]
    gradients: bool = True
    tolerance: float = 1e-10
    wrong: str = ""
    expected: Optional[Callable[..., Any]] = None

    @property
    def operator(self) -> str:
        """The operator that the case is about."""
        return self.name.split(":")[0]

    def arrays(self, dtype: str) -> list[np.ndarray]:
        """Draw the inputs, of one type."""
        generator = np.random.RandomState(zlib.crc32(self.name.encode()))
        return [draw(generator, dtype) for draw in self.inputs]


class Family:
    """The cases of one file.

    Args:
        within: Where the functions are: "" for the package itself, or "nn.functional", "linalg".
        tolerance: Of float64 results; Paddle keeps the numbers that some kernels are given in float32.
    """

    def __init__(self, within: str = "", tolerance: float = 1e-10) -> None:
        self.within = within
        self.tolerance = tolerance
        self.cases: dict[str, Case] = {}

    def case(
        self, name: str, call: Callable[..., Any], *inputs: Any, types: Sequence[str] = FLOATS, **options: Any
    ) -> None:
        """Add a case; see :class:`Case`. An array stands for itself (see :func:`given`), a shape for :func:`normal`."""
        if name in self.cases:
            raise ValueError(f"two cases are named {name!r}")
        options.setdefault("tolerance", self.tolerance)
        draws = tuple(
            given(value) if isinstance(value, np.ndarray) else normal(*value) if isinstance(value, tuple) else value
            for value in inputs
        )
        self.cases[name] = Case(
            name, functools.partial(_call_within, self.within, call), draws, tuple(types), **options
        )


def _call_within(within: str, call: Callable[..., Any], package: Any, *inputs: Any) -> Any:
    for part in within.split(".") if within else ():
        package = getattr(package, part)
    return call(package, *inputs)


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Draw:
    """Draw numbers of the case's type from [low, high] (integers: both ends included; booleans: either)."""

    def draw(generator: np.random.RandomState, dtype: str) -> np.ndarray:
        if dtype == "bool":
            return np.asarray(generator.randint(0, 2, shape), dtype)
        if dtype.startswith("int"):
            return np.asarray(generator.randint(int(np.ceil(low)), int(np.floor(high)) + 1, shape), dtype)
        return np.asarray(generator.uniform(low, high, shape), dtype)

    return draw


def normal(*shape: int) -> Draw:
    """Draw normally distributed floats of the case's type."""
    return lambda generator, dtype: np.asarray(generator.standard_normal(shape), dtype)


def whole(*shape: int, low: int = 0, high: int = 2, dtype: str = "int64") -> Draw:
    """Draw integers of one type, whatever the case's type is, from low to high, both included."""
    return lambda generator, _: np.asarray(generator.randint(low, high + 1, shape), dtype)


def truth(*shape: int) -> Draw:
    """Draw booleans."""
    return lambda generator, _: np.asarray(generator.randint(0, 2, shape), "bool")


def given(values: Any) -> Draw:
    """Take these values: an array of integers or booleans as it is, lists and floats in the case's type."""

    def draw(_: np.random.RandomState, dtype: str) -> np.ndarray:
        follows = not isinstance(values, np.ndarray) or (values.dtype.kind == "f" and dtype in FLOATS)
        return np.asarray(values, dtype if follows else None)

    return draw


def weights(shape: Sequence[int], index: int) -> np.ndarray:
    """Return the weights of a result's elements in the sum that is differentiated."""
    return np.random.RandomState(index).uniform(0.5, 1.5, tuple(shape))


def flatten(result: Any) -> list[Any]:
    """Return the leaves of nested lists and tuples."""
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in flatten(item)]
    return [result]


def evaluate(package: Any, case: Case, dtype: str, call: Optional[Callable[..., Any]] = None) -> dict[str, np.ndarray]:
    """Run a case.

    Args:
        package: ``paddle`` or ``core``.
        case: What to run.
        dtype: The type of the inputs that follow it.
        call: What to call with the inputs in place of the case's own function.

    Returns:
        "result 0", "result 1"... and "gradient 0"... for the inputs that have one. A result that is no tensor is turned
        into an array.
    """
    tensors = [package.to_tensor(array, stop_gradient=array.dtype.kind != "f") for array in case.arrays(dtype)]
    results = flatten(call(*tensors) if call else case.call(package, *tensors))
    found = {}
    total = None
    for i, result in enumerate(results):
        is_tensor = isinstance(result, package.Tensor)
        found[f"result {i}"] = result.numpy() if is_tensor else np.asarray(result)
        value = found[f"result {i}"]
        if is_tensor and case.gradients and not result.stop_gradient and value.dtype.name in FLOATS and value.size:
            weighted = (result * package.to_tensor(weights(value.shape, i).astype(value.dtype))).sum()
            total = weighted if total is None else total + weighted
    if total is not None:
        total.backward()
    for i, tensor in enumerate(tensors):
        if case.gradients and tensor.grad is not None:
            found[f"gradient {i}"] = tensor.grad.numpy()
    return found


def family(name: str) -> dict[str, Case]:
    """Return the cases of one file."""
    module = importlib.import_module(f"tests.parity.operators.{name}")
    return dict(module.FAMILY.cases)
