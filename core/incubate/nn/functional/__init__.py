"""Functions that Paddle computes in one fused call (paddle.incubate.nn.functional), as compositions of public ones."""

from core.incubate.nn.functional.attention import (
    fused_multi_head_attention,
    variable_length_memory_efficient_attention,
)
from core.incubate.nn.functional.feed_forward import (
    fused_bias_dropout_residual_layer_norm,
    fused_dropout_add,
    fused_feedforward,
)
from core.incubate.nn.functional.masked_attention import masked_multihead_attention
from core.incubate.nn.functional.normalization import fused_layer_norm, fused_rms_norm
from core.incubate.nn.functional.products import fused_linear, fused_linear_activation, fused_matmul_bias
from core.incubate.nn.functional.rotary import fused_rotary_position_embedding

__all__ = [
    "fused_bias_dropout_residual_layer_norm",
    "fused_dropout_add",
    "fused_feedforward",
    "fused_layer_norm",
    "fused_linear",
    "fused_linear_activation",
    "fused_matmul_bias",
    "fused_multi_head_attention",
    "fused_rms_norm",
    "fused_rotary_position_embedding",
    "masked_multihead_attention",
    "variable_length_memory_efficient_attention",
]
