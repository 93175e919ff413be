"""Activation layers that are smooth, or bent once at zero."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.layer.checks import with_name
from core.nn.layer.layers import Layer


class ELU(Layer):
    """x where positive, else α · (exp(x) - 1) (Clevert et al. 2015, arXiv:1511.07289).

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
        return F.elu(x, self._alpha)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"alpha={self._alpha}", self._name)


class GELU(Layer):
    """x · Φ(x), Φ the normal distribution function (Hendrycks and Gimpel 2016, arXiv:1606.08415).

    Args:
        approximate: Whether the tanh formula is used.
        name: Name shown in the repr.
    """

    def __init__(self, approximate: bool = False, name: Optional[str] = None) -> None:
        super().__init__()
        self._approximate = approximate
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.gelu(x, self._approximate)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"approximate={self._approximate}", self._name)


class LeakyReLU(Layer):
    """x where positive, else slope · x.

    Args:
        negative_slope: The slope.
        name: Name shown in the repr.
    """

    def __init__(self, negative_slope: float = 0.01, name: Optional[str] = None) -> None:
        super().__init__()
        self._negative_slope = negative_slope
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.leaky_relu(x, self._negative_slope)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"negative_slope={self._negative_slope}", self._name)


class LogSigmoid(Layer):
    """log(1 / (1 + exp(-x))).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.log_sigmoid(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Mish(Layer):
    """x · tanh(softplus(x)) (Misra 2019, arXiv:1908.08681).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.mish(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class SELU(Layer):
    """ELU scaled so that variance is kept (Klambauer et al. 2017, arXiv:1706.02515).

    Args:
        scale: The scale.
        alpha: α of the ELU.
        name: Name shown in the repr.
    """

    def __init__(
        self,
        scale: float = 1.0507009873554804934193349852946,
        alpha: float = 1.6732632423543772848170429916717,
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self._scale = scale
        self._alpha = alpha
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.selu(x, self._scale, self._alpha)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"scale={self._scale}, alpha={self._alpha}", self._name)


class Sigmoid(Layer):
    """1 / (1 + exp(-x)).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.sigmoid(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Silu(Layer):
    """x · sigmoid(x).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.silu(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Softplus(Layer):
    """log(1 + exp(β x)) / β.

    Args:
        beta: β.
        threshold: Beyond β x = threshold the identity is used.
        name: Name shown in the repr.
    """

    def __init__(self, beta: float = 1, threshold: float = 20, name: Optional[str] = None) -> None:
        super().__init__()
        self._beta = beta
        self._threshold = threshold
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.softplus(x, self._beta, self._threshold)

    def extra_repr(self) -> str:
        """Return the options."""
        return with_name(f"beta={self._beta}, threshold={self._threshold}", self._name)


class Softsign(Layer):
    """x / (1 + abs(x)).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.softsign(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Swish(Layer):
    """x · sigmoid(x) (Ramachandran et al. 2017, arXiv:1710.05941).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.swish(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Tanh(Layer):
    """The hyperbolic tangent.

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.tanh(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)


class Tanhshrink(Layer):
    """x - tanh(x).

    Args:
        name: Name shown in the repr.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.tanhshrink(x)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)
