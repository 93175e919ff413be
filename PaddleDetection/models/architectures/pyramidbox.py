"""PyramidBox (Tang et al., "PyramidBox: A Context-assisted Single Shot Face Detector", arXiv 1803.07737).

The network is that of Paddle's models repository, release 1.5, ``PaddleCV/face_detection/pyramidbox.py``; no later
release has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from PaddleDetection.models.architectures.ssd import VARIANCE, final_boxes
from PaddleDetection.models.backbones.pyramid_vgg import STRIDES, LowLevelFPN, PyramidVGG
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import suppression
from PaddleDetection.models.heads.pyramid_head import PyramidHead
from PaddleDetection.models.heads.ssd_head import PriorBoxes
from PaddleDetection.models.losses.multibox import MultiBoxLoss

FACES = PriorBoxes(
    min_sizes=((16.0,), (32.0,), (64.0,), (128.0,), (256.0,), (512.0,)),
    max_sizes=((),) * 6,
    aspect_ratios=((1.0,),) * 6,
    steps=STRIDES,
)
"""A square at each position, four steps wide."""


class PyramidBox(Detector):
    """Predicts faces around squares of six sizes, and learns from the heads around them, too.

    Args:
        backbone: makes six feature maps of images, the finest first.
        neck: makes of them as many.
        num_classes: 1, the face.
        overlap_threshold: in training, a prior box that overlaps a face, or a head, at least so much is positive.
        neg_pos_ratio: in training, so many negative prior boxes count for each positive one.
        score_threshold: boxes must score above it.
        nms_top_k: so many of the best boxes are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.

    Raises:
        ValueError: ``num_classes`` is not 1.
    """

    divisor = 1
    fixed_classes = True
    examples = {0: (2, 3), 2: (128, 256), 3: (256, 384)}  # noqa: RUF012  # nobody writes to it

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 1,
        overlap_threshold: float = 0.35,
        neg_pos_ratio: float = 3.0,
        score_threshold: float = 0.01,
        nms_top_k: int = 5000,
        keep_top_k: int = 750,
        nms_threshold: float = 0.3,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
    ) -> None:
        super().__init__()
        if num_classes != 1:
            raise ValueError(f"PyramidBox tells faces from background alone: num_classes must be 1, not {num_classes}")
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.anchors = FACES.sides
        self.head = PyramidHead(neck.channels, FACES)
        self.loss = MultiBoxLoss(overlap_threshold, neg_pos_ratio, prior_box_var=VARIANCE)
        self.suppression = suppression(
            score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma
        )

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        face, _, priors = self.head(self.neck(self.backbone(image)), image)
        return final_boxes(face[0], face[1], priors, im_shape / scale_factor, self.suppression)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_face" and "loss_head"."""
        face, head, priors = self.head(self.neck(self.backbone(image)), image)
        size = image.shape[2:]
        heads = {**targets, "gt_bbox": head_boxes(targets["gt_bbox"], size)}
        return {
            name: core.add_n(list(self.loss(deltas, scores, priors, size, objects).values()))
            for name, (deltas, scores), objects in (("loss_face", face, targets), ("loss_head", head, heads))
        }


def head_boxes(faces: Any, size: Sequence[int]) -> Any:
    """Return what is learned as the heads' boxes: those of the faces, twice as wide and high, within the image.

    Args:
        faces: corners in pixels (N, G, 4).
        size: height and width of the images, pixels.
    """
    halves = (faces[..., 2:] - faces[..., :2]) / 2
    most = core.to_tensor(np.array([size[1], size[0]], np.float32))
    lower = (faces[..., :2] - halves).clip(min=0)
    return core.concat([lower, core.minimum(faces[..., 2:] + halves, most)], -1)


def pyramidbox(num_classes: int = 1, **settings: Any) -> PyramidBox:
    """Return PyramidBox on VGG16.

    Args:
        num_classes: 1, the face.
        **settings: further arguments of :class:`PyramidBox`.
    """
    return PyramidBox(PyramidVGG(), LowLevelFPN(), num_classes, **settings)
