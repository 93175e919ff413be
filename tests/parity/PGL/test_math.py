"""PGL.math answers as pgl.math does; math_cases.py holds the uses, make_math_references.py stored pgl's answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PGL
from tests.parity.PGL.math_cases import CASES
from tests.parity.stored import stored_arrays

REFERENCES = stored_arrays(Path(__file__).with_name("references") / "math.npz")


@pytest.mark.parametrize("case", CASES)
def test_answers_are_those_of_pgl(case: str) -> None:
    wanted = {name.partition(": ")[2]: REFERENCES[name] for name in REFERENCES if name.startswith(f"{case}: ")}
    found = CASES[case](PGL, core)
    assert list(found) == list(wanted) and wanted
    for name, answer in wanted.items():
        assert found[name].shape == answer.shape, name
        np.testing.assert_allclose(found[name], answer, rtol=1e-5, atol=1e-6, err_msg=name)
