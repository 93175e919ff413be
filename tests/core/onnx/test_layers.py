"""Every layer in evaluation mode: onnxruntime computes what the layer computes, or the export is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

import core
from core.jit import tree
from core.jit.tracing.symbolic import trace_symbolic
from core.kernels.dispatch.errors import OperatorError
from core.onnx.check import RuntimeSession, relative_difference
from core.onnx.convert import convert
from core.onnx.export_layer import evaluation_mode
from tests.core.test_reflection_layers import CASES, kind_of_program
from tests.sampling import sampled

REFUSED = {"CTCLoss": "ctc"}


@pytest.mark.parametrize("name", sampled(CASES, 6, group=lambda name: REFUSED.get(name, kind_of_program(name))))
def test_every_layer_gives_its_own_values_or_is_refused_by_name(name: str) -> None:
    core.seed(5)
    case = CASES[name]
    layer = case.build(core)
    tensors = [core.to_tensor(values) for values in case.inputs]
    arrays = {f"input_{i}": tensor.numpy() for i, tensor in enumerate(tensors)}

    def called(*given: core.Tensor) -> Any:
        return case.call(layer, *given)

    with evaluation_mode(layer), core.no_grad():
        program = trace_symbolic(called, tensors)
        outputs = [f"output_{i}" for i in range(len(program.outputs))]
        names = {id(tensor): key for key, tensor in layer.state_dict().items()}
        if name in REFUSED:
            with pytest.raises(OperatorError, match=f"cannot express {REFUSED[name]} "):
                convert(program, list(arrays), outputs, names, 18)
            return
        model = convert(program, list(arrays), outputs, names, 18)
        results = RuntimeSession(model).run(arrays)
        expected, _ = tree.flatten(called(*tensors))
    for got, tensor in zip(results, expected):
        wanted = tensor.numpy()
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        assert relative_difference(got, wanted) <= 1e-5
