"""EfficientNet: zeros around maps, scaling, and branches left out in training."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PaddleClas
from core.nn import functional as F
from PaddleClas.models.efficientnet import SCALES, STAGES, MobileBottleneck, Row, padding


@pytest.mark.parametrize("scale", SCALES)
def test_zeros_are_those_of_same_at_the_networks_own_size(scale: str) -> None:
    size = SCALES[scale][2]
    generator = np.random.default_rng(0)
    for kernel_size, stride in [(3, 2), *((row.kernel_size, row.stride) for row in STAGES)]:
        x = core.to_tensor(generator.standard_normal((1, 1, size, size)).astype("float32"))
        weight = core.to_tensor(generator.standard_normal((1, 1, kernel_size, kernel_size)).astype("float32"))
        expected = F.conv2d(x, weight, stride=stride, padding="SAME").numpy()
        found = F.conv2d(x, weight, stride=stride, padding=padding(size, kernel_size, stride)).numpy()
        np.testing.assert_array_equal(found, expected)
        size = -(-size // stride)


@pytest.mark.parametrize("size", [64, 65, 71, 72])
def test_zeros_suffice_for_maps_of_other_sizes(size: int) -> None:
    for own, kernel_size in ((224, 3), (224, 5), (15, 3), (15, 5)):
        x, weight = core.ones([1, 1, size, size]), core.ones([1, 1, kernel_size, kernel_size])
        zeros = padding(own, kernel_size, 2)
        assert list(F.conv2d(x, weight, stride=2, padding=zeros).shape[2:]) == [-(-size // 2)] * 2


def test_depth_and_width_are_scaled() -> None:
    with core.LazyGuard():
        small, large = (PaddleClas.create_model(name) for name in ("EfficientNetB0", "EfficientNetB7"))
    assert (small.block_counts, large.block_counts) == ([1, 2, 2, 3, 3, 4, 1], [4, 7, 7, 10, 10, 13, 4])
    assert (small.stage_channels, large.stage_channels) == ([16, 24, 40, 112, 320], [32, 48, 80, 224, 640])
    rates = [block.drop.p for block in list(small._ef.children())[1:] if block.drop is not None]
    np.testing.assert_allclose(rates, [0.2 * number / 16 for number in (2, 4, 6, 7, 9, 10, 12, 13, 14)])


def test_training_leaves_branches_of_samples_out() -> None:
    core.seed(6)
    block = MobileBottleneck(4, Row(1, 3, 1, 1, 4), 4, filter_padding=1, squeeze=False, drop=0.25)
    block.eval()
    x = core.to_tensor(np.random.default_rng(1).standard_normal((200, 4, 5, 5)).astype("float32"))
    with core.no_grad():
        branch = (block(x) - x).numpy()
        block.drop.train()
        found = (block(x) - x).numpy()
    out = np.abs(found).max(axis=(1, 2, 3)) < 1e-6
    np.testing.assert_allclose(found[~out], branch[~out] / 0.75, rtol=1e-4, atol=1e-5)
    assert 30 < out.sum() < 70
