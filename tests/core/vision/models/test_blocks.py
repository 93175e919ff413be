"""Blocks that several families share."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm, SqueezeExcite, pointwise, round_channels


@pytest.mark.parametrize(
    ("channels", "divisor", "expected"),
    [(5.6, 8, 8), (16, 8, 16), (20, 8, 24), (19.9, 8, 24), (18, 8, 24), (17.6, 8, 16), (25.2, 8, 24), (20.8, 4, 20)],
)
def test_channels_are_rounded_but_lose_no_tenth(channels: float, divisor: int, expected: int) -> None:
    assert round_channels(channels, divisor) == expected


@pytest.mark.parametrize("convolutions", [False, True], ids=["linear", "convolutions"])
def test_squeeze_and_excitation(convolutions: bool) -> None:
    core.seed(3)
    options = {"layer": pointwise, "names": ("conv1", "conv2")} if convolutions else {}
    block = SqueezeExcite(6, 3, **options)  # type: ignore[arg-type]
    first, second = ("conv1", "conv2") if convolutions else ("squeeze", "excitation")
    state = {name: tensor.numpy() for name, tensor in block.state_dict().items()}
    weights = [state[f"{name}.weight"] for name in (first, second)]
    if convolutions:
        weights = [weight[:, :, 0, 0].T for weight in weights]
    x = np.random.default_rng(0).standard_normal((2, 6, 4, 5)).astype("float32")
    hidden = np.maximum(x.mean(axis=(2, 3)) @ weights[0] + state[f"{first}.bias"], 0)
    gate = 1 / (1 + np.exp(-(hidden @ weights[1] + state[f"{second}.bias"])))
    found = block(core.to_tensor(x)).numpy()
    np.testing.assert_allclose(found, x * gate[:, :, None, None], rtol=1e-5, atol=1e-6)


def test_normalisation_may_be_kept_from_weight_decay() -> None:
    weights = {}
    for decay in (True, False):
        core.seed(1)
        block = ConvBatchNorm(2, 3, 3, activation=F.relu, decay_norm=decay)
        block.bn.weight.set_value(np.full(3, 2.0, "float32"))
        optimizer = core.optimizer.SGD(0.5, parameters=block.parameters(), weight_decay=0.1)
        (block(core.ones([1, 2, 4, 4])).sum() * 0.0).backward()
        optimizer.step()
        weights[decay] = (block.bn.weight.numpy(), np.abs(block.conv.weight.numpy()).max())
    np.testing.assert_allclose(weights[True][0], 2.0 * (1 - 0.05), rtol=1e-6)
    np.testing.assert_array_equal(weights[False][0], 2.0)
    assert weights[True][1] == weights[False][1]
