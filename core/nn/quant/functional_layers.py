"""Functions as layers without parameters: quantization finds layers, not calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core import operators
from core.nn.layer.layers import Layer
from core.tensor import Tensor


class FloatFunctionalLayer(Layer):
    """The base of layers that call one function."""

    def __init__(self) -> None:
        super().__init__()


class add(FloatFunctionalLayer):
    """:func:`core.add` as a layer."""

    def forward(self, x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
        """Return x + y."""
        return operators.add(x, y)


class subtract(FloatFunctionalLayer):
    """:func:`core.subtract` as a layer."""

    def forward(self, x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
        """Return x - y."""
        return operators.subtract(x, y)


class multiply(FloatFunctionalLayer):
    """:func:`core.multiply` as a layer."""

    def forward(self, x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
        """Return x · y, element by element."""
        return operators.multiply(x, y)


class divide(FloatFunctionalLayer):
    """:func:`core.divide` as a layer."""

    def forward(self, x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
        """Return x / y."""
        return operators.divide(x, y)


class reshape(FloatFunctionalLayer):
    """:func:`core.reshape` as a layer."""

    def forward(self, x: Tensor, shape: Any, name: Optional[str] = None) -> Tensor:
        """Return x in another shape."""
        return operators.reshape(x, shape)


class transpose(FloatFunctionalLayer):
    """:func:`core.transpose` as a layer."""

    def forward(self, x: Tensor, perm: Sequence[int], name: Optional[str] = None) -> Tensor:
        """Return x with its axes in another order."""
        return operators.transpose(x, perm)


class concat(FloatFunctionalLayer):
    """:func:`core.concat` as a layer."""

    def forward(self, x: Sequence[Tensor], axis: int = 0, name: Optional[str] = None) -> Tensor:
        """Return tensors joined along an axis."""
        return operators.concat(x, axis)


class flatten(FloatFunctionalLayer):
    """:func:`core.flatten` as a layer."""

    def forward(self, x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: Optional[str] = None) -> Tensor:
        """Return x with some axes merged."""
        return operators.flatten(x, start_axis, stop_axis)


class matmul(FloatFunctionalLayer):
    """:func:`core.matmul` as a layer."""

    def forward(
        self, x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False, name: Optional[str] = None
    ) -> Tensor:
        """Return the product of matrices."""
        return operators.matmul(x, y, transpose_x, transpose_y)
