"""Arguments that a network's class refuses."""

from __future__ import annotations

from typing import Callable

import pytest

import core
from core import nn
from PaddleClas.models.densenet import DenseNet
from PaddleClas.models.dpn import DualPathNetwork
from PaddleClas.models.ghostnet import GhostNet
from PaddleClas.models.hrnet import HRNet
from PaddleClas.models.mobilenet_v3 import SMALL, MobileNetV3
from PaddleClas.models.res2net import Res2Net
from PaddleClas.models.resnest import ResNeSt
from PaddleClas.models.resnet_earlier import EarlierResNet
from PaddleClas.models.shufflenet_v2 import ShuffleNet
from PaddleClas.models.squeezenet import SqueezeNet
from PaddleClas.models.xception_deeplab import XceptionDeeplab


def test_squeezenet_has_two_versions() -> None:
    with pytest.raises(ValueError, match=r"version must be '1.0' or '1.1', not '1.2'"):
        SqueezeNet("1.2")


@pytest.mark.parametrize(("depth", "groups"), [(50, 16), (18, 32)])
def test_groups_of_residual_networks(depth: int, groups: int) -> None:
    with pytest.raises(ValueError, match=f"groups must be 1, or from 50 layers on 32 or 64, not {groups} with {depth}"):
        EarlierResNet(depth, groups=groups)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (EarlierResNet, "ResNet has 18, 34, 50, 101, 152, 200 layers, not 51"),
        (DenseNet, "DenseNet has 121, 161, 169, 201, 264 layers, not 51"),
        (DualPathNetwork, "DPN has 68, 92, 98, 107, 131 layers, not 51"),
        (XceptionDeeplab, "Xception-deeplab has 41 or 65 layers, not 51"),
        (Res2Net, "Res2Net has 50, 101, 200 layers, not 51"),
        (ResNeSt, "ResNeSt has 50, 101, 200, 269 layers, not 51"),
    ],
)
def test_depths(network: Callable[..., nn.Layer], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        network(51)


def test_variants() -> None:
    with pytest.raises(ValueError, match="version must be 'vb' or 'vd', not 'vc'"):
        Res2Net(version="vc")
    with pytest.raises(ValueError, match="radix must be at least 1, not 0"):
        ResNeSt(radix=0)


def test_widths() -> None:
    with pytest.raises(ValueError, match="scale must be positive, not 0"):
        MobileNetV3(SMALL, scale=0)
    with pytest.raises(ValueError, match="scale must be positive, not -1.0"):
        GhostNet(scale=-1.0)
    with pytest.raises(ValueError, match="scale must be one of 0.25, 0.33, 0.5, 1.0, 1.5, 2.0, not 0.75"):
        ShuffleNet(scale=0.75)


def test_hrnet_names_the_sizes_of_images_that_it_takes() -> None:
    network = HRNet(4, class_num=3)
    message = r"HRNet takes images whose height and width are multiples of 32, not \[64, 72\]"
    with pytest.raises(ValueError, match=message):
        network(core.zeros([1, 3, 64, 72]))
