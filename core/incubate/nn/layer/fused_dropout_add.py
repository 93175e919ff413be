"""Dropout, a sum and a normalisation in one call."""

from __future__ import annotations

from typing import Optional

from core.incubate.nn import functional as F
from core.nn import Layer
from core.nn.initializer import Constant
from core.nn.layer.checks import one_of, positive, with_name
from core.nn.param_attr import ParamAttrLike
from core.tensor import Tensor


class FusedDropoutAdd(Layer):
    """Drops elements of one tensor, then adds another.

    Args:
        p: Probability of dropping an element.
        mode: ``upscale_in_train`` or ``downscale_in_infer``: where the rest is scaled.
        name: Name shown in the repr.

    Shapes:
        both inputs and the output alike.

    Raises:
        ValueError: the mode is unknown.
    """

    def __init__(self, p: float = 0.5, mode: str = "upscale_in_train", name: Optional[str] = None) -> None:
        super().__init__()
        self.p = p
        self.mode = one_of("FusedDropoutAdd", "mode", mode, ("upscale_in_train", "downscale_in_infer"))
        self.name = name

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return ``dropout(x) + y``."""
        return F.fused_dropout_add(x, y, self.p, self.training, self.mode)

    def extra_repr(self) -> str:
        """Return the settings."""
        return with_name(f"p={self.p}, mode={self.mode}", self.name)


class FusedBiasDropoutResidualLayerNorm(Layer):
    """Computes ``layer_norm(residual + dropout(x + bias))``.

    Args:
        embed_dim: Size of the last axis.
        dropout_rate: Probability of dropping an element.
        weight_attr: ParamAttr of the normalisation's factors.
        bias_attr: ParamAttr of both biases, or False for none.
        epsilon: Added to the variance.
        name: Name shown in the repr.

    Shapes:
        both inputs and the output (..., embed_dim).

    Raises:
        ValueError: ``embed_dim`` is not positive.
    """

    def __init__(
        self,
        embed_dim: int,
        dropout_rate: float = 0.5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        epsilon: float = 1e-5,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.embed_dim = positive("FusedBiasDropoutResidualLayerNorm", "embed_dim", embed_dim)
        self.linear_bias = self.create_parameter([embed_dim], bias_attr, is_bias=True)
        self.ln_scale = self.create_parameter([embed_dim], weight_attr, default_initializer=Constant(1.0))
        self.ln_bias = self.create_parameter([embed_dim], bias_attr, is_bias=True)
        self.dropout_rate = dropout_rate
        self._epsilon = epsilon
        self.name = name

    def forward(self, x: Tensor, residual: Tensor) -> Tensor:
        """Return the normalised sum."""
        return F.fused_bias_dropout_residual_layer_norm(
            x,
            residual,
            self.linear_bias,
            self.ln_scale,
            self.ln_bias,
            self.dropout_rate,
            self._epsilon,
            self.training,
        )

    def extra_repr(self) -> str:
        """Return the settings."""
        text = f"embed_dim={self.embed_dim}, dropout_rate={self.dropout_rate}, epsilon={self._epsilon}"
        return with_name(f"{text}, dtype={self._dtype}", self.name)
