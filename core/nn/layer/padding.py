"""Padding layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn import functional as F
from core.nn.layer.checks import one_of, with_name
from core.nn.layer.layers import Layer

__all__ = ["Pad1D", "Pad2D", "Pad3D", "ZeroPad2D"]

Sizes = Union[int, Sequence[int]]


class _Pad(Layer):
    """Shared body of the padding layers."""

    _axes = 0
    _formats: tuple[str, str] = ("", "")

    def __init__(
        self,
        padding: Sizes,
        mode: str,
        value: float,
        data_format: str,
        name: Optional[str],
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self._pad: Any = [padding] * (2 * self._axes) if isinstance(padding, int) else padding
        if isinstance(self._pad, (list, tuple)) and len(self._pad) != 2 * self._axes:
            raise ValueError(
                f"{owner}: padding is one integer or {2 * self._axes} of them, (before, after) from the last axis"
                f" backwards, but got {padding!r}"
            )
        self._mode = one_of(owner, "mode", mode, ("constant", "reflect", "replicate", "circular"))
        self._value = value
        self._data_format = one_of(owner, "data_format", data_format, self._formats)
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the padded input."""
        return F.pad(x, self._pad, mode=self._mode, value=self._value, data_format=self._data_format)

    def extra_repr(self) -> str:
        """Return the options."""
        text = f"padding={self._pad}, mode={self._mode}, value={self._value}, data_format={self._data_format}"
        return with_name(text, self._name)


class Pad1D(_Pad):
    """Pads the length of sequences.

    Args:
        padding: One integer, or (left, right).
        mode: ``constant``, ``reflect``, ``replicate`` or ``circular``.
        value: Value of the constant mode.
        data_format: ``NCL`` or ``NLC``.
        name: Unused; for Paddle's signature.
    """

    _axes = 1
    _formats = ("NCL", "NLC")

    def __init__(
        self,
        padding: Sizes,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCL",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(padding, mode, value, data_format, name)


class Pad2D(_Pad):
    """Pads height and width of images.

    Args:
        padding: One integer, or (left, right, top, bottom).
        mode: ``constant``, ``reflect``, ``replicate`` or ``circular``.
        value: Value of the constant mode.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    _axes = 2
    _formats = ("NCHW", "NHWC")

    def __init__(
        self,
        padding: Sizes,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(padding, mode, value, data_format, name)


class Pad3D(_Pad):
    """Pads depth, height and width of volumes.

    Args:
        padding: One integer, or (left, right, top, bottom, front, back).
        mode: ``constant``, ``reflect``, ``replicate`` or ``circular``.
        value: Value of the constant mode.
        data_format: ``NCDHW`` or ``NDHWC``.
        name: Unused; for Paddle's signature.
    """

    _axes = 3
    _formats = ("NCDHW", "NDHWC")

    def __init__(
        self,
        padding: Sizes,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str = "NCDHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__(padding, mode, value, data_format, name)


class ZeroPad2D(Pad2D):
    """Pads height and width of images with zeros.

    Args:
        padding: One integer, or (left, right, top, bottom).
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, padding: Sizes, data_format: str = "NCHW", name: Optional[str] = None) -> None:
        super().__init__(padding, "constant", 0.0, data_format, name)

    def extra_repr(self) -> str:
        """Return padding and layout."""
        return with_name(f"padding={self._pad}, data_format={self._data_format}", self._name)
