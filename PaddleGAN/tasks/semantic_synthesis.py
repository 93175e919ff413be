"""Pictures from maps of classes.

Paper: Park et al., "Semantic image synthesis with spatially-adaptive normalization", CVPR 2019,
https://arxiv.org/abs/1903.07291
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.jit.input_spec import InputSpec
from core.nn import functional as F
from core.train.runner.task import Program
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, feature_matching
from PaddleGAN.perceptual import PerceptualLoss, vgg_path
from PaddleGAN.tasks.paired_translation import PairedTask
from PaddleGAN.tasks.translation import not_negative


class SPADE(PairedTask):
    """SPADE: the generator is given a class for each pixel; the discriminator sees classes and picture together.

    A step trains the generator, then the discriminator on the picture that the generator made; the authors make it
    again. The encoder of a style image and the edges of instances, which the paper calls optional, are left out.

    Args:
        config: the experiment; samples are (map of classes as a picture, photograph).
        palette: the color of each class in the maps, red, green, blue, 0 to 255; a pixel is of the class whose color is
            nearest, so that resized and compressed maps do.
        lambda_feature: weight of matching the discriminator's feature maps of generated and real pictures.
        lambda_vgg: weight of matching those of VGG-19; without its weights at hand it is left out, and the run says so.
        vgg_weights: the weights of VGG-19, which are read when training begins; null: the file that PaddleClas
            publishes, from the cache.

    Raises:
        ValueError: the palette is none, a weight is negative, or a network is for another number of classes.
    """

    generators = ("SPADEGenerator",)
    discriminators = ("MultiscaleDiscriminator",)

    def __init__(
        self,
        config: GANConfig,
        palette: list[list[int]],
        lambda_feature: float = 10.0,
        lambda_vgg: float = 10.0,
        vgg_weights: Optional[str] = None,
    ) -> None:
        super().__init__(config)
        not_negative(lambda_feature=lambda_feature, lambda_vgg=lambda_vgg)
        self.palette = _colors(palette)
        self.lambda_feature, self.lambda_vgg = lambda_feature, lambda_vgg
        self.criterion = GANLoss("hinge")
        self.generator, self.discriminator = self.add_generator(), self.add_discriminator()
        given, needed = self.generator.semantic_nc, len(palette)
        if given != needed:
            raise ValueError(f"generator.network.semantic_nc must be {needed} for {needed} classes, not {given}")
        given = self.discriminator.input_nc
        if given != needed + 3:
            named = self.config.discriminator.network.arguments
            key, less = ("input_nc", 0) if "input_nc" in named else ("label_nc", given - named["label_nc"])
            raise ValueError(
                f"discriminator.network.{key} must be {needed + 3 - less} for {needed} classes, not {given - less}"
            )
        self.translators = {"AtoB": Painter(self.generator, self.palette)}
        self.vgg_weights = vgg_weights

    @functools.cached_property
    def perceptual(self) -> Optional[PerceptualLoss]:
        """The loss by VGG-19, which only training needs; None without its weights at hand."""
        at_hand = self.vgg_weights is not None or vgg_path().is_file()
        return PerceptualLoss(self.vgg_weights) if self.lambda_vgg and at_hand else None

    def facts(self) -> list[str]:
        """Return lines that describe the training data, and say whether VGG-19 is at hand."""
        lines = [*super().facts(), f"{len(self.palette)} classes"]
        if self.lambda_vgg and self.perceptual is None:
            lines.append(f"note: no perceptual loss, as the weights of VGG-19 are not at {str(vgg_path())!r}")
        return lines

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the generator's phase, then the discriminator's."""
        _ = self.perceptual  # read before a step is traced
        generator = (self.generator_loss, ["generator"], self.config.generator, steps_per_epoch, epochs)
        discriminator = (
            self.discriminator_loss,
            ["discriminator"],
            self.config.discriminator,
            steps_per_epoch,
            epochs,
        )
        return [
            self.phase("generator", *generator, provides=("made",)),
            self.phase("discriminator", *discriminator, prepare=with_made),
        ]

    def generator_loss(self, maps: Any, photographs: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, its parts, and the pictures that it made.

        Args:
            maps: maps of classes as pictures, (N, 3, H, W).
            photographs: what they shall become.
        """
        classes = one_hot(maps, self.palette)
        made = self.generator(classes)
        fake = self.discriminator(core.concat([classes, made], axis=1))
        real = self.discriminator(core.concat([classes, photographs], axis=1))
        adversarial, matching = self.criterion(fake, True), feature_matching(fake, real)
        values = {"adversarial": adversarial, "feature": matching}
        loss = adversarial + self.lambda_feature * matching
        if self.perceptual is not None:
            values["vgg"] = self.perceptual(made, photographs)
            loss = loss + self.lambda_vgg * values["vgg"]
        return loss, {**values, "made": made}

    def discriminator_loss(self, maps: Any, photographs: Any, made: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss on real and on generated pictures, and both parts.

        Args:
            maps: maps of classes as pictures.
            photographs: the real pictures.
            made: the generated ones.
        """
        classes = one_hot(maps, self.palette)
        real, fake = (
            self.criterion(self.discriminator(core.concat([classes, pictures], axis=1)), wanted, is_disc=True)
            for pictures, wanted in ((photographs, True), (made, False))
        )
        return real + fake, {"real": real, "fake": fake}

    def probe(self, *images: Any) -> None:
        """Run both networks once."""
        classes = one_hot(images[0], self.palette)
        for pictures in (self.generator(classes), images[1]):
            self.discriminator(core.concat([classes, pictures], axis=1))

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return the pictures for a batch's maps."""
        return [self.generator(one_hot(fields[0], self.palette))]

    def program(self) -> Program:
        """Return the program: classes of pixels to pictures."""
        _, height, width = self.first(self.splits[-1], 1)[0][0].shape
        shape = [None, len(self.palette), height, width]
        given = f"classes float32 [any, {len(self.palette)}, {height}, {width}], 1 where a pixel has the class"
        return Program(self.generator, [InputSpec(shape, "float32", "classes")], f"{given}, to images")


class Painter:
    """A generator together with the colors of its classes: maps as pictures to pictures.

    Args:
        generator: of classes.
        palette: float32 (classes, 3), -1 to 1.
    """

    def __init__(self, generator: Any, palette: np.ndarray) -> None:
        self.generator, self.palette = generator, palette

    def __call__(self, maps: Any) -> Any:
        """Return the pictures."""
        return self.generator(one_hot(maps, self.palette))


def one_hot(maps: Any, palette: np.ndarray) -> Any:
    """Return the class of each pixel, that of the nearest color.

    Args:
        maps: (N, 3, H, W), -1 to 1.
        palette: (classes, 3), -1 to 1.

    Returns:
        (N, classes, H, W): 1 where a pixel has the class, else 0.
    """
    distances = [
        ((maps - core.to_tensor(color.reshape(1, 3, 1, 1))) ** 2).sum(axis=1) for color in palette.astype(np.float32)
    ]
    nearest = core.argmin(core.stack(distances, axis=1), axis=1)
    return F.one_hot(nearest, len(palette)).transpose([0, 3, 1, 2]).detach()


def with_made(fields: Sequence[Any], given: Mapping[str, Any]) -> Sequence[Any]:
    """Return a batch's fields with the pictures that the generator's phase made."""
    return [*fields, given["made"]]


def _colors(palette: list[list[int]]) -> np.ndarray:
    """Return the palette as a generator's numbers, float32 (classes, 3)."""
    fine = all(len(color) == 3 and all(0 <= value <= 255 for value in color) for color in palette)
    if len(palette) < 2 or not fine or len({tuple(color) for color in palette}) < len(palette):
        raise ValueError(
            "task.palette: give two or more different colors, one for each class, such as [[128, 64, 128], [0, 0, 192]]"
        )
    return np.array(palette, np.float32) / np.float32(127.5) - 1
