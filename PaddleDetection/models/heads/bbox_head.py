"""The box head of Faster R-CNN (Ren et al., arXiv 1506.01497): classes and boxes of regions.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any, Optional

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal, XavierUniform
from core.regularizer import L2Decay
from PaddleDetection.models.heads.rpn_head import small
from PaddleDetection.models.necks.fpn import ConvNormLayer
from PaddleDetection.models.norms import Norm

BOX_WEIGHTS = (10.0, 10.0, 5.0, 5.0)
"""Factors of the four numbers of a box, one over their deviations."""


class TwoFCHead(nn.Layer):
    """Two fully connected layers: (R, C, M, M) to (R, channels).

    Args:
        in_channels: C.
        channels: of the output.
        resolution: M.
    """

    def __init__(self, in_channels: int = 256, channels: int = 1024, resolution: int = 7) -> None:
        super().__init__()
        self.channels, self.resolution = channels, resolution
        inputs = in_channels * resolution**2
        self.fc6 = nn.Linear(inputs, channels, weight_attr=ParamAttr(initializer=XavierUniform(fan_out=inputs)))
        self.fc7 = nn.Linear(channels, channels, weight_attr=ParamAttr(initializer=XavierUniform()))

    def forward(self, regions: Any) -> Any:
        """Return one vector for each region."""
        return F.relu(self.fc7(F.relu(self.fc6(regions.flatten(1)))))


class XConvNormHead(nn.Layer):
    """Convolutions with normalisations, and a fully connected layer: (R, C, M, M) to (R, channels).

    Args:
        in_channels: C.
        num_convs: how many convolutions.
        conv_dim: their channels.
        channels: of the output.
        resolution: M.
        norm_type: of the convolutions: "bn", "sync_bn", "gn" or None.
        stage_name: what their names begin with.
    """

    def __init__(
        self,
        in_channels: int = 256,
        num_convs: int = 4,
        conv_dim: int = 256,
        channels: int = 1024,
        resolution: int = 7,
        norm_type: Optional[str] = "gn",
        stage_name: str = "",
    ) -> None:
        super().__init__()
        self.channels, self.resolution = channels, resolution
        self.convs = []
        for number in range(num_convs):
            before = conv_dim if number else in_channels
            conv = ConvNormLayer(before, conv_dim, 3, 1, Norm(norm_type), KaimingNormal(fan_in=conv_dim * 9))
            self.convs.append(self.add_sublayer(f"{stage_name}bbox_head_conv{number}", conv))
        inputs = conv_dim * resolution**2
        self.fc6 = nn.Linear(
            inputs,
            channels,
            weight_attr=ParamAttr(initializer=XavierUniform(fan_out=inputs)),
            bias_attr=ParamAttr(learning_rate=2.0, regularizer=L2Decay(0.0)),
        )

    def forward(self, regions: Any) -> Any:
        """Return one vector for each region."""
        for conv in self.convs:
            regions = F.relu(conv(regions))
        return F.relu(self.fc6(regions.flatten(1)))


class BBoxHead(nn.Layer):
    """Predicts the class of each region, and for each class a box.

    Args:
        head: makes of a region's feature map a vector, or a smaller map whose average is one.
        num_classes: how many classes there are.
    """

    def __init__(self, head: Any, num_classes: int) -> None:
        super().__init__()
        self.head = head
        self.bbox_score = nn.Linear(head.channels, num_classes + 1, weight_attr=small())
        self.bbox_delta = nn.Linear(head.channels, 4 * num_classes, weight_attr=small(0.001))

    def forward(self, regions: Any) -> tuple[Any, Any, Any]:
        """Return what is predicted, and what it is predicted from.

        Args:
            regions: (R, C, M, M).

        Returns:
            Logits (R, num_classes + 1), background last; deltas (R, 4 * num_classes); and what ``head`` gave.
        """
        seen = self.head(regions)
        vector = seen if len(seen.shape) == 2 else seen.mean([2, 3])
        return self.bbox_score(vector), self.bbox_delta(vector), seen
