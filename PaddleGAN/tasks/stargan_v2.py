"""Images of other kinds, in styles from noise or of reference images: StarGAN v2.

Paper: Choi et al., "StarGAN v2: diverse image synthesis for multiple domains", CVPR 2020,
https://arxiv.org/abs/1912.01865
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.drawing import sheet
from core.io.randomness import batch_scope
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.train.runner.task import Program
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, r1_penalty
from PaddleGAN.metrics.classifier import Classifier
from PaddleGAN.metrics.features import choose_features, inception_path
from PaddleGAN.models.registry import GENERATOR_NETWORKS
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.base import AdversarialTask
from PaddleGAN.tasks.stargan_v2_evaluation import OfDomains, RestyleEvaluator
from PaddleGAN.tasks.translation import not_negative

BATCH = 16
"""Images that are made at once outside training."""

JUDGED = 2000
"""Images that the classifier of domains learns from, at most."""


class StarGANv2(AdversarialTask):
    """StarGAN v2: one generator for all domains, with styles of a mapping network or of a style encoder.

    As in ppgan, a step trains the discriminator on images in styles from noise, then in those of references; then the
    generator with both networks of styles on styles from noise, and the generator alone on those of references. The
    weight of diversity falls to 0 until the end.

    Args:
        config: the experiment; samples are those of StarGANv2Dataset. The section of the generator also says how the
            mapping network and the style encoder learn; with official weights they start from theirs.
        latent_dim: numbers of noise.
        hidden_dim: numbers within the mapping network.
        r1: weight of the discriminator's squared gradient at real images, halved.
        style: weight of finding the style in the image.
        diversity: weight of the difference of two images in different styles, at the beginning.
        cycle: weight of the way back.

    Raises:
        ValueError: a weight is negative, the generator wants masks, or the networks are of different sizes.
    """

    numbers = ("fid", "agreement", "diversity")
    generators = ("StarGANv2Generator",)
    discriminators = ("StarGANv2Discriminator",)
    modes = ("restyle",)

    def __init__(
        self,
        config: GANConfig,
        latent_dim: int = 16,
        hidden_dim: int = 512,
        r1: float = 1.0,
        style: float = 1.0,
        diversity: float = 1.0,
        cycle: float = 1.0,
    ) -> None:
        super().__init__(config)
        not_negative(r1=r1, style=style, diversity=diversity, cycle=cycle)
        self.weights = {"r1": r1, "style": style, "diversity": diversity, "cycle": cycle}
        samples = self.dataset("train")
        if not hasattr(samples, "domains"):
            raise ValueError(f"data.train.dataset: {type(samples).__name__} has no domains; take StarGANv2Dataset")
        self.domains: Sequence[str] = samples.domains
        self.latent_dim, count = latent_dim, len(self.domains)
        generator = self.generator = self.add_generator()
        if generator.w_hpf:
            raise ValueError(
                "generator.network.w_hpf must be 0: masks of faces, which the filter needs, are made by a network that "
                "is not here"
            )
        same = {"num_domains": count, "style_dim": generator.style_dim}
        sizes = {"img_size": generator.img_size, "max_conv_dim": generator.max_conv_dim, "base": generator.base}
        self.mapping = self._styles(
            "mapping_network", "StarGANv2Mapping", latent_dim=latent_dim, hidden_dim=hidden_dim, **same
        )
        self.style_encoder = self._styles("style_encoder", "StarGANv2Style", **same, **sizes)
        self.discriminator = self.add_discriminator(num_domains=count)
        if self.discriminator.img_size != generator.img_size:
            raise ValueError(
                f"generator.network.img_size is {generator.img_size}, discriminator.network.img_size is "
                f"{self.discriminator.img_size}: make them the same"
            )
        self.fading = self.networks["fading"] = Fading()
        self.criterion = GANLoss("vanilla")
        self._classifier: Optional[Classifier] = None

    def _styles(self, name: str, network: str, **arguments: Any) -> Any:
        """Build a network of styles, with weights of where the generator's come from, and note it."""
        pretrained = self.config.generator.network.arguments.get("pretrained")
        official = pretrained is True or pretrained == "starganv2_afhq"
        given = True if official else pretrained
        part = name if given and not official else None
        try:
            self.networks[name] = GENERATOR_NETWORKS.create(network, given, part, arguments)
        except (TypeError, ValueError) as error:
            raise ValueError(f"generator.network: {error}") from None
        self.averaged.append(name)
        return self.networks[name]

    def facts(self) -> list[str]:
        """Return lines that describe the training data.

        Raises:
            ValueError: a split has other domains, or images of another size.
        """
        side = self.generator.img_size
        for split in self.splits:
            samples = self.dataset(split)
            found = getattr(samples, "domains", ())
            if list(found) != list(self.domains):
                raise ValueError(f"data.{split}: its domains are {', '.join(found)}, not {', '.join(self.domains)}")
            shape = list(self.first(split, 1)[0][0].shape)
            if shape != [3, side, side]:
                raise ValueError(f"data.{split}: images must be (3, {side}, {side}), as img_size says, not {shape}")
        return [*super().facts(), f"{len(self.domains)} domains: {', '.join(self.domains)}"]

    def first(self, split: str, count: int) -> list[Any]:
        """Return a split's first samples, the same each time."""
        samples = self.dataset(split)
        with batch_scope(self.config.seed, 0, 0):
            return [samples[index] for index in range(min(count, len(samples)))]

    # training

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return both phases of the discriminator, then those of the generator, which share an optimizer each."""
        length, config = (steps_per_epoch, epochs), self.config
        self.fading.steps = round(steps_per_epoch * epochs)
        judge = self.phase(
            "discriminator_noise", self.discriminator_noise, ["discriminator"], config.discriminator, *length
        )
        makers = ["generator", "mapping_network", "style_encoder"]
        maker = self.phase("generator_noise", self.generator_noise, makers, config.generator, *length)
        own = [parameter for parameter in self.generator.parameters() if not parameter.stop_gradient]
        return [
            judge,
            Phase("discriminator_reference", self.discriminator_reference, judge.parameters, judge.optimizer),
            maker,
            Phase("generator_reference", self.generator_reference, own, maker.optimizer),
        ]

    def discriminator_noise(self, images: Any, domains: Any, *references: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss where styles come from noise, and its parts.

        Args:
            images: real ones, (N, 3, H, W).
            domains: theirs, int64 (N,).
            *references: two references of another domain, and that.
        """
        with core.no_grad():
            style = self.mapping(self.noise(images.shape[0]), references[2])
        return self._discriminator_loss(images, domains, style, references[2])

    def discriminator_reference(self, images: Any, domains: Any, *references: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss where styles are those of references, and its parts."""
        with core.no_grad():
            style = self.style_encoder(references[0], references[2])
        return self._discriminator_loss(images, domains, style, references[2])

    def _discriminator_loss(self, images: Any, domains: Any, style: Any, wanted: Any) -> tuple[Any, Mapping[str, Any]]:
        with core.no_grad():
            made = self.generator(images, style)
        values = {
            "real": self.criterion(self.discriminator(images, domains), True, is_disc=True),
            "fake": self.criterion(self.discriminator(made.detach(), wanted), False, is_disc=True),
            "r1": r1_penalty(lambda real: self.discriminator(real, domains), images) / 2,
        }
        return values["real"] + values["fake"] + self.weights["r1"] * values["r1"], values

    def generator_noise(self, images: Any, domains: Any, *references: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss where styles come from noise, and its parts; arguments as above."""
        first, second = (self.mapping(self.noise(images.shape[0]), references[2]) for _ in range(2))
        return self._generator_loss(images, domains, first, second, references[2])

    def generator_reference(self, images: Any, domains: Any, *references: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss where styles are those of references, and its parts; then diversity fades."""
        first, second = (self.style_encoder(reference, references[2]) for reference in references[:2])
        found = self._generator_loss(images, domains, first, second, references[2])
        self.fading.fade()
        return found

    def _generator_loss(
        self, images: Any, domains: Any, first: Any, second: Any, wanted: Any
    ) -> tuple[Any, Mapping[str, Any]]:
        made = self.generator(images, first)
        back = self.generator(made, self.style_encoder(images, domains))
        values = {
            "adversarial": self.criterion(self.discriminator(made, wanted), True),
            "style": F.l1_loss(self.style_encoder(made, wanted), first),
            "diversity": F.l1_loss(made, self.generator(images, second)),
            "cycle": F.l1_loss(back, images),
        }
        weights = self.weights
        loss = values["adversarial"] + weights["style"] * values["style"] + weights["cycle"] * values["cycle"]
        return loss - weights["diversity"] * self.fading.share.sum() * values["diversity"], values

    def noise(self, count: int) -> Any:
        """Return noise for a training step, float32 (count, latent_dim)."""
        return core.randn([count, self.latent_dim])

    # evaluation

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return a batch's images in the styles of both references."""
        images, _, *references, wanted = fields
        return [self.generator(images, self.style_encoder(reference, wanted)) for reference in references]

    def classifier(self) -> Classifier:
        """Return a classifier of the domains of real training images, trained once."""
        if self._classifier is None:
            samples = OfDomains(self.first("train", JUDGED))
            self._classifier = Classifier(samples, len(self.domains), seed=self.config.seed)
        return self._classifier

    def evaluator(self, split: str) -> RestyleEvaluator:
        """Return an empty evaluator."""
        classifier = self.classifier()
        features = choose_features(None if inception_path().is_file() else classifier)
        return RestyleEvaluator(features, classifier)

    def remarks(self) -> list[str]:
        """Return lines that say how the numbers came about."""
        return [
            "images in the styles of references; fid to those; agreement: a classifier of domains, trained here on "
            "real images, sees the one wanted; diversity: mean absolute difference of two styles, of numbers -1 to 1"
        ]

    # pictures

    def restyled(self, images: np.ndarray, styles: np.ndarray) -> np.ndarray:
        """Return each image in each style, uint8 (N, K, H, W, 3).

        Args:
            images: float32 (N, 3, H, W), -1 to 1.
            styles: float32 (K, style_dim).
        """
        rows = []
        with core.no_grad():
            for image in images:
                parts = []
                for start in range(0, len(styles), BATCH):
                    taken = core.to_tensor(styles[start : start + BATCH])
                    copies = np.repeat(image[None], taken.shape[0], axis=0)
                    parts.append(as_bytes(self.generator(core.to_tensor(copies), taken)))
                rows.append(np.concatenate(parts))
        return np.stack(rows)

    def styles_of(self, references: np.ndarray, domain: int) -> np.ndarray:
        """Return the styles of references (K, 3, H, W) as images of a domain, float32 (K, style_dim)."""
        with core.no_grad():
            found: np.ndarray = self.style_encoder(
                core.to_tensor(references), core.full([len(references)], domain, "int64")
            ).numpy()
        return found

    def styles_from(self, seed: int, count: int, domain: int) -> np.ndarray:
        """Return styles of a domain from noise that follows from a seed, float32 (count, style_dim)."""
        noise = np.random.default_rng(seed).standard_normal((count, self.latent_dim), np.float32)
        with core.no_grad():
            found: np.ndarray = self.mapping(core.to_tensor(noise), core.full([count], domain, "int64")).numpy()
        return found

    def domain(self, name: str) -> int:
        """Return the number of a domain.

        Raises:
            ValueError: there is none of this name.
        """
        if name not in self.domains:
            raise ValueError(f"there is no domain {name!r}; the run has {', '.join(self.domains)}")
        return list(self.domains).index(name)

    def sheet(self) -> np.ndarray:
        """Return images, their references, and what became of them."""
        rows = []
        for image, _, reference, _, wanted in self.first(self.splits[-1], self.config.samples.count):
            made = self.restyled(image[None], self.styles_of(reference[None], wanted))[0, 0]
            rows.append((as_bytes(image[None])[0], as_bytes(reference[None])[0], made))
        return sheet(rows, ["input", "reference", "output"])

    def needs(self, mode: str) -> str:
        """Return the domain that restyling cannot do without."""
        return f" --domain {self.domains[-1]}"

    def program(self) -> Program:
        """Return the program: images and styles to images."""
        side, length = self.generator.img_size, self.generator.style_dim
        specs = [InputSpec([None, 3, side, side], "float32", "images"), InputSpec([None, length], "float32", "style")]
        text = f"images float32 [any, 3, {side}, {side}], -1 to 1, and styles float32 [any, {length}], to images"
        return Program(self.generator, specs, text)


class Fading(nn.Layer):
    """A share that falls from 1 to 0 in so many steps; a checkpoint keeps it.

    Attributes:
        steps: how many.
    """

    def __init__(self) -> None:
        super().__init__()
        self.steps = 1
        self.register_buffer("share", core.ones([1]))

    def fade(self) -> None:
        """Take a step."""
        self.share.update(core.clip(self.share - 1.0 / self.steps, min=0.0))
