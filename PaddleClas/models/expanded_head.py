"""The head of PaddlePaddle's own networks: means, widened by a 1 x 1 convolution, and a linear layer."""

from __future__ import annotations

from typing import Any, Callable, Optional

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Initializer
from PaddleClas.models.base import ImageClassifier


class ExpandedHead(ImageClassifier):
    """A classifier of stages and such a head; a subclass calls :meth:`_create_head` last."""

    head_layers: tuple[str, ...] = ("last_conv", "dropout", "fc")

    def _create_head(
        self,
        features: int,
        class_num: int,
        class_expand: Optional[int],
        dropout: float,
        activation: Callable[[Any], Any],
        initializer: Optional[Initializer] = None,
        affine: Optional[nn.Layer] = None,
    ) -> None:
        """Create the layers.

        Args:
            features: channels of the last stage.
            class_num: number of classes.
            class_expand: channels of the convolution; None: there is none.
            dropout: how often one of them is left out in training.
            activation: after the convolution.
            initializer: of the convolution's weight.
            affine: follows the activation, as ``lab``.
        """
        self.activation = activation
        self.last_conv: Any = None
        self.lab: Any = None
        if class_expand is None:
            self.head_layers = ("fc",)
        else:
            attr = ParamAttr(initializer=initializer)
            self.last_conv = nn.Conv2D(features, class_expand, 1, weight_attr=attr, bias_attr=False)
            if affine is not None:
                self.lab = affine
                self.head_layers = ("last_conv", "lab", "dropout", "fc")
            self.dropout = nn.Dropout(dropout, mode="downscale_in_infer")
        self.fc = nn.Linear(class_expand or features, class_num)

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        x = F.adaptive_avg_pool2d(features, 1)
        if self.last_conv is not None:
            x = self.activation(self.last_conv(x))
            x = self.dropout(x if self.lab is None else self.lab(x))
        return self.fc(core.flatten(x, 1))
