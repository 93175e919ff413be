"""Where the layers of a network stand: in which layer, under which name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.nn import Layer


class Place(NamedTuple):
    """Where a layer stands.

    Args:
        path: its name in the whole network; names of layers may have dots of their own.
        parent: the layer around it.
        key: its name there.
        layer: what stands there.
    """

    path: str
    parent: Layer
    key: str
    layer: Layer

    def put(self, layer: Layer) -> None:
        """Let another layer stand there."""
        self.parent._sub_layers[self.key] = layer


def places_of(network: Layer, prefix: str = "") -> Iterator[Place]:
    """Yield the place of every layer inside a network, those that stand in several places as often.

    Args:
        network: any.
        prefix: what precedes the names.
    """
    for key, layer in list(network._sub_layers.items()):
        if layer is not None:
            yield Place(f"{prefix}{key}", network, key, layer)
            yield from places_of(layer, f"{prefix}{key}.")
