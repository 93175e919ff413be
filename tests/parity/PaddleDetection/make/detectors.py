"""Store how many numbers PaddleDetection's one-stage detectors learn, and a checksum of all names and shapes.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/detectors.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from ppdet.modeling.backbones.blazenet import BlazeNet  # noqa: E402
from ppdet.modeling.backbones.mobilenet_v3 import MobileNetV3  # noqa: E402
from ppdet.modeling.backbones.resnet import ResNet  # noqa: E402
from ppdet.modeling.backbones.senet import SENet, SERes5Head  # noqa: E402
from ppdet.modeling.backbones.vgg import VGG  # noqa: E402
from ppdet.modeling.heads.face_head import FaceHead  # noqa: E402
from ppdet.modeling.heads.fcos_head import FCOSFeat, FCOSHead  # noqa: E402
from ppdet.modeling.heads.retina_head import RetinaFeat, RetinaHead  # noqa: E402
from ppdet.modeling.heads.ssd_head import SSDHead  # noqa: E402
from ppdet.modeling.heads.yolo_head import YOLOv3Head  # noqa: E402
from ppdet.modeling.layers import AnchorGeneratorSSD  # noqa: E402
from ppdet.modeling.necks.blazeface_fpn import BlazeNeck  # noqa: E402
from ppdet.modeling.necks.fpn import FPN  # noqa: E402
from ppdet.modeling.necks.yolo_fpn import YOLOv3FPN  # noqa: E402
from ppdet.modeling.proposal_generator.anchor_generator import RetinaAnchorGenerator  # noqa: E402

from tests.parity.PaddleDetection.backbone_cases import VGGS, checksum  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "detectors.json"


def joined(**parts: Any) -> paddle.nn.Layer:
    """Return layers as the parts of one."""
    whole = paddle.nn.Layer()
    for name, part in parts.items():
        whole.add_sublayer(name, part)
    return whole


def yolov3(backbone: Any) -> paddle.nn.Layer:
    """Return YOLOv3 on a backbone."""
    head = YOLOv3Head(in_channels=[1024, 512, 256])
    return joined(backbone=backbone, neck=YOLOv3FPN([one.channels for one in backbone.out_shape]), yolo_head=head)


def pyramid(**settings: Any) -> tuple[Any, Any]:
    """Return a ResNet with a pyramid of five levels."""
    backbone = ResNet(return_idx=[1, 2, 3], **settings)
    scales = [0.125, 0.0625, 0.03125]
    return backbone, FPN([512, 1024, 2048], 256, scales, has_extra_convs=True, extra_stage=2, use_c5=False)


def retinanet(depth: int) -> paddle.nn.Layer:
    """Return RetinaNet."""
    backbone, neck = pyramid(depth=depth)
    head = RetinaHead(conv_feat=RetinaFeat(256, 256, 4, None), anchor_generator=RetinaAnchorGenerator())
    return joined(backbone=backbone, neck=neck, head=head)


def fcos(deformable: bool) -> paddle.nn.Layer:
    """Return FCOS."""
    backbone, neck = pyramid(depth=50, dcn_v2_stages=[1, 2, 3] if deformable else [-1])
    head = FCOSHead(80, FCOSFeat(256, 256, 4, "gn", deformable), [8, 16, 32, 64, 128])
    return joined(backbone=backbone, neck=neck, fcos_head=head)


def ssd(backbone: Any, classes: int, levels: int, few: tuple[int, ...], **settings: Any) -> paddle.nn.Layer:
    """Return SSD; the levels in ``few`` have one further aspect ratio, the others two."""
    ratios = [[2.0] if level in few else [2.0, 3.0] for level in range(levels)]
    anchors = AnchorGeneratorSSD([0] * levels, ratios, min_sizes=[1.0] * levels, max_sizes=[2.0] * levels)
    channels = [one.channels for one in backbone.out_shape]
    return joined(backbone=backbone, ssd_head=SSDHead(classes, channels, anchors, **settings))


def lite(model_name: str, maps: list[int]) -> paddle.nn.Layer:
    """Return SSDLite on MobileNetV3."""
    return ssd(MobileNetV3(1.0, model_name, maps, True, multiplier=0.5), 80, 6, (0,), use_sepconv=True)


def face(neck_type: str, channels: list[int]) -> paddle.nn.Layer:
    """Return BlazeFace."""
    sizes: Any = [[16.0, 24.0], [32.0, 48.0, 64.0, 80.0, 96.0, 128.0]]
    anchors = AnchorGeneratorSSD([8.0, 16.0], [[1.0], [1.0]], min_sizes=sizes, max_sizes=[[], []], flip=False)
    head = FaceHead(1, channels, anchors)
    return joined(backbone=BlazeNet(), neck=BlazeNeck([96, 96], neck_type), blaze_head=head)


def senet() -> paddle.nn.Layer:
    """Return SENet-154-vd alone."""
    return SENet(152, "d", groups=64, base_width=4, freeze_at=-1, freeze_norm=False)


DETECTORS: dict[str, Callable[[], paddle.nn.Layer]] = {
    "yolov3_r34": lambda: yolov3(ResNet(34, return_idx=[1, 2, 3], freeze_at=-1, freeze_norm=False)),
    "yolov3_r50vd_dcn": lambda: yolov3(
        ResNet(50, variant="d", return_idx=[1, 2, 3], freeze_at=-1, freeze_norm=False, dcn_v2_stages=[3])
    ),
    "yolov3_mobilenet_v3_large": lambda: yolov3(MobileNetV3(feature_maps=[7, 13, 16])),
    "retinanet_r50_fpn": lambda: retinanet(50),
    "retinanet_r101_fpn": lambda: retinanet(101),
    "fcos_r50_fpn": lambda: fcos(False),
    "fcos_dcn_r50_fpn": lambda: fcos(True),
    "ssd_vgg16_300": lambda: ssd(VGG(), 20, 6, (0, 4, 5)),
    "ssd_vgg16_512": lambda: ssd(VGG(**VGGS["512"]), 20, 7, (0, 5, 6)),
    "ssdlite_mobilenet_v3_small_320": lambda: lite("small", [10, 13, 14, 15, 16, 17]),
    "ssdlite_mobilenet_v3_large_320": lambda: lite("large", [14, 17, 18, 19, 20, 21]),
    "senet154_vd": senet,
    "se_res5": lambda: SERes5Head(50),
    "blazeface": lambda: face("None", [96, 96]),
    "blazeface_fpn_ssh": lambda: face("fpn_ssh", [48, 48]),
}


def main() -> None:
    """Write the counts and checksums."""
    stored = {}
    for name, make in DETECTORS.items():
        whole = make()
        shapes = {key: list(value.shape) for key, value in whole.state_dict().items()}
        learned = [one for one in whole.parameters() if not one.stop_gradient]
        stored[name] = [int(sum(np.prod(one.shape) for one in learned)), checksum(shapes)]
    TARGET.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main()
