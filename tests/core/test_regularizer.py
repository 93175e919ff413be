"""Regularizers give the gradient of their penalty."""

from __future__ import annotations

import numpy as np
import pytest

from core.regularizer import L1Decay, L2Decay, WeightDecayRegularizer
from core.tensor import Tensor


def test_terms():
    weight = Tensor(np.array([-2.0, 0.0, 4.0], np.float32))
    gradient = Tensor(np.ones(3, np.float32))
    np.testing.assert_allclose(L2Decay(0.5)(weight, gradient).numpy(), [-1.0, 0.0, 2.0])
    np.testing.assert_allclose(L1Decay(0.5)(weight, gradient).numpy(), [-0.5, 0.0, 0.5])


def test_descriptions_are_paddles():
    assert str(L1Decay(0.1)) == "L1Decay, coeff=0.100000" and str(L2Decay(0.1)) == "L2Decay, coeff=0.100000"


def test_errors():
    with pytest.raises(TypeError, match="coeff must be a number, not str"):
        L2Decay("0.1")
    with pytest.raises(TypeError, match="coeff must be a number, not bool"):
        L1Decay(True)
    with pytest.raises(NotImplementedError, match="WeightDecayRegularizer must define __call__"):
        WeightDecayRegularizer()(Tensor(np.ones(1)), Tensor(np.ones(1)))
