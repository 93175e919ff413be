"""A linear layer whose product and shift are one call."""

from __future__ import annotations

from typing import Optional

from core.nn import Layer
from core.nn.param_attr import ParamAttrLike
from core.operators import add, matmul
from core.tensor import Tensor

__all__ = ["FusedLinear"]


class FusedLinear(Layer):
    """A linear layer whose product and shift are one operator; the engine fuses them in either kind.

    Args:
        in_features: size of the last axis of the input.
        out_features: size of the last axis of the output.
        weight_attr: ParamAttr of the weight.
        bias_attr: ParamAttr of the shift, or False for none.
        transpose_weight: whether the weight is (out_features, in_features) instead of (in_features, out_features).
        name: name shown in the repr.

    Shapes:
        input (..., in_features), output (..., out_features).
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        transpose_weight: bool = False,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        shape = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight = self.create_parameter(shape, weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.transpose_weight = transpose_weight
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        """Return ``input @ weight + bias``."""
        product = matmul(input, self.weight, transpose_y=self.transpose_weight)
        return product if self.bias is None else add(product, self.bias)
