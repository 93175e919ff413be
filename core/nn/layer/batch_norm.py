"""Batch normalisation (Ioffe and Szegedy 2015, arXiv:1502.03167) and its variants for each number of axes."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dtypes import DTypeLike
from core.nn import functional as F
from core.nn.initializer import Constant
from core.nn.layer.checks import one_of, positive, with_name
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttr, ParamAttrLike


class BatchNormBase(Layer):
    """What all batch normalisation layers share.

    In training mode each channel is normalised by the batch's mean and (population) variance, and the running ones
    become ``momentum · old + (1 - momentum) · new``; in evaluation mode the running ones normalise.

    Args:
        num_features: Number of channels.
        momentum: Share of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale (1 by default), or False for none.
        bias_attr: ParamAttr of the shift (0 by default), or False for none.
        data_format: Layout of the input.
        use_global_stats: Whether the running statistics normalise in training mode too.
        name: Name shown in the repr.
        mean_name: Name of the running mean.
        variance_name: Name of the running variance.
        dtype: Element type; the statistics of half-precision layers are float32.
    """

    _keeps_float32 = True
    _ranks: tuple[int, ...] = ()
    _formats: tuple[str, ...] = ()

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
        use_global_stats: Optional[bool] = None,
        name: Optional[str] = None,
        mean_name: Optional[str] = None,
        variance_name: Optional[str] = None,
        dtype: DTypeLike = None,
    ) -> None:
        super().__init__(dtype=dtype)
        owner = type(self).__name__
        self._num_features = positive(owner, "num_features", num_features)
        self._momentum = momentum
        self._epsilon = epsilon
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        self._data_format = one_of(owner, "data_format", data_format, self._formats)
        self._use_global_stats = use_global_stats
        self._name = name
        if self._dtype in ("float16", "bfloat16"):
            self._dtype = "float32"
        shape = [num_features]
        self.weight = self.create_parameter(shape, weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(shape, bias_attr, is_bias=True)
        self._mean = self.create_parameter(shape, ParamAttr(name=mean_name, initializer=Constant(0.0), trainable=False))
        self._variance = self.create_parameter(
            shape, ParamAttr(name=variance_name, initializer=Constant(1.0), trainable=False)
        )

    def forward(self, x: Any) -> Any:
        """Return the normalised input.

        Raises:
            ValueError: the input has another number of axes than the layer's.
        """
        rank = len(x.shape)
        if rank not in self._ranks:
            allowed = " or ".join(f"{allowed}D" for allowed in self._ranks)
            raise ValueError(f"{type(self).__name__}: expected {allowed} input (got {rank}D input)")
        return self._normalised(x, self.training)

    def _normalised(self, x: Any, training: bool) -> Any:
        return F.batch_norm(
            x,
            self._mean,
            self._variance,
            weight=self.weight,
            bias=self.bias,
            training=training,
            momentum=self._momentum,
            epsilon=self._epsilon,
            data_format=self._data_format,
            use_global_stats=self._use_global_stats,
        )

    def extra_repr(self) -> str:
        """Return the options."""
        text = f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return with_name(text, self._name)


class BatchNorm1D(BatchNormBase):
    """Batch normalisation of vectors or sequences.

    Args:
        num_features: Number of channels.
        momentum: Share of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale, or False for none.
        bias_attr: ParamAttr of the shift, or False for none.
        data_format: ``NC``, ``NCL`` or ``NLC``.
        use_global_stats: Whether the running statistics normalise in training mode too.
        name: Name shown in the repr.

    Shapes:
        input and output (N, C), (N, C, L) or (N, L, C).
    """

    _ranks = (2, 3)
    _formats = ("NCL", "NLC", "NC")

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCL",
        use_global_stats: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)


class BatchNorm2D(BatchNormBase):
    """Batch normalisation of images.

    Args:
        num_features: Number of channels.
        momentum: Share of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale, or False for none.
        bias_attr: ParamAttr of the shift, or False for none.
        data_format: ``NCHW`` or ``NHWC``.
        use_global_stats: Whether the running statistics normalise in training mode too.
        name: Name shown in the repr.

    Shapes:
        input and output (N, C, H, W) or (N, H, W, C).
    """

    _ranks = (4,)
    _formats = ("NCHW", "NHWC")

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
        use_global_stats: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)


class BatchNorm3D(BatchNormBase):
    """Batch normalisation of volumes.

    Args:
        num_features: Number of channels.
        momentum: Share of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale, or False for none.
        bias_attr: ParamAttr of the shift, or False for none.
        data_format: ``NCDHW`` or ``NDHWC``.
        use_global_stats: Whether the running statistics normalise in training mode too.
        name: Name shown in the repr.

    Shapes:
        input and output (N, C, D, H, W) or (N, D, H, W, C).
    """

    _ranks = (5,)
    _formats = ("NCDHW", "NDHWC")

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCDHW",
        use_global_stats: Optional[bool] = None,
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)
