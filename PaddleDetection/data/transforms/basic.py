"""What every detector's images go through: decoding, resizing, mirroring, normalising.

Names, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

import cv2
import numpy as np

from core.io.randomness import numpy_random
from core.vision.image import read_image
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.masks import mapped


class Decode:
    """Read the image's file, and note its size: "image" uint8 (H, W, 3), "h", "w", "im_shape" and "scale_factor"."""

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with the pixels of "im_file", unless it has "image" already.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is damaged, or the image is not of the size "h" and "w" that its annotation says.
        """
        if "image" not in sample:
            sample["image"] = read_image(sample["im_file"])
        height, width = sample["image"].shape[:2]
        stated = sample.get("h") or height, sample.get("w") or width
        if stated != (height, width):
            turned = " (the image is turned by its EXIF data)" if stated == (width, height) else ""
            raise ValueError(
                f"image file {sample.get('im_file', '')!r} has {height} x {width} pixels, its annotation says "
                f"{stated[0]} x {stated[1]}{turned}: correct the annotation, or its boxes would lie elsewhere"
            )
        sample["h"], sample["w"] = height, width
        sample["im_shape"] = np.array([height, width], np.float32)
        sample["scale_factor"] = np.ones(2, np.float32)
        return sample


class Resize:
    """Resize the image; boxes and masks follow.

    Args:
        target_size: height and width, pixels, or one number for both.
        keep_ratio: fit the shorter side to the smaller number and the longer side within the larger one.
        interp: OpenCV's number of the interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
        cover: with ``keep_ratio``: the image covers the size, and does not fit into it.

    Raises:
        ValueError: a number is not positive, or ``interp`` is none of these.
    """

    def __init__(
        self, target_size: Union[int, Sequence[int]], keep_ratio: bool = False, interp: int = 1, cover: bool = False
    ) -> None:
        self.target_size = (target_size, target_size) if isinstance(target_size, int) else tuple(target_size)
        if len(self.target_size) != 2 or min(self.target_size) < 1:
            raise ValueError(f"Resize: target_size must be one or two positive numbers, not {target_size!r}")
        if interp not in range(5):
            raise ValueError(f"Resize: interp must be 0, 1, 2, 3 or 4, not {interp!r}")
        self.keep_ratio = keep_ratio
        self.interp = interp
        self.cover = cover

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" float32, and all that has coordinates, at the new size."""
        height, width = sample["image"].shape[:2]
        if self.keep_ratio:
            least, most = min(self.target_size), max(self.target_size)
            scales = least / min(height, width), most / max(height, width)
            down = across = max(scales) if self.cover else min(scales)
            rows, columns = down * height, across * width
        else:
            rows, columns = self.target_size
            down, across = rows / height, columns / width
        sample["image"] = self._resized(sample["image"], across, down).astype(np.float32)
        sample["im_shape"] = np.array([rows, columns], np.float32)
        before = sample.get("scale_factor", (1.0, 1.0))
        sample["scale_factor"] = np.array([before[0] * down, before[1] * across], np.float32)
        if len(sample.get("gt_bbox", ())):
            boxes = sample["gt_bbox"] * np.array([across, down] * 2, np.float32)
            sample["gt_bbox"] = np.clip(boxes, 0, np.array([columns, rows] * 2, np.float32))
        if len(sample.get("gt_poly", ())):
            sample["gt_poly"] = mapped(
                *(sample["gt_poly"], height, width),
                lambda points: points * (across, down),
                lambda pixels: self._resized(pixels, across, down),
            )
        if len(sample.get("gt_segm", ())):
            masks = [cv2.resize(mask, None, fx=across, fy=down, interpolation=0) for mask in sample["gt_segm"]]
            sample["gt_segm"] = np.stack(masks)
        return sample

    def _resized(self, image: np.ndarray, across: float, down: float) -> np.ndarray:
        return cv2.resize(image, None, fx=across, fy=down, interpolation=self.interp)


class RandomFlip:
    """Mirror left and right.

    Args:
        prob: how often.
    """

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = prob

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample, perhaps mirrored."""
        if numpy_random().uniform(0, 1) >= self.prob:
            return sample
        height, width = sample["image"].shape[:2]
        sample["image"] = sample["image"][:, ::-1]
        if len(sample.get("gt_bbox", ())):
            first, top, second, bottom = sample["gt_bbox"].T
            sample["gt_bbox"] = np.stack([width - second, top, width - first, bottom], axis=1)
        if len(sample.get("gt_poly", ())):
            sample["gt_poly"] = mapped(
                *(sample["gt_poly"], height, width),
                lambda points: np.stack([width - points[:, 0], points[:, 1]], 1),
                lambda pixels: pixels[:, ::-1],
            )
        if len(sample.get("gt_segm", ())):
            sample["gt_segm"] = sample["gt_segm"][:, :, ::-1]
        sample["flipped"] = True
        return sample


class NormalizeImage:
    """Scale the pixels to [0, 1], subtract a mean and divide by a deviation.

    Args:
        mean: of each channel.
        std: of each channel.
        is_scale: divide by 255 first.
        norm_type: "mean_std", or "none" to leave mean and deviation out.

    Raises:
        ValueError: a deviation is zero, or ``norm_type`` is unknown.
    """

    def __init__(
        self,
        mean: Sequence[float] = (0.485, 0.456, 0.406),
        std: Sequence[float] = (0.229, 0.224, 0.225),
        is_scale: bool = True,
        norm_type: str = "mean_std",
    ) -> None:
        if norm_type not in ("mean_std", "none"):
            raise ValueError(f"NormalizeImage: norm_type must be 'mean_std' or 'none', not {norm_type!r}")
        if not all(std):
            raise ValueError(f"NormalizeImage: std must not be zero: {list(std)}")
        self.mean, self.std = np.array(mean, np.float32), np.array(std, np.float32)
        self.is_scale, self.norm_type = is_scale, norm_type

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" float32.

        Raises:
            ValueError: the image's channels are not last.
        """
        image = sample["image"].astype(np.float32, order="C")
        if image.ndim != 3 or image.shape[2] != len(self.mean):
            raise ValueError(f"NormalizeImage: an image is (height, width, 3), not {image.shape}; Permute comes after")
        if self.is_scale:
            image *= np.float32(1 / 255)
        if self.norm_type == "mean_std":
            rows = image.reshape(len(image), -1)  # long rows: fast
            rows -= np.tile(self.mean, image.shape[1])
            rows /= np.tile(self.std, image.shape[1])
        sample["image"] = image
        return sample


class Permute:
    """Put the channels first: "image" (H, W, 3) to (3, H, W)."""

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with its channels first."""
        sample["image"] = np.ascontiguousarray(sample["image"].transpose(2, 0, 1))
        return sample
