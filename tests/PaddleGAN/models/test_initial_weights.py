"""How weights start, family by family."""

from __future__ import annotations

import numpy as np
import pytest

import core
from PaddleGAN.models.registry import entry

NORMAL = ("DCGenerator", "UnetGenerator", "ResnetGenerator", "NLayerDiscriminator", "WGANCritic")


@pytest.mark.parametrize("name", NORMAL)
def test_kernels_are_normal_with_deviation_0_02(name: str) -> None:
    core.seed(1)
    state = entry(name)(**{"ndf" if "Gen" not in name else "ngf": 16}).state_dict()
    kernels = np.concatenate([tensor.numpy().ravel() for tensor in state.values() if tensor.ndim == 4])
    assert abs(kernels.mean()) < 1e-3 and kernels.std() == pytest.approx(0.02, rel=0.02)
    assert np.abs(kernels).max() > 0.06
    for key, tensor in state.items():
        if key.endswith(".bias"):
            assert not tensor.numpy().any(), key


@pytest.mark.parametrize(
    ("name", "arguments", "layer", "fan_in"),
    [
        ("StarGANGenerator", {"ngf": 8}, "entrance.0", 8 * 49),
        ("StarGANGenerator", {"ngf": 8}, "up.0", 16 * 16),  # a transposed convolution: its outputs
        ("AttGANGenerator", {"ngf": 8}, "encoder.levels.1.0", 8 * 16),
        ("AttGANDiscriminator", {"ndf": 8, "fc_dim": 32}, "score.0", 128 * 16),
        ("STGANGenerator", {"ngf": 8}, "units.0.upsample", 64 * 16),
        ("STGANGenerator", {"ngf": 8}, "units.1.reset", 64 * 9),
    ],
)
def test_the_editing_networks_start_uniform(name: str, arguments: dict[str, int], layer: str, fan_in: int) -> None:
    core.seed(1)
    state = entry(name)(**arguments).state_dict()
    bound = fan_in**-0.5
    for kind in ("weight", "bias"):
        if f"{layer}.{kind}" in state:
            values = state[f"{layer}.{kind}"].numpy()
            assert bound / 2 < np.abs(values).max() <= bound
            assert values.std() == pytest.approx(bound / 3**0.5, rel=0.3 if kind == "bias" else 0.05)


def test_scales_start_around_1() -> None:
    core.seed(1)
    scales = entry("DCGenerator")(ngf=64).state_dict()["model.1.weight"].numpy()
    assert scales.mean() == pytest.approx(1.0, abs=0.005) and scales.std() == pytest.approx(0.02, rel=0.2)


def test_instance_normalisation_of_the_translators_is_not_trained() -> None:
    network = entry("ResnetGenerator")(ngf=2, n_blocks=1)
    fixed = [key for key, parameter in network.named_parameters() if parameter.stop_gradient]
    assert len(fixed) == 14 and {key.rpartition(".")[2] for key in fixed} == {"scale", "bias"}


def test_spade_starts_like_its_authors() -> None:
    core.seed(1)
    state = entry("SPADEGenerator")(semantic_nc=4, ngf=4).state_dict()
    kernel = state["head_0.conv_0.weight_orig"].numpy()
    assert kernel.std() == pytest.approx(0.02 * (2 / (2 * 64 * 9)) ** 0.5, rel=0.02)
    assert not state["head_0.conv_0.bias"].numpy().any()
