"""Scores in falling order, beside NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from core.kernels.numeric.ranking import falling


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 100, 1000])
def test_equal_scores_stay_as_they_come_and_nan_is_last(count: int) -> None:
    scores = np.random.default_rng(count).integers(-20, 20, count).astype(np.float32)
    scores[::7] = np.nan
    scores[3::9] = -np.inf
    scores[5::11] = -0.0
    np.testing.assert_array_equal(falling(scores), np.argsort(-scores, kind="stable"))
