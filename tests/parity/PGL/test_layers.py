"""Every graph layer against pgl: the same parameters, outputs and gradients."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PGL
from core.weights import load_weights
from tests.parity.PGL.layer_cases import CASES, run
from tests.parity.stored import stored_arrays, texts

REFERENCES = Path(__file__).with_name("references")


def assert_close(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    assert actual.shape == expected.shape, what
    if expected.size:
        assert np.abs(actual - expected).max() <= 1e-5 * max(1.0, np.abs(expected).max()), what


@pytest.mark.parametrize("name", CASES)
def test_parameters_outputs_and_gradients_are_those_of_pgl(name: str) -> None:
    reference = stored_arrays(REFERENCES / f"{name}.npz")
    layer, answers = run(CASES[name], PGL, core)
    state = layer.state_dict()
    assert list(state) == texts(reference["names"])
    assert [",".join(map(str, tensor.shape)) for tensor in state.values()] == texts(reference["shapes"])
    stored = set(reference) - {"names", "shapes"}
    assert set(answers) == stored
    for key in sorted(stored):
        assert_close(answers[key], reference[key], key)


def test_a_file_that_paddle_wrote_itself() -> None:
    case, name = CASES["TransformerConv_gate"], "TransformerConv_gate"
    layer = case.build(PGL, core)
    load_weights(layer, REFERENCES / f"{name}.pdparams")
    layer.eval()
    output = case.call(layer, case.graph(PGL), core.to_tensor(case.inputs["x"])).numpy()
    assert_close(output, stored_arrays(REFERENCES / f"{name}.npz")["output"], "output")
