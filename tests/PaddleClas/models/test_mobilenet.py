"""Both MobileNets."""

from __future__ import annotations

import pytest

import core
from PaddleClas.models import mobilenet_v1, mobilenet_v2


def test_other_widths_can_be_built() -> None:
    with core.LazyGuard():
        assert list(mobilenet_v1.MobileNet(scale=0.0625, class_num=3).fc.weight.shape) == [64, 3]
        assert list(mobilenet_v2.MobileNet(scale=0.35, class_num=3).out.weight.shape) == [1280, 3]
        assert list(mobilenet_v2.MobileNet(scale=1.4, class_num=3).out.weight.shape) == [1792, 3]


def test_a_width_without_channels_is_refused() -> None:
    with pytest.raises(ValueError, match="scale must be at least 1/32, not 0.01: the first convolution would have no"):
        mobilenet_v1.MobileNet(scale=0.01)
    with pytest.raises(ValueError, match="scale must be at least 1/16, not 0.01: the first stage would have no"):
        mobilenet_v2.MobileNet(scale=0.01)
