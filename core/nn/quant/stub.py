"""A place in a network where quantization may put an observer."""

from __future__ import annotations

from typing import Any

from core.nn.layer.layers import Layer


class Stub(Layer):
    """Returns its input; it marks where the input of a function is to be observed or quantized.

    Args:
        observer: what makes the observer; None leaves the choice to the settings of quantization.
    """

    def __init__(self, observer: Any = None) -> None:
        super().__init__()
        self._observer = observer

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input
