"""What is asked of the official distributions and of core's; run in either environment."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np


class Case(NamedTuple):
    """``build(D, *tensors)`` makes a distribution (or transform) of the parameters.

    ``asked`` are its properties and methods, of a value v or the transformed value y. ``unsound`` names those whose
    gradient ends the official process or, for the entropy of a Bernoulli distribution, is 0.
    """

    build: Callable[..., Any]
    parameters: tuple[Any, ...]
    value: Any
    asked: str = "mean variance entropy() log_prob(v) prob(v)"
    unsound: str = ""


LOC, SCALE = [[0.5, -1.0, 2.0]], [[0.7], [1.5]]
OTHER_LOC, OTHER_SCALE = [0.1, 0.4, -0.6], [1.1, 0.4, 2.0]
VALUE = [[0.3, -0.8, 4.0], [1.2, 0.9, 0.2]]
POSITIVE = [[0.3, 0.8, 4.0], [1.2, 0.9, 0.2]]
CHANCES, WEIGHTS = [[0.2, 0.7, 0.5]], [[0.2, 0.3, 0.5], [1.0, 0.4, 2.0]]
SHARES = [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]]


def _pair(name: str) -> Callable[..., Any]:
    return lambda D, *p: getattr(D, name)(*p)


def _broadcast(name: str) -> Callable[..., Any]:
    """Give both parameters one shape first: some official distributions do not."""
    return lambda D, a, b: getattr(D, name)(a + b * 0, b + a * 0)


def _two(name: str) -> Callable[..., Any]:
    def build(D: Any, *parameters: Any) -> Any:
        half = len(parameters) // 2
        made = getattr(D, name)
        first, second = made(*parameters[:half]), made(*parameters[half:])
        first.divergence = D.kl_divergence(first, second)
        return first

    return build


CASES = {
    "Normal": Case(_broadcast("Normal"), (LOC, SCALE), VALUE, "mean variance entropy() log_prob(v) probs(v)"),
    "Uniform": Case(_broadcast("Uniform"), (LOC, [[2.5], [3.0]]), VALUE, "entropy() log_prob(v) probs(v)"),
    "Laplace": Case(
        _broadcast("Laplace"),
        (LOC, SCALE),
        VALUE,
        "mean stddev variance entropy() log_prob(v) prob(v) cdf(v)",
        "mean stddev variance entropy()",
    ),
    "Laplace quantiles": Case(_broadcast("Laplace"), (LOC, SCALE), [[0.1, 0.6, 0.9]], "icdf(v)"),
    "Gumbel": Case(
        _broadcast("Gumbel"), (LOC, SCALE), VALUE, "mean stddev variance entropy() log_prob(v) prob(v) cdf(v)"
    ),
    "LogNormal": Case(_broadcast("LogNormal"), (LOC, SCALE), POSITIVE, "mean variance entropy() log_prob(v) probs(v)"),
    "Cauchy": Case(_broadcast("Cauchy"), (LOC, SCALE), VALUE, "entropy() log_prob(v) prob(v) cdf(v)"),
    "Bernoulli": Case(
        _pair("Bernoulli"),
        (CHANCES,),
        [[0.0, 1.0, 1.0]],
        "mean variance entropy() log_prob(v) prob(v) cdf(v)",
        "entropy() log_prob(v) prob(v) cdf(v)",
    ),
    "Geometric": Case(
        _pair("Geometric"), (CHANCES,), [[1.0, 3.0, 2.0]], "mean variance stddev entropy() pmf(v) log_pmf(v) cdf(v)"
    ),
    "Beta": Case(_broadcast("Beta"), ([[0.5, 1.5, 2.0]], SCALE), [0.2, 0.5, 0.7]),
    "Dirichlet": Case(_pair("Dirichlet"), (WEIGHTS,), SHARES),
    "Categorical": Case(_pair("Categorical"), (WEIGHTS,), [[2, 1], [0, 2]], "entropy() log_prob(v) probs(v)"),
    "Categorical one": Case(_pair("Categorical"), (WEIGHTS[1],), [2, 1], "entropy() log_prob(v) prob(v)"),
    "Multinomial": Case(lambda D, p: D.Multinomial(4, p), (WEIGHTS,), [[2.0, 1.0, 1.0], [0.0, 3.0, 1.0]]),
    "Independent": Case(lambda D, a, b: D.Independent(D.Normal(a + b * 0, b + a * 0), 1), (LOC, SCALE), VALUE),
    "TransformedDistribution": Case(
        lambda D, a, b: D.TransformedDistribution(
            D.Normal(a + b * 0, b + a * 0), [D.AffineTransform(a, b), D.ExpTransform()]
        ),
        (LOC, SCALE),
        POSITIVE,
        "log_prob(v) prob(v)",
    ),
    **{
        f"divergence {name}": Case(_two(name), parameters, [0.0], "divergence")
        for name, parameters in {
            "Normal": (*np.broadcast_arrays(LOC, SCALE), *np.broadcast_arrays(OTHER_LOC, OTHER_SCALE)),
            "Laplace": (*np.broadcast_arrays(LOC, SCALE), *np.broadcast_arrays(OTHER_LOC, OTHER_SCALE)),
            "LogNormal": (*np.broadcast_arrays(LOC, SCALE), *np.broadcast_arrays(OTHER_LOC, OTHER_SCALE)),
            "Cauchy": (*np.broadcast_arrays(LOC, SCALE), *np.broadcast_arrays(OTHER_LOC, OTHER_SCALE)),
            "Bernoulli": (CHANCES, [[0.4, 0.1, 0.9]]),
            "Geometric": (CHANCES, [[0.4, 0.1, 0.9]]),
            "Beta": (SHARES, POSITIVE, POSITIVE, SHARES),
            "Dirichlet": (WEIGHTS, POSITIVE),
            "Categorical": (WEIGHTS, POSITIVE),
        }.items()
    },
}

TRANSFORMS = {
    "AffineTransform": Case(_pair("AffineTransform"), (LOC, SCALE), VALUE),
    "ExpTransform": Case(lambda D: D.ExpTransform(), (), VALUE),
    "PowerTransform": Case(_pair("PowerTransform"), ([2.0, -0.5, 1.5],), POSITIVE),
    "SigmoidTransform": Case(lambda D: D.SigmoidTransform(), (), VALUE),
    "TanhTransform": Case(lambda D: D.TanhTransform(), (), [[0.3, -0.8, 0.9]]),
    "StickBreakingTransform": Case(lambda D: D.StickBreakingTransform(), (), VALUE),
    "ReshapeTransform": Case(lambda D: D.ReshapeTransform((2, 3), (3, 2)), (), [VALUE, POSITIVE]),
    "ChainTransform": Case(
        lambda D, a, b: D.ChainTransform([D.AffineTransform(a, b), D.ExpTransform()]), (LOC, SCALE), VALUE
    ),
    "IndependentTransform": Case(lambda D: D.IndependentTransform(D.ExpTransform(), 1), (), VALUE),
    "StackTransform": Case(lambda D: D.StackTransform([D.ExpTransform(), D.TanhTransform()], 0), (), [[0.5], [0.2]]),
}
for _name, _case in TRANSFORMS.items():
    CASES[_name] = _case._replace(asked="forward(v) inverse(y) forward_log_det_jacobian(v) inverse_log_det_jacobian(y)")
CASES["AbsTransform"] = Case(lambda D: D.AbsTransform(), (), VALUE, "forward(v) inverse(v)")
CASES["SoftmaxTransform"] = Case(lambda D: D.SoftmaxTransform(), (), VALUE, "forward(v) inverse(y)")


def run(D: Any, case: Case, tensor: Callable[..., Any]) -> dict[str, np.ndarray]:
    """Return each asked value, and the gradient of a weighted sum of it for each parameter and the value.

    Args:
        D: The module of distributions.
        case: What is asked.
        tensor: Makes a Tensor of an array, with ``stop_gradient``.
    """
    found = {}
    for asked in case.asked.split():
        given = [tensor(np.asarray(p, np.float32), stop_gradient=False) for p in case.parameters]
        array = np.asarray(case.value)
        whole = array.dtype.kind == "i"
        value = tensor(array if whole else array.astype(np.float32), stop_gradient=whole)
        distribution = case.build(D, *given)
        result = ask(distribution, asked, value)
        found[asked] = result.numpy()
        if not result.stop_gradient and asked not in case.unsound.split():
            weights = np.linspace(0.5, 1.5, found[asked].size, dtype=np.float32).reshape(found[asked].shape)
            (result * tensor(weights, stop_gradient=True)).sum().backward()
            for i, leaf in enumerate([*given, value]):
                if leaf.grad is not None:
                    found[f"{asked} gradient {i}"] = leaf.grad.numpy()
    return found


def ask(distribution: Any, text: str, value: Any) -> Any:
    """Return what a text such as ``mean``, ``entropy()`` or ``log_prob(v)`` stands for; of a pair the first."""
    name, opened, argument = text.partition("(")
    found = getattr(distribution, name)
    if opened:
        given = {")": (), "v)": (value,), "y)": (distribution.forward(value) if argument == "y)" else None,)}[argument]
        found = found(*given)
    return found[0] if isinstance(found, tuple) else found
