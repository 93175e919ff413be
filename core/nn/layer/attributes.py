"""How a layer keeps its parts: parameters, buffers and sublayers are attributes, found again by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Optional

from core.nn.parameter import Parameter
from core.tensor import Tensor

_STORES = ("_parameters", "_buffers", "_sub_layers")


class AttributeStore:
    """Base of Layer: registration, attribute access and iteration in order of registration."""

    training: bool
    _parameters: OrderedDict[str, Optional[Parameter]]
    _buffers: OrderedDict[str, Optional[Tensor]]
    _sub_layers: OrderedDict[str, Any]
    _non_persistable_buffer_names_set: set[str]

    def __getattr__(self, name: str) -> Any:
        attributes = self.__dict__
        for store in _STORES:
            if store in attributes and name in attributes[store]:
                return attributes[store][name]
        if name in _STORES:
            raise ValueError(f"{type(self).__name__}: super().__init__() should be called first")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._replace("_parameters", name, value)
        elif isinstance(value, AttributeStore):
            self._replace("_sub_layers", name, value)
        else:
            attributes = self.__dict__
            for store, kind in zip(_STORES, ("parameter", "buffer", "sublayer")):
                if name in attributes.get(store, ()):
                    if value is not None and not (store == "_buffers" and isinstance(value, Tensor)):
                        wanted = {"parameter": "Parameter", "buffer": "Tensor", "sublayer": "Layer"}[kind]
                        raise TypeError(
                            f"assignment to {kind} '{name}' should be of type {wanted} or None,"
                            f" but got '{type(value).__name__}'"
                        )
                    attributes[store][name] = value
                    return
            if isinstance(value, Tensor) and "_buffers" in attributes and not hasattr(type(self), name):
                self._replace("_buffers", name, value)
                self._non_persistable_buffer_names_set.add(name)
                return
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for store in _STORES:
            if name in self.__dict__[store]:
                del self.__dict__[store][name]
                self._non_persistable_buffer_names_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for store in _STORES for name in self.__dict__[store])})

    def __getstate__(self) -> dict[str, Any]:
        # what a hook computed from parameters (a normalised weight) is computed again in the copy
        return {
            name: value
            for name, value in self.__dict__.items()
            if not (isinstance(value, Tensor) and (value._value.traced or not value.is_leaf))
        }

    def _replace(self, store: str, name: str, value: Any) -> None:
        """Keep a value in one store and forget the name everywhere else."""
        attributes = self.__dict__
        if store not in attributes:
            raise ValueError(f"{type(self).__name__}: super().__init__() should be called first")
        attributes.pop(name, None)
        for other in _STORES:
            if other != store:
                attributes[other].pop(name, None)
        attributes[store][name] = value

    def _check_new_name(self, kind: str, name: str, store: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"The name of a {kind} should be a string, but received {type(name).__name__}.")
        if "." in name:
            raise KeyError(f"The name of a {kind} cannot contain '.': {name!r}")
        if name == "":
            raise KeyError(f"The name of a {kind} cannot be empty.")
        if hasattr(self, name) and name not in self.__dict__[store]:
            raise KeyError(f"The {kind} '{name}' cannot be added: that attribute already exists.")

    def add_parameter(self, name: str, parameter: Optional[Parameter]) -> Optional[Parameter]:
        """Register a parameter under a name.

        Args:
            name: Attribute name, without dots.
            parameter: The parameter, or None to hold the place.

        Returns:
            The parameter.

        Raises:
            TypeError: the value is no Parameter.
            KeyError: the name is empty, contains a dot, or is taken by something else.
        """
        self._check_new_name("parameter", name, "_parameters")
        if parameter is not None and not isinstance(parameter, Parameter):
            raise TypeError(
                f"The parameter '{name}' to be added should be a Parameter, but received {type(parameter).__name__}."
            )
        self._parameters[name] = parameter
        return parameter

    def add_sublayer(self, name: str, sublayer: Any) -> Any:
        """Register a sublayer under a name (which may contain dots, as Paddle allows).

        Args:
            name: Attribute name.
            sublayer: The layer, or None.

        Returns:
            The sublayer.

        Raises:
            TypeError: the value is no Layer.
        """
        if sublayer is not None and not isinstance(sublayer, AttributeStore):
            raise TypeError(f"The sublayer '{name}' should be a Layer, but received {type(sublayer).__name__}.")
        self._sub_layers[str(name)] = sublayer
        return sublayer

    def register_buffer(self, name: str, tensor: Optional[Tensor], persistable: bool = True) -> None:
        """Register a tensor that is part of the layer's state but is not trained, such as running statistics.

        Args:
            name: Attribute name, without dots.
            tensor: The tensor, or None to hold the place.
            persistable: Whether ``state_dict`` contains it.

        Raises:
            TypeError: the value is no Tensor.
            KeyError: the name is empty, contains a dot, or is taken by something else.
        """
        self._check_new_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"The registered buffer '{name}' should be a Tensor, but received {type(tensor).__name__}.")
        self._buffers[name] = tensor
        if persistable:
            self._non_persistable_buffer_names_set.discard(name)
        else:
            self._non_persistable_buffer_names_set.add(name)

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Yield (name, layer) of the direct sublayers, each layer once."""
        seen: set[int] = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and id(layer) not in seen:
                seen.add(id(layer))
                yield name, layer

    def children(self) -> Iterator[Any]:
        """Yield the direct sublayers."""
        for _, layer in self.named_children():
            yield layer

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, layers_set: Optional[set[Any]] = None
    ) -> Iterator[tuple[str, Any]]:
        """Yield (dotted name, layer) of all sublayers, parents first, each layer once.

        Args:
            prefix: Put before every name.
            include_self: Whether this layer comes first.
            layers_set: Layers to leave out; those that are yielded are added.
        """
        seen = set() if layers_set is None else layers_set
        if include_self and self not in seen:
            seen.add(self)
            yield prefix, self
        for name, layer in self._sub_layers.items():
            if layer is not None:
                full = f"{prefix}.{name}" if prefix else name
                yield from layer.named_sublayers(full, include_self=True, layers_set=seen)

    def sublayers(self, include_self: bool = False) -> list[Any]:
        """Return all sublayers, parents first."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Yield (dotted name, parameter), each parameter once, under its first name.

        As in Paddle the running statistics of batch normalisation are among them, with ``stop_gradient`` set.

        Args:
            prefix: Put before every name.
            include_sublayers: Whether sublayers are walked too.
        """
        yield from self._named_tensors("_parameters", prefix, include_sublayers)

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """Return all parameters, each once."""
        return [parameter for _, parameter in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yield (dotted name, buffer), each buffer once.

        Args:
            prefix: Put before every name.
            include_sublayers: Whether sublayers are walked too.
        """
        yield from self._named_tensors("_buffers", prefix, include_sublayers)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Return all buffers, each once."""
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def _named_tensors(self, store: str, prefix: str, include_sublayers: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        layers = self.named_sublayers(prefix, include_self=True) if include_sublayers else iter([(prefix, self)])
        for layer_prefix, layer in layers:
            for name, tensor in layer.__dict__[store].items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield (f"{layer_prefix}.{name}" if layer_prefix else name), tensor
