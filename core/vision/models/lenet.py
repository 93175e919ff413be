"""LeNet-5, the small network for 28 x 28 grey images.

Paper: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to document recognition", Proceedings of the
IEEE 86(11), 1998, https://ieeexplore.ieee.org/document/726791
Source of sizes, arguments and parameter names: Paddle 2.6, which differs from the paper: ReLU and max pooling after the
convolutions, and no activation between the linear layers. No weights are published.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.operators import flatten
from core.vision.models.base import ImageNetwork


class LeNet(ImageNetwork):
    """Two convolutions and three linear layers: (N, 1, 28, 28) to (N, num_classes).

    Args:
        num_classes: number of classes; where it is not positive, the result is the feature maps, (N, 16, 5, 5).
    """

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__(num_classes)
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        if self.num_classes > 0:
            self.fc = nn.Sequential(
                nn.Linear(16 * 5 * 5, 120), nn.Linear(120, 84), nn.Linear(84, self.num_classes)
            )

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps, (N, 16, 5, 5)."""
        return self.features(x)

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps, (N, num_classes)."""
        return self.fc(flatten(features, 1))

    def forward(self, inputs: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        features = self.forward_features(inputs)
        return self.forward_head(features) if self.num_classes > 0 else features
