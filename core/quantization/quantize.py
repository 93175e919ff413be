"""What quantization-aware training and quantization after training have in common."""

from __future__ import annotations

import abc
import copy

from core.nn import Layer
from core.nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from core.quantization.base_quanter import BaseQuanter
from core.quantization.config import QuantConfig


class Quantization(metaclass=abc.ABCMeta):
    """Puts quanters into a network, and makes numbers of its weights afterwards.

    Args:
        config: which layers, and with what.
    """

    def __init__(self, config: QuantConfig) -> None:
        self._config = copy.deepcopy(config)

    @abc.abstractmethod
    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """Return the network with quanters.

        Args:
            model: the network.
            inplace: whether it is changed itself, instead of a copy.
        """

    def convert(self, model: Layer, inplace: bool = False, remain_weight: bool = False) -> Layer:
        """Return a quantized network with fixed scales, which ``jit.save`` can write.

        Args:
            model: what :meth:`quantize` returned, after training or calibration.
            inplace: whether it is changed itself, instead of a copy.
            remain_weight: whether weights stay as they are, instead of becoming whole numbers.
        """
        converted = model if inplace else copy.deepcopy(model)
        for name, child in list(converted.named_children()):
            if isinstance(child, ConvertibleQuantedLayer):
                quanter = getattr(child, "weight_quanter", None)
                if not child.converted and quanter is not None and quanter.scales() is not None:
                    child._convert(remain_weight=remain_weight)
            elif isinstance(child, BaseQuanter):
                if child.scales() is not None:
                    converted._sub_layers[name] = LinearQuanterDequanter.from_quanter(child)
            else:
                self.convert(child, inplace=True, remain_weight=remain_weight)
        return converted

    def _prepare(self, model: Layer) -> Layer:
        self._config._specify(model)
        self._replace_layers(model)
        self._insert_observers(model)
        return model

    def _replace_layers(self, model: Layer) -> None:
        for name, child in list(model.named_children()):
            if self._config._is_quantifiable(child) and type(child) in self._config.qat_layer_mappings:
                model._sub_layers[name] = self._config._get_qat_layer(child)
            else:
                self._replace_layers(child)

    def _insert_observers(self, model: Layer) -> None:
        for name, child in list(model.named_children()):
            if self._config._need_observe(child):
                model._sub_layers[name] = self._config._get_observe_wrapper(child)
            else:
                self._insert_observers(child)

    def __str__(self) -> str:
        return self._config.details()

    __repr__ = __str__
