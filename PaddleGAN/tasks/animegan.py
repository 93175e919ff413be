"""Photographs to pictures in the style of an animated film.

Paper: Chen, Liu and Chen, "AnimeGAN: a novel lightweight GAN for photo animation", ISICA 2019,
https://doi.org/10.1007/978-981-15-5577-0_18; version 2, https://github.com/TachibanaYoshino/AnimeGANv2, adds the total
variation. Weights of the losses are those of ppgan 2.1.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.drawing import sheet
from core.io.files import join_path
from core.nn import functional as F
from core.train.task import Evaluator, Phase
from PaddleGAN.caffe_vgg import CaffeVGG19
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss
from PaddleGAN.metrics import FID
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.translation import not_negative
from PaddleGAN.tasks.unpaired import UnpairedTask

LUMINANCE = (0.299, 0.587, 0.114)
_TO_YUV = (LUMINANCE, (-0.14714119, -0.28886916, 0.43601035), (0.61497538, -0.51496512, -0.10001026))
"""Rows: Y, U and V of red, green and blue, 0 to 1."""


class AnimeGAN(UnpairedTask):
    """AnimeGAN v2: a discriminator tells pictures from what the generator makes, from grey ones and from blurred ones.

    The generator is to keep what VGG-19 sees of a photograph, to have the correlations of its features that grey
    pictures have, and to keep the photograph's colors. As in ppgan, a step trains the discriminator first.

    Args:
        config: the experiment; samples to train are those of AnimeGANV2Dataset, others are (photograph, picture).
        gan_mode: the adversarial loss, of :data:`PaddleGAN.losses.MODES`.
        generator_adversarial: its weight for the generator.
        discriminator_adversarial: for the discriminator, times 1.2, and times 0.8 for blurred pictures.
        content: weight of the difference from the photograph in the feature maps of VGG-19.
        style: weight of the difference from grey pictures in the correlations of its channels.
        color: weight of the difference from the photograph in brightness and color.
        variation: weight of the difference of neighbouring pixels.
        vgg_weights: the weights of VGG-19, an .npy file, in the folder of the data unless its path is absolute; null:
            the published one, downloaded on first use.
        brightness: whether pictures outside training get the brightness of their photographs.

    Raises:
        ValueError: there is no such loss, or a weight is negative.
    """

    numbers = ("fid", "input_fid")
    generators = ("AnimeGenerator", "AnimeGeneratorLite")
    discriminators = ("AnimeDiscriminator",)
    any_size = True

    def __init__(
        self,
        config: GANConfig,
        gan_mode: str = "lsgan",
        generator_adversarial: float = 300.0,
        discriminator_adversarial: float = 300.0,
        content: float = 1.5,
        style: float = 2.5,
        color: float = 10.0,
        variation: float = 1.0,
        vgg_weights: Optional[str] = None,
        brightness: bool = True,
    ) -> None:
        super().__init__(config)
        weights = {"content": content, "style": style, "color": color, "variation": variation}
        adversarial = {
            "generator_adversarial": generator_adversarial,
            "discriminator_adversarial": discriminator_adversarial,
        }
        not_negative(**weights, **adversarial)
        if gan_mode in ("wgan", "wgangp"):
            raise ValueError("task.gan_mode: AnimeGAN has no gradient penalty; choose another loss")
        self.weights, self.adversarial = weights, adversarial
        self.criterion = GANLoss(gan_mode)
        self.generator, self.discriminator = self.add_generator(), self.add_discriminator()
        self.translators = {"AtoB": self.generator}
        self.vgg_weights, self.brightness = vgg_weights, brightness

    @functools.cached_property
    def vgg(self) -> CaffeVGG19:
        """VGG-19, which only training needs."""
        root, path = self.config.data.root, self.vgg_weights
        return CaffeVGG19(path if path is None or root is None else join_path(root, path))

    def fields_of(self, split: str) -> int:
        """Return how many images a sample of a split has."""
        return 4 if split == "train" else 2

    def facts(self) -> list[str]:
        """Return lines that describe the training data, after VGG-19 was read."""
        _ = self.vgg  # read before a step is traced, and missed before a run begins
        return super().facts()

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the discriminator's phase, then the generator's."""
        length = (steps_per_epoch, epochs)
        judge = self.phase(
            "discriminator", self.discriminator_loss, ["discriminator"], self.config.discriminator, *length
        )
        return [judge, self.phase("generator", self.generator_loss, ["generator"], self.config.generator, *length)]

    def discriminator_loss(self, photos: Any, drawn: Any, grey: Any, blurred: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss, and its parts.

        Args:
            photos: photographs, (N, 3, H, W).
            drawn: pictures of the film.
            grey: the same without color.
            blurred: grey pictures with blurred outlines.
        """
        with core.no_grad():
            made = self.generator(photos)
        values = {
            name: factor * self.criterion(self.discriminator(images), name == "drawn", is_disc=True)
            for name, images, factor in (
                ("drawn", drawn, 1.2),
                ("grey", grey, 1.2),
                ("made", made.detach(), 1.2),
                ("blurred", blurred, 0.8),
            )
        }
        return self.adversarial["discriminator_adversarial"] * sum(values.values()), values

    def generator_loss(self, photos: Any, drawn: Any, grey: Any, blurred: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, and its parts, without weights."""
        made = self.generator(photos)
        seen, wanted, styled = self.vgg(made), self.vgg(photos).detach(), self.vgg(grey).detach()
        values = {
            "adversarial": self.criterion(self.discriminator(made), True),
            "content": F.l1_loss(wanted, seen),
            "style": F.l1_loss(gram(styled), gram(seen)),
            "color": color_loss(made, photos),
            "variation": total_variation(made),
        }
        weighted = sum(weight * values[name] for name, weight in self.weights.items())
        return weighted + self.adversarial["generator_adversarial"] * values["adversarial"], values

    def probe(self, *images: Any) -> None:
        """Run both networks once."""
        self.discriminator(self.generator(images[0]))

    # evaluation and pictures

    def generated(self, images: Sequence[np.ndarray], direction: str = "AtoB") -> np.ndarray:
        """Return what the generator makes of photographs, with their brightness where the task says so."""
        made = super().generated(images, direction)
        return as_bright(made, np.stack(images)) if self.brightness else made

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return what became of a batch's photographs."""
        return [self.generator(fields[0])]

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return StyleEvaluator(self.features())

    def remarks(self) -> list[str]:
        """Return a line that says how the numbers came about."""
        described = self.features().description
        return [f"fid to pictures of the film by the features of {described}; input: photographs as they are"]

    def rows(self, samples: Sequence[Any]) -> np.ndarray:
        """Return a sheet with a row for each sample: photograph, and what became of it."""
        photos = [sample[0] for sample in samples]
        made = [as_bytes(self.generated([photo]))[0] for photo in photos]
        return sheet([(as_bytes(photo[None])[0], picture) for photo, picture in zip(photos, made)], ["input", "output"])


class AnimeGANPretraining(AnimeGAN):
    """What precedes AnimeGAN: the generator learns to give the photograph back, as VGG-19 sees it.

    The generator's weights are then where AnimeGAN starts: ``generator.network.pretrained``.

    Args:
        config: the experiment.
        content: weight of the difference from the photograph in the feature maps of VGG-19.
        vgg_weights: the weights of VGG-19, as of AnimeGAN.
    """

    def __init__(self, config: GANConfig, content: float = 1.0, vgg_weights: Optional[str] = None) -> None:
        super().__init__(config, content=content, vgg_weights=vgg_weights, brightness=False)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the generator's phase."""
        return [
            self.phase("generator", self.generator_loss, ["generator"], self.config.generator, steps_per_epoch, epochs)
        ]

    def generator_loss(self, photos: Any, drawn: Any, grey: Any, blurred: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss: the weighted difference in feature maps."""
        difference = F.l1_loss(self.vgg(photos).detach(), self.vgg(self.generator(photos)))
        return self.weights["content"] * difference, {"content": difference}


class StyleEvaluator(Evaluator):
    """Gathers "fid", of generated images and pictures of the film; beside it "input_fid", of photographs as they are.

    Args:
        features: by which images are compared.
    """

    def __init__(self, features: Any) -> None:
        self.distances = {"fid": FID(features), "input_fid": FID(features)}

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in generated images, and photographs and pictures, the batch's fields."""
        for name, images in (("fid", outputs[0]), ("input_fid", batch[0].numpy())):
            self.distances[name].update(images, batch[1].numpy())

    def result(self) -> dict[str, float]:
        """Return both numbers."""
        return {name: distance.accumulate() for name, distance in self.distances.items()}


def gram(maps: Any) -> Any:
    """Return how the channels of feature maps go together, (N, C, C), divided by C H W.

    Args:
        maps: (N, C, H, W).
    """
    _, channels, height, width = maps.shape
    rows = core.flatten(maps, 2)
    return core.matmul(rows, rows, transpose_y=True) / (channels * height * width)


def color_loss(made: Any, photos: Any) -> Any:
    """Return the difference in brightness, absolute, and in both numbers of color, of Huber, 0-D.

    Args:
        made: (N, 3, H, W), -1 to 1.
        photos: the same shape.
    """
    ways = (F.l1_loss, F.smooth_l1_loss, F.smooth_l1_loss)
    total = 0.0
    for way, row in zip(ways, _TO_YUV):
        factors = core.to_tensor(np.array(row, np.float32).reshape(1, 3, 1, 1))
        parts = [((images * 0.5 + 0.5) * factors).sum(axis=1) for images in (made, photos)]
        total = total + way(*parts)
    return total


def total_variation(images: Any) -> Any:
    """Return the mean absolute differences of pixels one below the other, and of those side by side, added, 0-D."""
    down = images[:, :, :-1, :] - images[:, :, 1:, :]
    across = images[:, :, :, :-1] - images[:, :, :, 1:]
    return core.abs(down).mean() + core.abs(across).mean()


def as_bright(made: np.ndarray, photos: np.ndarray) -> np.ndarray:
    """Return images multiplied so that their mean brightness is that of others.

    Args:
        made: float32 (N, 3, H, W), -1 to 1.
        photos: the same shape.
    """
    weights = np.array(LUMINANCE, np.float32)
    now, wanted = (((images + 1) / 2).mean(axis=(2, 3)) @ weights for images in (made, photos))
    ratio = np.where(now > 0, wanted / np.maximum(now, 1e-6), 1.0).astype(np.float32)
    return np.clip((made + 1) * ratio[:, None, None, None] - 1, -1, 1)
