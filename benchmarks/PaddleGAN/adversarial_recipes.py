"""What the training steps of benchmarks.PaddleGAN.adversarial minimise, in any framework."""

from __future__ import annotations

from typing import Any


class Recipe:
    """What the steps of a model minimise, in any framework.

    Args:
        networks: by name.
        l1: the mean absolute difference.
        cross_entropy: of logits and attributes, the mean.
        score: (scores, real, whether the discriminator learns) to the adversarial loss.
        penalty: (critic, real, generated, shares) to the gradient penalty.
        fixed: a context in which nothing is differentiated.
    """

    def __init__(
        self, networks: dict[str, Any], l1: Any, cross_entropy: Any, score: Any, penalty: Any, fixed: Any
    ) -> None:
        self.networks = networks
        self.l1 = l1
        self.cross_entropy = cross_entropy
        self.score = score
        self.penalty = penalty
        self.fixed = fixed

    def stgan_critic(self, a: Any, source: Any, target: Any, share: Any) -> Any:
        """Return the loss of STGAN's critic."""
        g, d = self.networks["g"], self.networks["d"]
        with self.fixed():
            edited = g(a, target - source)
        (real, logits), (fake, _) = d(a), d(edited)
        adversarial = self.score(real, True, True) + self.score(fake, False, True)
        return adversarial + 10 * self.penalty("d", a, edited, share) + self.cross_entropy(logits, source)

    def stgan_generator(self, a: Any, source: Any, target: Any) -> Any:
        """Return the loss of STGAN's generator."""
        g, d = self.networks["g"], self.networks["d"]
        fake, logits = d(g(a, target - source))
        restored = self.l1(g(a, source - source), a)
        return self.score(fake, True, False) + 10 * self.cross_entropy(logits, target) + 100 * restored

    def cyclegan_generator(self, a: Any, b: Any) -> Any:
        """Return the loss of CycleGAN's generators."""
        n = self.networks
        fake_b, fake_a = n["g_a"](a), n["g_b"](b)
        adversarial = self.score(n["d_a"](fake_b), True, False) + self.score(n["d_b"](fake_a), True, False)
        cycles = self.l1(n["g_b"](fake_b), a) + self.l1(n["g_a"](fake_a), b)
        identities = self.l1(n["g_a"](b), b) + self.l1(n["g_b"](a), a)
        return adversarial + 10 * cycles + 5 * identities

    def cyclegan_discriminator(self, a: Any, b: Any) -> Any:
        """Return the loss of CycleGAN's discriminators; images of the pool cost nothing, so none are made here."""
        n = self.networks
        real = self.score(n["d_a"](b), True, True) + self.score(n["d_b"](a), True, True)
        return (real + self.score(n["d_a"](a), False, True) + self.score(n["d_b"](b), False, True)) * 0.5

    def dcgan_discriminator(self, a: Any, noise: Any) -> Any:
        """Return the loss of DCGAN's discriminator."""
        g, d = self.networks["g"], self.networks["d"]
        with self.fixed():
            fake = g(noise)
        return (self.score(d(a), True, True) + self.score(d(fake), False, True)) * 0.5

    def dcgan_generator(self, noise: Any) -> Any:
        """Return the loss of DCGAN's generator."""
        return self.score(self.networks["d"](self.networks["g"](noise)), True, False)


PHASES = {
    "stgan": {
        "critic": [("stgan_critic", ("d",), ("a", "source", "target", "share"))],
        "generator": [("stgan_generator", ("g",), ("a", "source", "target"))],
    },
    "cyclegan": {
        "step": [
            ("cyclegan_generator", ("g_a", "g_b"), ("a", "b")),
            ("cyclegan_discriminator", ("d_a", "d_b"), ("a", "b")),
        ]
    },
    "dcgan": {
        "step": [("dcgan_discriminator", ("d",), ("a", "noise")), ("dcgan_generator", ("g",), ("noise",))],
    },
}
"""Model to its steps: for each the losses in order, the networks that each trains, and what it is given."""

MODES = {"stgan": "wgangp", "cyclegan": "lsgan", "dcgan": "vanilla"}
