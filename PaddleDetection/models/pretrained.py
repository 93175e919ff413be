"""Building a detector with or without weights: from a file of the user's, or from an official one, of any age."""

from __future__ import annotations

import functools
import logging
import operator
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

from core import LazyGuard
from core.train.config.table import check_weights
from core.weights import fetch, load_weights, read_weights
from PaddleClas.models.older_names import FLUID, older_names
from PaddleClas.models.weights import WEIGHTS as CLASSIFIERS
from PaddleDetection.models import pyramidbox_names
from PaddleDetection.models.older_names import fluid_names, renamed
from PaddleDetection.models.registry import NETWORKS
from PaddleDetection.models.weights import CHECKPOINTS, own_checkpoint

Pretrained = Union[bool, str, "os.PathLike[str]"]
"""False for fresh weights, True for the official ones, the name of a checkpoint or a classifier, or a file's path."""

_BACKBONE = "backbone."
_RES5 = "bbox_head.head.res5."
"""What is the last stage of a classifier is a head where a detector has no pyramid."""

_CLASSIFIER_OF = (
    (r"mobilenet_v1", "MobileNetV1"),
    (r"(?:mobilenet_v|mbv)3_(large|small)", "MobileNetV3_{}_x1_0"),
    (r"vgg16|pyramidbox", "VGG16"),
    (r"se154_vd", "SENet154_vd"),
    (r"darknet53", "DarkNet53"),
    (r"x101_vd_64x4d", "ResNeXt101_vd_64x4d"),
    (r"_r(\d+)_?vd", "ResNet{}_vd"),
    (r"_r(\d+)", "ResNet{}"),
)
"""What is in a detector's name, and the classifier that its backbone is of."""

_logger = logging.getLogger(__name__)


def build(name: str, pretrained: Pretrained = False, **arguments: Any) -> Any:
    """Return a detector, with weights if they are asked for.

    All parameters must be in the file and fit, but for two cases, which the log names. Of a file for another number
    of classes, or of prior boxes, the layers whose shape follows from that number are skipped; each is named. A file
    that holds a backbone alone, such as a classifier's, is loaded into the backbone; layers that no classifier has, its
    ``own_layers``, may be missing.

    Args:
        name: of the network.
        pretrained: False, True (the official weights), the name of one of
            :data:`PaddleDetection.models.weights.CHECKPOINTS` or of a classifier of PaddleClas, or the path of a
            weight file, or of a folder or archive of Fluid 1.x.
        **arguments: of the network.

    Raises:
        TypeError: ``pretrained`` is something else, or the network takes no such argument.
        ValueError: no weights are published, they are another network's, or the file does not fit the network.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    name = NETWORKS.find(name)
    if not isinstance(pretrained, (bool, str, os.PathLike)):
        raise TypeError(f"pretrained must be a bool, a checkpoint's name or a path, not {pretrained!r}")
    if pretrained is False:
        return NETWORKS.call(name, **arguments)
    source = _source(name, pretrained)
    with LazyGuard():  # the parameters get the file's values without being drawn first
        model = NETWORKS.call(name, **arguments)
        more = {**arguments, "num_classes": model.num_classes + 1}
        other = model if model.fixed_classes else NETWORKS.call(name, **more)
    shapes = _shapes(model)
    names = list(fluid_names(list(shapes)) if name != "pyramidbox" else pyramidbox_names.fluid_names().values())
    known = functools.partial(_named, name, shapes)
    parts = _parts(shapes, known(read_weights(source, names)))
    for part in parts:
        inner = functools.partial(_within, part, known)
        layer = operator.attrgetter(part)(model)
        load_weights(layer, source, rename=inner, names=names, adapt_head=getattr(layer, "own_layers", ()))
    if parts:
        _logger.info("%r holds the weights of the backbone alone; neck and heads have fresh ones", source)
    else:
        of_classes = {key.rpartition(".")[0] for key, shape in _shapes(other).items() if shape != shapes[key]}
        of_classes.update(getattr(model, "of_anchors", ()))
        load_weights(model, source, rename=known, names=names, adapt_head=sorted(of_classes))
    return model.materialize()


def _source(network: str, pretrained: Pretrained) -> str:
    """Return the local path of a weight file, which is downloaded on first use if it is an official one."""
    name = own_checkpoint(network) if isinstance(pretrained, bool) else os.fspath(pretrained)
    if name is None:
        raise ValueError(f"no weights are published for {network}: pass pretrained=PATH with a file of your own")
    checkpoint = CHECKPOINTS.get(name)
    if checkpoint is not None and checkpoint.network != network:
        raise ValueError(f"the checkpoint {name!r} is of the network {checkpoint.network}, not {network}")
    record = checkpoint.record if checkpoint is not None else CLASSIFIERS.get(name)
    if record is None:
        check_weights(name, [*(key for key, one in CHECKPOINTS.items() if one.network == network), *CLASSIFIERS])
        return name
    if record.sha256 is None:
        _logger.warning(
            "the SHA-256 of %s is not known: that the file is the published one could not be verified", record.url
        )
    return os.fspath(fetch(record))


def _shapes(model: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


def _named(network: str, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a file of any age under today's names; of a backbone alone, of PaddleClas, too."""
    if pyramidbox_names.SCALE in values:
        return pyramidbox_names.renamed(values)
    bare = {name[len(_BACKBONE) :]: name for name in shapes if name.startswith(_BACKBONE)}
    bare.update({name.partition(".head.")[2]: name for name in shapes if name.startswith(_RES5)})
    if shapes.keys() & values.keys():
        return dict(values)
    if len(bare.keys() & values.keys()) > len(bare) // 2:
        return {bare.get(name, name): value for name, value in values.items()}
    classifier = classifier_of(network)
    for label, table in older_names(classifier, list(values)) if classifier else ():
        if label == FLUID:
            fluid = {today: older for older, today in table.items()}
            values = {fluid.get(name, name): value for name, value in values.items()}
    return renamed(shapes, values)


def classifier_of(network: str) -> Optional[str]:
    """Return the name of the classifier of PaddleClas that a detector's backbone is of; None if there is none.

    Args:
        network: the detector's name.
    """
    for pattern, classifier in _CLASSIFIER_OF:
        match = re.search(pattern, network)
        if match:
            return classifier.format(*match.groups())
    return None


def _parts(shapes: Mapping[str, Sequence[int]], values: Mapping[str, Any]) -> list[str]:
    """Return the parts of a detector that a file fills which holds a backbone alone; none, [], of another file."""
    prefixes = [prefix for prefix in (_BACKBONE, _RES5) if any(name.startswith(prefix) for name in shapes)]
    fitting = [name for name in values if name in shapes]
    alone = fitting and all(name.startswith(tuple(prefixes)) for name in fitting)
    return [prefix[:-1] for prefix in prefixes] if alone else []


def _within(
    part: str, known: Callable[[Mapping[str, Any]], dict[str, Any]], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the entries of a part of a detector, by their names in it; ``known`` gives the names in the detector."""
    return {name[len(part) + 1 :]: value for name, value in known(values).items() if name.startswith(f"{part}.")}
