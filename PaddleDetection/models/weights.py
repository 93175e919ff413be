"""The manifest: what PaddlePaddle published for each detector. Addresses, figures and names are facts of its documents.

Names of release 2 are those of the package's own list, ``ppdet/model_zoo/MODEL_ZOO`` of paddledet 2.6.0, names of
Fluid 1.x those of release 1.5's configs. No SHA-256 is published with these files, and none was measured here, so
``sha256`` is None in every record: a downloaded file's length can be checked, its identity cannot. Loading says so in
the log.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Optional

from core.weights import WeightRecord

_PAPERS = {
    "yolov3": "YOLOv3: an incremental improvement, https://arxiv.org/abs/1804.02767",
    "yolox": "YOLOX: exceeding YOLO series in 2021, https://arxiv.org/abs/2107.08430",
    "picodet": "PP-PicoDet, https://arxiv.org/abs/2111.00902",
    "ppyoloe": "PP-YOLOE: an evolved version of YOLO, https://arxiv.org/abs/2203.16250",
    "ttfnet": "Training-time-friendly network, https://arxiv.org/abs/1909.00700",
    "ssd": "SSD: single shot multibox detector, https://arxiv.org/abs/1512.02325",
    "ssdlite": "MobileNetV2: inverted residuals and linear bottlenecks, https://arxiv.org/abs/1801.04381",
    "retinanet": "Focal loss for dense object detection, https://arxiv.org/abs/1708.02002",
    "fcos": "FCOS: fully convolutional one-stage object detection, https://arxiv.org/abs/1904.01355",
    "blazeface": "BlazeFace, https://arxiv.org/abs/1907.05047",
    "faster": "Faster R-CNN, https://arxiv.org/abs/1506.01497",
    "mask": "Mask R-CNN, https://arxiv.org/abs/1703.06870",
    "cascade": "Cascade R-CNN, https://arxiv.org/abs/1712.00726",
    "libra": "Libra R-CNN, https://arxiv.org/abs/1904.02701",
    "ppyolo": "PP-YOLO, https://arxiv.org/abs/2007.12099",
    "ppyolov2": "PP-YOLOv2, https://arxiv.org/abs/2104.10419",
    "solov2": "SOLOv2: dynamic and fast instance segmentation, https://arxiv.org/abs/2003.10152",
}
_CLASSES = {"coco": 80, "voc": 20, "face": 1}
_DATA = {"coco": "COCO train2017", "voc": "VOC 2007 and 2012 trainval", "face": "WIDER FACE train"}


class Checkpoint(NamedTuple):
    """A published weight file.

    Attributes:
        network: the detector whose parameters it has, a name of :func:`PaddleDetection.list_models`.
        record: where it is; its class count is that of the file's head, with background where that is a class.
        class_count: how many classes of objects there are.
        recipe: what it was trained on, and how long; the official config of its name has all of it.
        release: 2, or 1 for a file of Fluid 1.x.
    """

    network: str
    record: WeightRecord
    class_count: int
    recipe: str
    release: int


def _release_2(name: str, network: str, box: Optional[float] = None, mask: Optional[float] = None) -> Checkpoint:
    """Return the record of a file of release 2; figures are AP on COCO's val2017 or mAP on VOC's test2007, or None."""
    data = "coco" if "coco" in name else "voc" if name.endswith("voc") else "face"
    factor = re.search(r"_(\d+)x", name.replace("64x4d", ""))
    epochs = re.search(r"_(\d+)e(_|$)", name)
    length = f"{epochs[1]} epochs" if epochs else f"{12 * int(factor[1])} epochs" if factor else "epochs not named"
    url = f"https://paddledet.bj.bcebos.com/models/{name}.pdparams"
    return _checkpoint(network, url, data, _CLASSES[data], f"{_DATA[data]}, {length}", 2, box, mask)


def _release_1(name: str, network: str, box: Optional[float] = None, mask: Optional[float] = None) -> Checkpoint:
    """Return the record of a file of Fluid 1.x; see :func:`_release_2`."""
    data = "voc" if "_voc" in name or "pascal" in name else "coco"
    background = not name.startswith("yolov3")
    schedule = re.search(r"_(s?\d)x", name.replace("64x4d", ""))
    length = f"{schedule[1]}x schedule" if schedule else "the schedule of its config"
    url = f"https://paddlemodels.bj.bcebos.com/object_detection/{name}.tar"
    count = _CLASSES[data] + background
    return _checkpoint(network, url, data, count, f"{_DATA[data]}, {length}", 1, box, mask)


def _checkpoint(network: str, url: str, data: str, count: int, recipe: str, release: int, *figures: Any) -> Checkpoint:
    metric = {"coco": ("box AP", "mask AP"), "voc": ("mAP", ""), "face": ("AP", "")}[data]
    record = WeightRecord(
        url=url,
        sha256=None,
        preprocessing=None,
        class_count=count,
        license="Apache-2.0",
        source=f"PaddlePaddle/PaddleDetection, release {release}",
        paper=_PAPERS[network.partition("_")[0]],
        metrics={name: figure for name, figure in zip(metric, figures) if figure is not None},
    )
    return Checkpoint(network, record, _CLASSES[data], recipe, release)


_RELEASE_2: tuple[tuple[Any, ...], ...] = (
    ("yolov3_darknet53_270e_coco", "yolov3_darknet53", 39.0),
    ("yolov3_darknet53_270e_voc", "yolov3_darknet53"),
    ("yolov3_mobilenet_v1_270e_coco", "yolov3_mobilenet_v1", 29.4),
    ("yolov3_mobilenet_v1_ssld_270e_coco", "yolov3_mobilenet_v1"),
    ("yolov3_mobilenet_v1_270e_voc", "yolov3_mobilenet_v1"),
    ("yolov3_mobilenet_v1_ssld_270e_voc", "yolov3_mobilenet_v1"),
    ("yolov3_mobilenet_v3_large_270e_coco", "yolov3_mobilenet_v3_large"),
    ("yolov3_mobilenet_v3_large_270e_voc", "yolov3_mobilenet_v3_large"),
    ("yolov3_mobilenet_v3_large_ssld_270e_voc", "yolov3_mobilenet_v3_large"),
    ("yolov3_r34_270e_coco", "yolov3_r34", 36.2),
    ("yolov3_r50vd_dcn_270e_coco", "yolov3_r50vd_dcn"),
    *((f"yolox_{size}_300e_coco", f"yolox_{size}") for size in ("nano", "tiny", "s", "m", "l", "x")),
    *(
        (f"picodet_{size}_{side}_coco_lcnet", f"picodet_{size}")
        for size, sides in (("xs", (416, 320)), ("s", (416, 320)), ("m", (416, 320)), ("l", (640, 416, 320)))
        for side in sides
    ),
    *((f"ppyoloe_crn_{size}_300e_coco", f"ppyoloe_crn_{size}") for size in "smlx"),
    *((f"ppyoloe_plus_crn_{size}_80e_coco", f"ppyoloe_plus_crn_{size}") for size in "smlx"),
    ("ttfnet_darknet53_1x_coco", "ttfnet_darknet53", 33.5),
    ("ssd_mobilenet_v1_300_120e_voc", "ssd_mobilenet_v1_300", 73.8),
    ("ssd_vgg16_300_240e_voc", "ssd_vgg16_300", 77.8),
    ("ssdlite_mobilenet_v1_300_coco", "ssdlite_mobilenet_v1_300"),
    ("ssdlite_mobilenet_v3_small_320_coco", "ssdlite_mobilenet_v3_small_320"),
    ("ssdlite_mobilenet_v3_large_320_coco", "ssdlite_mobilenet_v3_large_320"),
    ("retinanet_r50_fpn_1x_coco", "retinanet_r50_fpn", 37.5),
    ("retinanet_r50_fpn_2x_coco", "retinanet_r50_fpn"),
    ("retinanet_r101_fpn_2x_coco", "retinanet_r101_fpn", 40.6),
    ("fcos_r50_fpn_1x_coco", "fcos_r50_fpn", 39.6),
    ("fcos_r50_fpn_multiscale_2x_coco", "fcos_r50_fpn"),
    ("fcos_dcn_r50_fpn_1x_coco", "fcos_dcn_r50_fpn"),
    ("blazeface_1000e", "blazeface"),
    ("blazeface_fpn_ssh_1000e", "blazeface_fpn_ssh"),
    ("faster_rcnn_r50_1x_coco", "faster_rcnn_r50", 36.7),
    ("faster_rcnn_r50_vd_1x_coco", "faster_rcnn_r50_vd"),
    ("faster_rcnn_r101_1x_coco", "faster_rcnn_r101"),
    ("faster_rcnn_r34_fpn_1x_coco", "faster_rcnn_r34_fpn"),
    ("faster_rcnn_r34_vd_fpn_1x_coco", "faster_rcnn_r34_vd_fpn"),
    ("faster_rcnn_r50_fpn_1x_coco", "faster_rcnn_r50_fpn", 38.4),
    ("faster_rcnn_r50_fpn_2x_coco", "faster_rcnn_r50_fpn", 40.0),
    ("faster_rcnn_r50_vd_fpn_1x_coco", "faster_rcnn_r50_vd_fpn", 39.5),
    ("faster_rcnn_r50_vd_fpn_2x_coco", "faster_rcnn_r50_vd_fpn", 40.8),
    ("faster_rcnn_r101_fpn_1x_coco", "faster_rcnn_r101_fpn"),
    ("faster_rcnn_r101_fpn_2x_coco", "faster_rcnn_r101_fpn", 41.4),
    ("faster_rcnn_r101_vd_fpn_1x_coco", "faster_rcnn_r101_vd_fpn"),
    ("faster_rcnn_r101_vd_fpn_2x_coco", "faster_rcnn_r101_vd_fpn"),
    ("faster_rcnn_x101_vd_64x4d_fpn_1x_coco", "faster_rcnn_x101_vd_64x4d_fpn", 43.4),
    ("faster_rcnn_x101_vd_64x4d_fpn_2x_coco", "faster_rcnn_x101_vd_64x4d_fpn", 44.0),
    ("mask_rcnn_r50_1x_coco", "mask_rcnn_r50"),
    ("mask_rcnn_r50_2x_coco", "mask_rcnn_r50"),
    ("mask_rcnn_r50_fpn_1x_coco", "mask_rcnn_r50_fpn", 39.2, 35.6),
    ("mask_rcnn_r50_fpn_2x_coco", "mask_rcnn_r50_fpn", 40.5, 36.7),
    ("mask_rcnn_r50_vd_fpn_1x_coco", "mask_rcnn_r50_vd_fpn"),
    ("mask_rcnn_r50_vd_fpn_2x_coco", "mask_rcnn_r50_vd_fpn"),
    ("mask_rcnn_r101_fpn_1x_coco", "mask_rcnn_r101_fpn"),
    ("mask_rcnn_r101_vd_fpn_1x_coco", "mask_rcnn_r101_vd_fpn"),
    ("mask_rcnn_x101_vd_64x4d_fpn_1x_coco", "mask_rcnn_x101_vd_64x4d_fpn"),
    ("mask_rcnn_x101_vd_64x4d_fpn_2x_coco", "mask_rcnn_x101_vd_64x4d_fpn"),
    ("cascade_rcnn_r50_fpn_1x_coco", "cascade_rcnn_r50_fpn", 41.1),
    ("cascade_mask_rcnn_r50_fpn_1x_coco", "cascade_mask_rcnn_r50_fpn", 41.8, 36.3),
    *(
        (f"{kind}_r50_vd_fpn_ssld_{length}x_coco", f"{kind}_r50_vd_fpn")
        for kind in ("faster_rcnn", "mask_rcnn", "cascade_rcnn", "cascade_mask_rcnn")
        for length in (1, 2)
    ),
    ("ppyolo_r50vd_dcn_1x_coco", "ppyolo_r50vd_dcn", 44.8),
    ("ppyolo_r50vd_dcn_2x_coco", "ppyolo_r50vd_dcn", 45.2),
    ("ppyolo_r50vd_dcn_voc", "ppyolo_r50vd_dcn"),
    ("ppyolo_r18vd_coco", "ppyolo_r18vd"),
    ("ppyolo_mbv3_large_coco", "ppyolo_mbv3_large"),
    ("ppyolo_mbv3_small_coco", "ppyolo_mbv3_small"),
    ("ppyolo_tiny_650e_coco", "ppyolo_tiny"),
    ("ppyolov2_r50vd_dcn_365e_coco", "ppyolov2_r50vd_dcn", 49.5),
    ("ppyolov2_r50vd_dcn_voc", "ppyolov2_r50vd_dcn"),
    ("ppyolov2_r101vd_dcn_365e_coco", "ppyolov2_r101vd_dcn"),
    ("solov2_r50_fpn_1x_coco", "solov2_r50_fpn", None, 35.5),
    ("solov2_r50_fpn_3x_coco", "solov2_r50_fpn"),
)
_RELEASE_1: tuple[tuple[Any, ...], ...] = (
    ("yolov3_darknet", "yolov3_darknet53", 38.9),
    ("yolov3_mobilenet_v1", "yolov3_mobilenet_v1", 29.3),
    ("yolov3_r34", "yolov3_r34", 36.2),
    ("ssd_mobilenet_v1_voc", "ssd_mobilenet_v1_300", 73.2),
    ("retinanet_r50_fpn_1x", "retinanet_r50_fpn", 36.0),
    ("retinanet_r101_fpn_1x", "retinanet_r101_fpn", 37.3),
    ("faster_rcnn_r50_1x", "faster_rcnn_r50", 35.2),
    ("faster_rcnn_r50_2x", "faster_rcnn_r50", 37.1),
    ("faster_rcnn_r50_fpn_1x", "faster_rcnn_r50_fpn", 37.2),
    ("faster_rcnn_r50_fpn_2x", "faster_rcnn_r50_fpn", 37.7),
    ("faster_rcnn_r50_vd_1x", "faster_rcnn_r50_vd", 36.4),
    ("faster_rcnn_r50_vd_fpn_2x", "faster_rcnn_r50_vd_fpn", 38.9),
    ("faster_rcnn_r101_1x", "faster_rcnn_r101", 38.3),
    ("faster_rcnn_r101_fpn_1x", "faster_rcnn_r101_fpn", 38.7),
    ("faster_rcnn_r101_fpn_2x", "faster_rcnn_r101_fpn", 39.1),
    ("faster_rcnn_r101_vd_fpn_1x", "faster_rcnn_r101_vd_fpn", 40.5),
    ("faster_rcnn_r101_vd_fpn_2x", "faster_rcnn_r101_vd_fpn", 40.8),
    ("faster_rcnn_x101_vd_64x4d_fpn_1x", "faster_rcnn_x101_vd_64x4d_fpn", 42.2),
    ("faster_rcnn_x101_vd_64x4d_fpn_2x", "faster_rcnn_x101_vd_64x4d_fpn", 41.7),
    ("mask_rcnn_r50_1x", "mask_rcnn_r50", 36.5, 32.2),
    ("mask_rcnn_r50_fpn_1x", "mask_rcnn_r50_fpn", 37.9, 34.2),
    ("mask_rcnn_r50_fpn_2x", "mask_rcnn_r50_fpn", 38.7, 34.7),
    ("mask_rcnn_r50_vd_fpn_2x", "mask_rcnn_r50_vd_fpn", 39.8, 35.4),
    ("mask_rcnn_r101_fpn_1x", "mask_rcnn_r101_fpn", 39.5, 35.2),
    ("faster_rcnn_se154_vd_fpn_s1x", "faster_rcnn_se154_vd_fpn", 42.9),
    ("mask_rcnn_se154_vd_fpn_s1x", "mask_rcnn_se154_vd_fpn", 44.0, 38.7),
    ("cascade_rcnn_r50_fpn_1x", "cascade_rcnn_r50_fpn", 40.9),
    ("cascade_rcnn_cls_aware_r200_vd_fpn_dcnv2_nonlocal_softnms", "cascade_rcnn_cls_aware_r200_vd_fpn", 51.7),
    ("libra_rcnn_r50_vd_fpn_1x", "libra_rcnn_r50_vd_fpn", 40.5),
    ("libra_rcnn_r101_vd_fpn_1x", "libra_rcnn_r101_vd_fpn", 42.5),
)

CHECKPOINTS: dict[str, Checkpoint] = {
    **{name: _release_2(name, *rest) for name, *rest in _RELEASE_2},
    **{f"{name}.tar": _release_1(name, *rest) for name, *rest in _RELEASE_1},
}
"""Name of the official config to its weight file, those of Fluid 1.x with ".tar"; the first of a network is its own."""
CHECKPOINTS["ssd_mobilenet_v1_pascal"] = _checkpoint(  # of PaddlePaddle/models, before there was a PaddleDetection
    "ssd_mobilenet_v1_300",
    "http://paddlemodels.bj.bcebos.com/ssd_mobilenet_v1_pascalvoc.tar.gz",
    "voc",
    21,
    f"{_DATA['voc']}, 120 epochs from COCO's weights",
    1,
    73.32,
)


def own_checkpoint(network: str) -> Optional[str]:
    """Return the name of the checkpoint that ``pretrained: true`` means for a network; None if none is published.

    Args:
        network: its name.
    """
    return next((name for name, checkpoint in CHECKPOINTS.items() if checkpoint.network == network), None)
