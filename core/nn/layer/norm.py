"""Normalisation layers: layer, group, local response, spectral; batch and instance ones are re-exported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from core.nn.layer.batch_norm import BatchNorm1D, BatchNorm2D, BatchNorm3D
from core.nn.layer.batch_norm_any import BatchNorm, SyncBatchNorm
from core.nn.layer.checks import one_of, positive, with_name
from core.nn.layer.instance_norm import InstanceNorm1D, InstanceNorm2D, InstanceNorm3D
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttr, ParamAttrLike
from core.nn.utils.spectral import normalised_by_spectrum

__all__ = [
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LayerNorm",
    "LocalResponseNorm",
    "SpectralNorm",
    "SyncBatchNorm",
]


class LayerNorm(Layer):
    """Normalises over the last axes (Ba et al. 2016, arXiv:1607.06450).

    Args:
        normalized_shape: Sizes of the axes to normalise over; an integer means the last axis alone.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale (1 by default, one flat vector), or False for none.
        bias_attr: ParamAttr of the shift (0 by default, one flat vector), or False for none.
        name: Unused; for Paddle's signature.

    Shapes:
        input and output (..., *normalized_shape).
    """

    def __init__(
        self,
        normalized_shape: Union[int, Sequence[int]],
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        sizes = normalized_shape if isinstance(normalized_shape, (list, tuple)) else [normalized_shape]
        self._normalized_shape = [positive("LayerNorm", "normalized_shape", size) for size in sizes]
        self._epsilon = epsilon
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        elements = [math.prod(self._normalized_shape)]
        self.weight = self.create_parameter(elements, weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(elements, bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Return the normalised input."""
        return F.layer_norm(
            input,
            normalized_shape=self._normalized_shape,
            weight=self.weight,
            bias=self.bias,
            epsilon=self._epsilon,
        )

    def extra_repr(self) -> str:
        """Return shape and epsilon."""
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    """Normalises over groups of channels (Wu and He 2018, arXiv:1803.08494).

    Args:
        num_groups: Number of groups.
        num_channels: Number of channels.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale (1 by default); False fixes it at 1.
        bias_attr: ParamAttr of the shift (0 by default); False fixes it at 0.
        data_format: Channels first (``NCHW`` and the like) or last.
        name: Unused; for Paddle's signature.

    Shapes:
        input and output (N, C, ...) or (N, ..., C).
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self._num_groups = positive("GroupNorm", "num_groups", num_groups)
        self._num_channels = positive("GroupNorm", "num_channels", num_channels)
        if num_channels % num_groups:
            raise ValueError(f"GroupNorm: num_channels={num_channels} must be divisible by num_groups={num_groups}")
        self._epsilon = epsilon
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        self._data_format = one_of(
            "GroupNorm", "data_format", data_format, ("NCHW", "NHWC", "NC", "NCL", "NLC", "NCDHW", "NDHWC")
        )
        fixed = ParamAttr(trainable=False)
        shape = [num_channels]
        # left out, Paddle still keeps both in the state, fixed
        self.weight = self.create_parameter(
            shape, fixed if weight_attr is False else weight_attr, default_initializer=Constant(1.0)
        )
        self.bias = self.create_parameter(shape, fixed if bias_attr is False else bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Return the normalised input."""
        return F.group_norm(
            input,
            num_groups=self._num_groups,
            epsilon=self._epsilon,
            weight=self.weight,
            bias=self.bias,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        """Return the options."""
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


class LocalResponseNorm(Layer):
    """Divides by the energy of neighbouring channels (Krizhevsky et al. 2012).

    Args:
        size: Number of channels in a neighbourhood.
        alpha: Factor on the energy.
        beta: Exponent.
        k: Added to the energy.
        data_format: Layout of the input.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        size: int,
        alpha: float = 1e-4,
        beta: float = 0.75,
        k: float = 1.0,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.size = positive("LocalResponseNorm", "size", size)
        self.alpha = alpha
        self.beta = beta
        self.k = k
        self.data_format = data_format
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the normalised input."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k, self.data_format)

    def extra_repr(self) -> str:
        """Return the options."""
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        if self.data_format != "NCHW":
            text += f", data_format={self.data_format}"
        return with_name(text, self.name)


class SpectralNorm(Layer):
    """Divides a weight by its largest singular value (Miyato et al. 2018, arXiv:1802.05957).

    The value is estimated by power iteration from ``weight_u`` and ``weight_v``, which the layer never changes.

    Args:
        weight_shape: Shape of the weight.
        dim: Axis that becomes the rows of the matrix.
        power_iters: Number of iterations.
        eps: Added to lengths before dividing by them.
        dtype: Element type.
    """

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: str = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        sizes = list(weight_shape)
        self._dim = one_of("SpectralNorm", "dim", dim, range(len(sizes)))
        self._power_iters = power_iters
        self._eps = eps
        fixed = ParamAttr(initializer=Normal(0.0, 1.0), trainable=False)
        self.weight_u = self.create_parameter([sizes[dim]], fixed)
        self.weight_v = self.create_parameter([math.prod(sizes) // sizes[dim]], fixed)

    def forward(self, x: Any) -> Any:
        """Return the weight divided by the estimate."""
        weight, _, _ = normalised_by_spectrum(x, self.weight_u, self.weight_v, self._dim, self._power_iters, self._eps)
        return weight
