"""A transformer encoder's layer whose parts are one call each; weights have Paddle's names."""

from __future__ import annotations

from typing import Any, Optional

from core.incubate.nn import functional as F
from core.incubate.nn.layer.fused_attention import FusedMultiHeadAttention, refuse_ranks
from core.nn import Layer
from core.nn.initializer import Constant
from core.nn.layer.checks import positive, with_name
from core.nn.layer.transformer_parts import attributes_per_part
from core.nn.param_attr import ParamAttrLike, PresentAttrLike
from core.tensor import Tensor


class FusedFeedForward(Layer):
    """Two linear layers with an activation between them, and the normalisation and sum around them.

    Args:
        d_model: Size of the last axis.
        dim_feedforward: Size of the hidden layer.
        dropout_rate: Probability of dropping an element of the result.
        epsilon: Added to the variance.
        activation: ``relu`` or ``gelu``.
        act_dropout_rate: Probability of dropping a hidden element; ``dropout_rate`` when it is None.
        normalize_before: Whether the input is normalised, instead of the sum.
        linear1_weight_attr: ParamAttr of the first weight.
        linear1_bias_attr: ParamAttr of the first bias, or False for none.
        linear2_weight_attr: ParamAttr of the second weight.
        linear2_bias_attr: ParamAttr of the second bias, or False for none.
        ln1_scale_attr: ParamAttr of the factors of the normalisation before.
        ln1_bias_attr: ParamAttr of its biases.
        ln2_scale_attr: ParamAttr of the factors of the normalisation after.
        ln2_bias_attr: ParamAttr of its biases.
        nranks: 1: weights that several devices share are not offered.
        ring_id: -1, likewise.
        name: Name shown in the repr.

    Shapes:
        input and output (batch, steps, d_model).

    Raises:
        NotImplementedError: several devices are wanted.
        ValueError: a size is not positive.
    """

    def __init__(
        self,
        d_model: int,
        dim_feedforward: int,
        dropout_rate: float = 0.1,
        epsilon: float = 1e-5,
        activation: str = "relu",
        act_dropout_rate: Optional[float] = None,
        normalize_before: bool = False,
        linear1_weight_attr: PresentAttrLike = None,
        linear1_bias_attr: ParamAttrLike = None,
        linear2_weight_attr: PresentAttrLike = None,
        linear2_bias_attr: ParamAttrLike = None,
        ln1_scale_attr: ParamAttrLike = None,
        ln1_bias_attr: ParamAttrLike = None,
        ln2_scale_attr: ParamAttrLike = None,
        ln2_bias_attr: ParamAttrLike = None,
        nranks: int = 1,
        ring_id: int = -1,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        refuse_ranks("FusedFeedForward", nranks)
        self._d_model = positive("FusedFeedForward", "d_model", d_model)
        self._dim_feedforward = positive("FusedFeedForward", "dim_feedforward", dim_feedforward)
        self._dropout_rate = dropout_rate
        self._act_dropout_rate = dropout_rate if act_dropout_rate is None else act_dropout_rate
        self._act_method = activation
        self._normalize_before = normalize_before
        self._epsilon, self._ring_id = epsilon, ring_id
        self._linear1_weight = self.create_parameter([d_model, dim_feedforward], linear1_weight_attr)
        self._linear1_bias = self.create_parameter([dim_feedforward], linear1_bias_attr, is_bias=True)
        self._linear2_weight = self.create_parameter([dim_feedforward, d_model], linear2_weight_attr)
        self._linear2_bias = self.create_parameter([d_model], linear2_bias_attr, is_bias=True)
        self._ln1_scale = self._ln1_bias = self._ln2_scale = self._ln2_bias = None
        one = Constant(1.0)
        if normalize_before:
            self._ln1_scale = self.create_parameter([d_model], ln1_scale_attr, default_initializer=one)
            self._ln1_bias = self.create_parameter([d_model], ln1_bias_attr, is_bias=True)
        else:
            self._ln2_scale = self.create_parameter([d_model], ln2_scale_attr, default_initializer=one)
            self._ln2_bias = self.create_parameter([d_model], ln2_bias_attr, is_bias=True)
        self.name = name

    def forward(self, src: Tensor, cache: Any = None) -> Tensor:
        """Return the sum of the input and what the two layers make of it.

        Args:
            src: (batch, steps, d_model).
            cache: Unused, as in Paddle.
        """
        return F.fused_feedforward(
            src,
            self._linear1_weight,
            self._linear2_weight,
            self._linear1_bias,
            self._linear2_bias,
            self._ln1_scale,
            self._ln1_bias,
            self._ln2_scale,
            self._ln2_bias,
            self._act_dropout_rate,
            self._dropout_rate,
            self._act_method,
            self._epsilon,
            self._epsilon,
            self._normalize_before,
            self.training,
            ring_id=self._ring_id,
        )

    def extra_repr(self) -> str:
        """Return the settings."""
        text = (
            f"d_model={self._d_model}, dim_feedforward={self._dim_feedforward}, dropout_rate={self._dropout_rate},"
            f" epsilon={self._epsilon}, activation={self._act_method}, act_dropout_rate={self._act_dropout_rate},"
            f" normalize_before={self._normalize_before}, dtype={self._dtype}"
        )
        return with_name(text, self.name)


class FusedTransformerEncoderLayer(Layer):
    """Self-attention and a feed-forward block, each with its normalisation and sum (arXiv:1706.03762).

    Args:
        d_model: Size of the last axis.
        nhead: Number of subspaces; divides ``d_model``.
        dim_feedforward: Size of the hidden layer.
        dropout_rate: Probability of dropping an element of either block's result.
        activation: ``relu`` or ``gelu``.
        attn_dropout_rate: Probability of dropping an attention weight; ``dropout_rate`` when it is None.
        act_dropout_rate: Probability of dropping a hidden element; ``dropout_rate`` when it is None.
        normalize_before: Whether the inputs of the blocks are normalised, instead of the sums.
        weight_attr: ParamAttr of all weights, or a list of one for attention and one for the feed-forward block.
        bias_attr: ParamAttr of all biases, likewise, or False for none.

    Shapes:
        input and output (batch, steps, d_model).

    Raises:
        ValueError: a size is not positive, or heads do not divide ``d_model``.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout_rate: float = 0.1,
        activation: str = "relu",
        attn_dropout_rate: Optional[float] = None,
        act_dropout_rate: Optional[float] = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        self._config = {
            "d_model": d_model,
            "nhead": nhead,
            "dim_feedforward": dim_feedforward,
            "dropout_rate": dropout_rate,
            "activation": activation,
            "attn_dropout_rate": attn_dropout_rate,
            "act_dropout_rate": act_dropout_rate,
            "normalize_before": normalize_before,
            "weight_attr": weight_attr,
            "bias_attr": bias_attr,
        }
        self.normalize_before = normalize_before
        weights, biases = attributes_per_part(weight_attr, 2), attributes_per_part(bias_attr, 2)
        self.fused_attn = FusedMultiHeadAttention(
            d_model,
            nhead,
            dropout_rate,
            dropout_rate if attn_dropout_rate is None else attn_dropout_rate,
            normalize_before=normalize_before,
            qkv_weight_attr=weights[0],
            qkv_bias_attr=biases[0],
            linear_weight_attr=weights[0],
            linear_bias_attr=biases[0],
            pre_ln_scale_attr=weights[0],
            pre_ln_bias_attr=biases[0],
            ln_scale_attr=weights[0],
            ln_bias_attr=biases[0],
        )
        self.ffn = FusedFeedForward(
            d_model,
            dim_feedforward,
            dropout_rate,
            activation=activation,
            act_dropout_rate=act_dropout_rate,
            normalize_before=normalize_before,
            linear1_weight_attr=weights[1],
            linear1_bias_attr=biases[1],
            linear2_weight_attr=weights[1],
            linear2_bias_attr=biases[1],
        )

    def forward(self, src: Tensor, src_mask: Optional[Tensor] = None, cache: Any = None) -> Any:
        """Return the layer's output; with a cache a tuple of it and the keys and values of all steps.

        Args:
            src: (batch, steps, d_model).
            src_mask: Broadcastable to (batch, heads, steps, keys): bool or integers, 1 where attention is allowed, or
                numbers that are added to the scores.
            cache: Keys and values of earlier steps (2, batch, heads, steps, head size), or None.
        """
        attended = self.fused_attn(src, attn_mask=src_mask, cache=cache)
        if cache is None:
            return self.ffn(attended)
        return self.ffn(attended[0]), attended[1]
