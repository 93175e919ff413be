"""SSD (Liu et al., "SSD: Single Shot MultiBox Detector", arXiv 1512.02325), with 2.x's parameter names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.nn import functional as F
from core.vision.ops import box_coder, multiclass_nms
from PaddleDetection.models.anchor_fitting import Fitted, fitted_priors
from PaddleDetection.models.backbones.mobilenet_v1 import MobileNet
from PaddleDetection.models.backbones.mobilenet_v3 import MobileNetV3
from PaddleDetection.models.backbones.vgg import FILTERS_512, VGG
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import suppression
from PaddleDetection.models.heads.ssd_head import PriorBoxes, SSDHead
from PaddleDetection.models.losses.multibox import MultiBoxLoss

VARIANCE = [0.1, 0.1, 0.2, 0.2]
"""What the four numbers of a box are divided by."""

MOBILENET_300 = PriorBoxes(
    min_sizes=((60.0,), (105.0,), (150.0,), (195.0,), (240.0,), (285.0,)),
    max_sizes=((), (150.0,), (195.0,), (240.0,), (285.0,), (300.0,)),
    aspect_ratios=((2.0,), *((2.0, 3.0),) * 5),
    steps=(0.0,) * 6,
)
"""Prior boxes of SSD on MobileNetV1 for images of 300 pixels."""

VGG_300 = PriorBoxes(
    min_sizes=((30.0,), (60.0,), (111.0,), (162.0,), (213.0,), (264.0,)),
    max_sizes=((60.0,), (111.0,), (162.0,), (213.0,), (264.0,), (315.0,)),
    aspect_ratios=((2.0,), (2.0, 3.0), (2.0, 3.0), (2.0, 3.0), (2.0,), (2.0,)),
    steps=(8.0, 16.0, 32.0, 64.0, 100.0, 300.0),
    min_max_aspect_ratios_order=True,
)
"""Prior boxes of SSD on VGG16 for images of 300 pixels."""

VGG_512 = PriorBoxes(
    min_sizes=((20.0,), (51.0,), (133.0,), (215.0,), (296.0,), (378.0,), (460.0,)),
    max_sizes=((51.0,), (133.0,), (215.0,), (296.0,), (378.0,), (460.0,), (542.0,)),
    aspect_ratios=((2.0,), *((2.0, 3.0),) * 4, (2.0,), (2.0,)),
    steps=(8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0),
    min_max_aspect_ratios_order=True,
)
"""Prior boxes of SSD on VGG16 for images of 512 pixels."""

LITE_300 = PriorBoxes(
    min_sizes=((30.0,), (60.0,), (114.0,), (168.0,), (222.0,), (276.0,)),
    max_sizes=((60.0,), (114.0,), (168.0,), (222.0,), (276.0,), (330.0,)),
    aspect_ratios=((2.0,), *((2.0, 3.0),) * 5),
    steps=(16.0, 32.0, 64.0, 100.0, 150.0, 300.0),
    clip=True,
)
"""Prior boxes of SSDLite for images of 300 pixels."""

LITE_320 = LITE_300._replace(
    min_sizes=((32.0,), (64.0,), (121.6,), (179.2,), (236.8,), (294.4,)),
    max_sizes=((64.0,), (121.6,), (179.2,), (236.8,), (294.4,), (352.0,)),
    steps=(16.0, 32.0, 64.0, 107.0, 160.0, 320.0),
)
"""Prior boxes of SSDLite for images of 320 pixels."""


class SSD(Detector):
    """Predicts boxes around prior boxes at several scales.

    Args:
        backbone: makes feature maps of images, the finest first.
        priors: the prior boxes.
        num_classes: how many classes there are.
        kernel_size: side of the predictors' kernels.
        padding: around the feature maps.
        use_sepconv: predict with depthwise separable convolutions, as SSDLite does.
        conv_decay: weight decay of those, in place of the optimizer's.
        overlap_threshold: in training, a prior box that overlaps an object at least so much is positive.
        neg_pos_ratio: in training, so many negative prior boxes count for each positive one.
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.
        min_sizes: sides of each level's prior boxes, pixels, in place of the network's own.
        max_sizes: of each level, for each of its min_sizes a larger one: the square between both is a prior box, too;
            or an empty list. null: the network's own, or with other min_sizes none.
        aspect_ratios: widths over heights of each level's prior boxes besides 1; the inverse ones are added.
        steps: distance of each level's positions, pixels; 0: the image's size over the level's.

    Raises:
        ValueError: the prior boxes are not of the network's levels, or a number is out of range.
    """

    divisor = 1
    examples = {0: (2, 3), 2: (320, 640), 3: (320, 640)}  # noqa: RUF012  # down to maps of 1 x 1 and 2 x 2

    def __init__(
        self,
        backbone: Any,
        priors: PriorBoxes,
        num_classes: int = 20,
        kernel_size: int = 3,
        padding: int = 1,
        use_sepconv: bool = False,
        conv_decay: float = 0.0,
        overlap_threshold: float = 0.5,
        neg_pos_ratio: float = 3.0,
        score_threshold: float = 0.01,
        nms_top_k: int = 400,
        keep_top_k: int = 200,
        nms_threshold: float = 0.45,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
        min_sizes: Optional[Sequence[Sequence[float]]] = None,
        max_sizes: Optional[Sequence[Sequence[float]]] = None,
        aspect_ratios: Optional[Sequence[Sequence[float]]] = None,
        steps: Optional[Sequence[float]] = None,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        priors = priors.changed(min_sizes, max_sizes, aspect_ratios, steps)
        self.anchors = priors.sides
        self.ssd_head = SSDHead(
            backbone.channels, num_classes, priors, kernel_size, padding, use_sepconv, conv_decay
        )
        self.loss = MultiBoxLoss(overlap_threshold, neg_pos_ratio, prior_box_var=VARIANCE)
        self.suppression = suppression(
            score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma
        )

    def fitted_anchors(self, sides: np.ndarray) -> Fitted:
        """Return prior boxes of other sizes."""
        return fitted_priors(sides, self.ssd_head.priors)

    @property
    def of_anchors(self) -> list[str]:
        """Names of the layers whose shape follows from the number of prior boxes."""
        return [f"ssd_head.boxes{level}" for level in range(len(self.ssd_head.box_convs))]

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        deltas, scores, priors = self.ssd_head(self.backbone(image), image)
        return final_boxes(deltas, scores, priors, im_shape / scale_factor, self.suppression)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_loc" and "loss_conf"."""
        deltas, scores, priors = self.ssd_head(self.backbone(image), image)
        return self.loss(deltas, scores, priors, image.shape[2:], targets)


