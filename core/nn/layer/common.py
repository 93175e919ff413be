"""Linear, Embedding and other layers that are no convolution, pooling or normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.nn import functional as F
from core.nn.initializer import Initializer
from core.nn.layer.checks import not_false, positive, with_name
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttrLike, PresentAttrLike
from core.nn.parameter import Parameter

__all__ = [
    "Bilinear",
    "CosineSimilarity",
    "Embedding",
    "Flatten",
    "Identity",
    "Linear",
    "PairwiseDistance",
    "Unflatten",
]


class Identity(Layer):
    """Returns its input.

    Args:
        *args: Ignored, so that it can stand in for any layer.
        **kwargs: Ignored.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Linear(Layer):
    """y = x · W + b, with W of shape (in_features, out_features).

    Args:
        in_features: Size of the input's last axis.
        out_features: Size of the output's last axis.
        weight_attr: ParamAttr of the weight; XavierUniform by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        name: Name shown in the repr.

    Shapes:
        input (..., in_features), output (..., out_features).
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.in_features = positive("Linear", "in_features", in_features)
        self.out_features = positive("Linear", "out_features", out_features)
        not_false("Linear", weight_attr, "only the bias can be left out")
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return input · W + b."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return sizes and dtype."""
        text = f"in_features={self.in_features}, out_features={self.out_features}, dtype={self._dtype}"
        return with_name(text, self.name)


