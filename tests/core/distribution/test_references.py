"""Ours against the official distributions, whose answers stand in references.npz; eager and compiled."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import core
from core import distribution
from core.jit import to_static

_spec = importlib.util.spec_from_file_location("distribution_cases", Path(__file__).parent / "reference_cases.py")
assert _spec is not None and _spec.loader is not None
reference_cases = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = reference_cases
_spec.loader.exec_module(reference_cases)

CASES = reference_cases.CASES
REFERENCES = np.load(Path(__file__).parent / "references.npz")


@pytest.mark.parametrize("name", list(CASES))
def test_as_the_official_distributions(name: str) -> None:
    found = reference_cases.run(distribution, CASES[name], core.to_tensor)
    expected = {key.partition(": ")[2]: REFERENCES[key] for key in REFERENCES.files if key.startswith(f"{name}: ")}
    assert set(CASES[name].asked.split()) <= set(found)
    for asked, array in expected.items():
        got = found.get(asked, np.zeros(array.shape, array.dtype))  # no gradient is one of 0
        assert got.shape == array.shape and got.dtype == array.dtype, asked
        np.testing.assert_allclose(got, array, rtol=2e-5, atol=2e-6, err_msg=asked)


@pytest.mark.parametrize("name", list(CASES))
def test_compiled_as_eager(name: str) -> None:
    case = CASES[name]
    given = [core.to_tensor(np.asarray(p, np.float32)) for p in case.parameters]
    array = np.asarray(case.value)
    value = core.to_tensor(array if array.dtype.kind == "i" else array.astype(np.float32))

    def answers(value: core.Tensor, *given: core.Tensor) -> list[core.Tensor]:
        d = case.build(distribution, *given)
        return [reference_cases.ask(d, text, value) for text in case.asked.split()]

    for got, expected in zip(to_static(answers)(value, *given), answers(value, *given)):
        np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_every_public_name_has_a_case_or_a_test() -> None:
    called = {name.split()[0] for name in CASES}
    own_tests = {"Distribution", "ExponentialFamily", "Transform", "kl_divergence", "register_kl", "transform"}
    assert called - {"divergence"} | own_tests == set(distribution.__all__)
