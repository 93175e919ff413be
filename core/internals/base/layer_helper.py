"""``paddle.base.layer_helper``."""

from core.nn.layer_helper import LayerHelper

__all__ = ["LayerHelper"]
