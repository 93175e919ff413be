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


class QuanterStub(Layer):
    """What takes the place of a :class:`Stub` in a quantized network.

    Args:
        layer: the stub; what it says about its observer has precedence.
        q_config: makes the observer otherwise: ``activation``, which may be None.
    """

    def __init__(self, layer: Stub, q_config: Any) -> None:
        super().__init__()
        description = layer._observer or q_config.activation
        self._observer = None if description is None else description._instance(layer)

    def forward(self, input: Any) -> Any:
        """Return the input after the observer."""
        return input if self._observer is None else self._observer(input)
