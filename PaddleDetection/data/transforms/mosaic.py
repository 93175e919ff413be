"""Four images in one, and a fifth over them, as YOLOX trains (Ge et al., https://arxiv.org/abs/2107.08430).

Name, arguments and the order of random draws are those of PaddleDetection 2.x,
https://github.com/PaddlePaddle/PaddleDetection, ``ppdet/data/transform/operators.py``. It comes right after Decode;
the other samples come from the data set as they are, by the sample's field "another".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import cv2
import numpy as np

from core.io.randomness import numpy_random, python_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.basic import Decode
from PaddleDetection.data.transforms.mixing import is_over
from PaddleDetection.data.transforms.objects import OF_OBJECTS

GREY = 114


class Mosaic:
    """Put the image and three others around a random point, turn and scale the whole, and blend a fifth image in.

    Masks are left out. Boxes stay that have no area any more; PadResize leaves them out.

    Args:
        prob: how often.
        input_dim: height and width of the result, or one number for both.
        degrees: least and largest angle.
        translate: least and largest shift, as shares of the sides.
        scale: least and largest factor.
        shear: least and largest angle of the shear, degrees.
        enable_mixup: blend a fifth image in; not in YOLOX-Nano and -Tiny.
        mixup_prob: how often.
        mixup_scale: least and largest factor on its size.
        remove_outside_box: boxes that reach out of the result are not clipped, and those outside left out.
        epochs: in so many epochs from the first; None: in all.

    Raises:
        ValueError: a side, or the least scale, is not positive.
    """

    def __init__(
        self,
        prob: float = 1.0,
        input_dim: Union[int, Sequence[int]] = (640, 640),
        degrees: Sequence[float] = (-10, 10),
        translate: Sequence[float] = (-0.1, 0.1),
        scale: Sequence[float] = (0.1, 2),
        shear: Sequence[float] = (-2, 2),
        enable_mixup: bool = True,
        mixup_prob: float = 1.0,
        mixup_scale: Sequence[float] = (0.5, 1.5),
        remove_outside_box: bool = False,
        epochs: Optional[int] = None,
    ) -> None:
        self.input_dim = (input_dim, input_dim) if isinstance(input_dim, int) else tuple(input_dim)
        if len(self.input_dim) != 2 or min(self.input_dim) < 1:
            raise ValueError(f"Mosaic: input_dim must be one or two positive numbers, not {input_dim!r}")
        for name, given in (("scale", scale), ("mixup_scale", mixup_scale)):
            if min(given) <= 0:
                raise ValueError(f"Mosaic: {name} must be positive, not {list(given)}")
        self.prob, self.degrees, self.translate, self.scale, self.shear = prob, degrees, translate, scale, shear
        self.enable_mixup, self.mixup_prob, self.mixup_scale = enable_mixup, mixup_prob, mixup_scale
        self.remove_outside_box, self.epochs = remove_outside_box, epochs

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with "image" uint8 of the size, and the objects of all images.

        Raises:
            ValueError: the sample does not know its data set.
        """
        if is_over(self.epochs):
            return sample
        if "another" not in sample:
            raise ValueError("Mosaic needs further samples: use it in a data set's own transforms")
        others = [Decode()(sample["another"]()) for _ in range(4)]
        if numpy_random().uniform(0.0, 1.0) > self.prob:
            return sample
        image, parts = self._joined([sample, *others[:3]])
        image, boxes = self._warped(image, np.concatenate([boxes for boxes, _ in parts]))
        found = {
            name: np.concatenate([fields[name] for _, fields in parts]) for name in OF_OBJECTS if name in sample
        }
        if self.enable_mixup and len(boxes) and python_random().random() < self.mixup_prob:
            image, added = self._blended(image, others[3])
            boxes = np.concatenate([boxes, added])
            found = {name: np.concatenate([values, others[3][name]]) for name, values in found.items()}
            if self.remove_outside_box:
                first = len(boxes) - len(added)
                kept = np.arange(len(boxes)) < first
                kept |= _reaches_in(boxes, *image.shape[:2])
                boxes, found = boxes[kept], {name: values[kept] for name, values in found.items()}
        mixed = {name: value for name, value in sample.items() if name not in ("gt_poly", "gt_segm")}
        height, width = image.shape[:2]
        mixed.update(image=image, h=height, w=width, gt_bbox=boxes.astype(np.float32), **found)
        mixed["im_shape"] = np.array([height, width], np.float32)
        return mixed

    def _joined(self, samples: Sequence[Sample]) -> tuple[np.ndarray, list[tuple[np.ndarray, dict[str, Any]]]]:
        """Return four images around a point, of twice the size, and of each its boxes there and other fields."""
        rows, columns = self.input_dim
        y, x = (int(python_random().uniform(0.5 * side, 1.5 * side)) for side in (rows, columns))
        canvas = np.full((2 * rows, 2 * columns, 3), GREY, np.uint8)
        parts = []
        for number, sample in enumerate(samples):
            scale = min(rows / sample["image"].shape[0], columns / sample["image"].shape[1])
            image = _scaled(sample["image"], scale)
            height, width = image.shape[:2]
            left = x - width if number % 2 == 0 else x
            top = y - height if number < 2 else y
            into = np.clip([top, top + height], 0, 2 * rows), np.clip([left, left + width], 0, 2 * columns)
            (first, last), (begin, end) = into
            canvas[first:last, begin:end] = image[first - top : last - top, begin - left : end - left]
            boxes = (scale * sample["gt_bbox"] + np.array([left, top] * 2)).astype(np.float32)
            fields = {name: sample[name] for name in OF_OBJECTS if name in sample}
            if self.remove_outside_box:
                kept = _reaches_in(boxes, 2 * rows, 2 * columns)
                boxes, fields = boxes[kept], {name: values[kept] for name, values in fields.items()}
            else:
                boxes = np.clip(boxes, 0, np.array([2 * columns, 2 * rows] * 2, np.float32))
            parts.append((boxes, fields))
        return canvas, parts

    def _warped(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the image turned, scaled, sheared, shifted and cut to the size; the boxes around what was in them."""
        rows, columns = self.input_dim
        angle, scale = python_random().uniform(*self.degrees), python_random().uniform(*self.scale)
        turn = cv2.getRotationMatrix2D((0, 0), angle, scale)[:, :2]
        shear = math.tan(python_random().uniform(*self.shear) * math.pi / 180)
        shift = python_random().uniform(*self.translate)
        matrix = np.concatenate([turn + shear * turn[::-1], [[shift * columns], [shift * rows]]], axis=1)
        image = cv2.warpAffine(image, matrix, dsize=(columns, rows), borderValue=(GREY,) * 3)
        corners = boxes[:, [0, 1, 2, 3, 0, 3, 2, 1]].reshape(-1, 4, 2) @ matrix[:, :2].T + matrix[:, 2]
        around = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
        return image, np.clip(around, 0, [columns, rows] * 2).astype(boxes.dtype)

    def _blended(self, image: np.ndarray, other: Sample) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean of the image and a part of another, and the other's boxes in it."""
        rows, columns = self.input_dim
        factor = python_random().uniform(*self.mixup_scale)
        mirrored = python_random().uniform(0, 1) > 0.5
        scale = min(rows / other["image"].shape[0], columns / other["image"].shape[1])
        small = _scaled(other["image"], scale)
        canvas = np.full((rows, columns, 3), GREY, np.uint8)
        canvas[: small.shape[0], : small.shape[1]] = small
        canvas = _scaled(canvas, factor)
        if mirrored:
            canvas = canvas[:, ::-1]
        height, width = canvas.shape[:2]
        whole = np.zeros((max(height, rows), max(width, columns), 3), np.uint8)
        whole[:height, :width] = canvas
        y = python_random().randint(0, height - rows - 1) if height > rows else 0
        x = python_random().randint(0, width - columns - 1) if width > columns else 0
        boxes = np.clip(other["gt_bbox"] * (scale * factor), 0, np.array([width, height] * 2, np.float32))
        if mirrored:
            boxes[:, 0::2] = width - boxes[:, 2::-2]
        boxes = boxes - np.array([x, y] * 2, np.float32)
        if not self.remove_outside_box:
            boxes = np.clip(boxes, 0, np.array([columns, rows] * 2, np.float32))
        part = whole[y : y + rows, x : x + columns].astype(np.float32)
        return (0.5 * image.astype(np.float32) + 0.5 * part).astype(np.uint8), boxes


def _scaled(image: np.ndarray, factor: float) -> np.ndarray:
    """Return an image whose sides are a factor longer, rounded down."""
    size = max(int(image.shape[1] * factor), 1), max(int(image.shape[0] * factor), 1)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR))


def _reaches_in(boxes: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return which boxes, (G, 4), have a part in an image: bool (G,)."""
    return (boxes[:, :2] < [width, height]).all(axis=1) & (boxes[:, 2:] > 0).all(axis=1)
