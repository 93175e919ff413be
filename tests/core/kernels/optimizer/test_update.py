"""The compiled update rules against the numpy reference, bit for bit, over many tensors of odd sizes at once."""

from __future__ import annotations

from typing import Optional

import numba
import numpy as np
import pytest

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dtypes import DType, bfloat16, float16
from core.kernels.engine import engine
from core.kernels.optimizer import update, update_reference
from tests.sampling import sampled

# rule: (columns, constants, numbers of each tensor beside the learning rate)
RULES = {
    "sgd": (2, [], []),
    "momentum": (3, [0.9, 0.0], []),
    "momentum, Nesterov": (3, [0.9, 1.0], []),
    "adam": (6, [0.9, 0.999, 1e-8], [0.99]),
    "adamax": (5, [0.9, 0.999, 1e-8], []),
    "adagrad": (3, [1e-6], []),
    "adadelta": (4, [0.95, 1e-6], []),
    "rmsprop": (5, [0.95, 1e-6, 0.9, 0.0], []),
    "rmsprop, centered": (5, [0.95, 1e-6, 0.9, 1.0], []),
    "lamb": (6, [0.9, 0.999, 1e-6], [0.01, 1.0]),
}
SIZES = [5, 0, update.CHUNK, 1, 2 * update.CHUNK + 33]


def columns_of(name: str, dtype: str) -> list[list[np.ndarray]]:
    """Random weights, gradients and accumulators; powers of betas where the rule has them."""
    rng = np.random.RandomState(0)
    count = RULES[name][0]
    columns = [[rng.randn(size).astype(dtype) for size in SIZES] for _ in range(2)]
    for _ in range(2, count):
        columns.append([(rng.rand(size) * 0.01 + 0.5).astype(dtype) for size in SIZES])
    if name == "rmsprop, centered":
        columns[4] = [column * 0.1 for column in columns[4]]
    if name in ("adam", "lamb"):
        columns[4:] = [[np.array([power], dtype) for _ in SIZES] for power in (0.9**2, 0.999**2)]
    if name == "adamax":
        columns[4] = [np.array([0.81], dtype) for _ in SIZES]
    return columns


def value(array: np.ndarray, dtype: Optional[DType] = None) -> Value:
    """An array in engine memory."""
    return dispatcher.constant(engine.from_numpy(array, dtype))


def numbers(held: Value) -> np.ndarray:
    """The elements of a value."""
    return held.array.asnumpy()


def run(name: str, dtype: str) -> tuple[list[list[np.ndarray]], list[list[np.ndarray]]]:
    """Columns after one compiled update, and after the reference."""
    expected = columns_of(name, dtype)
    values = [[value(array) for array in column] for column in expected]
    _, constants, more = RULES[name]
    terms = np.tile([0.5, -0.4, 0.4, 0.01, 0.02], (len(SIZES), 1))
    rates = np.tile([0.1, *more], (len(SIZES), 1))
    rule = name.partition(",")[0]
    update.update(rule, values, terms, rates, constants)
    settings = [array.astype(dtype) for array in (terms, rates, np.array(constants))]
    for position, parts in enumerate(zip(*expected)):
        gradient = update_reference.effective(parts[1], parts[0], settings[0][position])
        update_reference.RULES[rule](parts, gradient, settings[1][position], settings[2])
    return [[numbers(held) for held in column] for column in values], expected


@pytest.mark.parametrize(
    ("name", "dtype"), sampled([(name, dtype) for dtype in ("float32", "float64") for name in RULES], 6)
)
def test_compiled_rule_equals_reference(name, dtype):
    results, expected = run(name, dtype)
    tolerance = 1e-15 if (name, dtype) == ("lamb", "float64") else 0  # its sums run in another order
    for result, reference in zip(results, expected):
        for one, other in zip(result, reference):
            assert one.dtype == other.dtype == np.dtype(dtype)
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["adam", "lamb"])
def test_result_does_not_depend_on_the_number_of_threads(name):
    results = []
    threads = numba.get_num_threads()
    for count in (1, threads):
        numba.set_num_threads(count)
        results.append(run(name, "float32")[0])
    for one, other in zip(*results):
        for a, b in zip(one, other):
            np.testing.assert_array_equal(a, b)


def test_sum_of_squares():
    rng = np.random.RandomState(0)
    host = [rng.randn(size).astype(np.float32) for size in SIZES]
    squares = update.sum_of_squares([value(array) for array in host])
    np.testing.assert_allclose(squares, [np.sum(array.astype(np.float64) ** 2) for array in host], rtol=1e-12)


@pytest.mark.parametrize("on_cpu", [True, False])
def test_half_precision_is_rounded_to_nearest_even(on_cpu, monkeypatch):
    monkeypatch.setattr(update, "_on_cpu", lambda _value: on_cpu)
    special = [0.0, -0.0, 1.0, 1 - 1e-4, 1 + 2**-8, 1 + 3 * 2**-8, np.inf, -np.inf, np.nan, 3e38, 1e-40]
    host = np.concatenate([special, np.random.RandomState(0).randn(50000)]).astype(np.float32)
    singles = [value(host), value(host[11:])]
    halves = [value(np.zeros_like(host), bfloat16), value(np.zeros_like(host[11:]), float16)]
    update.write_half(singles, halves)
    bits = engine.view(halves[0].array, *halves[0].meta)
    np.testing.assert_array_equal(bits[:6], [0x0000, 0x8000, 0x3F80, 0x3F80, 0x3F80, 0x3F82])
    np.testing.assert_array_equal(bits[6:9], [0x7F80, 0xFF80, 0x7FC0])
    back = (bits.astype(np.uint32) << 16).view(np.float32)[11:]
    assert np.abs(back / host[11:] - 1).max() <= 2**-8
    assert abs(np.mean(np.abs(back) / np.abs(host[11:])) - 1) < 1e-4  # cutting off gives 2.7e-3
    np.testing.assert_array_equal(numbers(halves[1]), host[11:].astype(np.float16))


