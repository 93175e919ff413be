"""Where the layers of a network stand: in which layer, under which name, and in which of its lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

from core.nn import Layer

Container = Union[dict[Any, Any], list[Any]]


class Place:
    """Where a layer is.

    Args:
        path: its name in the whole network; names of layers may have dots of their own.
        container: what holds it.
        key: its name or number there.

    Attributes:
        layer: what is there at first.
    """

    def __init__(self, path: str, container: Container, key: Any) -> None:
        self.path, self.container, self.key = path, container, key
        self.layer = self.now

    @property
    def now(self) -> Any:
        """What is there now."""
        return self.container[self.key]

    def put(self, layer: Layer) -> None:
        """Let another layer stand there."""
        self.container[self.key] = layer


def places_of(network: Layer, prefix: str = "") -> Iterator[Place]:
    """Yield the places of all layers inside a network under their names, those that stand in several as often.

    Args:
        network: any.
        prefix: what precedes the names.
    """
    for key, layer in list(network._sub_layers.items()):
        if layer is not None:
            yield Place(f"{prefix}{key}", network._sub_layers, key)
            yield from places_of(layer, f"{prefix}{key}.")


def listed_places(network: Layer) -> Iterator[Place]:
    """Yield the places of layers that stand in lists and dicts, which layers keep beside their names for them."""
    for layer in network.sublayers(include_self=True):
        for name, value in vars(layer).items():
            if type(value) is tuple and any(isinstance(item, Layer) for item in value):
                value = vars(layer)[name] = list(value)
            if name.startswith("_sub_layers") or not isinstance(value, (list, dict)):
                continue
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(item, Layer):
                    yield Place(f"{name}[{key!r}]", value, key)
