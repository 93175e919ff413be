"""Ours against the official transforms, whose answers stand in references.npz."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import core
from core.vision.transforms import functional as F

_spec = importlib.util.spec_from_file_location("reference_cases", Path(__file__).parent / "reference_cases.py")
assert _spec is not None and _spec.loader is not None
reference_cases = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = reference_cases
_spec.loader.exec_module(reference_cases)

REFERENCES = np.load(Path(__file__).parent / "references.npz")

# Of nearest neighbours, a few pixels lie exactly between two; the official code for Tensors then rounds in float32.
TIES = ("rotate/tensor", "rotate_around/tensor", "affine/tensor", "perspective/tensor", "perspective/pil")


@pytest.mark.parametrize("key", sorted(REFERENCES.files))
def test_as_the_official_transforms(key: str) -> None:
    name, kind = key.split("/")
    case = reference_cases.CASES[name]._replace(channel_order="rgb")
    result = reference_cases.run(F, case, kind, core.to_tensor)
    expected = REFERENCES[key]
    assert result.shape == expected.shape and result.dtype == expected.dtype
    error = np.abs(result.astype(np.float64) - expected)
    if key in TIES:
        assert np.mean(error > 1e-4) < 0.005
    elif result.dtype == np.uint8:
        assert error.max() <= 1
        assert kind == "pil" or np.mean(error > 0) < 0.02  # Pillow's last bit differs between its versions
    else:
        assert error.max() <= 2e-4  # the references have four decimals; grey has 0.2989 in them, 0.299 here


def test_every_case_has_a_reference() -> None:
    wanted = {f"{name}/{kind}" for name, case in reference_cases.CASES.items() for kind in case.kinds}
    assert wanted == set(REFERENCES.files)
