"""Test-time augmentation: a network's answers for several views of each image, averaged.

Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional neural networks", NeurIPS 2012, average
over the four corners and the centre of an image, and their mirror images.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable, Optional

import core
from core.nn import functional as F
from core.train.classification.losses import main_logits


def views(images: Any, crops: int = 1, flip: bool = False, crop_size: Optional[int] = None) -> Iterator[Any]:
    """Yield the views of a batch of images.

    Args:
        images: (N, C, H, W).
        crops: 1: the whole image; 5: its corners and its centre; 10: these and their mirror images.
        flip: whether each view is followed by its mirror image, left to right.
        crop_size: side of the crops, pixels; None: 7/8 of the shorter side.

    Raises:
        ValueError: the crops are larger than the images.
    """
    height, width = images.shape[2:]
    size = min(height, width) * 7 // 8 if crop_size is None else crop_size
    if crops > 1 and not 0 < size <= min(height, width):
        raise ValueError(f"crops of {size} pixels do not fit into images of {height} x {width}; resize to more pixels")
    bottom, right = height - size, width - size
    places = [(0, 0), (0, right), (bottom, 0), (bottom, right), (bottom // 2, right // 2)]
    for top, left in places if crops > 1 else [(0, 0)]:
        view = images[:, :, top : top + size, left : left + size] if crops > 1 else images
        yield view
        if flip or crops == 10:
            yield core.flip(view, [3])


def averaged(network: Callable[[Any], Any], images: Any, **options: Any) -> Any:
    """Return the logarithm of the mean probabilities over the views: logits like the network's, (N, class_num).

    Args:
        network: images to logits; of several heads, the main one's are averaged.
        images: (N, C, H, W).
        **options: of :func:`views`.
    """
    answers = [F.softmax(main_logits(network(view)), axis=-1) for view in views(images, **options)]
    total = answers[0]
    for answer in answers[1:]:
        total = total + answer
    return core.log(core.clip(total / len(answers), min=1e-30))
