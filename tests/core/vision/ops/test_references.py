"""Ours against the official vision operators, whose answers stand in references.npz; eager and compiled."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from core.vision import ops

_spec = importlib.util.spec_from_file_location("vision_ops_cases", Path(__file__).parent / "reference_cases.py")
assert _spec is not None and _spec.loader is not None
reference_cases = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = reference_cases
_spec.loader.exec_module(reference_cases)

CASES = reference_cases.CASES
REFERENCES = np.load(Path(__file__).parent / "references.npz")
COMPILED = {**reference_cases.REGIONS, **reference_cases.DEFORMABLE, **reference_cases.COMPUTING}
del COMPILED["DeformConv2D"]  # which sets its weights inside the call


def assert_official(name: str, found: list[np.ndarray]) -> None:
    assert len(found) == len([key for key in REFERENCES.files if key.rpartition("/")[0] == name])
    for i, got in enumerate(found):
        expected = REFERENCES[f"{name}/{i}"]
        assert got.shape == expected.shape and got.dtype == expected.dtype, f"output {i}"
        if got.dtype.kind in "ib":
            np.testing.assert_array_equal(got, expected, err_msg=f"output {i}")
        else:
            scale = max(1.0, float(np.abs(expected).max(initial=0)))
            np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6 * scale, err_msg=f"output {i}")


FLOAT64 = {
    name
    for name, case in CASES.items()
    if name.startswith(("multiclass_nms", "matrix_nms")) and any(array.dtype == np.float64 for array in case.inputs)
}
"""What compiles a large kernel for a second type."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.exhaustive if name in FLOAT64 else ()) for name in CASES]
)
def test_as_the_official_operators(name: str) -> None:
    assert_official(name, reference_cases.run(ops, CASES[name], core.to_tensor))


@pytest.mark.parametrize("name", list(COMPILED))
def test_compiled_as_the_official_operators(name: str) -> None:
    case = COMPILED[name]

    def compiled(_: Any, *tensors: Any) -> Any:
        return to_static(lambda *given: case.call(ops, *given))(*tensors)

    assert_official(name, reference_cases.run(ops, case._replace(call=compiled), core.to_tensor))


def test_every_public_name_has_a_case_and_a_docstring() -> None:
    called = " ".join(name.split()[0] for name in CASES).split()
    without_tensors = {"ConvNormActivation", "decode_jpeg", "read_file"}  # tested by themselves
    # No operators of Paddle's: tests beside this file, and PaddleDetection's, compare them.
    of_toolkits = {
        "balanced_sample", "bbox2delta", "box_iou", "deformable_psroi_pooling", "generate_mask_target",
        "generate_proposal_target", "label_box", "roi_align_levels", "rpn_anchor_target", "subsample_labels",
    }  # fmt: skip
    assert set(called) | without_tensors | of_toolkits == set(ops.__all__)
    for name in ops.__all__:
        text = inspect.getdoc(getattr(ops, name)) or ""
        assert "Args:" in text and ("Returns:" in text or "Shapes:" in text), name
