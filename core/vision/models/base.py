"""What the networks have in common: their last arguments, and how they are built with published weights."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from typing import Any, Callable, Optional

from core import nn
from core.nn import LazyGuard
from core.weights import fetch, load_weights

Addresses = Mapping[str, tuple[str, str]]
"""A network's name to the address of its published weight file and the file's MD5."""


class ImageNetwork(nn.Layer):
    """A network of images: feature maps, which may be averaged, and a head, which may be absent.

    Args:
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.

    Attributes:
        head_names: the layers of the head; a weight file for another number of classes leaves them as they are.

    Raises:
        TypeError: the number of classes is not a whole number.
    """

    head_names: tuple[str, ...] = ("fc",)

    def __init__(self, num_classes: int, with_pool: bool = True) -> None:
        super().__init__()
        try:
            self.num_classes = operator.index(num_classes)
        except TypeError:
            kind = type(self).__name__
            raise TypeError(f"{kind}: num_classes must be a whole number, not {num_classes!r}") from None
        self.with_pool = with_pool


def build(
    name: str, network: Callable[..., nn.Layer], addresses: Addresses, pretrained: bool, **arguments: Any
) -> Any:
    """Return a network, with the weights that Paddle publishes for it if they are asked for.

    Args:
        name: the network's name among the addresses.
        network: the class to construct.
        addresses: where the weights of its family are.
        pretrained: whether to load them; they are fetched on first use. A head of another number of classes than theirs
            keeps fresh values, which the log says.
        **arguments: given to the class.

    Raises:
        TypeError: ``pretrained`` is a path, or the class takes no such argument.
        ValueError: no weights are published under this name, or the file does not fit the network.
        ConnectionError: the file is neither in the cache nor within reach; the message says where to put it by hand.
    """
    if isinstance(pretrained, (str, os.PathLike)):
        raise TypeError(
            f"{name}: pretrained must be True or False, not {pretrained!r}; for weights of your own, "
            "network.set_state_dict(core.load(path))"
        )
    if not pretrained:
        return network(**arguments)
    if name not in addresses:
        raise ValueError(
            f"no weights are published for {name}: pass pretrained=False; there are some for {', '.join(addresses)}"
        )
    with LazyGuard():  # the parameters get the file's values without being drawn first
        model = network(**arguments)
    address, md5 = addresses[name]
    load_weights(model, fetch(address, md5=md5), adapt_head=True)
    return model.materialize()


def choice(known: Mapping[Any, Any], given: Any, rule: str) -> Any:
    """Return what a table has for an argument.

    Args:
        known: the table.
        given: the argument.
        rule: what the message says that it must be.

    Raises:
        ValueError: the table lacks it.
    """
    try:
        return known[given]
    except (KeyError, TypeError):
        raise ValueError(f"{rule}, not {given!r}") from None


def check_scale(owner: str, scale: float, narrowest: Optional[int] = None) -> None:
    """Check that a factor on the numbers of channels leaves every layer a channel.

    Args:
        owner: the network, for the message.
        scale: the factor.
        narrowest: channels of the narrowest layer at scale 1; None where numbers of channels are never rounded to 0.

    Raises:
        ValueError: it does not.
    """
    if not scale > 0:
        raise ValueError(f"{owner}: scale must be positive, not {scale}")
    if narrowest is not None and scale * narrowest < 1:
        raise ValueError(f"{owner}: scale must be at least 1/{narrowest}, not {scale}: a layer would have no channel")
