"""Layers give the official implementation's outputs, gradients and running statistics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from tests.core.nn.reference_cases import all_cases, run
from tests.sampling import sampled

CASES = all_cases()
with np.load(Path(__file__).parent / "references.npz") as stored:
    REFERENCES = {name: stored[name] for name in stored.files}


@pytest.mark.parametrize("name", list(CASES))
def test_layer_agrees_with_paddle(name: str) -> None:
    check(name, run(core, name, CASES[name]))


@pytest.mark.parametrize("name", sampled(CASES, group=lambda name: None))
def test_compiled_layer_agrees_with_paddle(name: str) -> None:
    check(name, run(core, name, CASES[name], wrap=core.jit.to_static))


def check(name: str, results: dict[str, np.ndarray]) -> None:
    expected = {key.partition("/")[2]: value for key, value in REFERENCES.items() if key.partition("/")[0] == name}
    assert set(results) == set(expected)
    for key, value in expected.items():
        assert results[key].shape == value.shape, key
        scale = max(1.0, float(np.abs(value).max(initial=0.0)))
        np.testing.assert_allclose(results[key], value, rtol=1e-4, atol=2e-5 * scale, err_msg=key)
