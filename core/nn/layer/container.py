"""Layers that hold other layers or parameters: Sequential, LayerList, LayerDict, ParameterList."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from core.nn.layer.layers import Layer
from core.nn.parameter import Parameter

__all__ = ["LayerDict", "LayerList", "ParameterList", "Sequential"]


class Sequential(Layer):
    """Layers that run one after another.

    Args:
        *layers: Layers, or (name, layer) pairs; or one list of either.

    Example:
        >>> block = core.nn.Sequential(core.nn.Linear(8, 4), core.nn.ReLU())
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], (list, OrderedDict)):
            layers = tuple(layers[0].items() if isinstance(layers[0], OrderedDict) else layers[0])
        for index, layer in enumerate(layers):
            if isinstance(layer, (list, tuple)):
                if len(layer) != 2:
                    raise ValueError(f"Sequential: entry {index} is a (name, layer) pair, not {len(layer)} values")
                self.add_sublayer(str(layer[0]), layer[1])
            else:
                self.add_sublayer(str(index), layer)

    def forward(self, input: Any) -> Any:
        """Run the layers in order, each on the output of the one before."""
        for layer in self._sub_layers.values():
            input = layer(input)
        return input

    def __getitem__(self, name: Union[int, slice, str]) -> Any:
        if isinstance(name, slice):
            return type(self)(*list(self._sub_layers.values())[name])
        if isinstance(name, str):
            return self._sub_layers[name]
        return self._sub_layers[self._key(name)]

    def __setitem__(self, name: Union[int, str], layer: Layer) -> None:
        self.add_sublayer(name if isinstance(name, str) else self._key(name), layer)

    def __delitem__(self, name: Union[int, str]) -> None:
        del self._sub_layers[name if isinstance(name, str) else self._key(name)]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(list(self._sub_layers.values()))

    def _key(self, index: int) -> str:
        keys = list(self._sub_layers)
        return keys[_position(index, len(keys), "Sequential")]


class LayerList(Layer):
    """A list of layers, registered under "0", "1", ...

    Args:
        sublayers: The layers.
    """

    def __init__(self, sublayers: Optional[Iterable[Layer]] = None) -> None:
        super().__init__()
        self.extend(sublayers or ())

    def __getitem__(self, index: Union[int, slice]) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._sub_layers.values())[index])
        return self._sub_layers[str(_position(index, len(self), "LayerList"))]

    def __setitem__(self, index: int, layer: Layer) -> None:
        self.add_sublayer(str(_position(index, len(self), "LayerList")), layer)

    def __delitem__(self, index: Union[int, slice]) -> None:
        layers = list(self._sub_layers.values())
        del layers[index]
        self._restart(layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._sub_layers.values()))

    def append(self, sublayer: Layer) -> LayerList:
        """Add a layer at the end and return this list.

        Args:
            sublayer: The layer.
        """
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        """Add a layer before a position.

        Args:
            index: The position, from -length to length.
            sublayer: The layer.

        Raises:
            IndexError: the position lies outside the list.
        """
        if not -len(self) <= index <= len(self):
            raise IndexError(f"LayerList.insert: index {index} is outside [{-len(self)}, {len(self)}]")
        layers = list(self._sub_layers.values())
        layers.insert(index, sublayer)
        self._restart(layers)

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Add layers at the end and return this list.

        Args:
            sublayers: The layers.
        """
        for layer in sublayers:
            self.append(layer)
        return self

    def _restart(self, layers: list[Any]) -> None:
        self._sub_layers.clear()
        self.extend(layers)


class LayerDict(Layer):
    """A dictionary of layers, in order of insertion.

    Args:
        sublayers: A mapping, another LayerDict, or (name, layer) pairs.
    """

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key: str) -> Any:
        return self._sub_layers[key]

    def __setitem__(self, key: str, sublayer: Layer) -> None:
        self.add_sublayer(key, sublayer)

    def __delitem__(self, key: str) -> None:
        del self._sub_layers[key]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: str) -> bool:
        return key in self._sub_layers

    def clear(self) -> None:
        """Take all layers out."""
        self._sub_layers.clear()

    def pop(self, key: str) -> Any:
        """Take a layer out and return it.

        Args:
            key: Its name.

        Raises:
            KeyError: there is no such layer.
        """
        return self._sub_layers.pop(key)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._sub_layers.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return (name, layer) pairs."""
        return self._sub_layers.items()

    def values(self) -> Iterable[Any]:
        """Return the layers."""
        return self._sub_layers.values()

    def update(self, sublayers: Any) -> None:
        """Add or replace layers.

        Args:
            sublayers: A mapping, another LayerDict, or (name, layer) pairs.

        Raises:
            ValueError: an entry is no (name, layer) pair.
        """
        pairs = list(sublayers.items()) if isinstance(sublayers, (Mapping, LayerDict)) else list(sublayers)
        for pair in pairs:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise ValueError(f"LayerDict.update: {pair!r} is no (name, layer) pair")
            self.add_sublayer(pair[0], pair[1])


class ParameterList(Layer):
    """A list of parameters, registered under "0", "1", ...

    Args:
        parameters: The parameters.
    """

    def __init__(self, parameters: Optional[Iterable[Parameter]] = None) -> None:
        super().__init__()
        for parameter in parameters or ():
            self.append(parameter)

    def __getitem__(self, index: int) -> Any:
        return self._parameters[str(_position(index, len(self), "ParameterList"))]

    def __setitem__(self, index: int, parameter: Parameter) -> None:
        self.add_parameter(str(_position(index, len(self), "ParameterList")), parameter)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def append(self, parameter: Parameter) -> ParameterList:
        """Add a parameter at the end and return this list.

        Args:
            parameter: The parameter.
        """
        self.add_parameter(str(len(self)), parameter)
        return self


def _position(index: int, length: int, owner: str) -> int:
    if not isinstance(index, int) or not -length <= index < length:
        raise IndexError(f"{owner}: index {index} is out of range [{-length}, {length})")
    return index % length
