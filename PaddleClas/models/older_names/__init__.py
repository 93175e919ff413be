"""Weights of every age: what the parameters were called in releases 2.0 and 2.1, and in Fluid 1.x.

Release 2.2 renamed the layers of six families and left the order and the shapes of their parameters; in Fluid 1.x a
parameter had one name in the whole program (``res2a_branch2a_weights``). Both follow from today's names by rules.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy

from PaddleClas.models.older_names import inception, mobile, plain, release_2_0, residual
from PaddleClas.models.older_names.rules import rewritten
from PaddleClas.models.registry import MODELS

FLUID = "Fluid 1.x"
RELEASE_2_0 = "PaddleClas 2.0"

_FLUID_NAMES = {
    "vgg": plain.vgg,
    "resnet": residual.resnet,
    "resnet_vc": residual.resnet,
    "mobilenet_v1": mobile.mobilenet_v1,
    "mobilenet_v2": mobile.mobilenet_v2,
    "mobilenet_v3": mobile.mobilenet_v3,
    "shufflenet_v2": mobile.shufflenet_v2,
    "ghostnet": mobile.ghostnet,
    "alexnet": plain.alexnet,
    "squeezenet": mobile.squeezenet,
    "darknet": plain.darknet,
    "googlenet": inception.googlenet,
    "resnext": residual.resnet,
    "se_resnet_vd": residual.resnet,
    "se_resnext": residual.se_resnext,
    "efficientnet": mobile.efficientnet,
    "res2net": residual.resnet,
    "hrnet": plain.hrnet,
    "regnet": residual.regnet,
    "resnest": residual.resnest,
    "densenet": plain.densenet,
    "inception_v3": inception.inception_v3,
    "inception_v4": inception.inception_v4,
    "dpn": plain.dpn,
    "xception": inception.xception,
    "xception_deeplab": inception.xception_deeplab,
    "resnext101_wsl": residual.wsl,
}
"""Module of PaddleClas.models to its names in Fluid 1.x; LeNet, NASNet and PNASNet had no official files."""

_OF_TRAINING = re.compile(
    r"@.*@|learning_rate(_\d+)?|.+_(velocity|moment[12]?|momentum|beta[12]_pow_acc|mean_square|mean_grad)_\d+"
)

_logger = logging.getLogger(__name__)


def older_names(model_name: str, names: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return what a model's parameters were called before.

    Args:
        model_name: a model of the registry.
        names: the names of its parameters and buffers today.

    Returns:
        The generations: what files of it are called, and older name to today's. A generation whose names are today's
        is left out; release 2.0 occurs twice where its versions disagree (ResNet's blocks).
    """
    family = MODELS.get(model_name, "")
    if family == "regnet":
        names = [*names, *_biases(names)]
    generations = []
    middle = list(names)
    for rules in reversed(release_2_0.rules(model_name, family)):
        middle = [rewritten(name, rules) for name in names]
        if rules:
            generations.append((RELEASE_2_0, dict(zip(middle, names))))
    if family in _FLUID_NAMES:
        today = dict(zip(middle, names))
        table = _FLUID_NAMES[family](model_name, family).table(middle)
        generations.append((FLUID, {older: today[name] for name, older in table.items()}))
    return generations


def fluid_names(model_name: str, names: Sequence[str]) -> Optional[list[str]]:
    """Return a model's variables in Fluid 1.x, which name the tensors of a file of several; None if it had none."""
    tables = [table for label, table in older_names(model_name, names) if label == FLUID]
    surplus = set(_biases(names)) if MODELS.get(model_name) == "regnet" else set()
    return [older for older, today in tables[0].items() if today not in surplus] if tables else None


def renamed(model_name: str, names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a weight file of any age under today's names.

    The generation is the one whose names most entries have; a log line says which. Entries without a counterpart keep
    their names, and a file that is of no generation comes back as it is. What training left beside the parameters in
    Fluid 1.x (momentum, learning rate) is dropped.

    Args:
        model_name: a model of the registry.
        names: the names of its parameters and buffers today.
        values: name in the file to array.
    """
    fitting = len(set(names) & set(values))
    found: Optional[tuple[str, dict[str, str]]] = None
    for label, table in older_names(model_name, names):
        count = len(table.keys() & values.keys())
        if count > fitting:
            fitting, found = count, (label, table)
    result = dict(values)
    if found is not None:
        label, table = found
        kept = {name: value for name, value in values.items() if label != FLUID or not _OF_TRAINING.fullmatch(name)}
        result = {_today(name, table, kept): value for name, value in kept.items()}
        left = f", and {len(values) - len(kept)} are of its training" if len(kept) < len(values) else ""
        message = "%s: %d of %d entries of the file have the names of %s%s"
        _logger.info(message, model_name, fitting, len(values), label, left)
    return _restructured(model_name, names, result)


def _today(name: str, table: Mapping[str, str], kept: Mapping[str, Any]) -> str:
    """Return an entry's name today; its own where the file has another entry under that, which loading will refuse."""
    today = table.get(name, name)
    return name if today in kept else today


def _biases(names: Sequence[str]) -> list[str]:
    """Return the biases that RegNetX's convolutions had in release 2.0, before a normalisation each."""
    return [name[: -len("weight")] + "bias" for name in names if name.endswith("._conv.weight")]


def _restructured(model_name: str, names: Sequence[str], values: dict[str, Any]) -> dict[str, Any]:
    """Return the entries for today's structure of RegNetX, ResNeSt and Swin, which compute the same."""
    family = MODELS.get(model_name, "")
    if family == "regnet":  # normalisation takes a bias before it away: into its mean
        surplus = set(_biases(names)) & set(values)
        for bias in surplus:
            mean = bias.replace("._conv.bias", "._batch_norm._mean")
            if mean in values and values[mean].shape == values[bias].shape:
                values[mean] = values[mean] - values.pop(bias)
        if surplus:
            _logger.info("%s: %d biases of convolutions go into the means after them", model_name, len(surplus))
    if family.startswith("swin"):  # some releases kept in their files the masks that follow from the sizes
        values = {name: value for name, value in values.items() if not name.endswith(".attn_mask")}
    if family == "resnest":  # the last convolutions of attention had no bias
        lacking = {name: name[: -len("bias")] + "weight" for name in names if name.endswith(".conv2.conv3.bias")}
        if not lacking.keys() & values.keys() and set(lacking.values()) <= set(values):
            values.update({name: numpy.zeros(values[of].shape[:1], values[of].dtype) for name, of in lacking.items()})
            _logger.info("%s: %d biases that the file does not have are zero", model_name, len(lacking))
    return values
