"""The two towers of convolutions that RetinaNet and FCOS look through, shared by all levels of a pyramid."""

from __future__ import annotations

from typing import Any, Optional

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from PaddleDetection.models.deformable import DeformableConvV2
from PaddleDetection.models.norms import Norm


class ConvNormLayer(nn.Layer):
    """A 3 x 3 convolution with an offset, and a normalisation: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        out_channels: C'.
        norm_type: "bn", "sync_bn", "gn" or None.
        use_dcn: whether the convolution is deformable.

    Raises:
        ValueError: there is no such normalisation.
    """

    def __init__(self, in_channels: int, out_channels: int, norm_type: Optional[str], use_dcn: bool = False) -> None:
        super().__init__()
        small = Normal(0.0, 0.01)
        self.conv: Any
        if use_dcn:
            self.conv = DeformableConvV2(in_channels, out_channels, small)
        else:
            weight = ParamAttr(initializer=small)
            bias = ParamAttr(initializer=Constant(0.0), learning_rate=2.0)
            self.conv = nn.Conv2D(in_channels, out_channels, 3, padding=1, weight_attr=weight, bias_attr=bias)
        self.norm: Any = Norm(norm_type).layer(out_channels)

    def forward(self, x: Any) -> Any:
        """Return feature maps of x's size."""
        x = self.conv(x)
        return x if self.norm is None else self.norm(x)


class Towers(nn.Layer):
    """Two chains of convolutions over the same feature map, for classes and for boxes.

    Args:
        in_channels: of the feature map.
        channels: of the towers.
        num_convs: how many convolutions each has.
        norm_type: "bn", "sync_bn", "gn" or None.
        use_dcn: whether the convolutions are deformable.
    """

    def __init__(
        self,
        in_channels: int = 256,
        channels: int = 256,
        num_convs: int = 4,
        norm_type: Optional[str] = None,
        use_dcn: bool = False,
    ) -> None:
        super().__init__()
        self.channels = channels
        chains: dict[str, list[Any]] = {"cls": [], "reg": []}
        for number in range(num_convs):
            for kind, chain in chains.items():
                layer = ConvNormLayer(in_channels if number == 0 else channels, channels, norm_type, use_dcn)
                chain.append(self.add_sublayer(f"fcos_head_{kind}_tower_conv_{number}", layer))
        self.classes, self.boxes = chains["cls"], chains["reg"]

    def forward(self, feature: Any) -> tuple[Any, Any]:
        """Return the feature maps for classes and for boxes, each (N, channels, H, W)."""
        classes = boxes = feature
        for of_classes, of_boxes in zip(self.classes, self.boxes):
            classes, boxes = F.relu(of_classes(classes)), F.relu(of_boxes(boxes))
        return classes, boxes


def predictor(channels: int, outputs: int, offset: float = 0.0) -> nn.Conv2D:
    """Return a 3 x 3 convolution that begins with small weights.

    Args:
        channels: of the feature maps.
        outputs: how many numbers are predicted.
        offset: what its offsets begin with.
    """
    weight, bias = ParamAttr(initializer=Normal(0.0, 0.01)), ParamAttr(initializer=Constant(offset))
    return nn.Conv2D(channels, outputs, 3, padding=1, weight_attr=weight, bias_attr=bias)
