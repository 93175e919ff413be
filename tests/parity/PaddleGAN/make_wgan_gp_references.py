"""Write wgan_gp.npz: gradients of a WGAN-GP critic's loss, penalty included, by PyTorch in float64.

Run with a Python that has PyTorch: ``python tests/parity/PaddleGAN/make_wgan_gp_references.py``.

The critic: conv 3x3 stride 2, leaky ReLU, conv 3x3 stride 2, instance norm, tanh, linear. The loss is that of
https://arxiv.org/abs/1704.00028: mean(critic(fake)) - mean(critic(real)) + 10 * mean((|grad critic(mixed)| - 1) ** 2).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

SHAPES = {
    "conv1.weight": (8, 3, 3, 3),
    "conv1.bias": (8,),
    "conv2.weight": (12, 8, 3, 3),
    "conv2.bias": (12,),
    "norm.scale": (12,),
    "norm.bias": (12,),
    "linear.weight": (12 * 4 * 4, 1),
    "linear.bias": (1,),
}


def main() -> None:
    """Draw parameters and images, compute the loss and its gradients, and store all of them."""
    generator = np.random.default_rng(2017)
    arrays = {name: generator.normal(0, 0.2, shape).astype("float32") for name, shape in SHAPES.items()}
    arrays["norm.scale"] += 1
    arrays["real"] = generator.uniform(-1, 1, (4, 3, 16, 16)).astype("float32")
    arrays["fake"] = generator.uniform(-1, 1, (4, 3, 16, 16)).astype("float32")
    arrays["share"] = generator.uniform(0, 1, (4, 1, 1, 1)).astype("float32")
    p = {name: torch.tensor(array, dtype=torch.float64) for name, array in arrays.items()}
    for name in SHAPES:
        p[name].requires_grad_()

    def critic(x: torch.Tensor) -> torch.Tensor:
        x = F.leaky_relu(F.conv2d(x, p["conv1.weight"], p["conv1.bias"], stride=2, padding=1), 0.2)
        x = F.conv2d(x, p["conv2.weight"], p["conv2.bias"], stride=2, padding=1)
        x = torch.tanh(F.instance_norm(x, weight=p["norm.scale"], bias=p["norm.bias"], eps=1e-5))
        return x.flatten(1) @ p["linear.weight"] + p["linear.bias"]

    mixed = (p["share"] * p["real"] + (1 - p["share"]) * p["fake"]).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = ((gradient.square().sum((1, 2, 3)).sqrt() - 1) ** 2).mean()
    loss = critic(p["fake"]).mean() - critic(p["real"]).mean() + 10 * penalty
    loss.backward()
    results = {f"gradient/{name}": p[name].grad.numpy() for name in SHAPES}
    np.savez_compressed(
        Path(__file__).with_name("wgan_gp.npz"),
        penalty=penalty.detach().numpy(),
        loss=loss.detach().numpy(),
        **arrays,
        **results,
    )


if __name__ == "__main__":
    main()
