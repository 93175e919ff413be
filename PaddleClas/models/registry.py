"""The one table of models, and the Python door to it. Importing this module loads no network and no engine."""

from __future__ import annotations

import difflib
import fnmatch
import importlib
import os
from typing import Any, Callable, Union

MODELS = {
    "LeNet": "lenet",
    "VGG11": "vgg",
    "VGG13": "vgg",
    "VGG16": "vgg",
    "VGG19": "vgg",
    "ResNet18": "resnet",
    "ResNet34": "resnet",
    "ResNet50": "resnet",
    "ResNet101": "resnet",
    "ResNet152": "resnet",
    "ResNet50_vc": "resnet_vc",
    "ResNet18_vd": "resnet",
    "ResNet34_vd": "resnet",
    "ResNet50_vd": "resnet",
    "ResNet101_vd": "resnet",
    "ResNet152_vd": "resnet",
    "ResNet200_vd": "resnet",
    "MobileNetV1_x0_25": "mobilenet_v1",
    "MobileNetV1_x0_5": "mobilenet_v1",
    "MobileNetV1_x0_75": "mobilenet_v1",
    "MobileNetV1": "mobilenet_v1",
    "MobileNetV2_x0_25": "mobilenet_v2",
    "MobileNetV2_x0_5": "mobilenet_v2",
    "MobileNetV2_x0_75": "mobilenet_v2",
    "MobileNetV2": "mobilenet_v2",
    "MobileNetV2_x1_5": "mobilenet_v2",
    "MobileNetV2_x2_0": "mobilenet_v2",
}
"""Model name, which is also the name of its entry function, to the module of PaddleClas.models that holds it."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the models, families together, small ones first.

    Args:
        pattern: a shell pattern such as ``"ResNet*_vd"``; upper and lower case are the same.

    Example:
        >>> PaddleClas.list_models("vgg*")
        ['VGG11', 'VGG13', 'VGG16', 'VGG19']
    """
    return [name for name in MODELS if fnmatch.fnmatchcase(name.lower(), pattern.lower())]


def entry_function(name: str) -> Callable[..., Any]:
    """Return the function that builds a model: ``entry_function("ResNet18")`` is ``PaddleClas.models.ResNet18``.

    Raises:
        ValueError: there is no model of this name; the message has the nearest ones.
    """
    if name not in MODELS:
        by_lower = {known.lower(): known for known in MODELS}
        near = difflib.get_close_matches(str(name).lower(), by_lower, n=5, cutoff=0.5)
        nearest = f"; nearest: {', '.join(by_lower[key] for key in near)}" if near else ""
        raise ValueError(f"there is no model {name!r}{nearest}; PaddleClas.list_models() has all of them")
    return getattr(importlib.import_module(f"PaddleClas.models.{MODELS[name]}"), name)


def create_model(
    name: str,
    class_num: int = 1000,
    pretrained: Union[bool, str, os.PathLike[str]] = False,
    adapt_head: bool = False,
    **kwargs: Any,
) -> Any:
    """Build an image classifier by name.

    Official weight files load as they are. A file must have exactly the network's parameters and shapes; the one
    exception, a head for another number of classes, has to be asked for.

    Args:
        name: one of :func:`list_models`, such as ``"ResNet50_vd"``.
        class_num: number of classes, the length of the last axis of the output.
        pretrained: False for fresh weights; True for the official ones, downloaded on first use and kept in the
            cache (``~/.cache/core/weights``, see :mod:`core.weights.download` for mirrors and offline use); or the
            path of a ``.pdparams``, ``.safetensors`` or MXNet ``.params`` file.
        adapt_head: whether a head of other shape than the file's keeps fresh weights, to fine-tune to another number
            of classes; a log line lists the parameters concerned.
        **kwargs: further arguments of the network's class, documented there: ``stride_list``, ``max_pool``,
            ``input_image_channel``, ``lr_mult_list`` and ``use_first_short_conv`` of
            :class:`PaddleClas.models.resnet.ResNet`, ``stop_grad_layers`` of :class:`PaddleClas.models.vgg.VGGNet`.

    Returns:
        The network, a :class:`core.nn.Layer` in training mode: float32 images (N, channels, height, width) to logits
        (N, class_num). ``forward_features`` and ``forward_head`` are its two halves.

    Raises:
        ValueError: there is no such model (the message has the nearest names), ``class_num`` is not positive, no
            weights are published, or the file does not fit (the message names the parameters).
        TypeError: the network takes no such argument, or ``pretrained`` is neither a bool nor a path.
        FileNotFoundError: there is no such weight file.
        ConnectionError: the official file is neither in the cache nor within reach; the message says where to put it.

    Example:
        >>> model = PaddleClas.create_model("ResNet50_vd", pretrained=True)
        >>> model = PaddleClas.create_model("ResNet18", class_num=10, pretrained="mine.pdparams", adapt_head=True)
    """
    entry = entry_function(name)
    return entry(class_num=class_num, pretrained=pretrained, adapt_head=adapt_head, **kwargs)
