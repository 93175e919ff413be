"""RoIAlign with channels last: its values and its transpose are the definition's."""

from __future__ import annotations

import numpy as np
import pytest

from core.kernels.boxes import aligned_channels, box_pooling

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize("ratio", [-1, 2])
@pytest.mark.parametrize("aligned", [True, False])
def test_many_channels(aligned: bool, ratio: int, monkeypatch: pytest.MonkeyPatch) -> None:
    x = RANDOM.standard_normal((2, 11, 9, 13))
    corner = RANDOM.uniform(-8, 40, (20, 2))
    boxes = np.concatenate([corner, corner + RANDOM.uniform(-2, 30, (20, 2))], 1)
    grid = box_pooling.align_grid(boxes, np.repeat([0, 1], 10), (3, 4), 0.25, ratio, aligned)
    used = []
    monkeypatch.setattr(box_pooling.aligned_channels, "align", lambda *given: used.append(aligned_align(*given)))
    out = np.empty((20, 11, 3, 4))
    box_pooling.align(x, grid, out)
    assert used
    np.testing.assert_allclose(out, box_pooling.align_reference(x, grid, (3, 4)), atol=1e-12)
    gradient = RANDOM.standard_normal(out.shape)
    for parts in (1, 3):
        back = np.empty_like(x)
        aligned_channels.align_back(gradient, grid, back, parts)
        np.testing.assert_allclose(back, box_pooling.align_back_reference(gradient, grid, x.shape), atol=1e-12)


aligned_align = aligned_channels.align
