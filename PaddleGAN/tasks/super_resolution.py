"""Super-resolution of pictures: by distances alone, against a discriminator, and with a way back.

Papers: Wang et al., "ESRGAN: Enhanced super-resolution generative adversarial networks", ECCV workshops 2018,
https://arxiv.org/abs/1809.00219; Guo et al., "Closed-loop matters: dual regression networks for single image
super-resolution", CVPR 2020, https://arxiv.org/abs/2003.07018
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Optional

from core.nn import functional as F
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, relativistic
from PaddleGAN.models.restoration.drn import DownBlock
from PaddleGAN.perceptual import FeatureDistance, vgg_path
from PaddleGAN.tasks.restoration import RestorationTask
from PaddleGAN.tasks.semantic_synthesis import with_made
from PaddleGAN.tasks.translation import not_negative


class SuperResolution(RestorationTask):
    """A network for super-resolution that learns by the distance of pictures alone."""

    generators = ("LESRCNNGenerator", "PAN", "RRDBNet")


class ESRGAN(RestorationTask):
    """ESRGAN: the discriminator says which of two pictures is more real; features of VGG-19 are to be alike, too.

    A step trains the generator, then the discriminator on the pictures that it made.

    Args:
        config: the experiment; samples are (small, large).
        pixel: as for :class:`RestorationTask`.
        lambda_pixel: weight of that distance.
        lambda_perceptual: weight of the distance of feature maps of VGG-19; without its weights at hand it is left
            out, and the run says so.
        lambda_adversarial: weight of the adversarial loss.
        gan_mode: the adversarial loss, of :data:`PaddleGAN.losses.MODES`.
        vgg_weights: the weights of VGG-19, which are read when training begins; null: the file that PaddleClas
            publishes, from the cache.
        crop_border: as for :class:`RestorationTask`.
        test_y_channel: likewise.

    Raises:
        ValueError: a weight is negative, or there is no such loss.
    """

    generators = ("RRDBNet", "LESRCNNGenerator", "PAN")
    discriminators = ("VGGDiscriminator128",)

    def __init__(
        self,
        config: GANConfig,
        pixel: str = "l1",
        lambda_pixel: float = 0.01,
        lambda_perceptual: float = 1.0,
        lambda_adversarial: float = 0.005,
        gan_mode: str = "vanilla",
        vgg_weights: Optional[str] = None,
        crop_border: Optional[int] = None,
        test_y_channel: bool = False,
    ) -> None:
        super().__init__(config, pixel, crop_border, test_y_channel)
        not_negative(
            lambda_pixel=lambda_pixel, lambda_perceptual=lambda_perceptual, lambda_adversarial=lambda_adversarial
        )
        self.lambda_pixel, self.lambda_perceptual = lambda_pixel, lambda_perceptual
        self.lambda_adversarial = lambda_adversarial
        self.criterion = GANLoss(gan_mode)
        self.discriminator = self.add_discriminator()
        self.vgg_weights = vgg_weights

    @functools.cached_property
    def perceptual(self) -> Optional[FeatureDistance]:
        """The distance by VGG-19, which only training needs; None without its weights at hand."""
        at_hand = self.vgg_weights is not None or vgg_path().is_file()
        return FeatureDistance(self.vgg_weights) if self.lambda_perceptual and at_hand else None

    def facts(self) -> list[str]:
        """Return lines that describe the training data, and say whether VGG-19 is at hand."""
        lines = super().facts()
        side, fitting = self.first("train", 1)[0][1].shape[-1], self.discriminator.image_size
        if side != fitting:
            raise ValueError(
                f"discriminator.network.image_size is {fitting}, and the pictures of data.train have {side} pixels a "
                "side; make both the same"
            )
        if self.lambda_perceptual and self.perceptual is None:
            lines.append(f"note: no perceptual loss, as the weights of VGG-19 are not at {str(vgg_path())!r}")
        return lines

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the generator's phase, then the discriminator's."""
        _ = self.perceptual  # read before a step is traced
        lengths = (steps_per_epoch, epochs)
        generator = (self.generator_loss, ["generator"], self.config.generator, *lengths)
        discriminator = (self.discriminator_loss, ["discriminator"], self.config.discriminator, *lengths)
        return [
            self.phase("generator", *generator, provides=("made",)),
            self.phase("discriminator", *discriminator, prepare=with_made),
        ]

    def generator_loss(self, given: Any, wanted: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, its parts, and the pictures that it made.

        Args:
            given: small pictures, (N, 3, H, W).
            wanted: large ones.
        """
        made = self.restored(given)
        values = {
            "pixel": self.distance(made, wanted),
            "adversarial": relativistic(
                self.criterion, self.discriminator(wanted).detach(), self.discriminator(made), is_disc=False
            ),
        }
        loss = self.lambda_pixel * values["pixel"] + self.lambda_adversarial * values["adversarial"]
        if self.perceptual is not None:
            values["perceptual"] = self.perceptual(made, wanted)
            loss = loss + self.lambda_perceptual * values["perceptual"]
        return loss, {**values, "made": made}

    def discriminator_loss(self, given: Any, wanted: Any, made: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss, and how it scores both kinds of pictures.

        Args:
            given: small pictures.
            wanted: large ones.
            made: what the generator made of the small ones.
        """
        real, fake = self.discriminator(wanted), self.discriminator(made.detach())
        loss = relativistic(self.criterion, real, fake, is_disc=True)
        return loss, {"real": real.mean(), "fake": fake.mean()}


class DRN(RestorationTask):
    """DRN: pictures of all sizes on the way are to be right, and small networks lead each back to the one before.

    What the pictures between the small and the large one should be is the large one reduced bicubically.

    Args:
        config: the experiment; samples are (small, large).
        pixel: as for :class:`RestorationTask`; distances are of numbers up to the network's rgb_range.
        lq_loss_weight: weight of the distances of the smaller pictures.
        dual_loss_weight: weight of the ways back, but for the one to the smallest picture.
        crop_border: as for :class:`RestorationTask`.
        test_y_channel: likewise.

    Raises:
        ValueError: a weight is negative.
    """

    generators = ("DRNGenerator",)

    def __init__(
        self,
        config: GANConfig,
        pixel: str = "l1",
        lq_loss_weight: float = 0.1,
        dual_loss_weight: float = 0.1,
        crop_border: Optional[int] = None,
        test_y_channel: bool = True,
    ) -> None:
        super().__init__(config, pixel, crop_border, test_y_channel)
        not_negative(lq_loss_weight=lq_loss_weight, dual_loss_weight=dual_loss_weight)
        self.lq_loss_weight, self.dual_loss_weight = lq_loss_weight, dual_loss_weight
        settings = config.generator.network.arguments
        slope, width = settings.get("negval", 0.2), settings.get("n_feats", 16)
        self.ways_back = [DownBlock(slope, width) for _ in self.generator.scales]
        for number, way in enumerate(self.ways_back):
            self.networks[f"dual_model_{number}"] = way

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the phase of all networks."""
        names = ["generator", *(f"dual_model_{number}" for number in range(len(self.ways_back)))]
        return [self.phase("generator", self.loss, names, self.config.generator, steps_per_epoch, epochs)]

    def loss(self, given: Any, wanted: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss, and its two parts.

        Args:
            given: small pictures, (N, 3, H, W).
            wanted: large ones.
        """
        sizes = [given * self.peak, wanted * self.peak]
        for factor in self.generator.scales[-2::-1]:
            between = F.interpolate(
                sizes[-1], scale_factor=factor / self.scale, mode="bicubic", align_corners=False
            ).detach()
            sizes.insert(1, between)
        made = self.generator(sizes[0])
        primary = self.distance(made[-1], sizes[-1])
        for found, target in zip(made[:-1], sizes[:-1]):
            primary = primary + self.lq_loss_weight * self.distance(found, target)
        dual = 0.0
        for number, way in enumerate(self.ways_back):
            weight = 1.0 if number == 0 else self.dual_loss_weight
            dual = dual + weight * self.distance(way(made[number + 1]), sizes[number])
        return primary + dual, {"primary": primary, "dual": dual}
