"""The encoder of the Transformer (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

from typing import Any, Optional

from core.nn.layer.attention import MultiHeadAttention
from core.nn.layer.checks import positive
from core.nn.layer.common import Linear
from core.nn.layer.container import LayerList
from core.nn.layer.dropout import Dropout
from core.nn.layer.layers import Layer
from core.nn.layer.norm import LayerNorm
from core.nn.layer.transformer_parts import TransformerPart, attributes_per_part, or_default


class TransformerEncoderLayer(TransformerPart):
    """Self-attention and a feed-forward block, each with dropout, a residual connection and a layer norm.

    Args:
        d_model: Size of input and output.
        nhead: Number of heads.
        dim_feedforward: Size inside the feed-forward block.
        dropout: Probability of dropping outputs of both blocks.
        activation: Name of a function of ``core.nn.functional``.
        attn_dropout: Probability of dropping attention weights; ``dropout`` when it is None.
        act_dropout: Probability of dropping after the activation; ``dropout`` when it is None.
        normalize_before: Whether each block's input is normalised instead of its output.
        weight_attr: ParamAttr of the weights, or a list of two: attention, feed-forward.
        bias_attr: ParamAttr of the biases (or False), or a list of two.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: Optional[float] = None,
        act_dropout: Optional[float] = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__(
            d_model=d_model,
            nhead=nhead,
            dim_feedforward=dim_feedforward,
            dropout=dropout,
            activation=activation,
            attn_dropout=attn_dropout,
            act_dropout=act_dropout,
            normalize_before=normalize_before,
            weight_attr=weight_attr,
            bias_attr=bias_attr,
        )
        weights = attributes_per_part(weight_attr, 2)
        biases = attributes_per_part(bias_attr, 2)
        self.self_attn = MultiHeadAttention(
            d_model, nhead, or_default(attn_dropout, dropout), weight_attr=weights[0], bias_attr=biases[0]
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[1], biases[1])
        self.dropout = Dropout(or_default(act_dropout, dropout))
        self.linear2 = Linear(dim_feedforward, d_model, weights[1], biases[1])
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Return the output, and the new cache where one is given.

        Args:
            src: (batch, steps, d_model).
            src_mask: Attention mask, see :class:`MultiHeadAttention`.
            cache: A Cache from :meth:`gen_cache`.
        """
        residual = src
        if self.normalize_before:
            src = self.norm1(src)
        if cache is None:
            src = self.self_attn(src, src, src, src_mask)
        else:
            src, cache = self.self_attn(src, src, src, src_mask, cache)
        src = residual + self.dropout1(src)
        if not self.normalize_before:
            src = self.norm1(src)
        residual = src
        if self.normalize_before:
            src = self.norm2(src)
        src = residual + self.dropout2(self._feed_forward(src))
        if not self.normalize_before:
            src = self.norm2(src)
        return src if cache is None else (src, cache)

    def gen_cache(self, src: Any) -> Any:
        """Return an empty cache for a batch like ``src``."""
        return self.self_attn.gen_cache(src, type=MultiHeadAttention.Cache)


class TransformerEncoder(Layer):
    """Encoder layers on top of each other.

    Args:
        encoder_layer: The first layer; the others are made with its settings.
        num_layers: Number of layers.
        norm: A layer that normalises the last output, or None.
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Optional[Layer] = None) -> None:
        super().__init__()
        positive("TransformerEncoder", "num_layers", num_layers)
        others = [type(encoder_layer)(**encoder_layer._config) for _ in range(num_layers - 1)]
        self.layers = LayerList([encoder_layer, *others])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Return the output, and the list of new caches where one is given.

        Args:
            src: (batch, steps, d_model).
            src_mask: Attention mask, see :class:`MultiHeadAttention`.
            cache: One Cache per layer, from :meth:`gen_cache`.
        """
        output = src
        new_caches = []
        for index, layer in enumerate(self.layers):
            if cache is None:
                output = layer(output, src_mask=src_mask)
            else:
                output, new_cache = layer(output, src_mask=src_mask, cache=cache[index])
                new_caches.append(new_cache)
        if self.norm is not None:
            output = self.norm(output)
        return output if cache is None else (output, new_caches)

    def gen_cache(self, src: Any) -> list[Any]:
        """Return an empty cache per layer for a batch like ``src``."""
        return [layer.gen_cache(src) for layer in self.layers]
