"""Element-wise arithmetic against numpy: values, types, broadcasting, derivatives, refusals."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from tests.core.gradient_check import check_gradients

FLOATS = ("float16", "float32", "float64")
LOOSE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}

ANYWHERE: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "expm1": np.expm1, "square": np.square, "abs": np.abs, "neg": np.negative, "sin": np.sin,
    "cos": np.cos, "tan": np.tan, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh,
    "rad2deg": np.rad2deg, "deg2rad": np.deg2rad, "erf": np.vectorize(math.erf),
    "stanh": lambda x: 1.7159 * np.tanh(0.67 * x), "frac": lambda x: x - np.trunc(x), "nan_to_num": np.nan_to_num,
}  # fmt: skip
WITHIN_ONE: dict[str, Callable[[Any], Any]] = {
    "asin": np.arcsin, "acos": np.arccos, "atanh": np.arctanh,
}  # fmt: skip
POSITIVE: dict[str, Callable[[Any], Any]] = {
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "rsqrt": lambda x: x**-0.5,
    "reciprocal": lambda x: 1 / x, "lgamma": np.vectorize(math.lgamma),
}  # fmt: skip
UNARY = [
    *[(name, function, (-1.7, 1.7)) for name, function in ANYWHERE.items()],
    *[(name, function, (-0.9, 0.9)) for name, function in WITHIN_ONE.items()],
    *[(name, function, (0.3, 2.5)) for name, function in POSITIVE.items()],
    ("acosh", np.arccosh, (1.2, 2.5)),
    ("logit", lambda x: np.log(x / (1 - x)), (0.1, 0.9)),
]


def uniform(low: float, high: float, *shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, shape)


@pytest.mark.parametrize(("name", "expected", "bounds"), UNARY, ids=[case[0] for case in UNARY])
def test_functions_of_one_operand(name: str, expected: Callable[[Any], Any], bounds: tuple[float, float]) -> None:
    function = getattr(core, name)
    for shape in ((2, 3), (), (0, 2)):
        for dtype in FLOATS:
            x = uniform(*bounds, *shape).astype(dtype)
            got = function(core.to_tensor(x))
            assert got.dtype == dtype and got.shape == list(shape)
            wanted = expected(x.astype("float64")) if x.size else x
            np.testing.assert_allclose(got.numpy(), wanted, rtol=LOOSE[dtype], atol=LOOSE[dtype])
            assert getattr(core.to_tensor(x), name)().numpy().tobytes() == got.numpy().tobytes()
    check_gradients(function, uniform(*bounds, 2, 2, seed=1))
    check_gradients(function, uniform(*bounds, seed=2))


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "tanh", "lgamma", "rad2deg"])
def test_integers_become_the_default_float_type(name: str) -> None:
    got = getattr(core, name)(core.to_tensor([1, 2, 3]))
    assert got.dtype == "float32"
    np.testing.assert_allclose(got.numpy(), getattr(core, name)(core.to_tensor([1.0, 2.0, 3.0])).numpy())


def test_rounding_functions() -> None:
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.4, 1.5, 2.5, 2.6])
    for dtype in FLOATS:
        t = core.to_tensor(x.astype(dtype))
        for name in ("floor", "ceil", "trunc", "sign"):
            np.testing.assert_array_equal(getattr(core, name)(t).numpy(), getattr(np, name)(x))
        np.testing.assert_array_equal(core.round(t).numpy(), [-3, -2, -1, 1, 1, 2, 3, 3])
    for name in ("floor", "ceil", "trunc", "round"):
        large = core.to_tensor([2**53 + 1, -(2**53) - 1])
        np.testing.assert_array_equal(getattr(core, name)(large).numpy(), large.numpy())


def test_erfinv_inverts_erf() -> None:
    x = core.to_tensor(uniform(-0.9, 0.9, 5), dtype="float64")
    np.testing.assert_allclose(core.erf(core.erfinv(x)).numpy(), x.numpy(), rtol=1e-6)
    check_gradients(core.erfinv, uniform(-0.7, 0.7, 3), step=1e-4, tolerance=1e-4)


BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "maximum": np.maximum,
    "minimum": np.minimum, "pow": np.power, "fmax": np.fmax, "fmin": np.fmin, "atan2": np.arctan2, "hypot": np.hypot,
    "remainder": np.mod, "logaddexp": np.logaddexp, "ldexp": lambda x, y: x * 2.0**y,
}  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_operands(name: str) -> None:
    function, expected = getattr(core, name), BINARY[name]
    for shapes in (((2, 3), (2, 3)), ((2, 1), (3,)), ((), (2,)), ((), ()), ((0, 3), (1, 3))):
        for dtype in FLOATS:
            x, y = (uniform(0.4, 2.0, *shape, seed=seed).astype(dtype) for seed, shape in enumerate(shapes))
            got = function(core.to_tensor(x), core.to_tensor(y))
            wanted = expected(x.astype("float64"), y.astype("float64"))
            assert got.dtype == dtype and got.shape == list(np.shape(wanted))
            np.testing.assert_allclose(got.numpy(), wanted, rtol=2 * LOOSE[dtype], atol=2 * LOOSE[dtype])
    check_gradients(function, uniform(0.4, 2.0, 2, 1, seed=3), uniform(0.5, 2.0, 3, seed=4))
    with pytest.raises(OperatorError, match=r"shapes \[2\] and \[3\] do not broadcast|do not fit"):
        function(core.ones([2]), core.ones([3]))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "pow", "remainder"])
def test_numbers_as_operands(name: str) -> None:
    function, expected = getattr(core, name), BINARY[name]
    x = uniform(0.4, 2.0, 2, 3)
    t = core.to_tensor(x)
    np.testing.assert_allclose(function(t, 1.3).numpy(), expected(x, 1.3), rtol=1e-12)
    np.testing.assert_allclose(function(1.3, t).numpy(), expected(1.3, x), rtol=1e-12)
    check_gradients(lambda a: function(a, 1.3), x)
    check_gradients(lambda a: function(1.3, a), x)
    assert function(core.to_tensor([1, 2]), 2).dtype == "int64"
    assert function(core.to_tensor([1, 2]), 2.5).dtype == "float32"


def test_python_operators() -> None:
    a, b = core.to_tensor([-7, 7, 5]), core.to_tensor([2, -2, 3])
    x, y = a.numpy(), b.numpy()
    for got, expected in (
        (a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y), (a // b, x // y), (a % b, x % y),
        (a**2, x**2),
        (7 // b, 7 // y), (7 % b, 7 % y), (2 - a, 2 - x), (2 / b, 2 / y), (2 ** (b * b), 2 ** (y * y)), (-a, -x),
        (abs(a), abs(x)), (a & b, x & y), (a | b, x | y), (a ^ b, x ^ y), (~a, ~x), (6 & b, 6 & y),
        (1 | a, 1 | x), (5 ^ a, 5 ^ x),
        (a @ b, x @ y), (a == b, x == y), (a != 7, x != 7), (a < b, x < y), (a <= 5, x <= 5), (a > b, x > y),
        (5 >= a, 5 >= x),
    ):  # fmt: skip
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6)
    assert (a // b).dtype == "int64" and (a / b).dtype == "float32"


def test_int64_beyond_two_to_the_53_is_exact() -> None:
    large = 2**53 + 1
    t = core.to_tensor([large, -large])
    x = t.numpy()
    for got, expected in (
        (t + 1, x + 1), (t - 1, x - 1), (1 - t, 1 - x), (t * 3, x * 3), (t // 2, x // 2), (t % 3, x % 3), (-t, -x),
        (abs(t), abs(x)), (core.maximum(t, large - 1), np.maximum(x, large - 1)), (t == large - 1, x == large - 1),
        (t > large - 1, x > large - 1), (core.clip(t, 0, large), x.clip(0, large)), (core.sum(t[:1]), x[0]),
        (core.to_tensor([3]) ** 39, np.array([3**39])),
        (core.square(core.to_tensor([2**31 + 1])), np.array([(2**31 + 1) ** 2])),
        (core.fmax(t, core.to_tensor(0)), np.maximum(x, 0)), (core.add_n([t, t]), x + x), (core.cumsum(t[:1]), x[:1]),
    ):  # fmt: skip
        np.testing.assert_array_equal(got.numpy(), expected)


def test_whole_division_rounds_down_and_refuses_zero() -> None:
    t = core.to_tensor([-7, 7])
    np.testing.assert_array_equal(core.floor_divide(t, 2).numpy(), [-4, 3])
    np.testing.assert_array_equal(core.mod(t, -2).numpy(), [-1, -1])
    np.testing.assert_array_equal(core.floor_divide(core.to_tensor([-7.5, 7.5]), 2.0).numpy(), [-4, 3])
    for name in ("floor_divide", "remainder", "divide"):
        with pytest.raises(OperatorError, match="an integer is divided by 0"):
            getattr(core, name)(t, core.to_tensor([1, 0]))
    assert np.isnan(core.mod(core.to_tensor([5.0]), 0.0).item())
    np.testing.assert_array_equal(core.divide(t, 2).numpy(), [-3, 3])  # which cuts off, as Paddle's does
    assert core.divide(t, 2).dtype == "int64" and (t / 2).dtype == core.divide(t, 2.0).dtype == "float32"


def test_integer_powers() -> None:
    t = core.to_tensor([2, -2, 1, -1])
    np.testing.assert_array_equal((t ** core.to_tensor([-1, -3, -5, -3])).numpy(), [0, 0, 1, -1])
    with pytest.raises(OperatorError, match="0 is raised to a negative power"):
        core.to_tensor([0]) ** -1


def test_bool_arithmetic_counts() -> None:
    t = core.to_tensor([True, False])
    for got in (t + t, t * 2, t - t):
        assert got.dtype == "int64"
    np.testing.assert_array_equal((t + t).numpy(), [2, 0])
    assert (t / t[:1]).dtype == "float32"


def test_common_divisors() -> None:
    x, y = np.array([[12, -18], [0, 7]]), np.array([8, 0])
    np.testing.assert_array_equal(core.gcd(core.to_tensor(x), core.to_tensor(y)).numpy(), np.gcd(x, y))
    np.testing.assert_array_equal(core.lcm(core.to_tensor(x), core.to_tensor(y)).numpy(), np.lcm(x, y))
    with pytest.raises(OperatorTypeError, match="gcd: expects integers, got float32"):
        core.gcd(core.ones([1]), core.ones([1]))


def test_equal_elements_give_the_gradient_to_the_second_operand_eagerly_and_compiled() -> None:
    for function in (core.maximum, core.minimum):
        for run in (function, core.jit.to_static(lambda x, y, function=function: function(x, y))):
            x, y = core.to_tensor([1.0, 2.0], stop_gradient=False), core.to_tensor([1.0, 2.0], stop_gradient=False)
            run(x, y).sum().backward()
            np.testing.assert_array_equal(x.grad.numpy(), [0, 0])
            np.testing.assert_array_equal(y.grad.numpy(), [1, 1])


@pytest.mark.parametrize("shape", [(5, 3), (2, 5, 3), (1, 3), (0, 3)])
@pytest.mark.parametrize("row_first", [False, True])
def test_a_row_added_to_all_rows_gets_the_sum_of_their_gradients_compiled(
    shape: tuple[int, ...], row_first: bool
) -> None:
    rows, row, slope = uniform(-1, 1, *shape), uniform(-1, 1, 3, seed=1), uniform(-1, 1, *shape, seed=2)
    x, y, z = (core.to_tensor(array, dtype="float32", stop_gradient=False) for array in (rows, row, slope))
    result = core.jit.to_static(lambda x, y: y + x if row_first else x + y)(x, y)
    (result * z).sum().backward()
    np.testing.assert_allclose(result.numpy(), rows + row, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), slope, rtol=1e-6)
    np.testing.assert_allclose(y.grad.numpy(), slope.reshape(-1, 3).sum(0), rtol=1e-5, atol=1e-6)


def test_extremes_and_nan() -> None:
    nan = float("nan")
    x, y = core.to_tensor([1.0, nan, nan, 3.0]), core.to_tensor([2.0, 5.0, nan, nan])
    np.testing.assert_array_equal(core.fmax(x, y).numpy(), [2, 5, nan, 3])
    np.testing.assert_array_equal(core.fmin(x, y).numpy(), [1, 5, nan, 3])
    np.testing.assert_array_equal(core.maximum(x, y).numpy(), [2, nan, nan, nan])


def test_heaviside_lerp_scale_add_n_multiplex() -> None:
    x = core.to_tensor([-1.0, 0.0, 2.0])
    np.testing.assert_array_equal(core.heaviside(x, core.to_tensor([0.5])).numpy(), [0, 0.5, 1])
    check_gradients(lambda a, b: core.lerp(a, b, 0.3), uniform(0, 1, 2, 2), uniform(0, 1, 2, 2, seed=1))
    np.testing.assert_allclose(core.scale(x, 2.0, 1.0).numpy(), [-1, 1, 5])
    np.testing.assert_allclose(core.scale(x, 2.0, 1.0, bias_after_scale=False, act="relu").numpy(), [0, 2, 6])
    with pytest.raises(OperatorTypeError, match="2.5 has a fraction, but x is int64"):
        core.scale(core.to_tensor([1]), 2.5)
    with pytest.raises(OperatorError, match="there is no activation 'rleu'"):
        core.scale(x, act="rleu")
    check_gradients(lambda a, b: core.add_n([a, b, a]), uniform(0, 1, 2), uniform(0, 1, 2, seed=1))
    with pytest.raises(OperatorError, match="add_n: expects tensors of one shape"):
        core.add_n([core.ones([2]), core.ones([3])])
    parts = [core.to_tensor([[1.0, 2.0], [3.0, 4.0]]), core.to_tensor([[5.0, 6.0], [7.0, 8.0]])]
    chosen = core.multiplex(parts, core.to_tensor([[1], [0]], dtype="int32"))
    np.testing.assert_array_equal(chosen.numpy(), [[5, 6], [3, 4]])
    with pytest.raises(IndexError, match="multiplex"):
        core.multiplex(parts, core.to_tensor([[2], [0]]))


def test_inner_and_outer() -> None:
    x, y = uniform(0, 1, 2, 3, 4), uniform(0, 1, 5, 4, seed=1)
    np.testing.assert_allclose(core.inner(core.to_tensor(x), core.to_tensor(y)).numpy(), np.inner(x, y))
    np.testing.assert_allclose(core.outer(core.to_tensor(x), core.to_tensor(y)).numpy(), np.outer(x, y))
    check_gradients(core.inner, x[0, :2], y[:2])
    with pytest.raises(OperatorError, match="inner: the last sizes"):
        core.inner(core.ones([2]), core.ones([3]))


def test_increment_moves_the_handle() -> None:
    x = core.to_tensor([2])
    assert core.increment(x, 3) is x and x.item() == 5
    with pytest.raises(OperatorError, match="increment: expects a tensor of one element"):
        core.increment(core.ones([2]))


def test_clip() -> None:
    x = uniform(-2, 2, 3, 4)
    for dtype in FLOATS:
        got = core.clip(core.to_tensor(x.astype(dtype)), -0.5, 1.0)
        assert got.dtype == dtype
        np.testing.assert_allclose(got.numpy(), x.astype(dtype).clip(-0.5, 1.0))
    np.testing.assert_array_equal(core.clip(core.to_tensor([1, 5, 9]), min=3).numpy(), [3, 5, 9])
    np.testing.assert_array_equal(core.clip(core.to_tensor([1.0, 9.0]), max=core.to_tensor([4.0])).numpy(), [1, 4])
    assert np.isnan(core.clip(core.to_tensor([float("nan")]), 0.0, 1.0).item())
    check_gradients(lambda a: core.clip(a, -0.5, 1.0), x)
    with pytest.raises(OperatorError, match="the lower bound 2 is above the upper bound 1"):
        core.clip(core.ones([1]), 2, 1)


def test_clip_in_float64_has_float64_bounds() -> None:
    assert core.clip(core.to_tensor([1.0], dtype="float64"), 0.0, 0.1).item() == 0.1


def test_nan_to_num_replaces_what_is_not_finite() -> None:
    x = core.to_tensor([float("nan"), float("inf"), float("-inf"), 1.0], stop_gradient=False)
    got = core.nan_to_num(x, 5.0, 7.0, -7.0)
    np.testing.assert_array_equal(got.numpy(), [5, 7, -7, 1])
    got.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 0, 0, 1])
    assert core.nan_to_num(x.detach()).numpy()[1] == np.finfo(np.float32).max


@pytest.mark.parametrize("order", range(4))
def test_polygamma_is_the_derivative_of_the_one_before(order: int) -> None:
    function = core.lgamma if order == 0 else lambda t: core.polygamma(t, order - 1)
    x = np.array([-1.3, 0.4, 1.5, 6.0, 20.0])
    step = 1e-5
    quotient = (function(core.to_tensor(x + step)).numpy() - function(core.to_tensor(x - step)).numpy()) / (2 * step)
    np.testing.assert_allclose(core.polygamma(core.to_tensor(x), order).numpy(), quotient, rtol=1e-6)


def test_digamma_at_known_points() -> None:
    euler = 0.5772156649015329
    got = core.digamma(core.to_tensor([1.0, 2.0, 0.5, 0.0, -1.0], dtype="float64")).numpy()
    np.testing.assert_allclose(got, [-euler, 1 - euler, -euler - 2 * math.log(2), np.nan, np.nan], rtol=1e-13)
    one = core.to_tensor(1.0, dtype="float64")
    np.testing.assert_allclose(core.polygamma(one, 1).item(), math.pi**2 / 6, rtol=1e-13)
    with pytest.raises(OperatorError, match="the order n must be an integer of at least 0"):
        core.polygamma(core.ones([1]), -1)


def test_a_wrong_argument_is_named() -> None:
    with pytest.raises(OperatorTypeError, match="exp: x must be a Tensor, got list: use to_tensor"):
        core.exp([1.0])
    with pytest.raises(OperatorTypeError, match="clip: expects numbers, got a bool tensor"):
        core.clip(core.to_tensor([True]), 0, 1)
