"""FMix: images of a batch mixed along the shapes of random low-frequency noise."""

from __future__ import annotations

import math

import numpy as np

from core.io.randomness import integer, normal
from core.vision.transforms import Mixup

Sample = tuple[np.ndarray, np.ndarray]


class FMix(Mixup):
    """Take each pixel from an image or from another one of the batch, in large connected regions.

    Paper: Harris et al., "FMix: enhancing mixed sample data augmentation", 2020, https://arxiv.org/abs/2002.12047

    Args:
        class_num: the number of classes.
        alpha: the share that stays is drawn, once for the batch, from the beta distribution with both parameters alpha.
        decay_power: by which power of the frequency the noise falls; more makes larger regions.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, class_num: int, alpha: float = 1.0, decay_power: float = 3.0) -> None:
        super().__init__(class_num, alpha)
        if decay_power <= 0:
            raise ValueError(f"FMix: decay_power must be positive, not {decay_power}")
        self.decay_power = decay_power

    def _mixed(self, images: list[np.ndarray], labels: np.ndarray, weight: float, order: list[int]) -> list[Sample]:
        rows, columns = images[0].shape[1:]  # a batch is mixed after ToTensor: (C, H, W)
        visible = self.mask(rows, columns, weight)
        mixed = [np.where(visible, image, images[position]) for image, position in zip(images, order)]
        kept = np.float32(visible.mean())
        return list(zip(mixed, list(labels * kept + labels[order] * (1 - kept))))

    def mask(self, rows: int, columns: int, weight: float) -> np.ndarray:
        """Return which pixels stay: bool (rows, columns), of which a share of ``weight`` is True.

        Args:
            rows: height of the images.
            columns: their width.
            weight: the share.
        """
        frequency = np.hypot(np.fft.fftfreq(rows)[:, None], np.fft.rfftfreq(columns)[None, :])
        scale = 1 / np.maximum(frequency, 1 / max(rows, columns)) ** self.decay_power
        spectrum = (normal((*frequency.shape, 2)) @ np.array([1, 1j])) * scale
        noise = np.fft.irfft2(spectrum, (rows, columns)).reshape(-1)
        # the share is a whole number of pixels, rounded up or down at random as in the paper
        count = math.ceil(weight * noise.size) if integer(0, 2) else math.floor(weight * noise.size)
        visible = np.zeros(noise.size, bool)
        visible[np.argsort(-noise, kind="stable")[: min(count, noise.size)]] = True
        return visible.reshape(rows, columns)
