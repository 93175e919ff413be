"""Random changes of colours.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import cv2
import numpy as np

from core.io.randomness import numpy_random, python_random
from PaddleDetection.data.dataset import Sample

TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
FROM_YIQ = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])
GREY = TO_YIQ[0].astype(np.float32)


class RandomDistort:
    """Change brightness, contrast, saturation and hue, each at random.

    Args:
        hue: least and largest turn, in halves of the circle; and how often it is left alone.
        saturation: least and largest factor, and how often it is left alone.
        contrast: likewise.
        brightness: least and largest summand, and how often it is left alone.
        random_apply: in a random order (YOLO's way); otherwise in SSD's.
        count: how many of the four are tried in the random order.
        random_channel: exchange the channels half of the time, in SSD's order alone.

    Raises:
        ValueError: a range is not three numbers.
    """

    def __init__(
        self,
        hue: Sequence[float] = (-18, 18, 0.5),
        saturation: Sequence[float] = (0.5, 1.5, 0.5),
        contrast: Sequence[float] = (0.5, 1.5, 0.5),
        brightness: Sequence[float] = (0.5, 1.5, 0.5),
        random_apply: bool = True,
        count: int = 4,
        random_channel: bool = False,
    ) -> None:
        ranges = {"brightness": brightness, "contrast": contrast, "saturation": saturation, "hue": hue}
        for name, given in ranges.items():
            if len(given) != 3:
                raise ValueError(f"RandomDistort: {name} must be a least, a largest and a share, not {list(given)}")
        self.ranges = ranges
        self.random_apply, self.count, self.random_channel = random_apply, count, random_channel

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with other colours; "image" is float32 where they changed."""
        image = sample["image"]
        if self.random_apply:
            names = list(self.ranges)
            order = [names[number] for number in numpy_random().permutation(len(names))[: self.count]]
            for name in order:
                image = self._changed(image, name)
        else:
            image = self._changed(image, "brightness")
            early = numpy_random().randint(0, 2)
            for name in ("contrast", "saturation", "hue") if early else ("saturation", "hue", "contrast"):
                image = self._changed(image, name)
            if self.random_channel and numpy_random().randint(0, 2):
                image = image[..., numpy_random().permutation(3)]
        sample["image"] = image
        return sample

    def _changed(self, image: np.ndarray, name: str) -> np.ndarray:
        least, largest, left_alone = self.ranges[name]
        if numpy_random().uniform(0.0, 1.0) < left_alone:
            return image
        by = numpy_random().uniform(least, largest)
        image = image.astype(np.float32)
        if name == "brightness":
            return image + np.float32(by)
        if name == "contrast":
            return image * np.float32(by)
        if name == "saturation":
            return image * np.float32(by) + (image @ GREY)[..., None] * np.float32(1 - by)
        cosine, sine = np.cos(by * np.pi), np.sin(by * np.pi)
        turn = np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])
        return np.asarray(image @ (FROM_YIQ @ turn @ TO_YIQ).T.astype(np.float32))


class Lighting:
    """Add to each channel a random mix of the colours' principal components (AlexNet's).

    Args:
        eigval: the three eigenvalues.
        eigvec: the eigenvectors, (3, 3).
        alphastd: deviation of the mix.
    """

    def __init__(self, eigval: Sequence[float], eigvec: Sequence[Sequence[float]], alphastd: float = 0.1) -> None:
        self.eigval, self.eigvec = np.array(eigval, np.float32), np.array(eigvec, np.float32)
        if self.eigval.shape != (3,) or self.eigvec.shape != (3, 3):
            raise ValueError("Lighting: eigval must be 3 numbers, and eigvec 3 x 3")
        self.alphastd = alphastd

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" float32."""
        alpha = numpy_random().normal(scale=self.alphastd, size=(3,))
        added = self.eigvec @ (self.eigval * alpha)
        sample["image"] = sample["image"].astype(np.float32) + added.astype(np.float32)
        return sample


class AugmentHSV:
    """Change hue, saturation and value at random.

    Args:
        fraction: without gains: saturation and value change by a factor of at most so much more or less than 1.
        is_bgr: the channels are blue, green, red. Decode gives red, green, blue.
        hgain: largest change of the hue, in steps of two degrees.
        sgain: of the saturation, of 255; needed where ``hgain`` is given.
        vgain: of the value, likewise.

    Raises:
        ValueError: some gains are given and others not.
    """

    def __init__(
        self,
        fraction: float = 0.5,
        is_bgr: bool = True,
        hgain: Optional[float] = None,
        sgain: Optional[float] = None,
        vgain: Optional[float] = None,
    ) -> None:
        gains = [hgain, sgain, vgain]
        if 0 < gains.count(None) < 3:
            raise ValueError(f"AugmentHSV: hgain, sgain and vgain belong together, not {gains}")
        self.fraction, self.gains = fraction, None if hgain is None else np.array(gains, np.float64)
        self.there, self.back = (
            (cv2.COLOR_BGR2HSV, cv2.COLOR_HSV2BGR) if is_bgr else (cv2.COLOR_RGB2HSV, cv2.COLOR_HSV2RGB)
        )

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with other colours; "image" is taken as uint8, and float32 after it."""
        pixels = cv2.cvtColor(sample["image"].astype(np.uint8), self.there)
        if self.gains is None:
            for channel in (1, 2):
                factor = (python_random().random() * 2 - 1) * self.fraction + 1
                pixels[..., channel] = np.clip(pixels[..., channel].astype(np.float32) * factor, 0, 255)
        else:
            added = numpy_random().uniform(-1, 1, 3) * self.gains * numpy_random().randint(0, 2, 3)
            pixels[..., 0] = (pixels[..., 0] + added[0]) % 180
            for channel in (1, 2):
                pixels[..., channel] = np.clip(pixels[..., channel] + added[channel], 0, 255)
        sample["image"] = cv2.cvtColor(pixels, self.back).astype(np.float32)
        return sample
