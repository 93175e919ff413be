"""The gradient penalty of WGAN-GP against PyTorch's float64 numbers: derivatives of derivatives through a critic."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import numpy as np
import pytest

import core
from core.jit import to_static
from core.nn import functional as F
from core.tensor import Tensor
from tests.parity.stored import stored_arrays

REFERENCE = stored_arrays(Path(__file__).with_name("wgan_gp.npz"))
NAMES = [name.partition("/")[2] for name in REFERENCE if name.startswith("gradient/")]


def critic(x: Tensor, p: dict[str, Tensor]) -> Tensor:
    """Score images; layers as in make_wgan_gp_references.py."""
    x = F.leaky_relu(F.conv2d(x, p["conv1.weight"], p["conv1.bias"], stride=2, padding=1), 0.2)
    x = F.conv2d(x, p["conv2.weight"], p["conv2.bias"], stride=2, padding=1)
    x = F.tanh(F.instance_norm(x, weight=p["norm.scale"], bias=p["norm.bias"]))
    return F.linear(x.reshape([x.shape[0], -1]), p["linear.weight"], p["linear.bias"])


def losses(
    real: Tensor, fake: Tensor, share: Tensor, p: dict[str, Tensor], critic: Callable[..., Tensor] = critic
) -> tuple[Tensor, Tensor]:
    """Return the gradient penalty and the critic's loss."""
    mixed = share * real + (1.0 - share) * fake
    mixed.stop_gradient = False
    (gradient,) = core.grad(critic(mixed, p).sum(), mixed, create_graph=True)
    norms = (gradient * gradient).sum([1, 2, 3]).sqrt()
    penalty = ((norms - 1.0) ** 2).mean()
    return penalty, critic(fake, p).mean() - critic(real, p).mean() + penalty * 10.0


@pytest.mark.parametrize("compiled", ["nothing", "critic", "step", "critic and step"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-9)])
def test_gradients_of_every_parameter(dtype: str, tolerance: float, compiled: str) -> None:
    p = {name: core.to_tensor(REFERENCE[name], dtype=dtype, stop_gradient=False) for name in NAMES}
    real, fake, share = [core.to_tensor(REFERENCE[name], dtype=dtype) for name in ("real", "fake", "share")]
    inner = to_static(critic) if "critic" in compiled else critic

    def step(real: Tensor, fake: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
        return losses(real, fake, share, p, inner)

    penalty, loss = (to_static(step) if "step" in compiled else step)(real, fake, share)
    assert penalty.item() == pytest.approx(float(REFERENCE["penalty"]), rel=tolerance)
    assert loss.item() == pytest.approx(float(REFERENCE["loss"]), rel=tolerance)
    loss.backward()
    largest = max(np.abs(REFERENCE[f"gradient/{name}"]).max() for name in NAMES)
    for name in NAMES:
        expected = REFERENCE[f"gradient/{name}"]
        # the bias in front of the instance norm cancels: its gradient is 0 but for rounding
        scale = largest if np.abs(expected).max() < 1e-9 else np.abs(expected).max()
        error = np.abs(p[name].grad.numpy() - expected).max() / scale
        assert error <= tolerance, f"{name}: relative error {error:.1e}"
