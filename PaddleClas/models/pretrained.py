"""Building a network with or without weights: from a file of the user's, or from the official one."""

from __future__ import annotations

import functools
import logging
import os
from typing import Any, Callable, Union

from core import LazyGuard
from core.weights import fetch, load_weights
from PaddleClas.models.older_names import fluid_names, renamed
from PaddleClas.models.weights import SSLD_WEIGHTS, WEIGHTS

Pretrained = Union[bool, str, "os.PathLike[str]"]
"""False for fresh weights, True for the official ones, or the path of a weight file (or folder, of Fluid 1.x)."""

INQUIRY = object()
"""Given as ``pretrained``, an entry function returns the class and the arguments it would build, and builds nothing."""

_logger = logging.getLogger(__name__)


def build(
    name: str,
    network: Callable[..., Any],
    pretrained: Pretrained,
    adapt_head: bool = False,
    use_ssld: bool = False,
    **arguments: Any,
) -> Any:
    """Return a network, with weights if they are asked for.

    A file may be of any age: names of releases 2.0 and 2.1 and of Fluid 1.x become today's.

    Args:
        name: the model's name, which finds its official weights.
        network: the class to construct.
        pretrained: False, True (official weights), or the path of a weight file.
        adapt_head: whether a head of other shape than the file's is left with fresh weights instead of refused.
        use_ssld: whether the official weights are those that were distilled from a larger network.
        **arguments: given to the class.

    Raises:
        TypeError: ``pretrained`` is something else, or the class takes no such argument.
        ValueError: ``class_num`` is not positive, no (such) weights are published, ``use_ssld`` comes with a path, or
            the file does not fit the network.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    if pretrained is INQUIRY:
        return network, arguments
    class_num = arguments.get("class_num", 1)
    if isinstance(class_num, bool) or not isinstance(class_num, int) or class_num < 1:
        raise ValueError(f"class_num must be a positive whole number, not {class_num!r}")
    if not isinstance(pretrained, (bool, str, os.PathLike)):
        raise TypeError(f"pretrained must be False, True or the path of a weight file, not {pretrained!r}")
    if use_ssld and not isinstance(pretrained, bool):
        raise ValueError("use_ssld=True chooses among the official weights, but pretrained is a path")
    if pretrained is False:
        if adapt_head:
            raise ValueError("adapt_head=True needs pretrained weights; without them the whole network is fresh")
        return network(**arguments)
    source = official_weights(name, use_ssld) if pretrained is True else pretrained
    with LazyGuard():  # the parameters get the file's values without being drawn first
        model = network(**arguments)
    names = list(model.state_dict())
    rename = functools.partial(renamed, name, names)
    load_weights(model, source, adapt_head=adapt_head, rename=rename, names=fluid_names(name, names))
    return model.materialize()


def official_weights(name: str, use_ssld: bool = False) -> str:
    """Return the local path of a model's official weight file, or of the distilled one, downloading it on first use.

    Raises:
        ValueError: no (distilled) weights are published for this model.
        ConnectionError: the server is out of reach; the message says where to put the file by hand.
    """
    if use_ssld and name not in SSLD_WEIGHTS:
        raise ValueError(f"no distilled weights are published for {name}; they are for {', '.join(SSLD_WEIGHTS)}")
    if name not in WEIGHTS:
        raise ValueError(f"no weights are published for {name}: pass pretrained=PATH with a file of your own")
    record = (SSLD_WEIGHTS if use_ssld else WEIGHTS)[name]
    if record.sha256 is None:
        _logger.warning(
            "the SHA-256 of %s is not known: that the file is the published one could not be verified", record.url
        )
    return os.fspath(fetch(record))
