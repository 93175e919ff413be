"""What the transformers over patches of images and frames share: linear layers, attention, MLP, block.

Paper: Vaswani et al., "Attention is all you need", NeurIPS 2017, https://arxiv.org/abs/1706.03762.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Constant, TruncatedNormal


def linear(received: int, returned: int, bias: bool = True, zero: bool = False) -> nn.Linear:
    """Return a linear layer, whose fresh weights are near 0 or, with ``zero``, 0."""
    initializer: Any = Constant(0.0) if zero else TruncatedNormal(0.0, 0.02)
    return nn.Linear(
        received, returned, weight_attr=ParamAttr(initializer=initializer), bias_attr=None if bias else False
    )


def stochastic_depth(probability: float) -> Any:
    """Return what leaves the branch of whole samples out in training, with a probability (Huang et al., 1603.09382)."""
    return nn.Dropout(probability, axis=0)


class Attention(nn.Layer):
    """Self-attention of several heads: (N, L, C) to the same shape.

    Args:
        channels: C.
        heads: how many heads share them.
        qkv_bias: whether queries, keys and values have biases.
        scale: factor on the products of queries and keys; None: one over the root of a head's size.
        dropout: how often an element of the result is left out in training.
        attention_dropout: how often a weight of the attention is.
    """

    def __init__(
        self,
        channels: int,
        heads: int,
        qkv_bias: bool,
        scale: Optional[float] = None,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.heads = heads
        self.factor = 1.0 if scale is None else scale * (channels // heads) ** 0.5
        self.attention_dropout = attention_dropout
        self.qkv = linear(channels, 3 * channels, qkv_bias)
        self.proj = linear(channels, channels)
        self.proj_drop = nn.Dropout(dropout)

    def forward(self, x: Any) -> Any:
        """Return what each token finds in all of them."""
        _, length, channels = x.shape
        qkv = self.qkv(x).reshape([-1, length, 3, self.heads, channels // self.heads])
        queries = qkv[:, :, 0] if self.factor == 1.0 else qkv[:, :, 0] * self.factor
        found = F.scaled_dot_product_attention(
            queries, qkv[:, :, 1], qkv[:, :, 2], dropout_p=self.attention_dropout, training=self.training
        )
        return self.proj_drop(self.proj(found.reshape([-1, length, channels])))


class Mlp(nn.Layer):
    """Two linear layers with an activation between them: (..., C) to the same shape.

    Args:
        channels: C.
        hidden: features between the two.
        dropout: how often an element is left out after each, in training.
        activation: between them.
    """

    def __init__(
        self, channels: int, hidden: int, dropout: float = 0.0, activation: Callable[[Any], Any] = F.gelu
    ) -> None:
        super().__init__()
        self.fc1 = linear(channels, hidden)
        self.fc2 = linear(hidden, channels)
        self.dropout = nn.Dropout(dropout)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return the features."""
        x = self.dropout(self.activation(self.fc1(x)))
        return self.dropout(self.fc2(x))


class Block(nn.Layer):
    """Attention and an MLP, each after a normalisation and each a residual: (N, L, C) to the same shape.

    Args:
        channels: C.
        heads: of the attention.
        mlp_ratio: how much wider the MLP is within.
        qkv_bias: whether queries, keys and values have biases.
        scale: as in :class:`Attention`.
        dropout: how often an element of a branch is left out in training.
        attention_dropout: how often a weight of the attention is.
        drop_path: how often a branch is left out in training.
        epsilon: of the normalisations.
        names: attribute names of the two normalisations; official weight files depend on them.
        activation: of the MLP.
    """

    def __init__(
        self,
        channels: int,
        heads: int,
        mlp_ratio: float = 4.0,
        qkv_bias: bool = False,
        scale: Optional[float] = None,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        drop_path: float = 0.0,
        epsilon: float = 1e-5,
        names: tuple[str, str] = ("norm1", "norm2"),
        activation: Callable[[Any], Any] = F.gelu,
    ) -> None:
        super().__init__()
        self.add_sublayer(names[0], nn.LayerNorm(channels, epsilon))
        self.attn = Attention(channels, heads, qkv_bias, scale, dropout, attention_dropout)
        self.drop_path = stochastic_depth(drop_path)
        self.add_sublayer(names[1], nn.LayerNorm(channels, epsilon))
        self.mlp = Mlp(channels, int(channels * mlp_ratio), dropout, activation)

    def forward(self, x: Any) -> Any:
        """Return the tokens."""
        before, attention, drop_path, after, mlp = self.children()
        x = x + drop_path(attention(before(x)))
        return x + drop_path(mlp(after(x)))
