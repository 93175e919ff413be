"""The one table of detectors, and functions that read it. Importing this module loads no network and no engine."""

from __future__ import annotations

import importlib
import inspect
import os
from typing import Any, Optional, Union

from core.train.config.table import Component, Table

FAMILIES = {
    "yolov3": (
        "yolov3_darknet",
        "yolov3_mobilenet_v1",
        "yolov3_mobilenet_v3_large",
        "yolov3_r34",
        "yolov3_darknet53",
        "yolov3_r50vd_dcn",
    ),
    "yolox": ("yolox_nano", "yolox_tiny", "yolox_s", "yolox_m", "yolox_l", "yolox_x"),
    "picodet": ("picodet_xs", "picodet_s", "picodet_m", "picodet_l"),
    "ppyolo": ("ppyolo_r18vd", "ppyolo_r50vd_dcn", "ppyolov2_r50vd_dcn", "ppyolov2_r101vd_dcn"),
    "ppyolo_mobile": ("ppyolo_tiny", "ppyolo_mbv3_small", "ppyolo_mbv3_large"),
    "ppyoloe": (
        *(f"ppyoloe_crn_{size}" for size in "smlx"),
        *(f"ppyoloe_plus_crn_{size}" for size in "smlx"),
    ),
    "ttfnet": ("ttfnet_darknet53",),
    "solov2": ("solov2_r50_fpn",),
    "faster_rcnn": (
        "faster_rcnn_r18_fpn", "faster_rcnn_r34_fpn", "faster_rcnn_r34_vd_fpn", "faster_rcnn_r50_fpn",
        "faster_rcnn_r50_vd_fpn", "faster_rcnn_r101_fpn", "faster_rcnn_r101_vd_fpn", "faster_rcnn_x101_vd_64x4d_fpn",
        "faster_rcnn_se154_vd_fpn", "faster_rcnn_r50", "faster_rcnn_r50_vd", "faster_rcnn_r101",
    ),
    "mask_rcnn": (
        "mask_rcnn_r18_fpn", "mask_rcnn_r50_fpn", "mask_rcnn_r50_vd_fpn", "mask_rcnn_r101_fpn", "mask_rcnn_r101_vd_fpn",
        "mask_rcnn_x101_vd_64x4d_fpn", "mask_rcnn_se154_vd_fpn", "mask_rcnn_r50",
    ),
    "cascade_rcnn": (
        "cascade_rcnn_r18_fpn", "cascade_rcnn_r50_fpn", "cascade_rcnn_r50_vd_fpn", "cascade_rcnn_r101_vd_fpn",
        "cascade_rcnn_cls_aware_r200_vd_fpn", "cascade_rcnn_x101_vd_64x4d_fpn", "cascade_mask_rcnn_r50_fpn",
        "cascade_mask_rcnn_r50_vd_fpn", "cascade_mask_rcnn_se154_vd_fpn",
    ),
    "libra_rcnn": ("libra_rcnn_r18_fpn", "libra_rcnn_r50_vd_fpn", "libra_rcnn_r101_vd_fpn"),
    "ssd": (
        "ssd_mobilenet_v1_300",
        "ssd_vgg16_300",
        "ssd_vgg16_512",
        "ssdlite_mobilenet_v1_300",
        "ssdlite_mobilenet_v3_small_320",
        "ssdlite_mobilenet_v3_large_320",
    ),
    "retinanet": ("retinanet_r50_fpn", "retinanet_r101_fpn"),
    "fcos": ("fcos_r50_fpn", "fcos_dcn_r50_fpn"),
    "blazeface": ("blazeface", "blazeface_fpn_ssh"),
    "pyramidbox": ("pyramidbox",),
}
"""Module of PaddleDetection.models.architectures to the names of its detectors, small ones first."""


class Detectors(Table):
    """Detectors by name; a component may have "pretrained" beside the arguments of the entry function."""

    def build(self, component: Component, **provided: Any) -> Any:
        """Build a detector, with weights where the component asks for them."""
        build = importlib.import_module("PaddleDetection.models.pretrained").build  # loads the engine
        return build(component.name, **component.arguments, **provided)

    def _parameters(self, name: str) -> dict[str, inspect.Parameter]:
        """Return the arguments that a config may give."""
        keyword = inspect.Parameter.KEYWORD_ONLY
        own = inspect.Parameter("pretrained", keyword, default=False, annotation=Union[bool, str])
        return {**super()._parameters(name), "pretrained": own}


