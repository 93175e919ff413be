"""What NumPy computes of few elements is what the engine computes, and both see one memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.lowering import NUMPY_LOWERINGS, TRACED
from core.kernels.dispatch.operator import REGISTRY, NumpyKernel, forget_plans
from core.kernels.engine import engine, host_array
from core.kernels.engine.host_array import HostArray
from core.nn import functional as F
from core.tensor import Tensor, apply

Function = Callable[..., Any]

SPECIAL = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3e38, -3e38, 88.9, -104.0, 16.7, 0.3, -0.7]
INTEGERS = [0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 46341]


@pytest.fixture(autouse=True)
def _plans_of_this_test() -> Iterator[None]:
    yield
    forget_plans()


def by_engine(function: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what a function gives where the engine computes everything."""
    with monkeypatch.context() as patch:
        patch.setattr(host_array, "MOST_BYTES", 0)
        forget_plans()
        result = function()
        forget_plans()
    return result


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Return random numbers among which special ones are, as many as there is room for."""
    generator = np.random.default_rng(seed)
    if dtype[0] == "i":
        array = generator.integers(-100, 100, shape).astype(dtype)
        special = np.array(INTEGERS, "int64")
    else:
        array = generator.standard_normal(shape).astype(dtype)
        special = np.array(SPECIAL).astype(dtype)
    chosen = generator.permutation(special)[: array.size // 2 + 1]
    array.reshape(-1)[: len(chosen)] = chosen[: array.size]
    return array


def units_apart(found: np.ndarray, wanted: np.ndarray) -> int:
    """Return how many numbers of the type lie between two results at most; NaN equals NaN, and -0 is not 0."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if found.dtype.kind != "f":
        return int((found != wanted).any())
    assert np.array_equal(np.isnan(found), np.isnan(wanted))
    bits = np.int32 if found.dtype == np.float32 else np.int64
    order = [np.where(a.view(bits) < 0, np.iinfo(bits).min - a.view(bits), a.view(bits)) for a in (found, wanted)]
    apart = np.abs(order[0].astype(object) - order[1].astype(object))
    signs = np.signbit(found) != np.signbit(wanted)
    apart = np.where(signs & (apart == 0), 1, apart)
    return int(np.where(np.isnan(found), 0, apart).max(initial=0))


