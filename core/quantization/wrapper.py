"""A layer with an observer before or after it."""

from __future__ import annotations

from typing import Any

from core.nn import Layer


class ObserveWrapper(Layer):
    """A layer and what observes it.

    Args:
        observer: sees, or quantizes, what the layer takes or gives.
        observed: the layer.
        observe_input: whether it is what the layer takes.
    """

    def __init__(self, observer: Layer, observed: Layer, observe_input: bool = True) -> None:
        super().__init__()
        self._observer = observer
        self._observed = observed
        self._observe_input = observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the layer gives."""
        if self._observe_input:
            return self._observed(self._observer(*inputs, **kwargs), **kwargs)
        return self._observer(self._observed(*inputs, **kwargs), **kwargs)
