"""Conditionals, loops and assertions on tensors: one file takes every way that the eager code takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

import core
from core import nn
from core.jit.input_spec import InputSpec
from core.kernels.dispatch.errors import OperatorError


def exported(layer: nn.Layer, folder: Path, *specs: InputSpec) -> InferenceSession:
    core.onnx.export(core.jit.to_static(layer), str(folder / "layer"), list(specs))
    return InferenceSession(folder / "layer.onnx", providers=["CPUExecutionProvider"])


def check(layer: nn.Layer, folder: Path, *cases: np.ndarray, spec: Any = None) -> None:
    eager = type(layer)()
    eager.set_state_dict(layer.state_dict())
    eager.eval()
    session = exported(layer, folder, spec or InputSpec(cases[0].shape, name="x"))
    for x in cases:
        with core.no_grad():
            expected = eager(core.to_tensor(x)).numpy()
        (got,) = session.run(None, {"x": x})
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * max(1, np.abs(expected).max()))


class Branching(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            y = self.one(x)
            if x.max() > 2:
                y = y * 2
        elif x.min() < -5:
            y = self.other(x)
        else:
            y = -x
        return y + 1


def test_nested_branches_and_their_parameters(tmp_path: Path) -> None:
    core.seed(0)
    check(Branching(), tmp_path, *[np.full((2, 3), value, np.float32) for value in (1, 3, -9, -1, 0)])
    nodes = onnx.load(tmp_path / "layer.onnx").graph.node
    assert [node.op_type for node in nodes if node.op_type in ("If", "Gather", "Gemm", "MatMul")] == ["If"]


class Halving(nn.Layer):
    def forward(self, x: Any) -> Any:
        count = core.zeros([], "int64")
        while x.abs().max() > 1:
            x = x / 2
            count = count + 1
            if count == 4:
                break
        for i in range(count):
            x = x + i
        return x


def test_loops_with_a_break_and_over_a_range_of_unknown_length(tmp_path: Path) -> None:
    check(Halving(), tmp_path, *[np.array([value, 0.5], np.float32) for value in (0.1, 1.5, -6, 100)])


class Scaled(nn.Layer):
    def forward(self, x: Any) -> Any:
        if x.mean() > 0.5:
            y = x.reshape([-1, 2]) * x.shape[0]
        else:
            y = core.zeros([x.shape[0] * 2, 2])
        while y.sum() < 10:
            y = y + core.arange(x.shape[0]).sum().cast("float32") + 1
        return y


def test_unknown_sizes_inside_branches_and_loops(tmp_path: Path) -> None:
    cases = [np.full((size, 4), value, np.float32) for size in (1, 3, 8) for value in (0.1, 0.9)]
    check(Scaled(), tmp_path, *cases, spec=InputSpec([None, 4], name="x"))


class Asserting(nn.Layer):
    def forward(self, x: Any) -> Any:
        if x.sum() > 10:
            assert x.min() > 0, "negative"
        assert x.max() < 100
        return x * 2


def test_an_assertion_stops_the_model_and_names_its_line(tmp_path: Path) -> None:
    session = exported(Asserting(), tmp_path, InputSpec([2], name="x"))
    first = Asserting.forward.__code__.co_firstlineno
    np.testing.assert_array_equal(session.run(None, {"x": np.array([1, -2], np.float32)})[0], [2, -4])
    for values, line in (([20, -1], first + 2), ([200, 1], first + 3)):
        with pytest.raises(InvalidArgument, match=rf"assertion at .*test_control_flow.py:{line}'"):
            session.run(None, {"x": np.array(values, np.float32)})


class Printing(nn.Layer):
    def forward(self, x: Any) -> Any:
        print("the sum is", x.sum())
        return x * 2


def test_print_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"cannot express print \(nothing prints there: take it out"):
        exported(Printing(), tmp_path, InputSpec([2]))


class Inverting(nn.Layer):
    def forward(self, x: Any) -> Any:
        if x.sum() > 0:
            x = core.inverse(x)
        return x


def test_what_onnx_lacks_is_refused_inside_a_branch_too(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot express inverse "):
        exported(Inverting(), tmp_path, InputSpec([2, 2]))
