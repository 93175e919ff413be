"""Random numbers: reproducible from a seed, new on every compiled call, and of the right distribution."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.operators.creation.random import numpy_generator

MANY = 100_000
DRAWS: dict[str, Callable[[], Any]] = {
    "rand": lambda: core.rand([3, 2]),
    "randn": lambda: core.randn([3, 2]),
    "standard_normal": lambda: core.standard_normal([5]),
    "normal": lambda: core.normal(1.0, 2.0, [5]),
    "normal of tensors": lambda: core.normal(core.zeros([2, 1]), core.ones([3])),
    "uniform": lambda: core.uniform([5], min=1, max=2),
    "randint": lambda: core.randint(0, 1000, [5]),
    "randint_like": lambda: core.randint_like(core.zeros([5]), 0, 1000),
    "randperm": lambda: core.randperm(20),
    "bernoulli": lambda: core.bernoulli(core.full([50], 0.5)),
    "multinomial": lambda: core.multinomial(core.ones([2, 30]), 9),
    "poisson": lambda: core.poisson(core.full([20], 30.0)),
    "exponential_": lambda: core.zeros([5]).exponential_(),
    "uniform_": lambda: core.zeros([5]).uniform_(),
    "normal_": lambda: core.zeros([5]).normal_(),
    "cauchy_": lambda: core.zeros([5]).cauchy_(),
    "geometric_": lambda: core.zeros([50]).geometric_(0.2),
    "generator": lambda: core.to_tensor(numpy_generator().random(4)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_repeats_the_numbers_and_a_second_draw_differs(name: str) -> None:
    core.seed(11)
    first, second = DRAWS[name]().numpy(), DRAWS[name]().numpy()
    core.seed(11)
    np.testing.assert_array_equal(DRAWS[name]().numpy(), first)
    assert (first != second).any()
    core.seed(12)
    assert (DRAWS[name]().numpy() != first).any()


@pytest.mark.parametrize("name", [name for name in DRAWS if not name.endswith("_") and name != "generator"])
def test_a_compiled_program_draws_anew_on_each_call(name: str) -> None:
    program = core.jit.to_static(lambda x: DRAWS[name]() + core.cast(x, "int64") * 0)
    zero = core.zeros([1])
    core.seed(3)
    first, second = program(zero).numpy(), program(zero).numpy()
    core.seed(3)
    np.testing.assert_array_equal(program(zero).numpy(), first)
    assert (first != second).any()


def test_a_state_can_be_taken_and_given_back() -> None:
    core.seed(1)
    core.rand([3])
    state = core.get_rng_state()
    expected = core.randn([4]).numpy()
    core.set_rng_state(state)
    np.testing.assert_array_equal(core.randn([4]).numpy(), expected)
    with pytest.raises(OperatorError, match="set_rng_state: expects a list of one seed"):
        core.set_rng_state([1, 2])


def moments(values: np.ndarray, mean: float, deviation: float) -> None:
    """Assert mean and standard deviation to within five standard errors."""
    error = deviation / values.size**0.5
    assert abs(values.mean() - mean) < 5 * error
    assert abs(values.std() - deviation) < 10 * error


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_distributions(dtype: str) -> None:
    core.seed(0)
    x = core.uniform([MANY], dtype, min=-2, max=4).numpy().astype("float64")
    moments(x, 1, 6 / 12**0.5)
    assert x.min() >= -2 and x.max() <= 4
    moments(core.standard_normal([MANY], dtype).numpy().astype("float64"), 0, 1)
    t = core.zeros([MANY], dtype)
    moments(t.exponential_(2.0).numpy().astype("float64"), 0.5, 0.5)
    assert np.isfinite(t.numpy()).all() and t.numpy().min() >= 0
    trials = t.geometric_(0.25).numpy().astype("float64")
    moments(trials, 4, (1 - 0.25) ** 0.5 / 0.25)
    assert trials.min() == 1
    quarters = np.quantile(t.cauchy_(1.0, 2.0).numpy().astype("float64"), [0.25, 0.5, 0.75])
    np.testing.assert_allclose(quarters, [-1, 1, 3], atol=0.1)
    moments(t.normal_(3.0, 0.5).numpy().astype("float64"), 3, 0.5)
    moments(core.bernoulli(core.full([MANY], 0.25, dtype)).numpy().astype("float64"), 0.25, (0.25 * 0.75) ** 0.5)
    for mean in (0.5, 20.0):
        moments(core.poisson(core.full([MANY], mean, dtype)).numpy().astype("float64"), mean, mean**0.5)


def test_the_normal_distribution_has_its_shape() -> None:
    core.seed(0)
    x = np.sort(core.randn([MANY]).numpy())
    from statistics import NormalDist

    for fraction in (0.01, 0.1, 0.5, 0.9, 0.99):
        assert abs(x[int(fraction * MANY)] - NormalDist().inv_cdf(fraction)) < 0.03


def test_integers_are_equally_likely() -> None:
    core.seed(0)
    x = core.randint(-3, 3, [MANY]).numpy()
    counts = np.bincount(x + 3, minlength=6)
    assert len(counts) == 6 and np.abs(counts - MANY / 6).max() < 5 * (MANY / 6) ** 0.5
    assert core.randint(5).shape == [1] and core.randint(0, 3, [2], "int32").dtype == "int32"
    large = core.randint(2**40, 2**40 + 3, [100]).numpy()
    assert set(large) == {2**40, 2**40 + 1, 2**40 + 2}
    assert core.randint_like(core.zeros([2, 2]), 5).dtype == "float32"


def test_permutations() -> None:
    core.seed(0)
    assert sorted(core.randperm(50).tolist()) == list(range(50))
    assert core.randperm(0).shape == [0] and core.randperm(1).tolist() == [0]
    first = np.array([core.randperm(3)[0].item() for _ in range(600)])
    assert np.abs(np.bincount(first) - 200).max() < 70
    assert core.randperm(4, "float32").dtype == "float32"


def test_categories() -> None:
    core.seed(0)
    weights = np.array([1.0, 2.0, 0.0, 7.0])
    drawn = core.multinomial(core.to_tensor(weights), 20_000, replacement=True).numpy()
    np.testing.assert_allclose(np.bincount(drawn, minlength=4) / 20_000, weights / 10, atol=0.02)
    rows = core.multinomial(core.to_tensor(np.tile(weights, (20_000, 1))), 3).numpy()
    assert (np.sort(rows, 1) == [0, 1, 3]).all()
    np.testing.assert_allclose(np.bincount(rows[:, 0], minlength=4) / 20_000, weights / 10, atol=0.02)
    second_is_0 = (rows[:, 1] == 0).mean()  # 2/10 * 1/8 + 7/10 * 1/3
    assert abs(second_is_0 - (0.2 / 8 + 0.7 / 3)) < 0.02
    assert core.multinomial(core.ones([3, 4])).shape == [3, 1]


def test_an_operator_seed_is_its_own_stream() -> None:
    np.testing.assert_array_equal(core.uniform([3], seed=5).numpy(), core.uniform([3], seed=5).numpy())


def test_gradients_flow_to_mean_and_deviation() -> None:
    mean, deviation = core.zeros([3]), core.ones([3])
    mean.stop_gradient = deviation.stop_gradient = False
    sample = core.normal(mean, deviation)
    sample.sum().backward()
    np.testing.assert_array_equal(mean.grad.numpy(), [1, 1, 1])
    np.testing.assert_allclose(deviation.grad.numpy(), sample.numpy(), rtol=1e-6)


def test_shapes() -> None:
    for draw in (core.rand, core.randn, core.standard_normal, core.uniform):
        assert draw([]).shape == [] and draw([0, 3]).shape == [0, 3] and draw(4).shape == [4]
    assert core.randint(0, 5, []).shape == [] and core.randint(0, 5, [0]).shape == [0]
    assert core.poisson(core.zeros([0])).shape == [0]


def test_refusals() -> None:
    for call, message in (
        (lambda: core.uniform([2], min=3, max=1), "uniform: min 3 is above max 1"),
        (lambda: core.normal(0.0, -1.0), "normal: std -1.0 is negative"),
        (lambda: core.rand([-1]), r"uniform: shape \[-1\] has a negative size"),
        (lambda: core.randint(3, 3), r"randint: no integer is in \[3, 3\)"),
        (lambda: core.randint(-3), r"randint: no integer is in \[0, -3\)"),
        (lambda: core.randperm(-1), "randperm: n must not be negative, got -1"),
        (lambda: core.bernoulli(core.to_tensor([1.5])), r"bernoulli: the probabilities must lie within \[0, 1\]"),
        (lambda: core.multinomial(core.to_tensor([1.0, -1.0])), "the weights must be finite and not negative"),
        (lambda: core.multinomial(core.to_tensor([1.0, 0.0]), 2), "pass replacement=True"),
        (lambda: core.multinomial(core.to_tensor([0.0, 0.0])), "1 samples from a row with 0 categories"),
        (lambda: core.poisson(core.to_tensor([-1.0])), "poisson: the means must not be negative"),
        (lambda: core.zeros([1]).exponential_(0), "exponential_: the rate lam must be above 0, got 0"),
        (lambda: core.zeros([1]).cauchy_(0, 0), "cauchy_: the scale must be above 0, got 0"),
        (lambda: core.zeros([1]).geometric_(0.0), r"geometric_: the probability must lie within \(0, 1\], got 0.0"),
    ):
        with pytest.raises(OperatorError, match=message):
            call()
    with pytest.raises(OperatorTypeError, match="uniform: draws floating-point numbers, dtype int32 is not"):
        core.uniform([1], "int32")
    with pytest.raises(OperatorTypeError, match="randint: dtype must be int32 or int64, got float32"):
        core.randint(0, 1, [1], "float32")
    with pytest.raises(OperatorTypeError, match="seed: expects an integer, got 1.5"):
        core.seed(1.5)
