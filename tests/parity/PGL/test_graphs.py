"""Graphs answer as pgl's do; graph_cases.py holds the uses, make_graph_references.py stored pgl's answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
import PGL
from tests.parity.PGL.graph_cases import CASES
from tests.parity.stored import stored_arrays


@pytest.fixture(scope="module")
def references():
    return stored_arrays(Path(__file__).with_name("references") / "graphs.npz")


@pytest.mark.parametrize("case", CASES)
def test_answers_are_those_of_pgl(case, references):
    wanted = {name.partition(": ")[2]: references[name] for name in references if name.startswith(f"{case}: ")}
    found = CASES[case](PGL, core)
    assert list(found) == list(wanted)
    for name, answer in wanted.items():
        assert np.shape(found[name]) == answer.shape, name
        if answer.dtype.kind == "f":
            np.testing.assert_allclose(found[name], answer, rtol=1e-5, atol=1e-5, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], answer, err_msg=name)
