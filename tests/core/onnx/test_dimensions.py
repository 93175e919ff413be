"""Operators and layers on inputs of any size: one file serves them as eager code does, or refuses as a replay does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

import core
from core import operators
from core.jit import tree
from core.jit.tracing.symbolic import replay, trace_symbolic
from core.kernels.dispatch.errors import OperatorError
from core.kernels.sizes.dimension import ARITHMETIC, combine
from core.onnx.check import RuntimeSession, relative_difference
from core.onnx.convert import convert
from core.onnx.export_layer import evaluation_mode
from tests.core.dimension_check import SIZES, Axes, Call, leading_axes, trailing_axes
from tests.core.onnx.test_operators import SAMPLES, check_refusal
from tests.core.samples import Draw, cases_with_tensors
from tests.core.test_reflection_layers import CASES as LAYERS
from tests.sampling import sampled

CHOOSING = ("topk", "kthvalue")
"""Of equal elements ONNX takes the first, and Paddle another one; samples of more sizes have equal elements."""

Choice = Callable[[Sequence[core.Tensor]], list[Axes]]


def cases_of_every_size() -> list[tuple[str, int, Choice]]:
    """Return the example calls with each axis that may have any size."""
    found = []
    for name, index in cases_with_tensors():
        args, kwargs = SAMPLES[name][index](Draw())
        for axes_of in (leading_axes, trailing_axes):
            if any(axes_of(tree.flatten((list(args), kwargs))[0])):
                found.append((name, index, axes_of))
    return found


@pytest.mark.parametrize(("name", "index", "axes_of"), sampled(cases_of_every_size(), 6, group=lambda case: None))
def test_one_file_of_an_operator_serves_every_size(name: str, index: int, axes_of: Choice) -> None:
    args, kwargs = SAMPLES[name][index](Draw())
    check(name, Call(getattr(operators, name), args, kwargs, []), axes_of)


@pytest.mark.parametrize("name", sampled(LAYERS, 6, group=lambda name: None))
def test_one_file_of_a_layer_serves_every_batch(name: str) -> None:
    core.seed(5)
    case = LAYERS[name]
    layer = case.build(core)

    def called(*given: core.Tensor) -> Any:
        return case.call(layer, *given)

    with evaluation_mode(layer):
        check(name, Call(called, [core.to_tensor(values) for values in case.inputs], {}, []), leading_axes)


@pytest.mark.parametrize("sign", ARITHMETIC)
def test_every_operation_on_sizes_has_a_node(sign: str) -> None:
    number = {"power": 0.5, "scaled": 0.3}.get(sign, 3)
    compute = lambda x: core.full([1], combine(sign, x.shape[0], number), "float64") + x.sum()  # noqa: E731
    check("full", Call(compute, [core.ones([5, 2], "float64")], {}, []), leading_axes)


def check(name: str, call: Call, axes_of: Choice) -> None:
    """Assert that a model for any size gives the eager results at each size, or stops where a replay does."""
    call.axes = axes_of(call.tensors)
    pair = call.examples() if any(call.axes) else None
    if pair is None:  # no axis that may have any size
        return
    specs = call.specs(pair)
    names = [f"input_{i}" for i in range(len(specs))]
    with core.no_grad():
        try:
            program = trace_symbolic(call.on_tensors, specs)
            if not program.outputs:
                return
            model = convert(program, names, [f"output_{i}" for i in range(len(program.outputs))], {}, 18)
        except OperatorError as error:
            if "is unknown while this program is being traced" not in str(error):  # tests of the trace list those
                check_refusal(name, str(error))
            return
        session = RuntimeSession(model)
        for size in SIZES:
            expected, inputs = call.eager(size), call.inputs(size)
            if expected is None:
                continue
            try:
                results = session.run({key: tensor.numpy() for key, tensor in zip(names, inputs)})
            except InvalidArgument as error:
                assert "condition " in str(error)
                with pytest.raises(OperatorError, match="the program was traced for"):
                    replay(program, [tensor._value for tensor in inputs])
                continue
            for got, wanted in zip(results, expected[:1] if name in CHOOSING else expected):
                assert got.shape == wanted.shape, f"at size {size}: {got.shape}, eagerly {wanted.shape}"
                assert relative_difference(got, wanted) <= 1e-5, f"at size {size}"
