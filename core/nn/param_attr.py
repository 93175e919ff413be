"""ParamAttr: everything that can be said about a parameter before it exists."""

from __future__ import annotations

from typing import Any, Optional, Union

from core.nn.initializer import Initializer


class ParamAttr:
    """How a parameter is named, initialised, regularised and trained.

    Args:
        name: Name of the parameter; a unique one is made when it is None.
        initializer: An :class:`core.nn.initializer.Initializer`; the layer's own default when it is None.
        learning_rate: Factor on the optimizer's learning rate.
        regularizer: ``core.regularizer.L1Decay`` or ``L2Decay``; overrides the optimizer's weight decay.
        trainable: Whether the parameter needs a gradient.
        do_model_average: Whether weight averaging takes this parameter along.
        need_clip: Whether the optimizer's gradient clipping applies.
    """

    def __init__(
        self,
        name: Optional[str] = None,
        initializer: Optional[Initializer] = None,
        learning_rate: float = 1.0,
        regularizer: Optional[Any] = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    @staticmethod
    def _to_attr(value: Any) -> Any:
        """Turn what a layer's ``weight_attr`` may be into a ParamAttr, False (no parameter) or a list of those.

        Raises:
            TypeError: the value is none of ParamAttr, str, Initializer, regularizer, bool or None.
        """
        if value is None or value is True:
            return ParamAttr()
        if value is False or isinstance(value, ParamAttr):
            return value
        if isinstance(value, (list, tuple)):
            return [ParamAttr._to_attr(item) for item in value]
        if isinstance(value, str):
            return ParamAttr(name=value)
        if isinstance(value, Initializer):
            return ParamAttr(initializer=value)
        if hasattr(value, "coeff") or type(value).__name__.endswith("Decay"):
            return ParamAttr(regularizer=value)
        raise TypeError(
            f"{value!r} cannot describe a parameter: give a ParamAttr, a name, an Initializer, a regularizer,"
            " False for no parameter, or None for the default"
        )

    def __repr__(self) -> str:
        return f"ParamAttr({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"


PresentAttrLike = Union[ParamAttr, Initializer, str, None]
"""Describes a parameter that there is; :data:`ParamAttrLike` may also be False, for none."""

ParamAttrLike = Union[PresentAttrLike, bool]
