"""QuantConfig: which layers of a network are quantized, and with what."""

from __future__ import annotations

import textwrap
from typing import Any, Optional, Union

from core import nn
from core.nn import Layer
from core.nn.quant.qat import QuantedConv2D, QuantedLinear
from core.nn.quant.stub import QuanterStub, Stub
from core.quantization.factory import QuanterFactory
from core.quantization.wrapper import ObserveWrapper

DEFAULT_QAT_LAYER_MAPPINGS: dict[type[Layer], type[Layer]] = {
    Stub: QuanterStub,
    nn.Linear: QuantedLinear,
    nn.Conv2D: QuantedConv2D,
}
"""Kinds of layers with weights, and what takes their place."""

DEFAULT_LEAVES: list[type[Layer]] = [nn.ReLU, nn.AvgPool2D]

Factory = Optional[QuanterFactory]


class SingleLayerConfig:
    """How one layer is quantized.

    Args:
        activation: makes the quanter of its input; None for none.
        weight: makes the quanter of its weight; None for none.
    """

    def __init__(self, activation: Factory, weight: Factory) -> None:
        self.activation = activation
        self.weight = weight

    def __str__(self) -> str:
        return f"activation: {self.activation}\nweight: {self.weight}"


class QuantConfig:
    """Says how the layers of a network are quantized: one by one, by name, by kind, or all of them.

    A setting for a layer or a name has precedence over one for a kind, that one over the setting of the layer around
    it, and that one over the global one.

    Args:
        activation: makes the quanters of inputs; None leaves inputs alone.
        weight: makes the quanters of weights; None leaves weights alone.
    """

    def __init__(self, activation: Factory, weight: Factory) -> None:
        both = activation is None and weight is None
        self._global_config = None if both else SingleLayerConfig(activation, weight)
        self._layer2config: dict[Layer, SingleLayerConfig] = {}
        self._prefix2config: dict[str, SingleLayerConfig] = {}
        self._type2config: dict[type[Layer], SingleLayerConfig] = {}
        self._model: Optional[Layer] = None
        self._qat_layer_mapping = dict(DEFAULT_QAT_LAYER_MAPPINGS)
        self._customized_leaves: list[type[Layer]] = []

    def add_layer_config(
        self, layer: Union[Layer, list[Layer]], activation: Factory = None, weight: Factory = None
    ) -> None:
        """Say how layers, and those in them, are quantized.

        Args:
            layer: a layer or several.
            activation: makes the quanters of inputs.
            weight: makes the quanters of weights.
        """
        for one in layer if isinstance(layer, list) else [layer]:
            self.add_name_config(one.full_name(), activation, weight)

    def add_name_config(
        self, layer_name: Union[str, list[str]], activation: Factory = None, weight: Factory = None
    ) -> None:
        """Say how layers with certain names, and those in them, are quantized.

        Args:
            layer_name: what ``layer.full_name()`` gives, or a list of such names.
            activation: makes the quanters of inputs.
            weight: makes the quanters of weights.
        """
        for name in layer_name if isinstance(layer_name, list) else [layer_name]:
            self._prefix2config[name] = SingleLayerConfig(activation, weight)

    def add_type_config(
        self, layer_type: Union[type[Layer], list[type[Layer]]], activation: Factory = None, weight: Factory = None
    ) -> None:
        """Say how layers of some kind are quantized.

        Args:
            layer_type: a class of layers, or several.
            activation: makes the quanters of inputs.
            weight: makes the quanters of weights.
        """
        for kind in layer_type if isinstance(layer_type, list) else [layer_type]:
            self._type2config[_layer_class("add_type_config", kind)] = SingleLayerConfig(activation, weight)

    def add_qat_layer_mapping(self, source: type[Layer], target: type[Layer]) -> None:
        """Say what takes the place of layers of some kind.

        Args:
            source: the kind.
            target: is made with the layer and its :class:`SingleLayerConfig`.
        """
        self._qat_layer_mapping[_layer_class("add_qat_layer_mapping", source)] = target

    def add_customized_leaf(self, layer_type: type[Layer]) -> None:
        """Say that layers of some kind are quantized as one, whatever layers they have inside.

        Args:
            layer_type: the kind.
        """
        self._customized_leaves.append(layer_type)

    @property
    def customized_leaves(self) -> list[type[Layer]]:
        """The kinds that :meth:`add_customized_leaf` was given."""
        return self._customized_leaves

    @property
    def qat_layer_mappings(self) -> dict[type[Layer], type[Layer]]:
        """Kinds of layers, and what takes their place."""
        return self._qat_layer_mapping

    @property
    def default_qat_layer_mapping(self) -> dict[type[Layer], type[Layer]]:
        """The same where nothing was added."""
        return DEFAULT_QAT_LAYER_MAPPINGS

    @property
    def global_config(self) -> Optional[SingleLayerConfig]:
        """How layers are quantized for which nothing else was said."""
        return self._global_config

    # for QAT and PTQ

    def _specify(self, model: Layer) -> None:
        """Find the setting of every layer in a network."""
        self._model = model
        self._specify_below(model)

    def _specify_below(self, layer: Layer) -> None:
        for child in layer.children():
            found = self._layer2config.get(layer, self._global_config)
            found = self._type2config.get(type(child), found)
            found = self._prefix2config.get(child.full_name(), found)
            if found is not None:
                self._layer2config[child] = found
            self._specify_below(child)

    def _is_quantifiable(self, layer: Layer) -> bool:
        return layer in self._layer2config

    def _need_observe(self, layer: Layer) -> bool:
        found = self._layer2config.get(layer)
        return self._is_leaf(layer) and found is not None and found.activation is not None

    def _is_leaf(self, layer: Layer) -> bool:
        return not layer._sub_layers or type(layer) in DEFAULT_LEAVES or type(layer) in self._customized_leaves

    def _get_qat_layer(self, layer: Layer) -> Layer:
        make: Any = self._qat_layer_mapping[type(layer)]
        replacement: Layer = make(layer, self._layer2config[layer])
        return replacement

    def _get_observe_wrapper(self, layer: Layer) -> ObserveWrapper:
        activation = self._layer2config[layer].activation
        assert activation is not None
        return ObserveWrapper(activation._instance(layer), layer)

    # to be read

    def details(self) -> str:
        """Return the setting of every layer, indented as the layers lie in one another."""
        return str(self) if self._model is None else self._details_of(self._model)

    def _details_of(self, layer: Layer) -> str:
        lines = []
        for name, child in layer.named_children():
            below = textwrap.indent(self._details_of(child), "  ").lstrip()
            if child in self._layer2config:
                lines.append(f"({name}): {below}, {self._layer2config[child]}")
        inside = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{type(layer).__name__}({inside})"

    def __str__(self) -> str:
        text = f"Global config:\n{self._global_config}\n"
        if self._type2config:
            text += f"Layer type config:\n{self._type2config}\n"
        if self._prefix2config:
            text += f"Layer prefix config: \n{self._prefix2config}\n"
        return text


def _layer_class(function: str, kind: Any) -> type[Layer]:
    if not (isinstance(kind, type) and issubclass(kind, Layer)):
        raise TypeError(f"QuantConfig.{function}: a class of layers is expected, not {kind!r}")
    return kind
