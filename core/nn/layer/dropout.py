"""Dropout layers: they drop in training mode and pass their input on in evaluation mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn import functional as F
from core.nn.layer.checks import one_of, with_name
from core.nn.layer.layers import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout2D", "Dropout3D"]


def _probability(owner: str, p: Any) -> float:
    if isinstance(p, bool) or not isinstance(p, (int, float)) or not 0 <= p <= 1:
        raise ValueError(f"{owner}: p must be a number between 0 and 1, but got {p!r}")
    return p


class Dropout(Layer):
    """Sets elements to zero with probability p (Hinton et al. 2012, arXiv:1207.0580).

    Args:
        p: Probability of zero.
        axis: Axis or axes along which elements are dropped independently; along the others they share their fate.
            None means all.
        mode: ``upscale_in_train`` divides by 1 - p in training; ``downscale_in_infer`` multiplies by it in evaluation.
        name: Unused; for Paddle's signature.
    """

    def __init__(
        self,
        p: float = 0.5,
        axis: Optional[Union[int, Sequence[int]]] = None,
        mode: str = "upscale_in_train",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self.p = _probability("Dropout", p)
        self.axis = axis
        self.mode = one_of("Dropout", "mode", mode, ("upscale_in_train", "downscale_in_infer"))
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the input with elements dropped."""
        return F.dropout(input, p=self.p, axis=self.axis, training=self.training, mode=self.mode)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"p={self.p}, axis={self.axis}, mode={self.mode}", self.name)


class Dropout2D(Layer):
    """Sets whole channels of images to zero with probability p (Tompson et al. 2014, arXiv:1411.4280).

    Args:
        p: Probability of zero.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, p: float = 0.5, data_format: str = "NCHW", name: Optional[str] = None) -> None:
        super().__init__()
        self.p = _probability("Dropout2D", p)
        self.data_format = one_of("Dropout2D", "data_format", data_format, ("NCHW", "NHWC"))
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the input (batch of images) with channels dropped."""
        return F.dropout2d(input, p=self.p, training=self.training, data_format=self.data_format)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"p={self.p}, data_format={self.data_format}", self.name)


class Dropout3D(Layer):
    """Sets whole channels of volumes to zero with probability p.

    Args:
        p: Probability of zero.
        data_format: ``NCDHW`` or ``NDHWC``.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, p: float = 0.5, data_format: str = "NCDHW", name: Optional[str] = None) -> None:
        super().__init__()
        self.p = _probability("Dropout3D", p)
        self.data_format = one_of("Dropout3D", "data_format", data_format, ("NCDHW", "NDHWC"))
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the input (batch of volumes) with channels dropped."""
        return F.dropout3d(input, p=self.p, training=self.training, data_format=self.data_format)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"p={self.p}, data_format={self.data_format}", self.name)


class AlphaDropout(Layer):
    """Dropout that keeps mean and variance of SELU activations (Klambauer et al. 2017, arXiv:1706.02515).

    Args:
        p: Probability of dropping.
        name: Unused; for Paddle's signature.
    """

    def __init__(self, p: float = 0.5, name: Optional[str] = None) -> None:
        super().__init__()
        self.p = _probability("AlphaDropout", p)
        self.name = name

    def forward(self, input: Any) -> Any:
        """Return the input with elements dropped."""
        return F.alpha_dropout(input, p=self.p, training=self.training)

    def extra_repr(self) -> str:
        """Return p."""
        return with_name(f"p={self.p}", self.name)
