"""Building a network with or without weights: from a file of the user's, or from an official one, of any age."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Mapping
from typing import Any, Union

from core import LazyGuard
from core.train.config.table import check_weights
from core.weights import fetch, load_weights, read_weights
from PaddleClas.models.weights import SSLD_WEIGHTS
from PaddleClas.models.weights import WEIGHTS as CLASSIFIERS
from PaddleVideo.models.registry import NETWORKS
from PaddleVideo.models.weights import WEIGHTS

Pretrained = Union[bool, str, "os.PathLike[str]"]
"""False for fresh weights, True for the official ones, the name of a classifier, or the path of a weight file."""

_logger = logging.getLogger(__name__)


def build(name: str, pretrained: Pretrained = False, adapt_head: bool = False, **arguments: Any) -> Any:
    """Return a network, with weights if they are asked for.

    All parameters must be in the file and fit, but for two cases, which the log names: the head for another number
    of classes, with ``adapt_head``; and a file of an image classifier of PaddleClas, which is loaded into the backbone.

    Args:
        name: of the network.
        pretrained: False, True (the official weights), the name of a classifier of PaddleClas, with "_ssld" behind it
            for its distilled weights, or the path of a weight file, or of a folder or archive of Fluid 1.x.
        adapt_head: whether a head of other shape than the file's is left with fresh weights instead of refused.
        **arguments: of the network.

    Raises:
        TypeError: ``pretrained`` is something else, or the network takes no such argument.
        ValueError: ``class_num`` is not positive, no weights are published, or the file does not fit the network.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    name = NETWORKS.find(name)
    class_num = arguments.get("class_num", 1)
    if isinstance(class_num, bool) or not isinstance(class_num, int) or class_num < 1:
        raise ValueError(f"class_num must be a positive whole number, not {class_num!r}")
    if not isinstance(pretrained, (bool, str, os.PathLike)):
        raise TypeError(f"pretrained must be a bool, a classifier's name or a path, not {pretrained!r}")
    if pretrained is False:
        if adapt_head:
            raise ValueError("adapt_head=True needs pretrained weights; without them the whole network is fresh")
        return NETWORKS.call(name, **arguments)
    source = _source(name, pretrained)
    with LazyGuard():  # the parameters get the file's values without being drawn first
        model = NETWORKS.call(name, **arguments)
    state, older = model.state_dict(), model.older_names()
    of_backbone = model.of_classifier(_known(state, older, read_weights(source, list(older) or None)))
    if of_backbone:
        rest = sorted({key.rpartition(".")[0] for key in state if key not in of_backbone})
        load_weights(model, source, rename=lambda values: of_backbone, adapt_head=rest)
        _logger.info("%r holds the weights of the backbone alone; the other layers have fresh ones", source)
    else:
        rename = functools.partial(_known, state, older)
        load_weights(model, source, rename=rename, names=list(older) or None, adapt_head=adapt_head)
    return model.materialize()


def _known(state: Mapping[str, Any], older: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a file under today's names, if they are those of Fluid 1.x."""
    if state.keys() & values.keys() or not older.keys() & values.keys():
        return dict(values)
    return {older.get(name, name): value for name, value in values.items()}


def _source(network: str, pretrained: Pretrained) -> str:
    """Return the local path of a weight file, which is downloaded on first use if it is an official one."""
    if pretrained is True:
        if network not in WEIGHTS:
            raise ValueError(f"no weights are published for {network}: pass pretrained=PATH with a file of your own")
        record: Any = WEIGHTS[network]
    else:
        path = os.fspath(pretrained)  # type: ignore[arg-type]  # it is not False
        distilled = path.endswith("_ssld")
        record = SSLD_WEIGHTS.get(path[: -len("_ssld")]) if distilled else CLASSIFIERS.get(path)
        if record is None:
            check_weights(path, [*CLASSIFIERS, *(f"{name}_ssld" for name in SSLD_WEIGHTS)])
            return path
    if record.sha256 is None:
        _logger.warning(
            "the SHA-256 of %s is not known: that the file is the published one could not be verified", record.url
        )
    return os.fspath(fetch(record))
