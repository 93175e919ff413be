"""Building a network with or without weights: from a file of the user's, or from the official one."""

from __future__ import annotations

import logging
import os
from typing import Any, Callable, Union

from core import LazyGuard
from core.weights import fetch, load_weights
from PaddleClas.models.weights import WEIGHTS

Pretrained = Union[bool, str, "os.PathLike[str]"]
"""False for fresh weights, True for the official ones, or the path of a weight file."""

_logger = logging.getLogger(__name__)


def build(
    name: str, network: Callable[..., Any], pretrained: Pretrained, adapt_head: bool = False, **arguments: Any
) -> Any:
    """Return a network, with weights if they are asked for.

    Args:
        name: the model's name, which finds its official weights.
        network: the class to construct.
        pretrained: False, True (official weights), or the path of a weight file.
        adapt_head: whether a head of other shape than the file's is left with fresh weights instead of refused.
        **arguments: given to the class.

    Raises:
        TypeError: ``pretrained`` is something else, or the class takes no such argument.
        ValueError: ``class_num`` is not positive, no weights are published, or the file does not fit the network.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    class_num = arguments.get("class_num", 1)
    if isinstance(class_num, bool) or not isinstance(class_num, int) or class_num < 1:
        raise ValueError(f"class_num must be a positive whole number, not {class_num!r}")
    if not isinstance(pretrained, (bool, str, os.PathLike)):
        raise TypeError(f"pretrained must be False, True or the path of a weight file, not {pretrained!r}")
    if pretrained is False:
        if adapt_head:
            raise ValueError("adapt_head=True needs pretrained weights; without them the whole network is fresh")
        return network(**arguments)
    source = official_weights(name) if pretrained is True else pretrained
    with LazyGuard():  # the parameters get the file's values without being drawn first
        model = network(**arguments)
    load_weights(model, source, adapt_head=adapt_head)
    return model.materialize()


def official_weights(name: str) -> str:
    """Return the local path of a model's official weight file, downloading it on first use.

    Raises:
        ValueError: no weights are published for this model.
        ConnectionError: the server is out of reach; the message says where to put the file by hand.
    """
    if name not in WEIGHTS:
        raise ValueError(f"no weights are published for {name}: pass pretrained=PATH with a file of your own")
    record = WEIGHTS[name]
    if record.sha256 is None:
        _logger.warning(
            "the SHA-256 of %s is not known: that the file is the published one could not be verified", record.url
        )
    return os.fspath(fetch(record))
