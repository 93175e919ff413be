"""Instance normalisation: each channel of each sample by itself."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.initializer import Constant
from core.nn.layer.checks import one_of, positive
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttrLike


class _InstanceNorm(Layer):
    """Shared body of the instance normalisation layers."""

    _ranks: tuple[int, ...] = ()
    _formats: tuple[str, ...] = ()

    def __init__(
        self,
        num_features: int,
        epsilon: float,
        momentum: float,
        weight_attr: ParamAttrLike,
        bias_attr: ParamAttrLike,
        data_format: str,
        name: Optional[str],
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        if (weight_attr is False) != (bias_attr is False):
            raise ValueError(f"{owner}: weight_attr and bias_attr must be set to False at the same time")
        self._num_features = positive(owner, "num_features", num_features)
        self._epsilon = epsilon
        self._momentum = momentum
        self._weight_attr = weight_attr
        self._bias_attr = bias_attr
        self._data_format = one_of(owner, "data_format", data_format, self._formats)
        shape = [num_features]
        self.scale = self.create_parameter(shape, weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter(shape, bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Return the normalised input.

        Raises:
            ValueError: the input has another number of axes than the layer's.
        """
        rank = len(input.shape)
        if rank not in self._ranks:
            allowed = " or ".join(f"{allowed}D" for allowed in self._ranks)
            raise ValueError(f"{type(self).__name__}: expected {allowed} input (got {rank}D input)")
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            momentum=self._momentum,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        """Return channels and epsilon."""
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNorm):
    """Normalises each channel of each sequence (Ulyanov et al. 2016, arXiv:1607.08022).

    Args:
        num_features: Number of channels.
        epsilon: Added to the variance.
        momentum: Accepted for Paddle's signature; there are no running statistics.
        weight_attr: ParamAttr of ``scale``, or False (with ``bias_attr``) for none.
        bias_attr: ParamAttr of ``bias``, or False (with ``weight_attr``) for none.
        data_format: ``NCL`` or ``NC``.
        name: Unused; for Paddle's signature.
    """

    _ranks = (2, 3)
    _formats = ("NCL", "NC")

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCL",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm2D(_InstanceNorm):
    """Normalises each channel of each image (Ulyanov et al. 2016, arXiv:1607.08022).

    Args:
        num_features: Number of channels.
        epsilon: Added to the variance.
        momentum: Accepted for Paddle's signature; there are no running statistics.
        weight_attr: ParamAttr of ``scale``, or False (with ``bias_attr``) for none.
        bias_attr: ParamAttr of ``bias``, or False (with ``weight_attr``) for none.
        data_format: ``NCHW``.
        name: Unused; for Paddle's signature.
    """

    _ranks = (4,)
    _formats = ("NCHW",)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm3D(_InstanceNorm):
    """Normalises each channel of each volume (Ulyanov et al. 2016, arXiv:1607.08022).

    Args:
        num_features: Number of channels.
        epsilon: Added to the variance.
        momentum: Accepted for Paddle's signature; there are no running statistics.
        weight_attr: ParamAttr of ``scale``, or False (with ``bias_attr``) for none.
        bias_attr: ParamAttr of ``bias``, or False (with ``weight_attr``) for none.
        data_format: ``NCDHW``.
        name: Unused; for Paddle's signature.
    """

    _ranks = (5,)
    _formats = ("NCDHW",)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCDHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)