class Embedding(Layer):
    """A table of vectors, looked up by integer.

    Args:
        num_embeddings: Number of rows.
        embedding_dim: Size of each row.
        padding_idx: Row that starts at zero, yields zeros and gets no gradient; negative counts from the end.
        sparse: Whether the gradient holds only the rows that were used; the values are the same either way.
        weight_attr: ParamAttr of the table; XavierUniform by default.
        name: Unused; for Paddle's signature.

    Shapes:
        input (...) of int32 or int64, output (..., embedding_dim).
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: Optional[int] = None,
        sparse: bool = False,
        weight_attr: PresentAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self._num_embeddings = positive("Embedding", "num_embeddings", num_embeddings)
        self._embedding_dim = positive("Embedding", "embedding_dim", embedding_dim)
        self._sparse = sparse
        self._name = name
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"Embedding: padding_idx must be within [-{num_embeddings}, {num_embeddings})")
        self._padding_idx = padding_idx
        self.weight = self.create_parameter([num_embeddings, embedding_dim], weight_attr)
        if padding_idx is not None and self.weight is not None:
            _clear_row(self.weight, padding_idx)

    def forward(self, x: Any) -> Any:
        """Return the rows that x names."""
        return F.embedding(x, self.weight, padding_idx=self._padding_idx, sparse=self._sparse)

    def extra_repr(self) -> str:
        """Return sizes and options."""
        text = f"{self._num_embeddings}, {self._embedding_dim}"
        if self._padding_idx is not None:
            text += f", padding_idx={self._padding_idx}"
        return with_name(f"{text}, sparse={self._sparse}", self._name)


class Bilinear(Layer):
    """y_k = x1ᵀ · W_k · x2 + b_k.

    Args:
        in1_features: Size of the first input's last axis.
        in2_features: Size of the second input's last axis.
        out_features: Size of the output's last axis.
        weight_attr: ParamAttr of the weight (out_features, in1_features, in2_features).
        bias_attr: ParamAttr of the bias (1, out_features), or False for none.
        name: Unused; for Paddle's signature.

    Shapes:
        inputs (batch, in1_features) and (batch, in2_features), output (batch, out_features).
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self._in1_features = positive("Bilinear", "in1_features", in1_features)
        self._in2_features = positive("Bilinear", "in2_features", in2_features)
        self._out_features = positive("Bilinear", "out_features", out_features)
        self._name = name
        self.weight = self.create_parameter([out_features, in1_features, in2_features], weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """Return the bilinear form of both inputs."""
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return sizes and dtype."""
        text = (
            f"in1_features={self._in1_features}, in2_features={self._in2_features},"
            f" out_features={self._out_features}, dtype={self._dtype}"
        )
        return with_name(text, self._name)


class Flatten(Layer):
    """Joins the axes from start_axis to stop_axis into one.

    Args:
        start_axis: First axis.
        stop_axis: Last axis, included.
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis = start_axis
        self.stop_axis = stop_axis

    def forward(self, input: Any) -> Any:
        """Return the flattened input."""
        return input.flatten(self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """Splits one axis into several.

    Args:
        axis: The axis.
        shape: Its new sizes; one may be -1.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, axis: int, shape: Sequence[int], name: Optional[str] = None) -> None:
        super().__init__()
        self.axis = axis
        self.shape = shape
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the input with the axis split.

        Raises:
            ValueError: the sizes do not multiply to the axis's size.
        """
        old = list(input.shape)
        axis = self.axis + len(old) if self.axis < 0 else self.axis
        if not 0 <= axis < len(old):
            raise ValueError(f"Unflatten: axis={self.axis} is outside an input of {len(old)} dimensions")
        return input.reshape([*old[:axis], *_resolved(self.shape, old[axis]), *old[axis + 1 :]])

    def extra_repr(self) -> str:
        """Return axis and shape."""
        return with_name(f"axis={self.axis}, shape={self.shape}", self.name)


class CosineSimilarity(Layer):
    """The cosine of the angle between two tensors along an axis.

    Args:
        axis: The axis.
        eps: Smallest product of lengths to divide by.
    """

    def __init__(self, axis: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self._axis = axis
        self._eps = eps

    def forward(self, x1: Any, x2: Any) -> Any:
        """Return the similarity; the axis is gone."""
        return F.cosine_similarity(x1, x2, axis=self._axis, eps=self._eps)

    def extra_repr(self) -> str:
        """Return axis and eps."""
        return f"axis={self._axis}, eps={self._eps}"


class PairwiseDistance(Layer):
    """The p-norm of the difference between pairs of vectors.

    Args:
        p: Degree of the norm.
        epsilon: Added to each difference.
        keepdim: Whether the last axis stays with size 1.
        name: Unused; for Paddle's signature.

    Shapes:
        inputs (batch, width) or (width,), output (batch,) or ().
    """

    def __init__(
        self, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: Optional[str] = None
    ) -> None:
        super().__init__()
        self.p = p
        self.epsilon = epsilon
        self.keepdim = keepdim
        self.name = name

    def forward(self, x: Any, y: Any) -> Any:
        """Return the distances."""
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self) -> str:
        """Return the options that differ from their defaults, and p."""
        text = f"p={self.p}"
        if self.epsilon != 1e-6:
            text += f", epsilon={self.epsilon}"
        if self.keepdim:
            text += f", keepdim={self.keepdim}"
        return with_name(text, self.name)


class _ClearedRow(Initializer):
    """Another initializer's values with one row set to zero."""

    def __init__(self, inner: Initializer, row: int) -> None:
        self.inner = inner
        self.row = row

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return the values."""
        values = self.inner.sample(shape, dtype)
        values[self.row] = 0
        return values


def _clear_row(table: Parameter, row: int) -> None:
    if table.is_abstract:
        table.initializer = _ClearedRow(table.initializer, row)
        return
    values = table.numpy().copy()
    values[row] = 0
    table.set_value(values)


def _resolved(shape: Sequence[int], size: int) -> list[int]:
    """Return sizes that multiply to ``size``, with a -1 replaced."""
    sizes = [int(item) for item in shape]
    known = math.prod(item for item in sizes if item != -1)
    if sizes.count(-1) == 1 and known > 0 and size % known == 0:
        return [size // known if item == -1 else item for item in sizes]
    if known != size or -1 in sizes:
        raise ValueError(f"Unflatten: an axis of size {size} cannot become {sizes}")
    return sizes
