"""Every operator in bfloat16 and float16: float32's shapes, its values within the type's rounding, or a refusal.

The example calls are made with float32 inputs that both types hold exactly, and with the same in 16 bits: as they are,
without axes, and of size 0. What float32 refuses is refused in 16 bits too. By default each operator's first example
is called; ``-m exhaustive`` calls all, differentiates them, and compiles them too.
"""

from __future__ import annotations

import zlib
from typing import Any, Callable, Union

import numpy as np
import pytest

import core
from core import operators
from core.jit import to_static, tree
from core.kernels.engine import engine
from core.nn import functional as F
from tests.core.samples import Draw, all_samples
from tests.sampling import sampled

SAMPLES = all_samples()
NAMES = [name for name in sorted(SAMPLES) if not name.endswith("_")]
TYPES = ("bfloat16", "float16")
TOLERANCE = {"bfloat16": 2**-5, "float16": 2**-8}
"""Eight and four of the type's steps: what is composed rounds more than once."""

LAPACK = "LAPACK, which computes it, knows float32 and float64, and 16 bits are too few for it to be stable"
_OF_LAPACK = (
    "cholesky", "cholesky_solve", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "householder_product", "inverse",
    "lstsq", "lu", "lu_unpack", "matrix_power", "matrix_rank", "pca_lowrank", "pinv", "qr", "slogdet", "solve", "svd",
    "triangular_solve",
)  # fmt: skip
REFUSED = dict.fromkeys(_OF_LAPACK, LAPACK)
REFUSED["nextafter"] = "it counts the steps of float32 or float64, as Paddle's does"

RANDOM = {
    "alpha_dropout", "bernoulli", "dropout", "dropout2d", "dropout3d", "gumbel_softmax", "multinomial", "poisson",
    "rrelu", "exponential_", "normal", "uniform", "shuffle", "binomial", "standard_gamma",
}  # fmt: skip
"""The engine draws other numbers for each type; their shapes and types are compared."""

Variant = Callable[[np.ndarray], np.ndarray]
VARIANTS: dict[str, Variant] = {
    "as it is": lambda array: array,
    "without axes": lambda array: array.reshape(-1)[0].reshape(()) if array.size else np.zeros((), array.dtype),
    "first axis empty": lambda array: array[:0] if array.ndim else np.zeros((0,), array.dtype),
    "last axis empty": lambda array: array[..., :0] if array.ndim else np.zeros((0,), array.dtype),
}
Outcome = Union[list[core.Tensor], Exception]


def outcome(name: str, index: int, dtype: str, held: str, variant: Variant, compiled: bool, gradients: bool) -> Outcome:
    """Make an example call with inputs that ``held`` holds, in ``dtype``: results and gradients, or the error."""
    args, kwargs = SAMPLES[name][index](Draw())
    given, skeleton = tree.flatten((list(args), kwargs))
    tensors = []
    for tensor in given:
        if tensor.dtype == "float32":
            numbers = core.to_tensor(variant(tensor.numpy())).astype(held).astype(dtype).detach()
            numbers.stop_gradient = tensor.stop_gradient or not gradients
            tensor = numbers
        tensors.append(tensor)
    if all(tensor.dtype != dtype for tensor in tensors):
        return []  # nothing is floating-point

    def on_tensors(*given: core.Tensor) -> Any:
        positional, named = tree.unflatten(skeleton, list(given))
        return getattr(operators, name)(*positional, **named)

    core.seed(3)
    try:
        results, _ = tree.flatten((to_static(on_tensors) if compiled else on_tensors)(*tensors))
        heads = [result for result in results if result.dtype.is_floating and not result.stop_gradient]
        if heads:
            core.autograd.backward(heads, [core.ones(head.shape, head.dtype) for head in heads])
        return [*results, *[tensor.grad for tensor in tensors if tensor.grad is not None]]
    except (ArithmeticError, ValueError, TypeError, IndexError, RuntimeError) as error:
        return error


def compare(
    name: str, index: int, dtype: str, variant: str, compiled: bool = False, gradients: bool = False
) -> None:
    """Hold a call in 16 bits against the eager call in float32."""
    change = VARIANTS[variant]
    expected = outcome(name, index, "float32", dtype, change, False, gradients)
    got = outcome(name, index, dtype, dtype, change, compiled, gradients)
    if isinstance(expected, Exception):
        assert compiled or isinstance(got, Exception), f"float32 is refused: {expected}"  # programs check no indices
        return
    if compiled and isinstance(got, Exception):
        if "while a program is being compiled" in str(got) or "depends on data" in str(got):
            return
    if isinstance(got, Exception):
        raise got
    assert len(got) == len(expected)
    for half, full in zip(got, expected):
        assert half.shape == list(half.numpy().shape) == full.shape
        assert half.dtype == (dtype if full.dtype == "float32" else full.dtype)
        if name not in RANDOM:
            values = full.as_float_numpy()
            largest = float(np.abs(values[np.isfinite(values)]).max(initial=0)) if full.dtype.is_floating else 0.0
            step = TOLERANCE[dtype] * (2 if gradients else 1)
            np.testing.assert_allclose(
                half.as_float_numpy(), values, rtol=step, atol=step * max(1.0, largest), equal_nan=True
            )


@pytest.mark.bfloat16
@pytest.mark.parametrize("name", sampled([name for name in NAMES if name not in REFUSED], 2, group=lambda name: None))
def test_shapes_and_values_are_float32s(name: str) -> None:
    likely, other = TYPES if zlib.crc32(name.encode()) % 2 else TYPES[::-1]
    compare(name, 0, likely, "as it is")
    compare(name, 0, other, "without axes")
    compare(name, 0, other, "first axis empty")


