"""Descriptions of quanters: a class and its arguments, from which one quanter is made for each layer."""

from __future__ import annotations

import abc
import sys
from typing import Any, Callable, TypeVar

from core.nn import Layer
from core.quantization.base_quanter import BaseQuanter

Quanter = TypeVar("Quanter", bound="type[BaseQuanter]")


class ClassWithArguments(metaclass=abc.ABCMeta):
    """A class, which a subclass names, and what it is to be made with.

    Args:
        *args: positional arguments.
        **kwargs: arguments by name.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs

    @abc.abstractmethod
    def _get_class(self) -> Any:
        """Return the class."""

    def __str__(self) -> str:
        arguments = [*map(str, self.args), *(f"{key}={value}" for key, value in self.kwargs.items())]
        return f"{type(self).__name__}({','.join(arguments)})"

    __repr__ = __str__


class QuanterFactory(ClassWithArguments):
    """Makes a quanter for each layer, with the same arguments."""

    def _instance(self, layer: Layer) -> BaseQuanter:
        """Return a new quanter for a layer."""
        made: BaseQuanter = self._get_class()(layer, *self.args, **self.kwargs)
        return made


ObserverFactory = QuanterFactory


def quanter(class_name: str) -> Callable[[Quanter], Quanter]:
    """Return a decorator for a class of quanters that puts a factory for it into the class's module.

    Args:
        class_name: the factory's name.

    Example:
        >>> @quanter("Halves")  # doctest: +SKIP
        ... class HalvesLayer(BaseQuanter):
        ...     def __init__(self, layer, bits=8): ...
        >>> config = QuantConfig(activation=Halves(bits=4), weight=None)
    """

    def decorate(target: Quanter) -> Quanter:
        module = sys.modules[target.__module__]
        members = {"_get_class": lambda self: target, "__module__": module.__name__}
        factory = type(class_name, (QuanterFactory,), members)
        setattr(module, class_name, factory)
        names = getattr(module, "__all__", None)
        if names is not None and class_name not in names:
            names.append(class_name)
        return target

    return decorate
