"""Batch normalisation for any number of axes: the older BatchNorm, and SyncBatchNorm."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dtypes import DTypeLike
from core.nn import functional as F
from core.nn.layer.batch_norm import BatchNormBase
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttrLike

_EVERY_FORMAT = ("NCHW", "NHWC", "NC", "NCL", "NLC", "NCDHW", "NDHWC")


class BatchNorm(BatchNormBase):
    """Batch normalisation for any number of axes, with an activation (Paddle 1.x's layer).

    Args:
        num_channels: Number of channels.
        act: Name of a function of ``core.nn.functional`` to apply to the result, or None.
        is_test: Whether to start in evaluation mode.
        momentum: Share of the old running statistics.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale, or False for none.
        bias_attr: ParamAttr of the shift, or False for none.
        dtype: Element type.
        data_layout: ``NCHW`` or ``NHWC``.
        in_place: Accepted for Paddle's signature; results never overwrite their inputs here.
        moving_mean_name: Name of the running mean.
        moving_variance_name: Name of the running variance.
        do_model_average_for_mean_and_var: Whether weight averaging takes the running statistics along.
        use_global_stats: Whether the running statistics normalise in training mode too.
        trainable_statistics: Whether the batch's statistics normalise in evaluation mode too.
    """

    _ranks = (2, 3, 4, 5)
    _formats = _EVERY_FORMAT

    def __init__(
        self,
        num_channels: int,
        act: Optional[str] = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        param_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        dtype: DTypeLike = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: Optional[str] = None,
        moving_variance_name: Optional[str] = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        del in_place
        super().__init__(
            num_channels,
            momentum,
            epsilon,
            param_attr,
            bias_attr,
            data_layout,
            use_global_stats or None,  # False is no wish here; in the newer layers it is one for the batch's statistics
            None,
            moving_mean_name,
            moving_variance_name,
            dtype,
        )
        if act is not None and not hasattr(F, act):
            raise ValueError(f"BatchNorm: core.nn.functional has no function {act!r} to use as act")
        self._act = act
        self._trainable_statistics = trainable_statistics
        for statistic in (self._mean, self._variance):
            if statistic is not None:
                statistic.do_model_average = do_model_average_for_mean_and_var
        if is_test:
            self.eval()

    def forward(self, input: Any) -> Any:
        """Return the normalised and activated input."""
        result = self._normalised(input, self.training or self._trainable_statistics)
        return result if self._act is None else getattr(F, self._act)(result)

    def extra_repr(self) -> str:
        """Return nothing, as Paddle does."""
        return ""


class SyncBatchNorm(BatchNormBase):
    """Batch normalisation with statistics over all devices; on one device it is batch normalisation.

    Args:
        num_features: Number of channels.
        momentum: Share of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale, or False for none.
        bias_attr: ParamAttr of the shift, or False for none.
        data_format: Layout of the input.
        name: Name shown in the repr.
    """

    _ranks = (2, 3, 4, 5)
    _formats = _EVERY_FORMAT

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: ParamAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name)

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Replace every batch normalisation in a network by SyncBatchNorm, keeping its tensors.

        Args:
            layer: The network; it is changed in place.

        Returns:
            The network, or the new layer where it was itself a batch normalisation.
        """
        converted = layer
        if isinstance(layer, BatchNormBase) and not isinstance(layer, SyncBatchNorm):
            converted = cls(
                layer._num_features,
                layer._momentum,
                layer._epsilon,
                layer._weight_attr,
                layer._bias_attr,
                layer._data_format,
                layer._name,
            )
            for name in ("weight", "bias", "_mean", "_variance"):
                converted._parameters.pop(name, None)
                setattr(converted, name, getattr(layer, name))
            converted.training = layer.training
        for name, sublayer in layer.named_children():
            converted.add_sublayer(name, cls.convert_sync_batchnorm(sublayer))
        return converted
