"""The normalisations that follow the convolutions of backbones, necks and heads."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from core import ParamAttr, nn
from core.regularizer import L2Decay

NORMS = ("bn", "sync_bn", "gn", None)
"""Batch normalisation, the same with statistics over all devices, group normalisation (arXiv 1803.08494), none."""


class Norm(NamedTuple):
    """Which normalisation a network has, and how it learns.

    Attributes:
        norm_type: "bn", "sync_bn", "gn" or None.
        norm_decay: weight decay of scale and offset, in place of the optimizer's.
        freeze_norm: whether scale, offset and running statistics keep their values, in training too; what the releases
            before 2.0 call affine_channel.
    """

    norm_type: Optional[str] = "bn"
    norm_decay: float = 0.0
    freeze_norm: bool = False

    def layer(self, channels: int, learning_rate: float = 1.0) -> Optional[nn.Layer]:
        """Return the layer; None where there is no normalisation.

        Args:
            channels: of the feature maps.
            learning_rate: factor on the optimizer's learning rate for scale and offset.

        Raises:
            ValueError: there is no such normalisation.
        """
        if self.norm_type not in NORMS:
            raise ValueError(f"norm_type {self.norm_type!r} is unknown; it is one of {', '.join(map(str, NORMS))}")
        if self.norm_type is None:
            return None
        attributes: dict[str, Any] = {
            name: ParamAttr(
                learning_rate=learning_rate, regularizer=L2Decay(self.norm_decay), trainable=not self.freeze_norm
            )
            for name in ("weight_attr", "bias_attr")
        }
        if self.norm_type == "gn":
            return nn.GroupNorm(32, channels, **attributes)
        if self.norm_type == "sync_bn" and not self.freeze_norm:
            return nn.SyncBatchNorm(channels, **attributes)
        return nn.BatchNorm2D(channels, **attributes, use_global_stats=self.freeze_norm or None)