def final_boxes(
    deltas: Any, scores: Any, priors: Any, original: Any, suppression: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return the boxes that remain of what an SSD head predicts.

    Args:
        deltas: shifts and sizes (N, A, 4).
        scores: (N, A, classes + 1), background last.
        priors: corners as shares of the image (A, 4).
        original: height and width of the original images, pixels (N, 2).
        suppression: arguments of :func:`core.vision.ops.multiclass_nms`.

    Returns:
        Boxes (N, keep_top_k, 6) and their numbers (N,).
    """
    boxes = box_coder(priors, VARIANCE, deltas, code_type="decode_center_size")
    side = original.flip(-1)
    boxes = boxes * core.concat([side, side], -1).unsqueeze(1)
    likely = F.softmax(scores, -1).transpose([0, 2, 1])
    classes = {**suppression, "background_label": likely.shape[1] - 1}
    rows, counts, _ = multiclass_nms(boxes, likely, **classes, padded=True)
    return rows, counts


def ssd_mobilenet_v1_300(num_classes: int = 20, scale: float = 1.0, **settings: Any) -> SSD:
    """Return SSD on MobileNetV1 for images of 300 pixels.

    Args:
        num_classes: how many classes there are.
        scale: factor on the backbone's number of channels.
        **settings: further arguments of :class:`SSD`.
    """
    backbone = MobileNet(scale, feature_maps=(11, 13, 14, 15, 16, 17), with_extra_blocks=True)
    return SSD(backbone, MOBILENET_300, num_classes, **{"kernel_size": 1, "padding": 0, **settings})


def ssdlite_mobilenet_v1_300(num_classes: int = 80, scale: float = 1.0, **settings: Any) -> SSD:
    """Return SSDLite (Sandler et al., arXiv 1801.04381) on MobileNetV1 for images of 300 pixels.

    Args:
        num_classes: how many classes there are.
        scale: factor on the backbone's number of channels.
        **settings: further arguments of :class:`SSD`.
    """
    decay = 4e-5
    maps = (11, 13, 14, 15, 16, 17)
    backbone = MobileNet(scale, feature_maps=maps, with_extra_blocks=True, conv_decay=decay)
    return SSD(backbone, LITE_300, num_classes, **{"use_sepconv": True, "conv_decay": decay, **settings})


def ssd_vgg16_300(num_classes: int = 20, **settings: Any) -> SSD:
    """Return SSD on VGG-16 for images of 300 pixels.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`SSD`.
    """
    return SSD(VGG(), VGG_300, num_classes, **settings)


def ssd_vgg16_512(num_classes: int = 20, **settings: Any) -> SSD:
    """Return SSD on VGG-16 for images of 512 pixels.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :class:`SSD`.
    """
    backbone = VGG(normalizations=(20.0, *(-1,) * 6), extra_block_filters=FILTERS_512)
    return SSD(backbone, VGG_512, num_classes, **settings)


def ssdlite_mobilenet_v3_small_320(num_classes: int = 80, scale: float = 1.0, **settings: Any) -> SSD:
    """Return SSDLite on the small MobileNetV3 for images of 320 pixels.

    Args:
        num_classes: how many classes there are.
        scale: factor on the backbone's number of channels.
        **settings: further arguments of :class:`SSD`.
    """
    return _lite("small", (10, 13, 14, 15, 16, 17), num_classes, scale, **settings)


def ssdlite_mobilenet_v3_large_320(num_classes: int = 80, scale: float = 1.0, **settings: Any) -> SSD:
    """Return SSDLite on the large MobileNetV3 for images of 320 pixels.

    Args:
        num_classes: how many classes there are.
        scale: factor on the backbone's number of channels.
        **settings: further arguments of :class:`SSD`.
    """
    return _lite("large", (14, 17, 18, 19, 20, 21), num_classes, scale, **settings)


def _lite(model_name: str, maps: Sequence[int], num_classes: int, scale: float, **settings: Any) -> SSD:
    rates = (0.25, 0.25, 0.5, 0.5, 0.75)
    backbone = MobileNetV3(scale, model_name, maps, True, rates, conv_decay=4e-5, multiplier=0.5)
    return SSD(backbone, LITE_320, num_classes, **{"use_sepconv": True, "conv_decay": 4e-5, **settings})
