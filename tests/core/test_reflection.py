"""Walks every public operator: each is called, documented, differentiable or declared not to be, and compiles."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import operators
from core.jit import to_static, tree
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY
from tests.core.samples import Draw, all_samples, cases, cases_with_tensors
from tests.sampling import sampled

SAMPLES = all_samples()
DATA_DEPENDENT = ("bincount", "lstsq", "masked_select", "nonzero", "unique", "unique_consecutive")
REFUSED = {
    **dict.fromkeys(DATA_DEPENDENT, "depends on data"),
    "tolist": "while a program is being compiled",
}
"""What no program holds, and what the message says."""
COMPILED = [case for case in cases_with_tensors() if case[0] not in REFUSED]
IN_PLACE = [name for name in sorted(SAMPLES) if name.endswith("_")]


def public_operators() -> list[str]:
    return sorted({name for family in operators.FAMILIES for name in family.__all__})


def function_of(name: str) -> Any:
    return getattr(operators, name)


def test_every_public_operator_has_a_sample() -> None:
    missing = [name for name in public_operators() if name not in SAMPLES]
    assert not missing, f"add example calls to tests/core/samples: {missing}"
    assert not [name for name in SAMPLES if name not in public_operators()]


def test_every_public_operator_is_documented() -> None:
    for name in public_operators():
        function = function_of(name)
        text = inspect.getdoc(function) or ""
        lines = text.splitlines()
        assert lines and lines[0].endswith((".", ":")), f"{name}: the docstring begins with one sentence"
        parameters = inspect.signature(function).parameters
        if "see :func:" not in text and not name.endswith("_"):
            assert "Returns:" in text, f"{name}: the docstring says what comes back"
            assert "Args:" in text or not parameters, f"{name}: the docstring describes the arguments"


def test_every_differentiable_primitive_has_a_rule() -> None:
    core.autograd  # noqa: B018 - attaches the rules
    missing = [name for name, operator in REGISTRY.items() if operator.differentiable and operator.rule is None]
    assert not missing, f"add rules to core/autograd/rules, or declare differentiable=False: {missing}"
    useless = [name for name, operator in REGISTRY.items() if not operator.differentiable and operator.rule is not None]
    assert not useless


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operators_move_the_handle_to_the_same_result(name: str) -> None:
    for sample in SAMPLES[name]:
        args, kwargs = sample(Draw())
        expected = function_of(name[:-1])(*args, **kwargs)
        result = function_of(name)(*args, **kwargs)
        assert result is args[0]
        np.testing.assert_array_equal(result.numpy(), expected.numpy())


def run(name: str, index: int) -> tuple[list[core.Tensor], list[core.Tensor]]:
    args, kwargs = SAMPLES[name][index](Draw())
    outputs, _ = tree.flatten(function_of(name)(*args, **kwargs))
    inputs, _ = tree.flatten((list(args), kwargs))
    return inputs, outputs


def backward(outputs: list[core.Tensor]) -> bool:
    heads = [output for output in outputs if output.dtype.is_floating and not output.stop_gradient]
    if heads:
        weights = [core.to_tensor(np.random.default_rng(1).uniform(0.5, 1.5, h.shape), dtype=h.dtype) for h in heads]
        core.autograd.backward(heads, weights)
    return bool(heads)


@pytest.mark.parametrize(("name", "index"), sampled([case for case in cases() if case not in COMPILED]))
def test_an_operator_that_is_not_compiled_runs_and_gives_finite_gradients(name: str, index: int) -> None:
    core.seed(0)
    inputs, outputs = run(name, index)
    assert_finite(inputs, outputs, backward(outputs))


def assert_finite(inputs: list[core.Tensor], outputs: list[core.Tensor], has_gradient: bool) -> None:
    for output in outputs:
        if output.dtype.is_floating:
            assert np.isfinite(output.astype("float32").numpy()).all()
    gradients = [tensor.grad for tensor in inputs if tensor.grad is not None]
    assert bool(gradients) == has_gradient
    for gradient in gradients:
        assert np.isfinite(gradient.numpy()).all()


@pytest.mark.parametrize(("name", "index"), sampled(COMPILED, 6))
def test_every_operator_compiles_to_the_same_values_and_gradients(name: str, index: int) -> None:
    tensors, on_tensors = call_of(name, index)
    core.seed(3)
    compiled, _ = tree.flatten(to_static(on_tensors)(*tensors))
    has_gradient = backward(compiled)
    again, named = SAMPLES[name][index](Draw())  # new ones, as some operators change what they are given
    others, _ = tree.flatten((list(again), named))
    core.seed(3)
    eager, _ = tree.flatten(on_tensors(*others))
    for got, expected in zip(compiled, eager):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert_same(got, expected)
    assert backward(eager) == has_gradient
    assert_finite(others, eager, has_gradient)
    for got, expected in zip(tensors, others):
        assert_same(got, expected)
        assert (got.grad is None) == (expected.grad is None)
        if got.grad is not None and expected.grad is not None:
            assert_same(got.grad, expected.grad)


@pytest.mark.parametrize(("name", "index"), [case for case in cases() if case[0] in REFUSED])
def test_what_no_program_holds_is_refused_while_it_is_compiled(name: str, index: int) -> None:
    tensors, on_tensors = call_of(name, index)
    with pytest.raises(OperatorError, match=REFUSED[name]):
        to_static(on_tensors)(*tensors)


def call_of(name: str, index: int) -> tuple[list[core.Tensor], Callable[..., Any]]:
    """Return the tensors of an example call, and the call as a function of them."""
    args, kwargs = SAMPLES[name][index](Draw())
    tensors, skeleton = tree.flatten((list(args), kwargs))

    def on_tensors(*given: core.Tensor) -> Any:
        positional, named = tree.unflatten(skeleton, list(given))
        return function_of(name)(*positional, **named)

    return tensors, on_tensors


def assert_same(got: core.Tensor, expected: core.Tensor) -> None:
    values = expected.as_float_numpy()
    finite = np.abs(values[np.isfinite(values)])
    scale = max(1.0, float(finite.max(initial=0)))
    np.testing.assert_allclose(got.as_float_numpy(), values, rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("name", ["erf", "erfinv", "gelu", "lgamma", "multigammaln"])
def test_gradients_in_float64_programs_are_exact(name: str) -> None:
    arguments = {"multigammaln": (2,)}.get(name, ())
    found = []
    for wrap in (lambda function: function, to_static):
        x = core.to_tensor(np.linspace(0.55, 0.95, 7) + (name == "multigammaln"), stop_gradient=False)
        wrap(lambda x: function_of(name)(x, *arguments).sum())(x).backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)