def compare(run: Callable[[], list[np.ndarray]], monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    """Compare results with the engine's; numpy must not report anything."""
    with np.errstate(all="raise"):
        found = run()
    wanted = by_engine(run, monkeypatch)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert units_apart(one, other) <= allowed, (one, other)


PAIRS: dict[str, Function] = {
    "add": core.add,
    "subtract": core.subtract,
    "multiply": core.multiply,
    "true_divide": lambda x, y: x / y,
    "equal": core.equal,
    "not_equal": core.not_equal,
    "less_than": core.less_than,
    "less_equal": core.less_equal,
    "greater_than": core.greater_than,
    "greater_equal": core.greater_equal,
}
SHAPES = [((), ()), ((9,), ()), ((4, 5), (4, 5)), ((2, 1, 3), (4, 1)), ((1, 7), (7,)), ((0, 3), (3,))]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in PAIRS
        for dtype in ("float32", "float64", "int32", "int64")
        if dtype[0] == "f" or name != "true_divide"
    ],
)
def test_pairs_are_the_engines_bit_for_bit(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [(numbers(first, dtype, 0), numbers(second, dtype, 1)) for first, second in SHAPES]

    def run() -> list[np.ndarray]:
        return [PAIRS[name](core.to_tensor(x), core.to_tensor(y)).numpy() for x, y in given]

    compare(run, monkeypatch, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PAIRS)
def test_numbers_beside_tensors_are_the_engines_bit_for_bit(
    name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = PAIRS[name]
    tensors = [numbers(shape, dtype, 0) for shape in ((), (3, 6))]

    def run(*factors: float) -> list[np.ndarray]:
        pairs = [(core.to_tensor(x), factor) for x in tensors for factor in factors]
        return [result.numpy() for x, factor in pairs for result in (function(x, factor), function(factor, x))]

    compare(lambda: run(0, 1, -0.7, 1e-3, 3.3, float("inf"), float("nan")), monkeypatch, 0)
    # of 1e39 the engine, which reads it from text, makes a float64 that is one unit off
    compare(lambda: run(1e39), monkeypatch, 2 if dtype == "float64" else 0)


SINGLE: dict[str, tuple[Function, int]] = {
    "neg": (core.neg, 0),
    "abs": (core.abs, 0),
    "sqrt": (core.sqrt, 0),
    "square": (core.square, 0),
    "reciprocal": (core.reciprocal, 0),
    "relu": (F.relu, 0),
    "exp": (core.exp, 1),
    "log": (core.log, 1),
    "log1p": (core.log1p, 1),
    "sin": (core.sin, 1),
    "cos": (core.cos, 1),
    "tanh": (core.tanh, 1),
    "sigmoid": (F.sigmoid, 1),
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, dtype) for name in SINGLE for dtype in ("float32", "float64")),
        *((name, "int64") for name in ("neg", "abs", "square")),
    ],
)
def test_functions_of_one_are_within_one_rounding(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, allowed = SINGLE[name]
    given = [numbers(shape, dtype, 3) for shape in ((), (5,), (60, 60), (0, 2))]
    compare(lambda: [function(core.to_tensor(x)).numpy() for x in given], monkeypatch, allowed)


ARRANGED: dict[str, Function] = {
    "reshape": lambda x: x.reshape([6, -1]),
    "transpose": lambda x: core.transpose(x, [2, 0, 1]),
    "concat": lambda x: core.concat([x, x[:1], x], axis=0),
    "stack": lambda x: core.stack([x, x], axis=1),
    "split": lambda x: core.split(x, [1, 3], axis=1),
    "split_equally": lambda x: core.split(x, 2, axis=1),
    "slice": lambda x: x[::2, 3:0:-2],
    "chain": lambda x: core.transpose(x, [1, 0, 2])[1:].reshape([-1]) + x[0, 0, 0],
    "sum": lambda x: x.sum(axis=[0, 2]),
    "sum_all": lambda x: x.sum(),
    "sum_kept": lambda x: x.sum(axis=1, keepdim=True),
    "cast": lambda x: [core.cast(x, dtype) for dtype in ("float32", "float64", "int64") if x.dtype.name != "float64"],
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in ARRANGED
        for dtype in ("float32", "float64", "int32", "int64", "bool")
        if (name, dtype) != ("chain", "bool")
    ],
)
def test_arrangements_sums_and_casts_are_the_engines(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(5).integers(-9, 9, (3, 4, 5)).astype(dtype)

    def run() -> list[np.ndarray]:
        found = ARRANGED[name](core.to_tensor(x))
        return [part.numpy() for part in (found if isinstance(found, (list, tuple)) else [found])]

    compare(run, monkeypatch, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
def test_products_and_their_gradients_are_the_engines_but_for_the_order_of_sums(
    transposed: tuple[bool, bool], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(7)
    x = generator.standard_normal((6, 9)[:: -1 if transposed[0] else 1]).astype(dtype)
    y = generator.standard_normal((9, 4)[:: -1 if transposed[1] else 1]).astype(dtype)

    def run() -> list[np.ndarray]:
        first, second = core.to_tensor(x, stop_gradient=False), core.to_tensor(y, stop_gradient=False)
        product = core.matmul(first, second, transpose_x=transposed[0], transpose_y=transposed[1])
        (product * product).sum().backward()
        return [product.numpy(), first.grad.numpy(), second.grad.numpy()]

    for found, wanted in zip(run(), by_engine(run, monkeypatch)):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-5 if dtype == "float32" else 1e-13, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_two_orders_are_the_engines(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(9).uniform(-2, 2, (4, 6)).astype(dtype)
    row = np.random.default_rng(10).uniform(0.5, 2, 6).astype(dtype)

    def run() -> list[np.ndarray]:
        first, second = core.to_tensor(x, stop_gradient=False), core.to_tensor(row, stop_gradient=False)
        y = F.sigmoid(first) * core.tanh(first / second) + F.relu(first - 0.3) * core.sqrt(second)
        halves = core.split(y, 2, axis=1)
        total = (core.concat([halves[1], core.exp(halves[0])], axis=0) * 0.7).sum()
        once = core.grad(total, [first, second], create_graph=True)
        twice = core.grad((once[0] * once[0]).sum() + once[1].sum(), [first, second])
        return [tensor.numpy() for tensor in (y, *once, *twice)]

    with np.errstate(all="raise"):
        found = run()
    for one, other in zip(found, by_engine(run, monkeypatch)):
        np.testing.assert_allclose(one, other, rtol=2e-5 if dtype == "float32" else 1e-12, atol=1e-6)


def test_every_small_lowering_is_compared_here() -> None:
    served = set()
    backward = {f"{name}_backward" for name in ("sigmoid", "tanh", "relu", "matrix_product", "slice")}
    for name in NUMPY_LOWERINGS:
        assert name in REGISTRY, f"{name} is lowered, but is no operator"
        served.add(name.removesuffix("_reverse_scalar").removesuffix("_scalar"))
    names = {"divide" if name == "true_divide" else name for name in (*PAIRS, *SINGLE, *ARRANGED, "matrix_product")}
    assert served - backward - {"full"} <= names


def test_the_engine_gets_an_array_when_it_first_reads_one_and_keeps_it() -> None:
    x = core.to_tensor([1.0, 2.0, 4.0])
    y = x + x
    held = y._value.held
    assert isinstance(held, HostArray) and held.numbers is not None
    second = y.detach()
    array = y._value.array
    assert held.numbers is None and second._value.array is array is y._value.array
    assert np.array_equal(engine.to_numpy(array, (3,), core.float32), [2, 4, 8])
    assert np.array_equal((y * x).numpy(), [2, 8, 32])  # of the engine's memory and NumPy's


def test_what_is_written_in_place_is_seen_by_those_who_share_the_memory_and_by_nobody_else() -> None:
    leaf = core.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    shared, reshaped, rows = leaf.detach(), leaf.reshape([4]), leaf[1]
    total = leaf + 1.0
    for number in (5.0, 6.0):
        leaf.set_value(np.full((2, 2), number, "float32"))
        assert np.array_equal(leaf.numpy(), shared.numpy()) and leaf.numpy()[0, 0] == number
    assert np.array_equal(reshaped.numpy(), [1, 2, 3, 4]) and np.array_equal(rows.numpy(), [3, 4])
    assert np.array_equal(total.numpy(), [[2, 3], [4, 5]])
    again = leaf.reshape([4])  # of the engine's memory, which is written once more
    leaf.set_value(np.zeros((2, 2), "float32"))
    assert np.array_equal(again.numpy(), np.full(4, 6.0))


def test_results_own_what_they_are_made_of() -> None:
    given = np.ones(4, "float32")
    x = core.to_tensor(given)
    given[:] = 7
    assert np.array_equal(x.numpy(), np.ones(4))
    read = x.numpy()
    read[:] = 8
    assert np.array_equal((x + 0.0).numpy(), np.ones(4))
    big = core.arange(0, 100_000, dtype="float32")
    part = big[2:5]
    few = core.arange(0, 1000, dtype="float32")
    assert few[2:5]._value.held.numbers.base is None  # a small part does not keep the whole
    assert core.split(few, 5)[1]._value.held.numbers.base is None
    big.set_value(np.zeros(100_000, "float32"))
    assert np.array_equal(part.numpy(), [2, 3, 4])


def test_a_transposed_result_is_the_same_to_the_engine_and_on_disk(tmp_path: Path) -> None:
    x = core.to_tensor(np.arange(6, dtype="float32").reshape(2, 3)).t()
    core.save({"x": x}, str(tmp_path / "x.pdparams"))
    assert np.array_equal(core.load(str(tmp_path / "x.pdparams"))["x"].numpy(), [[0, 3], [1, 4], [2, 5]])
    assert np.array_equal(engine.to_numpy(x._value.array, (3, 2), core.float32), [[0, 3], [1, 4], [2, 5]])


def test_threads_that_ask_at_once_get_one_array() -> None:
    for _ in range(20):
        value = (core.ones([64]) + 1.0)._value
        found: list[Any] = []
        threads = [threading.Thread(target=lambda v=value, f=found: f.append(v.array)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4 and all(array is found[0] for array in found)


def test_nothing_is_reported_and_what_the_user_asked_to_hear_of_numpy_stays() -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        x = core.to_tensor([0.0, -1.0, 3e38])
        for result in (x / 0.0, core.log(x), core.sqrt(x), core.exp(x), x * x, (x * x).sum(), core.to_tensor(1.0) / x):
            result.numpy()
        assert np.geterr() == before


def test_errors_are_those_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def message() -> str:
        with pytest.raises(OperatorError) as caught:
            core.ones([2, 3]) + core.ones([4])
        return str(caught.value)

    assert message() == by_engine(message, monkeypatch)


def test_large_tensors_programs_and_other_types_stay_with_the_engine() -> None:
    def kernel(name: str, *tensors: Tensor) -> Any:
        operator = REGISTRY[name]
        operator.plans.clear()
        apply(operator, *tensors)
        return next(plan.operator for key, plan in operator.plans.items() if not key[0] & TRACED)

    few, many = core.ones([4, 4]), core.ones([2**15 + 1])
    assert isinstance(kernel("add", few, few), NumpyKernel)
    assert not isinstance(kernel("add", many, many), NumpyKernel)
    assert not isinstance(kernel("add", core.ones([512, 1]), core.ones([1, 512])), NumpyKernel)
    assert not isinstance(kernel("add", *[core.cast(few, "float16")] * 2), NumpyKernel)
    assert not isinstance(kernel("exp", core.cast(few, "float64")), NumpyKernel)
    compiled = core.jit.to_static(lambda x: F.sigmoid(x + x) * 3.0)
    with dispatcher.gradient_mode(False):
        assert np.allclose(compiled(few).numpy(), (F.sigmoid(few + few) * 3.0).numpy(), rtol=1e-6)