@pytest.mark.exhaustive
@pytest.mark.bfloat16
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
def test_all_shapes_values_and_gradients_are_float32s(name: str, dtype: str, variant: str) -> None:
    for index in range(len(SAMPLES[name])):
        for compiled in (False, True)[: 1 if "empty" in variant else 2]:
            compare(name, index, dtype, variant, compiled, gradients=True)


def test_the_list_of_refusals_does_not_grow() -> None:
    assert len(REFUSED) <= 23


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_stands_in_the_list_is_refused_with_what_to_do(name: str, dtype: str) -> None:
    for index in range(len(SAMPLES[name])):
        got = outcome(name, index, dtype, dtype, VARIANTS["as it is"], compiled=False, gradients=False)
        assert isinstance(got, TypeError)
        assert str(got).endswith(f"must be float32 or float64, got {dtype}: cast it to float32")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [[], [0], [2, 0], [3]], ids=str)
def test_what_makes_tensors_gives_the_shape_asked_for(shape: list[int], dtype: str) -> None:
    made = [core.zeros(shape, dtype), core.full(shape, 257, "int64").cast(dtype), core.ones(shape, "bool").cast(dtype)]
    made += [core.to_tensor(np.full(shape, 2.5), dtype=dtype), core.full(shape, 2.5, dtype), core.rand(shape, dtype)]
    for tensor in made:
        assert tensor.dtype == dtype
        assert tensor.shape == shape == list(engine.shape_of(tensor._value.array))


@pytest.mark.parametrize("dtype", TYPES)
def test_an_operator_without_axes_keeps_none(dtype: str) -> None:
    x = core.to_tensor(2.0, dtype=dtype)
    results = [x + x, x * x, core.exp(x), core.sqrt(x), x < x, x == x, core.maximum(x, x), -x, x**2.0, x**x, x + 1.0]
    expected = [4.0, 4.0, 7.39, 1.414, 0.0, 1.0, 2.0, -2.0, 4.0, 4.0, 3.0]
    for result, number in zip(results, expected):
        assert result.shape == list(result.numpy().shape) == []
        assert result.dtype == ("bool" if number in (0.0, 1.0) else dtype)
        assert float(result) == pytest.approx(number, rel=TOLERANCE[dtype])


NOT_A_NUMBER: dict[str, Callable[[core.Tensor, core.Tensor], core.Tensor]] = {
    "clip": lambda x, y: core.clip(x, -1.0, 1.0),
    "clip below": lambda x, y: core.clip(x, min=-1.0),
    "maximum": core.maximum,
    "minimum": lambda x, y: core.minimum(y, x),
    "elu": lambda x, y: F.elu(x),
    "hardsigmoid": lambda x, y: F.hardsigmoid(x),
    "hardtanh": lambda x, y: F.hardtanh(x),
    "sigmoid": lambda x, y: F.sigmoid(x),
    "softplus": lambda x, y: F.softplus(x),
    "product": lambda x, y: x * y,
    "largest": lambda x, y: core.max(x),
}


@pytest.mark.bfloat16
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("dtype", TYPES)
def test_what_is_no_number_stays_none(dtype: str, compiled: bool) -> None:
    x, y = [np.array(numbers, "float32") for numbers in ([np.nan, np.inf, -np.inf, 1.5], [1.0, 2.0, np.nan, np.nan])]
    for name, function in NOT_A_NUMBER.items():
        half = (to_static(function) if compiled else function)(*[core.to_tensor(z, dtype=dtype) for z in (x, y)])
        full = function(core.to_tensor(x), core.to_tensor(y))
        np.testing.assert_allclose(half.as_float_numpy(), full.numpy(), rtol=0.01, atol=0.01, err_msg=name)


LONG = 5000
SUMS: dict[str, Callable[[core.Tensor], core.Tensor]] = {
    "softmax": F.softmax,
    "log_softmax": F.log_softmax,
    "mean": core.mean,
    "logsumexp": core.logsumexp,
    "std": core.std,
    "norm": core.norm,
    "cosine_similarity": lambda x: F.cosine_similarity(x, x, axis=0),
    "cumsum": lambda x: core.cumsum(x * 0.1),
    "layer_norm": lambda x: F.layer_norm(x, LONG),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x.reshape([1, 1, 50, 100]), 1),
    "avg_pool2d": lambda x: F.avg_pool2d(x.reshape([1, 1, 50, 100]), [50, 100]),
    "matmul": lambda x: core.matmul(x.reshape([1, LONG]), core.full([LONG, 3], 0.125, x.dtype)),
    "conv2d": lambda x: F.conv2d(x.reshape([1, LONG, 1, 1]), core.full([4, LONG, 1, 1], 0.125, x.dtype)),
}


@pytest.mark.bfloat16
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SUMS)
def test_sums_of_many_numbers_are_not_added_up_in_16_bits(name: str, dtype: str) -> None:
    half = core.to_tensor(np.random.default_rng(0).uniform(0.5, 1.5, LONG), dtype=dtype)
    full = SUMS[name](half.astype("float32")).numpy()
    largest = float(np.abs(full).max())
    np.testing.assert_allclose(SUMS[name](half).as_float_numpy(), full, rtol=0, atol=TOLERANCE[dtype] / 2 * largest)


def test_cross_entropy_of_many_classes_in_float16() -> None:
    scores = core.to_tensor(np.zeros((1, LONG)), dtype="float16")
    assert float(F.cross_entropy(scores, core.to_tensor([3]))) == pytest.approx(np.log(LONG), rel=1e-3)
