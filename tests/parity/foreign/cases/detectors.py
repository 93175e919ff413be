"""Whole detectors of ``ppdet``: the official architectures, built by its workspace from small configurations.

What a detector computes before it chooses boxes is compared, differentiated, compiled and exported; the boxes that it
then decodes are compared as they come.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
from collections.abc import Iterator
from typing import Any, Callable, Optional

CLASSES = 5

Settings = dict[str, dict[str, Any]]


@contextlib.contextmanager
def workspace_of(settings: Settings) -> Iterator[Any]:
    """Lend the workspace with settings of its parts, and leave it as it was."""
    importlib.import_module("ppdet.modeling")
    workspace = importlib.import_module("ppdet.core.workspace")
    before = {name: entry.copy() for name, entry in workspace.get_registered_modules().items()}
    try:
        workspace.global_config["num_classes"] = CLASSES
        workspace.merge_config(copy.deepcopy(settings))
        yield workspace
    finally:
        workspace.global_config.clear()
        workspace.global_config.update(before)


def inputs_of(images: Any) -> dict[str, Any]:
    """Return a batch as the official readers give it."""
    import paddle

    count, _, height, width = images.shape
    sizes = paddle.to_tensor([[float(height), float(width)]] * count)
    corners = paddle.to_tensor([[float(width), float(height)] * 2] * count)
    return {
        "image": images,
        "im_shape": sizes,
        "scale_factor": paddle.ones([count, 2]),
        "img_whwh": corners,
        "scale_factor_whwh": paddle.ones([count, 4]),
        "ori_shape": paddle.to_tensor([[height, width]] * count),
    }


def detector(architecture: str, settings: Settings, maps: Optional[Callable[..., Any]] = None) -> Callable[[], Any]:
    """Return a function that builds a detector.

    Args:
        architecture: what the workspace calls it.
        settings: of its parts.
        maps: takes the detector and a batch, and returns what it computes before it chooses boxes; None where that is
            what its head, called with the features of its neck, returns.
    """

    def build() -> Any:
        import paddle

        class Detector(paddle.nn.Layer):
            def __init__(self) -> None:
                super().__init__()
                with workspace_of(settings) as workspace:
                    self.detector = workspace.create(architecture)

            def forward(self, images: Any) -> Any:
                with sizes_with_an_axis():
                    return (maps or head_maps)(self.detector, inputs_of(images))

        return Detector()

    return build


def decoded(model: Any, images: Any) -> Any:
    """Return the boxes that a detector finds."""
    with sizes_with_an_axis():
        return model.detector(inputs_of(images))


def by_score(model: Any, images: Any) -> Any:
    """Return the boxes that a detector finds, by their scores: it takes the best ones without ordering them."""
    found = decoded(model, images)
    return {key: rows[found["bbox"][:, 1].argsort()] if key != "bbox_num" else rows for key, rows in found.items()}


@contextlib.contextmanager
def sizes_with_an_axis() -> Iterator[None]:
    """Run code of before Paddle 2.5, as ppdet's: it joins the sizes that it takes out of a shape."""
    import paddle

    paddle.set_flags({"FLAGS_set_to_1d": True})
    try:
        yield
    finally:
        paddle.set_flags({"FLAGS_set_to_1d": False})


def features(network: Any, batch: dict[str, Any], *options: Any) -> Any:
    """Return the feature maps of a detector's neck."""
    maps = network.backbone(batch)
    return maps if getattr(network, "neck", None) is None else network.neck(maps, *options)


def head_maps(network: Any, batch: dict[str, Any]) -> Any:
    """Return what the head of a detector computes."""
    (head,) = (part for name, part in network.named_children() if name.endswith("head"))
    return head(features(network, batch))


def ssd_maps(network: Any, batch: dict[str, Any]) -> Any:
    head = getattr(network, "ssd_head", None) or network.blaze_head
    return head(features(network, batch), batch["image"])[0]


def solo_maps(network: Any, batch: dict[str, Any]) -> Any:
    maps = features(network, batch)
    return network.mask_head(maps), *network.solov2_head(maps)


def detr_maps(network: Any, batch: dict[str, Any]) -> Any:
    maps = network.backbone(batch)
    return network.detr_head(network.transformer(maps, None, batch), maps)


def sparse_maps(network: Any, batch: dict[str, Any]) -> Any:
    return network.head(features(network, batch), batch["img_whwh"])


def query_maps(network: Any, batch: dict[str, Any]) -> Any:
    return network.roi_head(features(network, batch), *network.rpn_head(batch["img_whwh"]), None)


def center_maps(network: Any, batch: dict[str, Any]) -> Any:
    return network.head(features(network, batch), batch)


def regions_maps(network: Any, batch: dict[str, Any]) -> Any:
    """Return what both stages of a detector compute: the second for the regions that the first one proposes."""
    maps = features(network, batch)
    first = network.rpn_head
    scored = [(first.rpn_rois_score(level), first.rpn_rois_delta(level)) for level in first.rpn_feat(maps)]
    regions, counts, _ = network.rpn_head(maps, batch)
    return scored, network.bbox_head(maps, regions, counts, batch)[0]
