"""LeNet-5, the small network for 28 x 28 grey images.

Paper: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to document recognition", Proceedings of the
IEEE 86(11), 1998, https://ieeexplore.ieee.org/document/726791
Source of sizes and parameter names: ``paddle.vision.models.LeNet``, which differs from the paper: ReLU and max
pooling after the convolutions, and no activation between the linear layers.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class LeNet5(ImageClassifier):
    """Two convolutions and three linear layers: (N, 1, 28, 28) to (N, class_num).

    Args:
        class_num: number of classes.
    """

    head_names = ("fc.2",)
    head_layers = ("fc",)

    def __init__(self, class_num: int = 10) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        self.fc = nn.Sequential(nn.Linear(16 * 5 * 5, 120), nn.Linear(120, 84), nn.Linear(84, class_num))

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps, (N, 16, 5, 5)."""
        return self.features(x)

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps, (N, class_num)."""
        return self.fc(core.flatten(features, 1))


def LeNet(class_num: int = 10, pretrained: Pretrained = False, **kwargs: Any) -> LeNet5:
    """Return LeNet-5 (LeCun et al. 1998), 61,610 parameters with 10 classes; no weights are published.

    Args:
        class_num: number of classes.
        pretrained: False, or the path of a weight file.
        **kwargs: ``adapt_head``, see :func:`PaddleClas.create_model`.
    """
    return build("LeNet", LeNet5, pretrained, class_num=class_num, **kwargs)
