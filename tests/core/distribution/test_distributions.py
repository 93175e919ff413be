"""What the stored answers do not say: draws, gradients, scipy's formulas, registration, messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import core
from core import distribution as D
from core.distribution import transform
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from tests.core.gradient_check import check_gradients

COUNT = 4000


def ask(distribution: D.Distribution, text: str, value: Any) -> Any:
    name, opened, argument = text.partition("(")
    found = getattr(distribution, name)
    return found if not opened else found(value) if argument == "v)" else found()


DRAWN = {
    "Normal": (D.Normal(0.5, [0.7, 1.5]), [stats.norm(0.5, s) for s in (0.7, 1.5)]),
    "Uniform": (D.Uniform([0.5, -1.0], 2.0), [stats.uniform(a, 2 - a) for a in (0.5, -1.0)]),
    "Laplace": (D.Laplace(0.5, [0.7, 1.5]), [stats.laplace(0.5, s) for s in (0.7, 1.5)]),
    "Cauchy": (D.Cauchy(0.5, [0.7, 1.5]), [stats.cauchy(0.5, s) for s in (0.7, 1.5)]),
    "Gumbel": (D.Gumbel(0.5, [0.7, 1.5]), [stats.gumbel_r(0.5, s) for s in (0.7, 1.5)]),
    "LogNormal": (D.LogNormal(0.5, [0.7, 1.5]), [stats.lognorm(s, scale=np.exp(0.5)) for s in (0.7, 1.5)]),
    "Beta": (D.Beta([0.4, 3.0], 1.5), [stats.beta(a, 1.5) for a in (0.4, 3.0)]),
}


@pytest.mark.parametrize("name", list(DRAWN))
def test_draws_density_and_entropy_are_scipys(name: str) -> None:
    ours, theirs = DRAWN[name]
    core.seed(5)
    draws = ours.sample([COUNT])
    assert draws.shape == [COUNT, 2] and draws.stop_gradient
    for column, expected in enumerate(theirs):
        assert stats.kstest(draws.numpy()[:, column], expected.cdf).pvalue > 1e-3
        values = expected.ppf([0.1, 0.5, 0.9])
        logs = ours.log_prob(core.to_tensor(np.stack([values, values], 1).astype("float32"))).numpy()
        np.testing.assert_allclose(logs[:, column], expected.logpdf(values), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(ours.entropy().numpy()[column], expected.entropy(), rtol=1e-4)


@pytest.mark.parametrize("name", ["Bernoulli", "Geometric", "Categorical", "Multinomial", "Dirichlet"])
def test_draws_have_the_distributions_mean_and_variance(name: str) -> None:
    weights = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
    made = D.Multinomial(5, weights) if name == "Multinomial" else getattr(D, name)(weights)
    core.seed(6)
    draws = made.sample([2, COUNT // 2])
    events = [2] if name == "Categorical" else [2, 3]
    assert draws.shape == [2, COUNT // 2, *events] and draws.stop_gradient
    array = draws.numpy().reshape(COUNT, *events).astype(np.float64)
    if name == "Categorical":
        frequencies = [(array == k).mean(0) for k in range(3)]
        np.testing.assert_allclose(np.transpose(frequencies), weights, atol=0.03)
        return
    spread = np.sqrt(made.variance.numpy())
    np.testing.assert_allclose(array.mean(0), made.mean.numpy(), atol=5 * spread.max() / np.sqrt(COUNT))
    np.testing.assert_allclose(array.var(0), made.variance.numpy(), rtol=0.25)
    if name == "Multinomial":
        assert (array.sum(-1) == 5).all()


def test_entropies_and_probabilities_of_counts_are_scipys() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    multinomial = stats.multinomial(4, shares)
    ours = D.Multinomial(4, shares)
    np.testing.assert_allclose(ours.entropy().item(), multinomial.entropy(), rtol=1e-6)
    np.testing.assert_allclose(ours.log_prob(core.to_tensor([1.0, 0.0, 3.0])).item(), multinomial.logpmf([1, 0, 3]))
    assert D.Multinomial(2, [0.0, 1.0]).log_prob(core.to_tensor([0.0, 2.0])).item() == 0
    np.testing.assert_allclose(D.Dirichlet(shares).entropy().item(), stats.dirichlet(shares).entropy(), rtol=1e-5)
    counted = stats.geom(0.3, loc=-1)
    ours = D.Geometric(0.3)
    np.testing.assert_allclose(ours.pmf(2).item(), counted.pmf(2), rtol=1e-6)
    np.testing.assert_allclose(ours.prob(core.to_tensor(2.0)).item(), counted.pmf(2), rtol=1e-6)
    np.testing.assert_allclose(ours.cdf(2).item(), counted.cdf(2), rtol=1e-6)
    np.testing.assert_allclose(ours.entropy().item(), counted.entropy(), rtol=1e-5)


@pytest.mark.parametrize("name", ["Normal", "Uniform", "Laplace", "Cauchy", "Gumbel", "LogNormal"])
def test_gradients_flow_through_draws(name: str) -> None:
    def draw(first: core.Tensor, second: core.Tensor) -> core.Tensor:
        core.seed(3)
        return getattr(D, name)(first, second).rsample([4])

    check_gradients(draw, np.array([0.3, -0.2]), np.array([1.5, 0.6]), tolerance=1e-5)
    assert getattr(D, name)(core.to_tensor(0.1, stop_gradient=False), core.to_tensor(1.0)).sample([2]).stop_gradient


def test_relaxed_tosses() -> None:
    def draw(chances: core.Tensor) -> core.Tensor:
        core.seed(3)
        return D.Bernoulli(chances).rsample([5], temperature=0.5)

    check_gradients(draw, np.array([0.3, 0.8]))
    core.seed(4)
    draws = D.Bernoulli(0.3).rsample([COUNT], temperature=0.1)
    np.testing.assert_allclose((draws > 0).astype("float32").mean().item(), 0.3, atol=0.03)


@pytest.mark.parametrize("asked", ["entropy()", "log_prob(v)", "variance"])
@pytest.mark.parametrize("name", ["Bernoulli", "Laplace", "Beta", "Multinomial", "Dirichlet", "Categorical"])
def test_gradients_of_what_is_known_in_closed_form(name: str, asked: str) -> None:
    shares, value = np.array([0.2, 0.3, 0.45]), core.to_tensor([0.25, 0.5, 0.25], dtype="float64")

    def function(*parameters: core.Tensor) -> Any:
        if name == "Multinomial":
            return ask(D.Multinomial(3, *parameters), asked, core.to_tensor([1.0, 0.0, 2.0]))
        v = core.to_tensor([1, 2]) if name == "Categorical" else core.round(value) if name == "Bernoulli" else value
        return ask(getattr(D, name)(*parameters), asked, v)

    if (name, asked) != ("Categorical", "variance"):
        pair = (shares, shares + 1) if name in ("Laplace", "Beta") else (shares,)
        check_gradients(function, *pair, tolerance=1e-5)


class Exponential(D.ExponentialFamily):
    """An exponential family with nothing but its normalizer."""

    def __init__(self, rate: core.Tensor) -> None:
        super().__init__(rate.shape)
        self.rate = rate

    @property
    def _natural_parameters(self) -> tuple[core.Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, *parameters: core.Tensor) -> core.Tensor:
        return -core.log(-parameters[0])

    _mean_carrier_measure = 0.0


def test_entropy_and_divergence_of_an_exponential_family() -> None:
    p, q = Exponential(core.to_tensor([0.5, 2.0])), Exponential(core.to_tensor([1.0, 0.7]))
    np.testing.assert_allclose(p.entropy().numpy(), 1 - np.log([0.5, 2.0]), rtol=1e-6)
    expected = np.log([0.5 / 1.0, 2.0 / 0.7]) + np.array([1.0 / 0.5, 0.7 / 2.0]) - 1
    np.testing.assert_allclose(D.kl_divergence(p, q).numpy(), expected, rtol=1e-6)
    check_gradients(lambda rate: Exponential(rate).entropy(), np.array([0.5, 2.0]))
    with pytest.raises(NotImplementedError, match="nothing is registered for Exponential and Beta"):
        D.kl_divergence(p, D.Beta(1.0, 1.0))


def test_divergences_are_registered_by_class_and_inherited() -> None:
    class Mine(D.Normal):
        pass

    np.testing.assert_allclose(D.kl_divergence(Mine(0.0, 1.0), D.Normal(1.0, 2.0)).item(), np.log(2) - 0.25)
    np.testing.assert_allclose(D.Cauchy(0.0, 1.0).kl_divergence(D.Cauchy(0.0, 1.0)).item(), 0)

    @D.register_kl(Mine, D.Normal)
    def _(p: Mine, q: D.Normal) -> core.Tensor:
        return core.to_tensor(7.0)

    assert D.kl_divergence(Mine(0.0, 1.0), D.Normal(1.0, 2.0)).item() == 7
    np.testing.assert_allclose(D.kl_divergence(D.Uniform(0.0, 1.0), D.Uniform(-1.0, 3.0)).item(), np.log(4), rtol=1e-6)
    assert D.kl_divergence(D.Uniform(0.0, 2.0), D.Uniform(0.0, 1.0)).item() == np.inf
    with pytest.raises(NotImplementedError, match="nothing is registered for Normal and Beta: use register_kl"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Beta(1.0, 1.0))
    with pytest.raises(OperatorTypeError, match="expects subclasses of Distribution, got <class 'int'>"):
        D.register_kl(int, D.Normal)
    with pytest.raises(OperatorTypeError, match="other must be Normal, got Beta"):
        D.Normal(0.0, 1.0).kl_divergence(D.Beta(1.0, 1.0))
    with pytest.raises(OperatorTypeError, match="other must be Categorical, got Beta"):
        D.Categorical([1.0]).kl_divergence(D.Beta(1.0, 1.0))


def test_transformed_vectors_sum_their_base_over_the_vector() -> None:
    base = D.Normal(core.zeros([2, 3]), core.ones([2, 3]))
    made = D.TransformedDistribution(base, [D.StickBreakingTransform()])
    assert made.batch_shape == (2,) and made.event_shape == (4,)
    y = core.to_tensor([[0.2, 0.3, 0.1, 0.4], [0.6, 0.1, 0.1, 0.2]])
    stick = D.StickBreakingTransform()
    x = stick.inverse(y)
    expected = base.log_prob(x).sum(-1) - stick.forward_log_det_jacobian(x)
    np.testing.assert_allclose(made.log_prob(y).numpy(), expected.numpy(), rtol=1e-5)
    draws = made.rsample([5])
    assert draws.shape == [5, 2, 4]
    np.testing.assert_allclose(draws.sum(-1).numpy(), 1, rtol=1e-5)
    matrix = np.array([[0.4, 0.1, -0.3]])
    step, rows = 1e-6, []
    for k in range(3):
        moved = [stick.forward(core.to_tensor(matrix + sign * step * np.eye(3)[k])).numpy()[0, :3] for sign in (1, -1)]
        rows.append((moved[0] - moved[1]) / (2 * step))
    change = stick.forward_log_det_jacobian(core.to_tensor(matrix)).item()
    np.testing.assert_allclose(change, np.linalg.slogdet(np.array(rows))[1], rtol=1e-6)


def test_transforms_are_called_on_tensors_distributions_and_transforms() -> None:
    affine = D.AffineTransform(core.to_tensor(1.0), core.to_tensor(2.0))
    assert affine(core.to_tensor(3.0)).item() == 7
    assert isinstance(affine(D.Normal(0.0, 1.0)), D.TransformedDistribution)
    chain = affine(D.ExpTransform())
    assert isinstance(chain, D.ChainTransform) and chain.forward_shape((2,)) == (2,)
    np.testing.assert_allclose(chain(core.to_tensor(0.0)).item(), np.e, rtol=1e-6)
    assert D.StickBreakingTransform().forward_shape((2, 3)) == (2, 4)
    assert D.StickBreakingTransform().inverse_shape((2, 3)) == (2, 2)
    assert D.ReshapeTransform((2, 3), (6,)).forward_shape((4, 2, 3)) == (4, 6)
    assert D.ReshapeTransform((2, 3), (6,)).inverse_shape((4, 6)) == (4, 2, 3)
    assert affine.inverse_shape((5, 1)) == (5, 1) and affine.loc.item() == 1 and affine.scale.item() == 2
    assert D.PowerTransform(core.to_tensor([2.0, 3.0])).forward_shape((4, 1)) == (4, 2)
    stacked = D.StackTransform([D.ExpTransform()], 0)
    assert stacked.axis == 0 and len(stacked.transforms) == 1

    class Doubled(D.Transform):
        def _forward(self, x: core.Tensor) -> core.Tensor:
            return x * 2

        def _inverse(self, y: core.Tensor) -> core.Tensor:
            return y / 2

        def _inverse_log_det_jacobian(self, y: core.Tensor) -> core.Tensor:
            return core.full_like(y, -np.log(2))

    made = D.TransformedDistribution(D.Normal(0.0, 1.0), [Doubled()])
    expected = stats.norm(0, 2).logpdf(0.7)
    np.testing.assert_allclose(made.log_prob(core.to_tensor(0.7)).item(), expected, rtol=1e-6)


def test_draws_inside_a_program_change_from_run_to_run() -> None:
    @to_static
    def draw(loc: core.Tensor) -> core.Tensor:
        return D.Normal(loc, 1.0).sample([3]) + D.Gumbel(loc, 1.0).rsample([3])

    loc = core.to_tensor(0.5)
    core.seed(1)
    first, second = draw(loc).numpy(), draw(loc).numpy()
    assert (first != second).all()
    core.seed(1)
    np.testing.assert_array_equal(draw(loc).numpy(), first)


def test_parameters_are_numbers_lists_arrays_or_tensors() -> None:
    assert D.Normal(0, 1).sample().shape == [] and D.Normal(0, 1).loc.dtype == core.float32
    assert D.Normal([0.0, 1.0], [1.0, 2.0]).batch_shape == (2,)
    assert D.Normal(np.zeros(2), 1.0).loc.dtype == core.float64
    assert D.Normal(core.zeros([2, 1]), [1.0, 2.0]).batch_shape == (2, 2)
    np.testing.assert_array_equal(D.Normal(0.0, 1.0).sample([3], seed=4), D.Normal(0.0, 1.0).sample([3], seed=4))
    np.testing.assert_array_equal(D.Uniform(0.0, 1.0).sample([3], seed=4), D.Uniform(0.0, 1.0).sample([3], seed=4))
    np.testing.assert_allclose([D.Uniform(1.0, 3.0).mean.item(), D.Uniform(1.0, 3.0).variance.item()], [2, 1 / 3])
    assert D.Categorical([1.0, 2.0]).sample([0]).shape == [0]
    with pytest.raises(OperatorTypeError, match="Normal: loc must be floating-point, got int64"):
        D.Normal(core.zeros([2], "int64"), 1.0)
    with pytest.raises(OperatorTypeError, match="Normal: scale is a number, a list of numbers or a Tensor, got 'wide'"):
        D.Normal(0.0, "wide")
    with pytest.raises(OperatorError, match=r"Beta: shapes \[2\] and \[3\] do not broadcast"):
        D.Beta([1.0, 2.0], [1.0, 2.0, 3.0])


def test_messages() -> None:
    with pytest.raises(OperatorError, match="Multinomial: total_count must be a positive integer, got 0"):
        D.Multinomial(0, [1.0])
    for make in (D.Categorical, D.Dirichlet, lambda p: D.Multinomial(2, p)):
        with pytest.raises(OperatorError, match="one number for each category"):
            make(1.0)
    for what in ("mean", "variance", "stddev"):
        with pytest.raises(ValueError, match=f"Cauchy distribution has no {what}"):
            getattr(D.Cauchy(0.0, 1.0), what)
    with pytest.raises(
        OperatorError, match="reinterpreted_batch_rank 1 must lie within 1 and 0, the batch axes of Normal"
    ):
        D.Independent(D.Normal(0.0, 1.0), 1)
    with pytest.raises(OperatorTypeError, match="Independent: base must be a Distribution, got int"):
        D.Independent(1, 1)
    with pytest.raises(OperatorTypeError, match="TransformedDistribution: base must be a Distribution, got int"):
        D.TransformedDistribution(1, [])
    with pytest.raises(OperatorTypeError, match="ChainTransform: transforms is a list of Transforms"):
        D.TransformedDistribution(D.Normal(0.0, 1.0), D.ExpTransform())
    with pytest.raises(ValueError, match="the transforms want 1 axes, the draws have shape"):
        D.TransformedDistribution(D.Normal(0.0, 1.0), [D.StickBreakingTransform()])
    for what, asked in (("mean", "mean"), ("entropy", "entropy()"), ("rsample", "sample()"), ("log_prob", "prob(v)")):
        with pytest.raises(NotImplementedError, match=f"Distribution: {what} is not defined"):
            ask(D.Distribution(), asked, 1)
    with pytest.raises(NotImplementedError, match="ExponentialFamily: entropy or _natural_parameters is not defined"):
        D.ExponentialFamily().entropy()


def test_messages_of_transforms() -> None:
    x = core.to_tensor([0.5, 0.2])
    with pytest.raises(NotImplementedError, match="AbsTransform: it is not one to one"):
        D.AbsTransform().forward_log_det_jacobian(x)
    with pytest.raises(NotImplementedError, match="SoftmaxTransform: its volume change is not defined"):
        D.SoftmaxTransform().inverse_log_det_jacobian(x)
    with pytest.raises(NotImplementedError, match="Transform: _forward is not defined"):
        transform.Transform().forward(x)
    with pytest.raises(NotImplementedError, match="Transform: _inverse is not defined"):
        transform.Transform().inverse(x)
    with pytest.raises(NotImplementedError, match="Transform: its volume change is not defined"):
        transform.Transform().forward_log_det_jacobian(x)
    with pytest.raises(OperatorTypeError, match="ExpTransform: expects a Tensor, got float"):
        D.ExpTransform().forward(1.0)
    with pytest.raises(OperatorTypeError, match="AffineTransform: expects a Tensor, got float"):
        D.AffineTransform(1.0, 2.0)
    with pytest.raises(ValueError, match=r"SoftmaxTransform: expects at least 1 axes, got shape \[\]"):
        D.SoftmaxTransform().forward(core.to_tensor(1.0))
    with pytest.raises(ValueError, match=r"StickBreakingTransform: expects at least 1 axis, got shape \[\]"):
        D.StickBreakingTransform().forward_shape(())
    with pytest.raises(OperatorTypeError, match="ExpTransform: a shape is a list of ints, got 3"):
        D.ExpTransform().forward_shape(3)
    with pytest.raises(ValueError, match=r"\[2, 3\] and \[5\] hold different numbers of elements"):
        D.ReshapeTransform((2, 3), (5,))
    with pytest.raises(OperatorTypeError, match="ReshapeTransform: a shape is a list of ints, got 6"):
        D.ReshapeTransform(6, (2, 3))
    with pytest.raises(ValueError, match=r"the last axes must have the shape \[2, 3\], got \[2, 2\]"):
        D.ReshapeTransform((2, 3), (6,)).forward_shape((2, 2))
    with pytest.raises(ValueError, match=r"1 transforms along axis 0 do not fit shape \[2\]"):
        D.StackTransform([D.ExpTransform()], 0).forward(x)
    with pytest.raises(OperatorTypeError, match="StackTransform: transforms is empty"):
        D.StackTransform([])
    with pytest.raises(OperatorTypeError, match="IndependentTransform: base must be a Transform, got int"):
        D.IndependentTransform(1, 1)
    with pytest.raises(ValueError, match="reinterpreted_batch_rank must be positive, got 0"):
        D.IndependentTransform(D.ExpTransform(), 0)
