"""The decoder of the Transformer (Vaswani et al. 2017, arXiv:1706.03762)."""

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


class TransformerDecoderLayer(TransformerPart):
    """Self-attention, attention to the encoder's output and a feed-forward block, each with a residual connection.

    Args:
        d_model: Size of input and output.
        nhead: Number of heads.
        dim_feedforward: Size inside the feed-forward block.
        dropout: Probability of dropping outputs of the three blocks.
        activation: Name of a function of ``core.nn.functional``.
        attn_dropout: Probability of dropping attention weights; ``dropout`` when it is None.
        act_dropout: Probability of dropping after the activation; ``dropout`` when it is None.
        normalize_before: Whether each block's input is normalised instead of its output.
        weight_attr: ParamAttr of the weights, or a list of three: self-attention, cross-attention, feed-forward.
        bias_attr: ParamAttr of the biases (or False), or a list of three.
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
        weights = attributes_per_part(weight_attr, 3)
        biases = attributes_per_part(bias_attr, 3)
        attention_dropout = or_default(attn_dropout, dropout)
        self.self_attn = MultiHeadAttention(
            d_model, nhead, attention_dropout, weight_attr=weights[0], bias_attr=biases[0]
        )
        self.cross_attn = MultiHeadAttention(
            d_model, nhead, attention_dropout, weight_attr=weights[1], bias_attr=biases[1]
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[2], biases[2])
        self.dropout = Dropout(or_default(act_dropout, dropout))
        self.linear2 = Linear(dim_feedforward, d_model, weights[2], biases[2])
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None) -> Any:
        """Return the output, and the new (cache, static cache) where a pair is given.

        Args:
            tgt: (batch, target steps, d_model).
            memory: The encoder's output (batch, source steps, d_model).
            tgt_mask: Mask of the self-attention, see :class:`MultiHeadAttention`.
            memory_mask: Mask of the attention to the memory.
            cache: A pair from :meth:`gen_cache`.
        """
        residual = tgt
        if self.normalize_before:
            tgt = self.norm1(tgt)
        if cache is None:
            tgt = self.self_attn(tgt, tgt, tgt, tgt_mask)
        else:
            tgt, growing = self.self_attn(tgt, tgt, tgt, tgt_mask, cache[0])
        tgt = residual + self.dropout1(tgt)
        if not self.normalize_before:
            tgt = self.norm1(tgt)
        residual = tgt
        if self.normalize_before:
            tgt = self.norm2(tgt)
        if cache is None:
            tgt = self.cross_attn(tgt, memory, memory, memory_mask)
        else:
            tgt, fixed = self.cross_attn(tgt, memory, memory, memory_mask, cache[1])
        tgt = residual + self.dropout2(tgt)
        if not self.normalize_before:
            tgt = self.norm2(tgt)
        residual = tgt
        if self.normalize_before:
            tgt = self.norm3(tgt)
        tgt = residual + self.dropout3(self._feed_forward(tgt))
        if not self.normalize_before:
            tgt = self.norm3(tgt)
        return tgt if cache is None else (tgt, (growing, fixed))

    def gen_cache(self, memory: Any) -> tuple[Any, Any]:
        """Return (an empty Cache, a StaticCache of the memory)."""
        return (
            self.self_attn.gen_cache(memory, type=MultiHeadAttention.Cache),
            self.cross_attn.gen_cache(memory, memory, type=MultiHeadAttention.StaticCache),
        )


class TransformerDecoder(Layer):
    """Decoder layers on top of each other.

    Args:
        decoder_layer: The first layer; the others are made with its settings.
        num_layers: Number of layers.
        norm: A layer that normalises the last output, or None.
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Optional[Layer] = None) -> None:
        super().__init__()
        positive("TransformerDecoder", "num_layers", num_layers)
        others = [type(decoder_layer)(**decoder_layer._config) for _ in range(num_layers - 1)]
        self.layers = LayerList([decoder_layer, *others])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None) -> Any:
        """Return the output, and the list of new caches where one is given.

        Args:
            tgt: (batch, target steps, d_model).
            memory: The encoder's output (batch, source steps, d_model).
            tgt_mask: Mask of the self-attention, see :class:`MultiHeadAttention`.
            memory_mask: Mask of the attention to the memory.
            cache: One pair per layer, from :meth:`gen_cache`.
        """
        output = tgt
        new_caches = []
        for index, layer in enumerate(self.layers):
            if cache is None:
                output = layer(output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
            else:
                output, new_cache = layer(
                    output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, cache=cache[index]
                )
                new_caches.append(new_cache)
        if self.norm is not None:
            output = self.norm(output)
        return output if cache is None else (output, new_caches)

    def gen_cache(self, memory: Any, do_zip: bool = False) -> list[Any]:
        """Return one (Cache, StaticCache) per layer.

        Args:
            memory: The encoder's output.
            do_zip: Whether to return [all Caches, all StaticCaches] instead.
        """
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches)) if do_zip else caches
