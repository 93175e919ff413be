"""``ppdet/modeling/ops.py`` of paddledet, unmodified, gives on core what it gives on Paddle.

The calls are those of tests/core/vision/ops/reference_cases.py: the file has names and arguments of paddle.vision.ops.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from tests.core.vision.ops import reference_cases

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
try:
    import wheels
finally:
    sys.path.remove(str(HERE))

NAMES = {
    "anchor_generator", "box_coder", "distribute_fpn_proposals", "generate_proposals", "matrix_nms", "multiclass_nms",
    "prior_box",
}  # fmt: skip
CASES = {name: case for name, case in reference_cases.CASES.items() if name.split()[0] in NAMES}
OF_FIXED_SIZE = ("anchor_generator", "box_coder", "prior_box")
FIXED_SIZE = {name: case for name, case in CASES.items() if name.split()[0] in OF_FIXED_SIZE}
REFERENCES = np.load(HERE.parents[1] / "core" / "vision" / "ops" / "references.npz")


@pytest.fixture(scope="module")
def operators():
    """Return the official module, made while ``paddle`` means core."""
    try:
        path = wheels.unpacked("paddledet") / "ppdet" / "modeling" / "ops.py"
    except wheels.NoIndex as error:
        pytest.skip(str(error))
    spec = importlib.util.spec_from_file_location("official_detection_operators", path)
    module = importlib.util.module_from_spec(spec)
    with core.install_as_paddle():
        spec.loader.exec_module(module)
    return module


def assert_official(name, found):
    keys = [key for key in REFERENCES.files if key.rpartition("/")[0] == name]
    assert len(found) == len(keys)
    for i, got in enumerate(found):
        expected = REFERENCES[f"{name}/{i}"]
        assert got.dtype == expected.dtype and got.shape == expected.shape
        scale = max(1.0, float(np.abs(expected).max(initial=0))) if got.dtype.kind == "f" else 0.0
        np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6 * scale, err_msg=f"output {i}")


@pytest.mark.parametrize("name", CASES)
def test_official_functions_give_paddles_numbers(name, operators):
    assert_official(name, reference_cases.run(operators, CASES[name], core.to_tensor))


@pytest.mark.parametrize("name", FIXED_SIZE)
def test_official_functions_of_fixed_size_compile(name, operators):
    case = FIXED_SIZE[name]

    def compiled(_, *tensors):
        return core.jit.to_static(lambda *given: case.call(operators, *given))(*tensors)

    assert_official(name, reference_cases.run(operators, case._replace(call=compiled), core.to_tensor))


def test_functions_whose_size_depends_on_data_say_so_in_programs(operators):
    boxes, scores = core.rand([1, 5, 4]), core.rand([1, 2, 5])
    for call in (
        lambda b, s: operators.multiclass_nms(b, s, 0.1, 5, 5),
        lambda b, s: operators.matrix_nms(b, s, 0.1, 0.1, 5, 5),
    ):
        with pytest.raises(OperatorError, match="the output shape depends on data"):
            core.jit.to_static(call)(boxes, scores)