NETWORKS = Detectors(
    "network",
    {
        name: f"PaddleDetection.models.architectures.{family}:{name}"
        for family, names in FAMILIES.items()
        for name in names
    },
    signature="PaddleDetection.models.arguments:signature",
    listing="PaddleDetection.list_models()",
)
"""Entry functions by name; a config names one with its arguments."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the detectors, families together, small ones first.

    Args:
        pattern: a shell pattern such as ``"yolox*"``; upper and lower case are the same.

    Example:
        >>> PaddleDetection.list_models("yolov3_m*v1")
        ['yolov3_mobilenet_v1']
    """
    return NETWORKS.list(pattern)


def create_model(
    name: str,
    pretrained: Union[bool, str, os.PathLike[str]] = False,
    num_classes: Optional[int] = None,
    **settings: Any,
) -> Any:
    """Build a detector by name.

    Official weight files of any age load as they are, also the folders and archives of Fluid 1.x, whose classes count
    background. A file must have exactly the network's parameters and shapes, with two exceptions: one for another
    number of classes leaves the layers fresh that depend on it, which a log line lists; and one that holds a backbone
    alone, such as a classifier's, is loaded into the backbone.

    Args:
        name: one of :func:`list_models`, or a checkpoint of :data:`PaddleDetection.models.weights.CHECKPOINTS`, such as
            "ssd_mobilenet_v1_pascal", whose network it stands for.
        pretrained: False for fresh weights; True for the official ones, downloaded on first use and kept in the cache
            (``~/.cache/core/weights``, see :mod:`core.weights.downloads.download` for mirrors and offline use); the
            name of a checkpoint, or of a classifier of PaddleClas for the backbone; or the path of a ``.pdparams``,
            ``.safetensors`` or MXNet ``.params`` file, or of a folder, an archive or a file of Fluid 1.x.
        num_classes: how many classes of objects there are, background not counted; None: as many as the official
            weights have, or 80.
        **settings: further arguments of the network's entry function and class; ``generation`` is 1 for an official
            file of Fluid 1.x, with which a detector does as the releases before 2.0.

    Returns:
        The network, a :class:`PaddleDetection.models.base.Detector` in training mode.

    Raises:
        ValueError: there is no such detector (the message has the nearest names), ``num_classes`` is not positive, no
            weights are published, or the file does not fit (the message names the parameters).
        TypeError: the network takes no such argument, or ``pretrained`` is neither a bool nor a path.
        FileNotFoundError: there is no such weight file.
        ConnectionError: the official file is neither in the cache nor within reach; the message says where to put it.

    Example:
        >>> model = PaddleDetection.create_model("yolov3_darknet53", pretrained=True)
        >>> model = PaddleDetection.create_model("yolov3_darknet53", pretrained=True, num_classes=3)
    """
    weights = importlib.import_module("PaddleDetection.models.weights")
    checkpoint = weights.CHECKPOINTS.get(name) if isinstance(name, str) else None
    if checkpoint is not None:
        name, pretrained = checkpoint.network, name if pretrained is True else pretrained
    own = None
    if isinstance(pretrained, (bool, str)) and pretrained:
        named = weights.own_checkpoint(NETWORKS.find(name)) if pretrained is True else pretrained
        own = weights.CHECKPOINTS.get(named)
    if own is not None and num_classes is None:
        num_classes = own.class_count
    if own is not None and own.release == 1:
        signature = importlib.import_module("PaddleDetection.models.arguments").signature
        if "generation" in signature(NETWORKS.find(name)).parameters:
            settings.setdefault("generation", 1)
    if num_classes is not None:
        if isinstance(num_classes, bool) or not isinstance(num_classes, int) or num_classes < 1:
            raise ValueError(f"num_classes must be a positive whole number, not {num_classes!r}")
        settings["num_classes"] = num_classes
    build = importlib.import_module("PaddleDetection.models.pretrained").build
    return build(name, pretrained, **settings)
