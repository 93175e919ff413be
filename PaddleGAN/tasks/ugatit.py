"""Images of one kind from images of another, learned without pairs, with attention to where the kinds differ.

Paper: Kim et al., "U-GAT-IT: unsupervised generative attentional networks with adaptive layer-instance normalization
for image-to-image translation", ICLR 2020, https://arxiv.org/abs/1907.10830
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, reconstruction
from PaddleGAN.tasks.translation import not_negative
from PaddleGAN.tasks.unpaired import UnpairedTask, same_channels


class UGATIT(UnpairedTask):
    """U-GAT-IT: generators from A to B and back, and for each kind a discriminator of large and one of small parts.

    Networks of both kinds have a classifier within: that of a discriminator tells real from generated images, that of a
    generator images of one kind from those of the other. As in ppgan, a step trains the discriminators first, then the
    generators; then the shares that mix their normalisations are cut to 0 and 1.

    Args:
        config: the experiment; samples are (A, B), which do not belong together.
        adversarial: weight of both adversarial losses, by scores and by the classifiers within, squared (LSGAN).
        cycle: weight of the way there and back.
        identity: weight of leaving images alone that are of the wanted kind already.
        attention: weight of the cross entropy of the generators' classifiers (of class activation maps).
        global_layers: convolutions of the discriminators that see large parts.
        local_layers: of those that see small ones.

    Raises:
        ValueError: a weight is negative, or the two kinds have different channels.
    """

    generators = ("ResnetUGATITGenerator", "ResnetUGATITP2CGenerator")
    discriminators = ("UGATITDiscriminator",)

    def __init__(
        self,
        config: GANConfig,
        adversarial: float = 1.0,
        cycle: float = 10.0,
        identity: float = 10.0,
        attention: float = 1000.0,
        global_layers: int = 7,
        local_layers: int = 5,
    ) -> None:
        super().__init__(config)
        not_negative(adversarial=adversarial, cycle=cycle, identity=identity, attention=attention)
        self.adversarial, self.cycle, self.identity, self.attention = adversarial, cycle, identity, attention
        self.criterion = GANLoss("lsgan")
        channels = same_channels(config)
        self.a_to_b, self.b_to_a = self.add_generator("generator_a_to_b"), self.add_generator("generator_b_to_a")
        self.judges = {
            kind: [
                self.add_discriminator(f"discriminator_{name}_{kind}", input_nc=channels, n_layers=layers)
                for name, layers in (("global", global_layers), ("local", local_layers))
            ]
            for kind in "ab"
        }
        self.translators = {"AtoB": Picture(self.a_to_b), "BtoA": Picture(self.b_to_a)}
        bounded = ("rho", "w_gamma", "w_beta")
        self.shares = [
            parameter
            for network in (self.a_to_b, self.b_to_a)
            for key, parameter in network.named_parameters()
            if key.rpartition(".")[2] in bounded
        ]

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the phase of all discriminators, then that of both generators."""
        length = (steps_per_epoch, epochs)
        judges = [name for name in self.networks if name.startswith("discriminator")]
        makers = [name for name in self.networks if name.startswith("generator")]
        return [
            self.phase(name, loss, networks, player, *length, prepare=self.clipped)
            for name, loss, networks, player in (
                ("discriminators", self.discriminators_loss, judges, self.config.discriminator),
                ("generators", self.generators_loss, makers, self.config.generator),
            )
        ]

    def clipped(self, fields: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
        """Cut the shares that mix normalisations to 0 and 1; return a batch's fields as they are."""
        for parameter in self.shares:
            parameter.set_value(core.clip(parameter, 0.0, 1.0))
        return fields

    def eval_mode(self) -> None:
        """Put all networks into evaluation mode, with shares as the next step would see them."""
        self.clipped((), {})
        super().eval_mode()

    def discriminators_loss(self, a: Any, b: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of all discriminators, and that of each kind's.

        Args:
            a: images of one kind, (N, C, H, W).
            b: images of the other.
        """
        with core.no_grad():
            made_b, made_a = self.a_to_b(a)[0], self.b_to_a(b)[0]
        losses = {
            kind: self._scored(kind, real, True) + self._scored(kind, made.detach(), False)
            for kind, real, made in (("a", a, made_a), ("b", b, made_b))
        }
        return self.adversarial * (losses["a"] + losses["b"]), losses

    def generators_loss(self, a: Any, b: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of both generators, and its parts.

        Args:
            a: images of one kind, (N, C, H, W).
            b: images of the other.
        """
        (made_b, of_a, _), (made_a, of_b, _) = self.a_to_b(a), self.b_to_a(b)
        (same_a, of_other_a, _), (same_b, of_other_b, _) = self.b_to_a(a), self.a_to_b(b)
        values = {
            "adversarial": self._scored("a", made_a, True) + self._scored("b", made_b, True),
            "cycle": reconstruction(self.b_to_a(made_b)[0], a) + reconstruction(self.a_to_b(made_a)[0], b),
            "identity": reconstruction(same_a, a) + reconstruction(same_b, b),
            "attention": attention_loss(of_b, of_other_a) + attention_loss(of_a, of_other_b),
        }
        loss = self.adversarial * values["adversarial"] + self.cycle * values["cycle"]
        return loss + self.identity * values["identity"] + self.attention * values["attention"], values

    def _scored(self, kind: str, images: Any, wanted: bool) -> Any:
        """Return how far from what is wanted both discriminators of a kind, and their classifiers, score."""
        total = 0.0
        for judge in self.judges[kind]:
            scores, logits, _ = judge(images)
            total = total + self.criterion(scores, wanted) + self.criterion(logits, wanted)
        return total

    def probe(self, *images: Any) -> None:
        """Run all networks once."""
        self._scored("b", self.a_to_b(images[0])[0], True)
        self._scored("a", self.b_to_a(images[1])[0], True)


class Picture(nn.Layer):
    """A generator of which the images alone are of interest.

    Args:
        generator: gives images and more.
    """

    def __init__(self, generator: Any) -> None:
        super().__init__()
        self.generator = generator

    def forward(self, x: Any) -> Any:
        """Return the images."""
        return self.generator(x)[0]


def attention_loss(of_source: Any, of_target: Any) -> Any:
    """Return the cross entropy of a generator's classifier, 0-D: is an image of the kind that it is to be made of?

    Args:
        of_source: logits for images of that kind, any shape.
        of_target: for images that are of the wanted kind already.
    """
    yes = F.binary_cross_entropy_with_logits(of_source, core.ones_like(of_source))
    return yes + F.binary_cross_entropy_with_logits(of_target, core.zeros_like(of_target))
