"""Adaptive pooling layers: the output's size is given, not the window's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn import functional as F
from core.nn.layer.checks import one_of, with_name
from core.nn.layer.layers import Layer

OutputSize = Union[int, Sequence[Optional[int]]]


class _Adaptive(Layer):
    """Shared body of the adaptive pooling layers."""

    def __init__(self, output_size: OutputSize, name: Optional[str] = None) -> None:
        super().__init__()
        owner = type(self).__name__
        for size in output_size if isinstance(output_size, (list, tuple)) else [output_size]:
            if size is not None and (not isinstance(size, int) or size < 1):
                raise ValueError(f"{owner}: output_size holds positive integers (or None), but got {output_size!r}")
        self._output_size = output_size
        self._name = name

    def extra_repr(self) -> str:
        """Return the output's size."""
        return with_name(f"output_size={self._output_size}", self._name)


class _AdaptiveMax(_Adaptive):
    """Shared body of the adaptive maximum pooling layers."""

    def __init__(self, output_size: OutputSize, return_mask: bool = False, name: Optional[str] = None) -> None:
        super().__init__(output_size, name)
        self._return_mask = return_mask

    def extra_repr(self) -> str:
        """Return the output's size and whether positions are returned."""
        return f"output_size={self._output_size}, return_mask={self._return_mask}"


class AdaptiveAvgPool1D(_Adaptive):
    """Means of sequences such that the output has a given length.

    Args:
        output_size: The length.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, L), output (N, C, output_size).
    """

    def forward(self, input: Any) -> Any:
        """Return the means."""
        return F.adaptive_avg_pool1d(input, self._output_size)


class AdaptiveAvgPool2D(_Adaptive):
    """Means of images such that the output has a given size.

    Args:
        output_size: One integer or one per axis; None keeps that axis.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, H, W), output (N, C, *output_size).
    """

    def __init__(self, output_size: OutputSize, data_format: str = "NCHW", name: Optional[str] = None) -> None:
        super().__init__(output_size, name)
        self._data_format = one_of("AdaptiveAvgPool2D", "data_format", data_format, ("NCHW", "NHWC"))

    def forward(self, x: Any) -> Any:
        """Return the means."""
        return F.adaptive_avg_pool2d(x, self._output_size, data_format=self._data_format)


class AdaptiveAvgPool3D(_Adaptive):
    """Means of volumes such that the output has a given size.

    Args:
        output_size: One integer or one per axis; None keeps that axis.
        data_format: ``NCDHW`` or ``NDHWC``.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, D, H, W), output (N, C, *output_size).
    """

    def __init__(self, output_size: OutputSize, data_format: str = "NCDHW", name: Optional[str] = None) -> None:
        super().__init__(output_size, name)
        self._data_format = one_of("AdaptiveAvgPool3D", "data_format", data_format, ("NCDHW", "NDHWC"))

    def forward(self, x: Any) -> Any:
        """Return the means."""
        return F.adaptive_avg_pool3d(x, self._output_size, data_format=self._data_format)


class AdaptiveMaxPool1D(_AdaptiveMax):
    """Maxima of sequences such that the output has a given size.

    Args:
        output_size: One integer.
        return_mask: Whether the positions of the maxima (int32, in the flattened plane) are returned too.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, L), output (N, C, *output_size), or a pair of such with ``return_mask``.
    """

    def forward(self, input: Any) -> Any:
        """Return the maxima."""
        return F.adaptive_max_pool1d(input, self._output_size, return_mask=self._return_mask)


class AdaptiveMaxPool2D(_AdaptiveMax):
    """Maxima of images such that the output has a given size.

    Args:
        output_size: One integer or one per axis; None keeps that axis.
        return_mask: Whether the positions of the maxima (int32, in the flattened plane) are returned too.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, H, W), output (N, C, *output_size), or a pair of such with ``return_mask``.
    """

    def forward(self, x: Any) -> Any:
        """Return the maxima."""
        return F.adaptive_max_pool2d(x, self._output_size, return_mask=self._return_mask)


class AdaptiveMaxPool3D(_AdaptiveMax):
    """Maxima of volumes such that the output has a given size.

    Args:
        output_size: One integer or one per axis; None keeps that axis.
        return_mask: Whether the positions of the maxima (int32, in the flattened plane) are returned too.
        name: Unused; for Paddle's signature.

    Shapes:
        input (N, C, D, H, W), output (N, C, *output_size), or a pair of such with ``return_mask``.
    """

    def forward(self, x: Any) -> Any:
        """Return the maxima."""
        return F.adaptive_max_pool3d(x, self._output_size, return_mask=self._return_mask)
