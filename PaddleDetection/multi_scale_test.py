"""A test in several sizes and mirrored: the boxes of all views of an image become one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import core
from core.nn import functional as F
from core.vision.ops import multiclass_nms


class Views:
    """A detector that looks at several views of each image.

    The views are made of the prepared images, so a config prepares them at the largest size and lists scales up to 1.

    Args:
        network: the detector.
        scales: sizes of the views, as shares of the prepared image; sides become multiples of the detector's divisor.
        flip: whether each is looked at mirrored, too.
        nms_threshold: the largest overlap with a better box of the same class.
        soft: "linear" or "gaussian": scores are lowered instead; see :func:`core.vision.ops.multiclass_nms`.
        soft_sigma: of "gaussian".
        score_threshold: boxes must score above it.
    """

    def __init__(
        self,
        network: Any,
        scales: Sequence[float] = (1.0,),
        flip: bool = False,
        nms_threshold: float = 0.5,
        soft: Optional[str] = None,
        soft_sigma: float = 0.5,
        score_threshold: float = 0.001,
    ) -> None:
        self.network = network
        self.scales = list(scales)
        self.flip = flip
        self.suppression = {
            "nms_threshold": nms_threshold,
            "soft": soft,
            "soft_sigma": soft_sigma,
            "score_threshold": score_threshold,
        }

    def __call__(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        """Return boxes (N, K, 6), their numbers (N,), and masks where the detector has them; as many as of one view."""
        found = []
        for scale in self.scales:
            resized, factor = self._resized(image, scale)
            shape, own = im_shape * factor, scale_factor * factor
            found.append(self.network(resized, shape, own))
            if self.flip:
                outputs = self.network(mirrored(resized, shape), shape, own)
                found.append(mirrored_back(outputs, core.round(im_shape[:, 1] / scale_factor[:, 1])))
        return found[0] if len(found) == 1 else self._merged(found)

    def _resized(self, image: Any, scale: float) -> tuple[Any, Any]:
        """Return the images at another size, and the factors of height and width, (2,)."""
        divisor = self.network.divisor
        before = [int(side) for side in image.shape[2:]]
        sides = [max(round(side * scale / divisor), 1) * divisor for side in before]
        factor = core.to_tensor([after / side for after, side in zip(sides, before)], dtype="float32")
        same = sides == before
        return image if same else F.interpolate(image, size=sides, mode="bilinear"), factor

    def _merged(self, found: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
        rows = core.concat([outputs[0] for outputs in found], 1)
        classes = core.arange(self.network.num_classes, dtype="float32")
        own = (rows[:, :, :1].transpose([0, 2, 1]) == classes.reshape([1, -1, 1])).astype("float32")
        most = found[0][0].shape[1]
        suppression: dict[str, Any] = self.suppression
        kept, counts, places = multiclass_nms(
            rows[:, :, 2:],
            own * rows[:, :, 1:2].transpose([0, 2, 1]),
            **suppression,
            nms_top_k=-1,
            keep_top_k=most,
            return_index=True,
            padded=True,
        )
        if len(found[0]) == 2:
            return kept, counts
        masks = core.concat([outputs[2] for outputs in found], 1)
        size = masks.shape[2:]
        assert places is not None
        taken = core.gather(masks.reshape([-1, *size]), places.reshape([-1]).clip(min=0).astype("int64"))
        return kept, counts, taken.reshape([-1, most, *size])


def mirrored(image: Any, im_shape: Any) -> Any:
    """Return mirror images, with the padding at the right again.

    Args:
        image: (N, 3, H, W), padded at the right and the bottom.
        im_shape: height and width without the padding, (N, 2).
    """
    width = image.shape[3]
    columns = core.arange(width, dtype="int64").unsqueeze(0)
    inner = core.round(im_shape[:, 1:]).astype("int64")
    source = (inner - 1 - columns + width) % width
    return core.take_along_axis(image, source.unsqueeze(1).unsqueeze(1), 3)


def mirrored_back(outputs: Sequence[Any], width: Any) -> Sequence[Any]:
    """Return what is found in mirror images as of the images themselves; their widths are of the originals, (N,)."""
    rows, counts, *masks = outputs
    right, left = (width.reshape([-1, 1, 1]) - rows[:, :, place : place + 1] for place in (2, 4))
    turned = core.concat([rows[:, :, :2], left, rows[:, :, 3:4], right, rows[:, :, 5:]], 2)
    return [turned, counts, *(core.flip(mask, [3]) for mask in masks)]