def test_pending_readers_see_the_old_weight():
    weight, gradient = value(np.ones(1 << 20, np.float32)), value(np.ones(1 << 20, np.float32))
    add = engine.operator_handle("_plus_scalar")
    for _ in range(5):
        (sums,) = engine.invoke(add, [weight.array], engine.Attributes({"scalar": 0.0}))
        update.update("sgd", [[weight], [gradient]], np.array([[1, -np.inf, np.inf, 0, 0]]), np.array([[1.0]]), [])
        (after,) = engine.invoke(add, [weight.array], engine.Attributes({"scalar": 0.0}))
        difference = sums.asnumpy() - after.asnumpy()
        np.testing.assert_array_equal(difference, np.ones_like(difference))


def test_gradient_is_not_written_and_nan_passes_bounds():
    weight, gradient = value(np.zeros(3, np.float32)), value(np.array([np.nan, 5, -5], np.float32))
    update.update("sgd", [[weight], [gradient]], np.array([[1, -1, 2, 0, 0]]), np.array([[1.0]]), [])
    np.testing.assert_array_equal(numbers(weight), [np.nan, -2, 1])
    np.testing.assert_array_equal(numbers(gradient), [np.nan, 5, -5])


def test_other_device_goes_through_copies_where_the_engine_has_no_rule(monkeypatch):
    monkeypatch.setattr(update, "_on_cpu", lambda _value: False)
    for name, dtype in (("adagrad", "float32"), ("adam", "float64"), ("momentum", "float32")):  # SIZES has an empty one
        results, expected = run(name, dtype)
        for result, reference in zip(results, expected):
            for one, other in zip(result, reference):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["sgd", "momentum", "momentum, Nesterov", "adam", "lamb"])
def test_other_device_goes_through_the_engines_fused_operators(name, monkeypatch):
    monkeypatch.setattr(update, "_on_cpu", lambda _value: False)
    monkeypatch.setattr(update, "_update_through_copies", None)
    monkeypatch.setitem(globals(), "SIZES", [5, 1, 33] * 20)  # more than one call takes
    results, expected = run(name, "float32")
    for result, reference in zip(results, expected):
        for one, other in zip(result, reference):
            np.testing.assert_allclose(one, other, rtol=2e-6, atol=1e-6)


def test_lamb_of_the_engine_without_adaptation_and_after_many_steps(monkeypatch):
    results = []
    for on_cpu in (True, False):
        monkeypatch.setattr(update, "_on_cpu", lambda _value, answer=on_cpu: answer)
        columns = [[value(np.full(3, 0.5, np.float32)) for _ in range(2)] for _ in range(4)]
        columns += [[value(np.zeros(1, np.float32)) for _ in range(2)] for _ in range(2)]
        terms = np.tile([1, -np.inf, np.inf, 0, 0], (2, 1))
        rates = np.array([[0.1, 0.0, 0.0], [0.1, 0.01, 1.0]])
        update.update("lamb", columns, terms, rates, [0.9, 0.999, 1e-6])
        results.append([numbers(held) for column in columns for held in column])
    for one, other in zip(*results):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_sum_of_squares_on_another_device(monkeypatch):
    monkeypatch.setattr(update, "_on_cpu", lambda _value: False)
    host = [np.full(size, size, np.float32) for size in range(1, 101)]
    squares = update.sum_of_squares([value(array) for array in host])
    np.testing.assert_allclose(squares, [size**3 for size in range(1, 101)], rtol=1e-6)
    empty = [value(array) for array in (np.zeros(0, np.float32), np.array([3, 4], np.float32))]
    np.testing.assert_array_equal(update.sum_of_squares(empty), [0, 25])


def test_wrong_types_and_shapes_are_refused():
    half, single = value(np.zeros(2, np.float32), bfloat16), value(np.zeros(2, np.float32))
    terms, rates = np.array([[1, -1, 1, 0, 0]]), np.array([[1.0]])
    with pytest.raises(TypeError, match="arrays must be float32 or float64, not bfloat16"):
        update.update("sgd", [[half], [half]], terms, rates, [])
    with pytest.raises(TypeError, match="optimizer update: bfloat16 among arrays of float32"):
        update.update("sgd", [[single], [half]], terms, rates, [])
    with pytest.raises(KeyError, match="newton"):
        update.update("newton", [[single], [single]], terms, rates, [])
    with pytest.raises(ValueError, match=r"optimizer update: shape \[3\] where \[2\] is needed"):
        update.update("sgd", [[single], [value(np.zeros(3, np.float32))]], terms, rates, [])
    with pytest.raises(ValueError, match=r"optimizer update: shape \[2\] where \[1\] is needed"):
        update.update("adamax", [[single]] * 5, terms, rates, [0.9, 0.999, 1e-8])
