"""The one table of networks, and functions that read it. Importing this module loads no network and no engine."""

from __future__ import annotations

import importlib
import inspect
import os
from typing import Annotated, Any, Optional, Union

import pydantic

from core.train.config.signatures import entry_signature
from core.train.config.table import Component, Table
from core.vision.datasets.lists import MOST_CLASSES

ClassNum = Annotated[int, pydantic.Field(ge=1, le=MOST_CLASSES)]

FAMILIES = {
    "tsn": ("tsn_r18", "tsn_r34", "tsn_r50", "tsn_r101"),
    "tsm": ("tsm_r18", "tsm_r34", "tsm_r50", "tsm_r101"),
    "pptsn": ("pptsn_r50",),
    "pptsm": ("pptsm_r18", "pptsm_r50", "pptsm_r101"),
    "mean_logistic": ("mean_logistic",),
    "attention_lstm": ("attention_lstm",),
    "attention_cluster": ("attention_cluster",),
    "nextvlad": ("nextvlad",),
    "non_local": ("non_local_c2d_r50", "non_local_i3d_r50", "non_local_c2d_r101", "non_local_i3d_r101"),
    "stnet": ("stnet_r50", "stnet_r101"),
    "slowfast": ("slowfast_r50", "slowfast_r50_8x8", "slowfast_r101"),
    "timesformer": ("timesformer",),
    "localizers.bmn": ("bmn",),
    "localizers.bsn": ("bsn",),
    "localizers.ctcn": ("ctcn",),
    "ms_tcn": ("ms_tcn",),
    "skeletons.stgcn": ("stgcn",),
    "skeletons.agcn": ("agcn", "agcn2s"),
    "skeletons.ctrgcn": ("ctrgcn",),
}
"""Module of PaddleVideo.models to the names of its networks, small ones first."""


class Networks(Table):
    """Networks by name; a component may have "pretrained" and "adapt_head" beside the arguments of its class."""

    def build(self, component: Component, **provided: Any) -> Any:
        """Build a network, with weights where the component asks for them."""
        build = importlib.import_module("PaddleVideo.models.pretrained").build  # loads the engine
        return build(component.name, **component.arguments, **provided)

    def _parameters(self, name: str) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give; it must say how many classes there are."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        found = dict(entry_signature(self.resolve(name)).parameters)
        if "class_num" in found:
            found["class_num"] = found["class_num"].replace(default=inspect.Parameter.empty, annotation=ClassNum)
        extra = {"pretrained": (False, Union[bool, str]), "adapt_head": (False, bool)}
        for key, (default, annotation) in extra.items():
            found[key] = inspect.Parameter(key, keyword, default=default, annotation=annotation)
        return found


NETWORKS = Networks(
    "network",
    {name: f"PaddleVideo.models.{family}:{name}" for family, names in FAMILIES.items() for name in names},
    listing="PaddleVideo.list_models()",
)
"""Entry functions by name; a config names one with its arguments."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the networks, families together, small ones first.

    Args:
        pattern: a shell pattern such as ``"tsm*"``; upper and lower case are the same.

    Example:
        >>> PaddleVideo.list_models("pptsm*")
        ['pptsm_r18', 'pptsm_r50', 'pptsm_r101']
    """
    return NETWORKS.list(pattern)


def create_model(
    name: str,
    class_num: Optional[int] = None,
    pretrained: Union[bool, str, os.PathLike[str]] = False,
    adapt_head: bool = False,
    **settings: Any,
) -> Any:
    """Build a network by name.

    Args:
        name: one of :func:`list_models`.
        class_num: how many classes there are; None: as many as the published weights have.
        pretrained: False for fresh weights; True for the official ones, downloaded on first use and kept in the cache
            (``~/.cache/core/weights``, see :mod:`core.weights.downloads.download` for mirrors and offline use); the
            name of a classifier of PaddleClas, whose weights go into the backbone; or the path of a ``.pdparams``,
            ``.safetensors`` or MXNet ``.params`` file, or of a folder, an archive or a file of Fluid 1.x.
        adapt_head: whether a head of other shape than the file's keeps fresh weights, to fine-tune to another number
            of classes; a log line lists the parameters concerned.
        **settings: further arguments of the network's class.

    Returns:
        The network, a :class:`core.nn.Layer` in training mode.

    Raises:
        ValueError: there is no such network (the message has the nearest names), ``class_num`` is not positive, no
            weights are published, or the file does not fit (the message names the parameters).
        TypeError: the network takes no such argument, or ``pretrained`` is neither a bool nor a path.
        FileNotFoundError: there is no such weight file.
        ConnectionError: the official file is neither in the cache nor within reach; the message says where to put it.

    Example:
        >>> model = PaddleVideo.create_model("tsm_r50", pretrained=True)
        >>> model = PaddleVideo.create_model("tsm_r50", class_num=10, pretrained="ResNet50")
    """
    if class_num is not None:
        settings["class_num"] = class_num
    build = importlib.import_module("PaddleVideo.models.pretrained").build
    return build(name, pretrained, adapt_head, **settings)
