"""The Transformer (Vaswani et al. 2017, arXiv:1706.03762); its parts are re-exported beside it."""

from __future__ import annotations

import math
from typing import Any, Optional

from core.kernels.dtypes import float32
from core.nn.layer.attention import MultiHeadAttention
from core.nn.layer.layers import Layer
from core.nn.layer.norm import LayerNorm
from core.nn.layer.transformer_decoder import TransformerDecoder, TransformerDecoderLayer
from core.nn.layer.transformer_encoder import TransformerEncoder, TransformerEncoderLayer
from core.operators.creation._constants import later_positions

__all__ = [
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


class Transformer(Layer):
    """Encoder and decoder.

    Args:
        d_model: Size of inputs and output.
        nhead: Number of heads.
        num_encoder_layers: Number of encoder layers.
        num_decoder_layers: Number of decoder layers.
        dim_feedforward: Size inside the feed-forward blocks.
        dropout: Probability of dropping outputs of the blocks.
        activation: Name of a function of ``core.nn.functional``.
        attn_dropout: Probability of dropping attention weights; ``dropout`` when it is None.
        act_dropout: Probability of dropping after the activation; ``dropout`` when it is None.
        normalize_before: Whether each block's input is normalised instead of its output.
        weight_attr: ParamAttr of the weights, or a list of one to three: self-attention, cross-attention, feed-forward
            (two: attention, feed-forward).
        bias_attr: ParamAttr of the biases (or False), or such a list.
        custom_encoder: Replaces the encoder.
        custom_decoder: Replaces the decoder.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: Optional[float] = None,
        act_dropout: Optional[float] = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        custom_encoder: Optional[Layer] = None,
        custom_decoder: Optional[Layer] = None,
    ) -> None:
        super().__init__()
        encoder_weight, decoder_weight = _split("weight_attr", weight_attr)
        encoder_bias, decoder_bias = _split("bias_attr", bias_attr)
        settings: dict[str, Any] = {
            "d_model": d_model,
            "nhead": nhead,
            "dim_feedforward": dim_feedforward,
            "dropout": dropout,
            "activation": activation,
            "attn_dropout": attn_dropout,
            "act_dropout": act_dropout,
            "normalize_before": normalize_before,
        }
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            encoder_layer = TransformerEncoderLayer(**settings, weight_attr=encoder_weight, bias_attr=encoder_bias)
            self.encoder = TransformerEncoder(encoder_layer, num_encoder_layers, LayerNorm(d_model))
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            decoder_layer = TransformerDecoderLayer(**settings, weight_attr=decoder_weight, bias_attr=decoder_bias)
            self.decoder = TransformerDecoder(decoder_layer, num_decoder_layers, LayerNorm(d_model))
        self.d_model = d_model
        self.nhead = nhead

    def forward(self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None) -> Any:
        """Return the decoder's output (batch, target steps, d_model).

        Args:
            src: (batch, source steps, d_model).
            tgt: (batch, target steps, d_model).
            src_mask: Mask of the encoder's attention, see :class:`MultiHeadAttention`.
            tgt_mask: Mask of the decoder's self-attention.
            memory_mask: Mask of the decoder's attention to the encoder's output.
        """
        memory = self.encoder(src, src_mask=src_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)

    def generate_square_subsequent_mask(self, length: int) -> Any:
        """Return the mask (length, length) that hides later steps: 0 up to the diagonal, -inf above it.

        Args:
            length: Number of steps.
        """
        return later_positions(length, length, -math.inf, float32)


def _split(name: str, attr: Any) -> tuple[Any, Any]:
    """Return what encoder layers (two parts) and decoder layers (three parts) get of a list of attributes."""
    if not isinstance(attr, (list, tuple)):
        return attr, attr
    if len(attr) == 1:
        return [attr[0]] * 2, [attr[0]] * 3
    if len(attr) == 2:
        return list(attr), [attr[0], attr[0], attr[1]]
    if len(attr) == 3:
        return [attr[0], attr[2]], list(attr)
    raise ValueError(f"Transformer: {name} is one attribute or a list of one to three, not of {len(attr)}")
