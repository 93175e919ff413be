"""Compute adversarial steps with PyTorch in float64 and store losses and gradients.

Not part of the tests: it needs PyTorch, the tests need only the files that it wrote.

    pip install torch numpy
    python -m tests.parity.PaddleGAN.make_critic_references

It writes to ``references``:

- ``penalty_step.npz``: a WGAN-GP critic with layer normalisation: ``penalty``, ``loss`` and ``gradient NAME``.
- ``stgan_critic_step.npz``: STGAN's discriminator: ``penalty``, ``adversarial``, ``classes``, ``loss``, ``gradient
  NAME`` and, after one step of Adam, ``change NAME``.
- ``stgan_generator_step.npz``: its generator: ``adversarial``, ``classes``, ``reconstruction``, ``loss``, ``gradient
  NAME``, ``change NAME``.
- ``losses.npz``: cross entropies and feature matching.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import torch
import torch.nn.functional as F

from tests.parity.PaddleGAN import critic_steps as steps
from tests.parity.PaddleGAN.torch_networks import Parameters, attgan_discriminator, stgan_generator, wgan_critic
from tests.parity.PaddleGAN.weights import weight

REFERENCES = Path(__file__).with_name("references")
Tensor = torch.Tensor
INPUTS = {name: torch.tensor(array, dtype=torch.float64) for name, array in steps.INPUTS.items()}


def penalty(critic: Callable[[Tensor], Tensor], fake: Tensor) -> Tensor:
    """Return the gradient penalty, without a factor."""
    mixed = (INPUTS["real"] + INPUTS["share"] * (fake - INPUTS["real"])).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    return ((torch.sqrt(gradient.square().sum((1, 2, 3)) + 1e-16) - 1) ** 2).mean()


def parameters(network: Callable[..., Any], *inputs: Tensor, **arguments: Any) -> Parameters:
    """Return a network's parameters, drawn and ready to be differentiated."""
    p = Parameters(weight, training=True)
    with torch.no_grad():
        network(p, *inputs, **arguments)
    for tensor in p.learned().values():
        tensor.requires_grad_()
    return p


def gradients(loss: Tensor, p: Parameters) -> dict[str, np.ndarray]:
    """Return ``gradient NAME`` of every parameter, and ``change NAME`` by one step of Adam."""
    learned = p.learned()
    loss.backward()
    answers = {f"gradient {name}": tensor.grad.numpy().astype("float32") for name, tensor in learned.items()}
    before = {name: tensor.detach().clone() for name, tensor in learned.items()}
    betas = (steps.BETA1, steps.BETA2)
    torch.optim.Adam(list(learned.values()), steps.LEARNING_RATE, betas=betas, eps=steps.EPSILON).step()
    for name, tensor in learned.items():
        answers[f"change {name}"] = (tensor.detach() - before[name]).numpy().astype("float32")
    return answers


def write(name: str, terms: dict[str, Tensor], answers: dict[str, np.ndarray]) -> None:
    """Store a step's terms and gradients."""
    numbers = {key: term.detach().numpy() for key, term in terms.items()}
    np.savez_compressed(REFERENCES / f"{name}.npz", **numbers, **answers)
    print(name, {key: float(number) for key, number in numbers.items() if number.ndim == 0})


def wgan_step() -> None:
    """Write a step of a WGAN-GP critic."""
    p = parameters(wgan_critic, INPUTS["real"], **steps.WGAN)

    def critic(x: Tensor) -> Tensor:
        return wgan_critic(p, x, **steps.WGAN)

    distance = penalty(critic, INPUTS["fake"])
    loss = critic(INPUTS["fake"]).mean() - critic(INPUTS["real"]).mean() + steps.PENALTY * distance
    write("penalty_step", {"penalty": distance, "loss": loss}, gradients(loss, p))


def stgan_steps() -> None:
    """Write a step of STGAN's discriminator and one of its generator."""
    real, source, target = INPUTS["real"], INPUTS["source"], INPUTS["target"]
    g = parameters(stgan_generator, real, target - source, **steps.GENERATOR)
    d = parameters(attgan_discriminator, real, **steps.DISCRIMINATOR)

    def discriminate(x: Tensor) -> tuple[Tensor, Tensor]:
        return attgan_discriminator(d, x, **steps.DISCRIMINATOR)

    with torch.no_grad():
        edited = stgan_generator(g, real, target - source, **steps.GENERATOR)
    scores, logits = discriminate(real)
    terms = {
        "adversarial": discriminate(edited)[0].mean() - scores.mean(),
        "penalty": penalty(lambda x: discriminate(x)[0], edited),
        "classes": F.binary_cross_entropy_with_logits(logits, source),
    }
    loss = terms["adversarial"] + steps.PENALTY * terms["penalty"] + steps.CLASSES_CRITIC * terms["classes"]
    write("stgan_critic_step", {**terms, "loss": loss}, gradients(loss, d))

    d = parameters(attgan_discriminator, real, **steps.DISCRIMINATOR)  # as it was before its step
    scores, logits = discriminate(stgan_generator(g, real, target - source, **steps.GENERATOR))
    restored = stgan_generator(g, real, torch.zeros_like(source), **steps.GENERATOR)
    terms = {
        "adversarial": -scores.mean(),
        "classes": F.binary_cross_entropy_with_logits(logits, target),
        "reconstruction": (restored - real).abs().mean(),
    }
    loss = (
        terms["adversarial"]
        + steps.CLASSES_GENERATOR * terms["classes"]
        + steps.RECONSTRUCTION * terms["reconstruction"]
    )
    write("stgan_generator_step", {**terms, "loss": loss}, gradients(loss, g))


def plain_losses() -> None:
    """Write the losses that need no network."""
    logits, labels = 3 * INPUTS["real"][:, 0, 0, : steps.C_DIM], INPUTS["source"]
    scales = [[INPUTS[name][:, :, ::stride, ::stride] for stride in (1, 2, 4)] for name in ("real", "fake")]
    # two scales: of three maps, and of two others; the last ones do not count
    several = [[list(scale), [2 * maps[:, :1] for maps in scale[:2]]] for scale in scales]
    matching = sum((a - b).abs().mean() for real, fake in zip(*several) for a, b in zip(real[:-1], fake[:-1]))
    np.savez_compressed(
        REFERENCES / "losses.npz",
        mean=F.binary_cross_entropy_with_logits(logits, labels).numpy(),
        summed=(F.binary_cross_entropy_with_logits(logits, labels, reduction="sum") / steps.BATCH).numpy(),
        matching=(matching / 2).numpy(),
    )


def main() -> None:
    """Write all files."""
    REFERENCES.mkdir(exist_ok=True)
    wgan_step()
    stgan_steps()
    plain_losses()


if __name__ == "__main__":
    main()
