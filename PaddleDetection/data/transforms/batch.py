"""Transforms of the samples of a batch together, under PaddleDetection's names.

Their attribute ``sizes`` says by name what sizes they give to a batch's images: a list of them, or None where they are
not known. Each size is compiled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from core.io.randomness import numpy_random
from PaddleDetection.data.dataset import Sample
from PaddleDetection.data.transforms.basic import Resize
from PaddleDetection.data.transforms.resizing import INTERPOLATIONS


class PadBatch:
    """Pad images, channels first, at the right and the bottom to one size.

    Args:
        pad_to_stride: the size is a multiple of it; 0: the largest image's.
    """

    def __init__(self, pad_to_stride: int = 0) -> None:
        self.pad_to_stride = pad_to_stride
        self.sizes: dict[str, Any] = {"height": None, "width": None}

    def __call__(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples with "image", and "gt_segm", of one size."""
        stride = max(self.pad_to_stride, 1)
        sides = np.max([sample["image"].shape[1:] for sample in samples], axis=0)
        rows, columns = (-(-sides // stride) * stride).tolist()
        for sample in samples:
            for name in ("image", "gt_segm"):
                if name in sample:
                    sample[name] = _padded(sample[name], rows, columns)
        return samples


class BatchRandomResize:
    """Resize the images of a batch, channels last, to a size drawn for the batch.

    Args:
        target_size: a size, height and width or one number for both, or a list of sizes to draw from.
        keep_ratio: fit the images into the size; see :class:`Resize`.
        interp: OpenCV's number of the interpolation.
        random_size: draw the size; otherwise the only one is taken.
        random_interp: draw the interpolation.

    Raises:
        ValueError: there is no size, or there are several that are not to be drawn from.
    """

    def __init__(
        self,
        target_size: Union[int, Sequence[Any]],
        keep_ratio: bool = False,
        interp: int = 0,
        random_size: bool = True,
        random_interp: bool = False,
    ) -> None:
        listed = isinstance(target_size, Sequence)
        if random_size and (not listed or not target_size):
            raise ValueError(
                f"BatchRandomResize: target_size must be a list of sizes to draw from, not {target_size!r}"
            )
        self.target_size = target_size
        self.keep_ratio = keep_ratio
        self.interp = interp
        self.random_size = random_size
        self.random_interp = random_interp
        given = list(target_size) if random_size else [target_size]  # type: ignore[arg-type]  # a list, as checked
        sides = [(size, size) if isinstance(size, int) else tuple(size) for size in given]
        same = len(set(sides)) == 1
        known = {"image": [" x ".join(map(str, size)) for size in dict.fromkeys(sides)]}
        self.sizes: dict[str, Any] = {"height": None, "width": None} if keep_ratio else {} if same else known

    def __call__(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples at one size."""
        size: Any = self.target_size
        if self.random_size:
            size = size[numpy_random().choice(len(size))]
        interp: int = self.interp
        if self.random_interp:
            interp = INTERPOLATIONS[numpy_random().choice(len(INTERPOLATIONS))]
        resize = Resize(size, self.keep_ratio, interp)
        return [resize(sample) for sample in samples]


class InOrder:
    """Several transforms of a batch's samples, one after another.

    Args:
        transforms: of single samples, or of a batch: those that have ``sizes``.
        last: makes of each sample at the end what is batched.
    """

    def __init__(self, transforms: Sequence[Any], last: Any) -> None:
        self.transforms = list(transforms)
        self.last = last
        self.sizes: dict[str, Any] = {}
        for transform in self.transforms:
            self.sizes.update(getattr(transform, "sizes", {}))

    def __call__(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples after all transforms."""
        for transform in self.transforms:
            together = hasattr(transform, "sizes")
            samples = transform(samples) if together else [transform(sample) for sample in samples]
        return [self.last(sample) for sample in samples]


def _padded(array: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Return an array (C, H, W) with zeros at the right and the bottom, (C, rows, columns)."""
    if array.shape[1:] == (rows, columns):
        return array
    padded = np.zeros((array.shape[0], rows, columns), array.dtype)
    padded[:, : array.shape[1], : array.shape[2]] = array
    return padded
