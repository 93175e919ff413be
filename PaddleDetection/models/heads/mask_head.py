"""The mask head of Mask R-CNN (He et al., arXiv 1703.06870): which points of a region belong to its object.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import ParamAttr, nn
from core.nn.initializer import Initializer, KaimingNormal
from PaddleDetection.models.necks.fpn import ConvNormLayer
from PaddleDetection.models.norms import Norm


class MaskFeat(nn.Layer):
    """Convolutions, and a transposed one: (R, C, M, M) to (R, channels, 2 * M, 2 * M).

    Args:
        in_channels: C.
        channels: of the output.
        num_convs: how many convolutions there are before the transposed one.
        norm_type: None, or "gn" for convolutions with group normalisation.

    Raises:
        ValueError: there is no such normalisation here.
    """

    def __init__(
        self, in_channels: int = 256, channels: int = 256, num_convs: int = 4, norm_type: Optional[str] = None
    ) -> None:
        super().__init__()
        if norm_type not in (None, "gn"):
            raise ValueError(f"the masks' convolutions have norm_type null or 'gn', not {norm_type!r}")
        self.channels = channels
        layers: list[tuple[str, nn.Layer]] = []
        for number in range(1, num_convs + 1):
            name, before = f"mask_inter_feat_{number}", in_channels if number == 1 else channels
            begin = KaimingNormal(fan_in=channels * 9)
            conv = (
                nn.Conv2D(before, channels, 3, padding=1, weight_attr=ParamAttr(initializer=begin))
                if norm_type is None
                else ConvNormLayer(before, channels, 3, 1, Norm(norm_type), begin)
            )
            layers += [(name, conv), (f"{name}act", nn.ReLU())]
        begin, before = KaimingNormal(fan_in=channels * 4), channels if num_convs else in_channels
        up = nn.Conv2DTranspose(before, channels, 2, 2, weight_attr=ParamAttr(initializer=begin))
        self.upsample = nn.Sequential(*layers, ("conv5_mask", up), ("conv5_maskact", nn.ReLU()))

    def forward(self, regions: Any) -> Any:
        """Return feature maps of twice the size."""
        return self.upsample(regions)


class MaskHead(nn.Layer):
    """Predicts for each region and class which points belong to the object: (R, C, M, M) to (R, K, 2 * M, 2 * M).

    Args:
        head: makes of the regions' feature maps those of twice the size.
        num_classes: K.
    """

    def __init__(self, head: Any, num_classes: int) -> None:
        super().__init__()
        self.head = head
        begin: Initializer = KaimingNormal(fan_in=num_classes)
        self.mask_fcn_logits = nn.Conv2D(head.channels, num_classes, 1, weight_attr=ParamAttr(initializer=begin))

    def forward(self, regions: Any) -> Any:
        """Return logits."""
        return self.mask_fcn_logits(self.head(regions))

    def of_classes(self, regions: Any, classes: Any) -> Any:
        """Return the logits of one class of each region, (R, 2 * M, 2 * M), without those of the others.

        Args:
            regions: as of :meth:`forward`.
            classes: int64 (R,).
        """
        last: Any = self.mask_fcn_logits
        maps = self.head(regions)
        weights = core.gather(last.weight.flatten(1), classes).unsqueeze(1)
        logits = core.matmul(weights, maps.flatten(2)).reshape([-1, *maps.shape[2:]])
        return logits + core.gather(last.bias, classes).unsqueeze(-1).unsqueeze(-1)
