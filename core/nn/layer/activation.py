"""Activation layers under the one module name that Paddle gives them; those with parameters or chance are here."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from core.nn.initializer import Constant
from core.nn.layer.activation_piecewise import (
    CELU,
    GLU,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LogSoftmax,
    Maxout,
    ReLU,
    ReLU6,
    Softmax,
    Softshrink,
    ThresholdedReLU,
)
from core.nn.layer.activation_smooth import (
    ELU,
    GELU,
    SELU,
    LeakyReLU,
    LogSigmoid,
    Mish,
    Sigmoid,
    Silu,
    Softplus,
    Softsign,
    Swish,
    Tanh,
    Tanhshrink,
)
from core.nn.layer.checks import positive, with_name
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttrLike

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Maxout",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sigmoid",
    "Silu",
    "Softmax",
    "Softmax2D",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "Tanh",
    "Tanhshrink",
    "ThresholdedReLU",
]


class PReLU(Layer):
    """x where positive, else weight · x, with a trained weight (He et al. 2015, arXiv:1502.01852).

    Args:
        num_parameters: 1, or the number of channels for one weight each.
        init: Initial value of the weight.
        weight_attr: ParamAttr of the weight.
        data_format: Where the channels stand.
        name: Name shown in the repr.
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
        name: Optional[str] = None,
    ) -> None:
        super().__init__()
        self._num_parameters = positive("PReLU", "num_parameters", num_parameters)
        self._init = init
        self._weight_attr = weight_attr
        self._data_format = data_format
        self._name = name
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.prelu(x, self._weight, data_format=self._data_format)

    def extra_repr(self) -> str:
        """Return the options."""
        text = (
            f"num_parameters={self._num_parameters}, data_format={self._data_format}, init={self._init},"
            f" dtype={self._dtype}"
        )
        return with_name(text, self._name)


class RReLU(Layer):
    """Leaky ReLU whose slope is drawn for each element in training mode (Xu et al. 2015, arXiv:1505.00853).

    Args:
        lower: Smallest slope.
        upper: Largest slope; the mean of both is used in evaluation mode.
        name: Name shown in the repr.
    """

    def __init__(self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: Optional[str] = None) -> None:
        super().__init__()
        self._lower = lower
        self._upper = upper
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the function of x, element by element."""
        return F.rrelu(x, lower=self._lower, upper=self._upper, training=self.training)

    def extra_repr(self) -> str:
        """Return the options."""
        text = f"lower={self._lower}, upper={self._upper}, training={self.training}, dtype={self._dtype}"
        return with_name(text, self._name)


class Softmax2D(Layer):
    """Softmax over the channels of images.

    Args:
        name: Name shown in the repr.

    Shapes:
        input and output (N, C, H, W) or (C, H, W).
    """

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """Return the channels' shares.

        Raises:
            ValueError: the input is no image or batch of images.
        """
        if len(x.shape) not in (3, 4):
            raise ValueError(f"Softmax2D requires a 3D or 4D tensor as input. Received: {len(x.shape)}D.")
        return F.softmax(x, axis=-3)

    def extra_repr(self) -> str:
        """Return the name, if any."""
        return with_name("", self._name)
