"""Building a network with or without weights: from a file of the user's, or from the official one."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any, Callable, Union

from core import LazyGuard
from core.weights import fetch, read_weights
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
    load_weights(model, source, adapt_head)
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


def load_weights(model: Any, path: Union[str, os.PathLike[str]], adapt_head: bool = False) -> list[str]:
    """Load a weight file into a network; nothing is loaded unless names and shapes fit.

    Args:
        model: the network; its ``head_names`` say which layers are the head.
        path: a ``.pdparams``, ``.safetensors`` or MXNet ``.params`` file.
        adapt_head: whether head parameters of another shape keep their fresh values; a log line lists them.

    Returns:
        The names of the parameters that were left fresh.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file cannot be read, or a parameter is missing, unexpected, or of another shape.
    """
    values: dict[str, Any] = dict(read_weights(path))
    targets = {name: list(tensor.shape) for name, tensor in model.state_dict().items()}
    misfits = [name for name in targets if name in values and list(values[name].shape) != targets[name]]
    changes = [f"{name} {list(values[name].shape)} -> {targets[name]}" for name in misfits]
    in_head = [name.rpartition(".")[0] in model.head_names for name in misfits]
    if misfits and not (adapt_head and all(in_head)):
        advice = "; pass adapt_head=True to keep a fresh head" if all(in_head) else ""
        raise ValueError(f"{os.fspath(path)!r} has other shapes than the network: {_listed(changes)}{advice}")
    _check_names(targets, values, path)
    if misfits:
        values.update(_fresh_values(model, misfits))
        _logger.warning("the head was adapted, these parameters are fresh: %s", _listed(changes))
    model.set_state_dict(values)
    return misfits


def _fresh_values(model: Any, names: list[str]) -> dict[str, Any]:
    """Return the initial values of some parameters, drawing those that have none yet."""
    state = model.state_dict()
    for name in names:
        if state[name].is_abstract:
            state[name].initialize()
    return {name: state[name] for name in names}


def _check_names(
    targets: Mapping[str, list[int]], values: Mapping[str, Any], path: Union[str, os.PathLike[str]]
) -> None:
    problems = []
    missing = [name for name in targets if name not in values]
    unexpected = [name for name in values if name not in targets]
    if missing:
        problems.append(f"it lacks {_listed(missing)}")
    if unexpected:
        problems.append(f"the network has no {_listed(unexpected)}")
    if problems:
        raise ValueError(f"{os.fspath(path)!r} does not fit the network: {'; '.join(problems)}")


def _listed(items: list[str]) -> str:
    return ", ".join(items[:4]) + (f" and {len(items) - 4} more" if len(items) > 4 else "")
