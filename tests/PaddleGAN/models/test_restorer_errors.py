"""What the networks of restoration are made of and given, and what is said where it does not fit."""

from __future__ import annotations

from typing import Any

import pytest

import core
from PaddleGAN.models.registry import entry

SETTINGS: list[tuple[str, dict[str, Any], str]] = [
    ("RRDBNet", {"nb": 0}, "RRDBNet: nb must be .*positive.*0"),
    ("PAN", {"scale": 5}, "PAN: scale must be 2, 3 or 4, not 5"),
    ("PAN", {"nf": 5}, "PAN: nf must be even and out_nc be in_nc, not 5, 3 and 3"),
    ("LESRCNNGenerator", {"scale": 8}, "LESRCNNGenerator: scale must be 2, 3 or 4, not 8"),
    ("LESRCNNGenerator", {"group": 3}, "LESRCNNGenerator: group must divide 64, not be 3"),
    ("DRNGenerator", {"scale": [4]}, r"DRNGenerator: scale must be \[2\], \[2, 4\] or \[2, 4, 8\], not \[4\]"),
    ("DRNGenerator", {"n_feats": 4}, "n_colors must be 3 and n_feats at least 8, not 3 and 4"),
    ("EDVRNet", {"center": 5}, "EDVRNet: center must be from 0 to 4, not 5"),
    ("EDVRNet", {"scale_factor": 2}, "EDVRNet: scale_factor must be 4, not 2"),
    ("EDVRNet", {"HR_in": True}, "EDVRNet: HR_in goes with predeblur: true"),
    ("EDVRNet", {"groups": 7}, "groups must divide nf, and out_nf be in_nf; not 7, 64, 3, 3"),
    ("VGGDiscriminator128", {"image_size": 48}, "VGGDiscriminator128: image_size must be a multiple of 32, not 48"),
    ("BasicVSRNet", {"num_blocks": -1}, "BasicVSRNet: num_blocks must be .*positive.*-1"),
]

INPUTS: list[tuple[str, dict[str, Any], tuple[int, ...], str]] = [
    ("RRDBNet", {"nf": 2, "nb": 1, "gc": 1}, (1, 1, 8, 8), r"RRDBNet takes images \(N, 3, H, W\), not \[1, 1, 8, 8\]"),
    ("EDVRNet", {}, (1, 3, 3, 8, 8), r"EDVRNet takes windows \(N, 5, 3, H, W\), not \[1, 3, 3, 8, 8\]"),
    ("EDVRNet", {}, (1, 5, 3, 10, 8), r"frames whose height and width are multiples of 4, not \[10, 8\]"),
    ("VGGDiscriminator128", {"num_feat": 1}, (1, 3, 64, 64), r"takes images \(N, 3, 128, 128\), not \[1, 3, 64, 64\]"),
    ("BasicVSRNet", {}, (1, 2, 3, 32, 64), r"two frames or more, of 64 x 64 pixels or more, not \[1, 2, 3, 32, 64\]"),
]


@pytest.mark.parametrize(("name", "settings", "message"), SETTINGS)
def test_settings_are_checked(name: str, settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        entry(name)(**settings)


@pytest.mark.parametrize(("name", "settings", "shape", "message"), INPUTS)
def test_inputs_are_checked(name: str, settings: dict[str, Any], shape: tuple[int, ...], message: str) -> None:
    small = {"EDVRNet": {"nf": 2, "groups": 1, "front_RBs": 1, "back_RBs": 1}, "BasicVSRNet": {"mid_channels": 1}}
    network = entry(name)(**{**small.get(name, {}), **settings})
    with pytest.raises(ValueError, match=message):
        network(core.zeros(shape))


def test_a_scale_that_a_network_does_not_serve() -> None:
    network = entry("LESRCNNGenerator")(scale=2)
    with pytest.raises(ValueError, match="LESRCNNGenerator: the network enlarges by 2, not 3"):
        network(core.zeros([1, 3, 4, 4]), 3)
