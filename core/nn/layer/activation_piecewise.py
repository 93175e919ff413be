"""Activation layers made of pieces, and those that look along an axis."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import positive, with_name
from core.nn.layer.layers import Layer


class CELU(Layer):
    """max(0, x) + min(0, α · (exp(x / α) - 1)) (Barron 2017, arXiv:1704.07483).

    Args:
        alpha: α.
        name: Name shown in the repr.
    """

    def __init__(self, alpha: float = 1.0, name: Optional[str] = None) -> None:
        super().__init__()
        self._alpha = alpha
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.celu(x, self._alpha)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"alpha={self._alpha}", self._name)


class GLU(Layer):
    """The first half times the sigmoid of the second half (Dauphin et al. 2016, arXiv:1612.08083).

    Args:
        axis: The axis that is halved.
        name: Name shown in the repr.
    """

    def __init__(self, axis: int = -1, name: Optional[str] = None) -> None:
        super().__init__()
        self._axis = axis
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the result, smaller along the axis."""
        return F.glu(x, self._axis)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"axis={self._axis}", self._name)


class Hardshrink(Layer):
    """x where abs(x) > threshold, else 0.

    Args:
        threshold: The threshold.
        name: Name shown in the repr.
    """

    def __init__(self, threshold: float = 0.5, name: Optional[str] = None) -> None:
        super().__init__()
        self._threshold = threshold
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.hardshrink(x, self._threshold)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"threshold={self._threshold}", self._name)


class Hardsigmoid(Layer):
    """x / 6 + 1/2, cut to [0, 1].

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.hardsigmoid(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Hardswish(Layer):
    """x · min(max(0, x + 3), 6) / 6 (Howard et al. 2019, arXiv:1905.02244).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.hardswish(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Hardtanh(Layer):
    """x cut to [min, max].

    Args:
        min: Lower bound.
        max: Upper bound.
        name: Name shown in the repr.
    """

    def __init__(self, min: float = -1.0, max: float = 1.0, name: Optional[str] = None) -> None:
        super().__init__()
        self._min = min
        self._max = max
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.hardtanh(x, self._min, self._max)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"min={self._min}, max={self._max}", self._name)


class LogSoftmax(Layer):
    """The logarithm of :class:`Softmax`.

    Args:
        axis: The axis that sums to one.
        name: Name shown in the repr.
    """

    def __init__(self, axis: int = -1, name: Optional[str] = None) -> None:
        super().__init__()
        self._axis = axis
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x along the axis."""
        return F.log_softmax(x, self._axis)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"axis={self._axis}", self._name)


class Maxout(Layer):
    """The maximum over groups of channels (Goodfellow et al. 2013, arXiv:1302.4389).

    Args:
        groups: Number of channels in a group.
        axis: The channels' axis.
        name: Name shown in the repr.
    """

    def __init__(self, groups: int, axis: int = 1, name: Optional[str] = None) -> None:
        super().__init__()
        self._groups = positive("Maxout", "groups", groups)
        self._axis = axis
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the result, smaller along the axis."""
        return F.maxout(x, self._groups, self._axis)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"groups={self._groups}, axis={self._axis}", self._name)


class ReLU(Layer):
    """max(0, x).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.relu(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class ReLU6(Layer):
    """min(max(0, x), 6).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.relu6(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Softmax(Layer):
    """exp(x) / Σ exp(x) along an axis.

    Args:
        axis: The axis that sums to one.
        name: Name shown in the repr.
    """

    def __init__(self, axis: int = -1, name: Optional[str] = None) -> None:
        super().__init__()
        self._axis = axis
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x along the axis."""
        return F.softmax(x, self._axis)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"axis={self._axis}", self._name)


class Softshrink(Layer):
    """x moved towards 0 by threshold, 0 in between.

    Args:
        threshold: The threshold.
        name: Name shown in the repr.
    """

    def __init__(self, threshold: float = 0.5, name: Optional[str] = None) -> None:
        super().__init__()
        self._threshold = threshold
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.softshrink(x, self._threshold)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"threshold={self._threshold}", self._name)


class ThresholdedReLU(Layer):
    """x where x > threshold, else 0.

    Args:
        threshold: The threshold.
        name: Name shown in the repr.
    """

    def __init__(self, threshold: float = 1.0, name: Optional[str] = None) -> None:
        super().__init__()
        self._threshold = threshold
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.thresholded_relu(x, self._threshold)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"threshold={self._threshold}", self._name)
