"""Images from images, learned from pairs.

Paper: Isola et al., "Image-to-image translation with conditional adversarial networks", CVPR 2017,
https://arxiv.org/abs/1611.07004
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

import core
from core.train.task import Evaluator, Phase
from PaddleGAN.config import GANConfig
from PaddleGAN.losses import GANLoss, reconstruction
from PaddleGAN.metrics import PSNR, SSIM
from PaddleGAN.tasks.translation import JUDGES, TRANSLATORS, TranslationTask, channels_of, not_negative


class PairedTask(TranslationTask):
    """A task whose samples are (input, target), so that what is generated can be compared with what was wanted.

    Args:
        config: the experiment.
    """

    numbers = ("psnr", "ssim", "l1", "mean_psnr", "mean_ssim", "mean_l1", "input_psnr", "input_ssim", "input_l1")
    monitor, higher_is_better = "psnr", True

    def __init__(self, config: GANConfig) -> None:
        super().__init__(config)
        self._means: dict[str, np.ndarray] = {}

    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator."""
        return PairEvaluator(self.mean_target(split))

    def mean_target(self, split: str) -> np.ndarray:
        """Return the mean of all training targets, read as a split's are and brought to its size, float32 (C, H, W)."""
        if split not in self._means:
            transforms = getattr(self.config.data, split).transforms
            section = self.config.data.train.model_copy(update={"transforms": transforms})
            _, height, width = self.first(split, 1)[0][1].shape
            total = np.zeros((1, 1, 1))
            samples = section.build_dataset(self.config.data.root)
            for _, target in samples:
                picture = target.transpose(1, 2, 0)
                resized = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
                total = total + resized.reshape(height, width, -1)
            self._means[split] = (total / len(samples)).astype(np.float32).transpose(2, 0, 1)
        return self._means[split]

    def remarks(self) -> list[str]:
        """Return a line that says what the numbers are compared with."""
        return ["input: the input taken for the answer; mean: the mean of all training targets taken for it"]


class Pix2Pix(PairedTask):
    """Pix2Pix: the discriminator sees input and output together, and outputs are to be near the target as well.

    As published, a step trains the discriminator first, with its loss halved, and then the generator. Its noise is
    dropout; an evaluation goes without, and normalises each image by itself where its batch is one image.

    Args:
        config: the experiment; samples are (input, target).
        gan_mode: the adversarial loss, of :data:`PaddleGAN.losses.MODES`.
        lambda_l1: weight of the mean absolute difference from the target.

    Raises:
        ValueError: there is no such loss, or the weight is negative.
    """

    generators = TRANSLATORS
    discriminators = JUDGES

    def __init__(self, config: GANConfig, gan_mode: str = "vanilla", lambda_l1: float = 100.0) -> None:
        super().__init__(config)
        not_negative(lambda_l1=lambda_l1)
        if gan_mode in ("wgan", "wgangp"):
            raise ValueError("task.gan_mode: Pix2Pix has no gradient penalty; choose another loss")
        self.criterion = GANLoss(gan_mode)
        self.lambda_l1 = lambda_l1
        self.generator = self.add_generator()
        self.discriminator = self.add_discriminator(input_nc=sum(channels_of(config)))
        self.translators = {"AtoB": self.generator}

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the discriminator's phase, then the generator's."""
        return [
            self.phase(name, loss, [name], getattr(self.config, name), steps_per_epoch, epochs)
            for name, loss in (("discriminator", self.discriminator_loss), ("generator", self.generator_loss))
        ]

    def discriminator_loss(self, images: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return half the discriminator's loss on real and on generated pairs, and how it scores them.

        Args:
            images: inputs, (N, C, H, W).
            targets: what shall become of them.
        """
        with core.no_grad():
            made = self.generator(images)
        real, fake = self._judged(images, targets), self._judged(images, made.detach())
        loss = self.criterion(real, True, is_disc=True) + self.criterion(fake, False, is_disc=True)
        return loss * 0.5, {"real": real.mean(), "fake": fake.mean()}

    def generator_loss(self, images: Any, targets: Any) -> tuple[Any, Mapping[str, Any]]:
        """Return the generator's loss, and the mean absolute difference from the targets."""
        made = self.generator(images)
        distance = reconstruction(made, targets)
        adversarial = self.criterion(self._judged(images, made), True)
        return adversarial + self.lambda_l1 * distance, {"adversarial": adversarial, "l1": distance}

    def _judged(self, images: Any, answers: Any) -> Any:
        return self.discriminator(core.concat([images, answers], axis=1))

    def probe(self, *images: Any) -> None:
        """Run both networks once."""
        self._judged(images[0], self.generator(images[0]))
        self._judged(*images)

    def predict(self, *fields: Any) -> Sequence[Any]:
        """Return what the generator makes of a batch's inputs."""
        return [self.generator(fields[0])]


class PairEvaluator(Evaluator):
    """Gathers "psnr", "ssim" and "l1", the mean absolute difference of numbers from -1 to 1, of images and targets.

    The same of two answers that need no learning: "mean_…", and "input_…" where an input has the target's shape.

    Args:
        mean: the mean target, (C, H, W).
    """

    def __init__(self, mean: np.ndarray) -> None:
        self.mean = mean
        self.answers: dict[str, tuple[PSNR, SSIM, list[np.ndarray]]] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Sequence[Any]) -> None:
        """Take in generated images, and inputs and targets, the batch's fields."""
        images, targets = batch[0].numpy(), batch[1].numpy()
        self._add("", outputs[0], targets)
        self._add("mean_", np.broadcast_to(self.mean, targets.shape), targets)
        if images.shape == targets.shape:
            self._add("input_", images, targets)

    def _add(self, name: str, answers: np.ndarray, targets: np.ndarray) -> None:
        peak, structure, distances = self.answers.setdefault(name, (PSNR(), SSIM(), []))
        peak.update(answers, targets)
        structure.update(answers, targets)
        distances.append(np.abs(answers.astype(np.float64) - targets).mean(axis=(1, 2, 3)))

    def result(self) -> dict[str, float]:
        """Return all numbers."""
        numbers = {}
        for name, (peak, structure, distances) in self.answers.items():
            numbers[f"{name}psnr"], numbers[f"{name}ssim"] = peak.accumulate(), float(structure.accumulate())
            numbers[f"{name}l1"] = float(np.concatenate(distances).mean())
        return numbers
