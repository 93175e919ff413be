"""Layers that Paddle computes in one fused call (paddle.incubate.nn)."""

from core.incubate.nn import functional
from core.incubate.nn.layer.fused_attention import FusedMultiHeadAttention
from core.incubate.nn.layer.fused_dropout_add import FusedBiasDropoutResidualLayerNorm, FusedDropoutAdd
from core.incubate.nn.layer.fused_linear import FusedLinear
from core.incubate.nn.layer.fused_transformer import FusedFeedForward, FusedTransformerEncoderLayer

__all__ = [
    "FusedBiasDropoutResidualLayerNorm",
    "FusedDropoutAdd",
    "FusedFeedForward",
    "FusedLinear",
    "FusedMultiHeadAttention",
    "FusedTransformerEncoderLayer",
    "functional",
]
