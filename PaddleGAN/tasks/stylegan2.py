"""Images from noise by styles, whose levels can be mixed: StyleGAN2.

Paper: Karras et al., "Analyzing and improving the image quality of StyleGAN", CVPR 2020,
https://arxiv.org/abs/1912.04958; R1: Mescheder, Geiger and Nowozin, "Which training methods for GANs do actually
converge?", ICML 2018, https://arxiv.org/abs/1801.04406

Decided where the sources differ: as in the paper's code, the two regularisers are steps of their own, which share the
optimizer of the player that they belong to; in ppgan they join its loss at every 16th and every 4th step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

import core
from core import nn
from core.drawing import sheet
from core.train.task import Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, r1_penalty
from PaddleGAN.pictures import as_bytes
from PaddleGAN.tasks.noise import BATCH, NoiseTask
from PaddleGAN.tasks.translation import not_negative

MEAN_OF = 10_240
"""Styles whose mean truncation goes towards, as in ppgan."""


class StyleGAN2(NoiseTask):
    """StyleGAN2: logistic losses, R1 of the discriminator and path lengths of the generator every few steps.

    Args:
        config: the experiment.
        mixing: how often, from 0 to 1, an image in training has two styles, the second from a random level on.
        r1: weight of the discriminator's squared gradient at real images, halved, 10 in ppgan; 0: none.
        r1_every: steps between steps of R1, which makes up for them by as large a factor.
        path: weight of the generator's path length regulariser; 0: none.
        path_every: steps between its steps, likewise.
        path_shrink: by how much its batches are smaller.
        path_decay: how fast the mean path length follows.
        truncation: how far styles may be from their mean outside training, 1: as far as they are; smaller numbers give
            more typical images that vary less. Evaluations are without.

    Raises:
        ValueError: a number is out of range.
    """

    generators = ("StyleGANv2Generator",)
    discriminators = ("StyleGANv2Discriminator",)
    modes = ("samples", "interpolate", "mix")

    def __init__(
        self,
        config: GANConfig,
        mixing: float = 0.9,
        r1: float = 10.0,
        r1_every: int = 16,
        path: float = 2.0,
        path_every: int = 4,
        path_shrink: int = 2,
        path_decay: float = 0.01,
        truncation: float = 1.0,
    ) -> None:
        super().__init__(config)
        not_negative(r1=r1, path=path)
        for name, share in (("mixing", mixing), ("path_decay", path_decay)):
            if not 0 <= share <= 1:
                raise ValueError(f"task.{name} must be from 0 to 1, not {share}")
        if path_shrink < 1:
            raise ValueError(f"task.path_shrink must be a positive whole number, not {path_shrink}")
        if self.generator.size != self.discriminator.size:
            raise ValueError(
                f"generator.network.size is {self.generator.size}, discriminator.network.size is "
                f"{self.discriminator.size}: make them the same"
            )
        self.mixing, self.r1, self.r1_every = mixing, r1, r1_every
        self.path, self.path_every, self.path_shrink = path, path_every, path_shrink
        self.criterion = GANLoss("logistic")
        self.lengths = self.networks["path_lengths"] = PathLengths(path_decay)
        self.truncate(truncation)

    def truncate(self, truncation: float) -> None:
        """Set how far styles may be from their mean outside training.

        Raises:
            ValueError: it is not from 0 to 1.
        """
        if not 0 <= truncation <= 1:
            raise ValueError(f"truncation must be from 0 to 1, not {truncation}")
        self.truncation = truncation

    def facts(self) -> list[str]:
        """Return lines that describe the training data.

        Raises:
            ValueError: its images are of another size, or a batch is no multiple of what the discriminator compares.
        """
        shape, side = list(self.dataset("train")[0][0].shape), self.generator.size
        if shape != [3, side, side]:
            raise ValueError(f"data.train: images must be (3, {side}, {side}), as the networks' size says, not {shape}")
        train, group = self.config.data.train, self.discriminator.stddev_group
        if train.batch_size > group and train.batch_size % group:
            raise ValueError(f"data.train.batch_size must be a multiple of {group}, not {train.batch_size}")
        if len(self.dataset("train")) % train.batch_size and not train.drop_last:
            raise ValueError("data.train.drop_last must be true: the discriminator compares whole groups of images")
        return super().facts()

    # training

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the discriminator's phase, R1's, the generator's and that of path lengths."""
        length, config = (steps_per_epoch, epochs), self.config
        judge = self.phase("discriminator", self.discriminator_loss, ["discriminator"], config.discriminator, *length)
        maker = self.phase("generator", self.generator_loss, ["generator"], config.generator, *length)
        found = [judge]
        if self.r1:
            found.append(Phase("r1", self.r1_loss, judge.parameters, judge.optimizer, period=self.r1_every))
        found.append(maker)
        if self.path:
            found.append(Phase("path", self.path_loss, maker.parameters, maker.optimizer, period=self.path_every))
        for phase in found:
            if phase.period > steps_per_epoch:
                raise ValueError(
                    f"task.{phase.name}_every: {phase.period} is more than the {steps_per_epoch} steps of an epoch"
                )
        return found

    def styles(self, count: int) -> Any:
        """Return styles of random noise for each level, (count, n_latent, style_dim), some of them mixed of two."""
        generator = self.generator
        first, second = (generator.style(core.randn([count, self.noise_size])) for _ in range(2))
        level = core.randint(1, generator.n_latent, [1])
        whole = core.full_like(level, generator.n_latent)
        return generator.at_levels(first, second, core.where(core.rand([1]) < self.mixing, level, whole))

    def discriminator_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the discriminator's loss on real and on generated images, and how it scores them.

        Args:
            images: real ones, (N, 3, H, W).
            *rest: the batch's further fields.
        """
        with core.no_grad():
            made = self.generator.synthesize(self.styles(images.shape[0]))
        real, fake = self.discriminator(images), self.discriminator(made.detach())
        loss = self.criterion(real, True, is_disc=True) + self.criterion(fake, False, is_disc=True)
        return loss, {"real": real.mean(), "fake": fake.mean()}

    def r1_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return R1, weighted, and as it is."""
        penalty = r1_penalty(self.discriminator, images)
        return self.r1 / 2 * self.r1_every * penalty, {"penalty": penalty}

    def generator_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss."""
        fake = self.discriminator(self.generator.synthesize(self.styles(images.shape[0])))
        return self.criterion(fake, True), {}

    def path_loss(self, images: Any, *rest: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the path length regulariser, weighted; as it is; and the mean length that it goes by."""
        levels = self.styles(max(images.shape[0] // self.path_shrink, 1))
        penalty, mean = self.lengths(self.generator.synthesize(levels), levels)
        return self.path * self.path_every * penalty, {"penalty": penalty, "length": mean}

    # pictures

    def mean_style(self) -> np.ndarray:
        """Return the mean of styles, float32 (1, style_dim), of noise that follows from the experiment's seed."""
        noise = np.random.default_rng(self.config.seed).standard_normal((MEAN_OF, self.noise_size), np.float32)
        with core.no_grad():
            styles: np.ndarray = self.generator.style(core.to_tensor(noise)).numpy()
        return styles.mean(axis=0, keepdims=True)

    def truncated(self, noise: np.ndarray) -> np.ndarray:
        """Return the styles of noise (N, noise_size), drawn towards their mean: float32 (N, style_dim)."""
        with core.no_grad():
            styles: np.ndarray = self.generator.style(core.to_tensor(noise)).numpy()
        if self.truncation == 1:
            return styles
        mean = self.mean_style()
        return (mean + np.float32(self.truncation) * (styles - mean)).astype(np.float32)

    def generate(self, noise: np.ndarray, *further: np.ndarray) -> np.ndarray:
        """Return the images of noise, truncated, as bytes, uint8 (N, H, W, 3)."""
        return self.drawn(self.truncated(noise))

    def drawn(self, styles: np.ndarray, others: Optional[np.ndarray] = None, level: Optional[int] = None) -> np.ndarray:
        """Return the images of styles, uint8 (N, H, W, 3), always with the same details.

        Args:
            styles: float32 (N, style_dim).
            others: the styles of the levels from ``level`` on; None: the same.
            level: from 1 to the number of levels less one.
        """
        parts = []
        with core.no_grad():
            for start in range(0, len(styles), BATCH):
                taken = [core.to_tensor(part[start : start + BATCH]) for part in (styles, others) if part is not None]
                levels = self.generator.at_levels(*taken, *([level] if others is not None else []))
                parts.append(as_bytes(self.generator.synthesize(levels, random=False)))
        return np.concatenate(parts)

    def mixed(self, rows: int, columns: int, seed: int, level: Optional[int] = None) -> np.ndarray:
        """Return a sheet of images that have coarse levels of the image on the left, and fine ones of that above.

        Args:
            rows: images on the left.
            columns: images above.
            seed: of the noise.
            level: the first one that is of the image above; None: half of them are.

        Raises:
            ValueError: there is no such level.
        """
        last = self.generator.n_latent - 1
        chosen = self.generator.n_latent // 2 if level is None else level
        if not 1 <= chosen <= last:
            raise ValueError(f"the level must be from 1 to {last}, not {chosen}")
        styles = self.truncated(self.noise(rows + columns, seed))
        left, above = styles[:rows], styles[rows:]
        pictures = self.drawn(np.repeat(left, columns, axis=0), np.tile(above, (rows, 1)), chosen)
        own = self.drawn(styles)
        blank = np.full_like(own[0], 255)
        table = [[blank, *own[rows:]]]
        for row in range(rows):
            table.append([own[row], *pictures[row * columns : (row + 1) * columns]])
        return sheet(table, title=f"levels from {chosen} on are of the image above; seed {seed}")


class PathLengths(nn.Layer):
    """The path length regulariser: images are to change as much as styles do, everywhere, as in the mean.

    Args:
        decay: how fast the mean length, which a checkpoint keeps, follows.
    """

    def __init__(self, decay: float) -> None:
        super().__init__()
        self.decay = decay
        self.register_buffer("mean", core.zeros([1]))

    def forward(self, images: Any, levels: Any) -> tuple[Any, Any]:
        """Return the penalty and the mean length, both 0-D.

        Args:
            images: (N, C, H, W).
            levels: the styles that they are of, (N, L, D).
        """
        noise = core.randn(images.shape) / math.sqrt(images.shape[2] * images.shape[3])
        (gradient,) = core.grad([(images * noise).sum()], [levels], create_graph=True)
        lengths = core.sqrt((gradient * gradient).sum(axis=2).mean(axis=1))
        mean = self.mean + self.decay * (lengths.mean() - self.mean)
        self.mean.update(mean.detach())
        return ((lengths - mean) ** 2).mean(), mean.detach().mean()
