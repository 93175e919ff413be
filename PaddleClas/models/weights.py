"""The manifest: what PaddlePaddle published for each model. Addresses, figures and papers are facts from its documents.

No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every record: a
downloaded file's length can be checked, its identity cannot. :mod:`PaddleClas.models.pretrained` says so in the log.
"""

from __future__ import annotations

from core.weights import Preprocessing, WeightRecord

_HOST = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/"
_RESNET = "Deep residual learning for image recognition, https://arxiv.org/abs/1512.03385"
_TRICKS = "Bag of tricks for image classification with CNNs, https://arxiv.org/abs/1812.01187"
_MOBILENET_V1 = "MobileNets, https://arxiv.org/abs/1704.04861"
_MOBILENET_V2 = "MobileNetV2: inverted residuals and linear bottlenecks, https://arxiv.org/abs/1801.04381"
_VGG = "Very deep convolutional networks, https://arxiv.org/abs/1409.1556"


def _record(path: str, paper: str, top1: float, top5: float) -> WeightRecord:
    """Return the record of a file trained on ImageNet-1k; the figures are percentages, as published."""
    return WeightRecord(
        url=f"{_HOST}{path}_pretrained.pdparams",
        sha256=None,
        preprocessing=Preprocessing(),
        class_count=1000,
        license="Apache-2.0",
        source="PaddlePaddle/PaddleClas 2.2 or later",
        paper=paper,
        metrics={"ImageNet top-1 %": top1, "ImageNet top-5 %": top5},
    )


WEIGHTS = {
    "ResNet18": _record("legendary_models/ResNet18", _RESNET, 70.98, 89.92),
    "ResNet34": _record("legendary_models/ResNet34", _RESNET, 74.57, 92.14),
    "ResNet50": _record("legendary_models/ResNet50", _RESNET, 76.50, 93.00),
    "ResNet101": _record("legendary_models/ResNet101", _RESNET, 77.56, 93.64),
    "ResNet152": _record("legendary_models/ResNet152", _RESNET, 78.26, 93.96),
    "ResNet50_vc": _record("ResNet50_vc", _TRICKS, 78.35, 94.03),
    "ResNet18_vd": _record("legendary_models/ResNet18_vd", _TRICKS, 72.26, 90.80),
    "ResNet34_vd": _record("legendary_models/ResNet34_vd", _TRICKS, 75.98, 92.98),
    "ResNet50_vd": _record("legendary_models/ResNet50_vd", _TRICKS, 79.12, 94.44),
    "ResNet101_vd": _record("legendary_models/ResNet101_vd", _TRICKS, 80.17, 94.97),
    "ResNet152_vd": _record("legendary_models/ResNet152_vd", _TRICKS, 80.59, 95.30),
    "ResNet200_vd": _record("legendary_models/ResNet200_vd", _TRICKS, 80.93, 95.33),
    "MobileNetV1_x0_25": _record("legendary_models/MobileNetV1_x0_25", _MOBILENET_V1, 51.43, 75.46),
    "MobileNetV1_x0_5": _record("legendary_models/MobileNetV1_x0_5", _MOBILENET_V1, 63.52, 84.73),
    "MobileNetV1_x0_75": _record("legendary_models/MobileNetV1_x0_75", _MOBILENET_V1, 68.81, 88.23),
    "MobileNetV1": _record("legendary_models/MobileNetV1", _MOBILENET_V1, 70.99, 89.68),
    "MobileNetV2_x0_25": _record("MobileNetV2_x0_25", _MOBILENET_V2, 53.21, 76.52),
    "MobileNetV2_x0_5": _record("MobileNetV2_x0_5", _MOBILENET_V2, 65.03, 85.72),
    "MobileNetV2_x0_75": _record("MobileNetV2_x0_75", _MOBILENET_V2, 69.83, 89.01),
    "MobileNetV2": _record("MobileNetV2", _MOBILENET_V2, 72.15, 90.65),
    "MobileNetV2_x1_5": _record("MobileNetV2_x1_5", _MOBILENET_V2, 74.12, 91.67),
    "MobileNetV2_x2_0": _record("MobileNetV2_x2_0", _MOBILENET_V2, 75.23, 92.58),
    "VGG11": _record("legendary_models/VGG11", _VGG, 69.28, 89.09),
    "VGG13": _record("legendary_models/VGG13", _VGG, 70.02, 89.42),
    "VGG16": _record("legendary_models/VGG16", _VGG, 72.00, 90.69),
    "VGG19": _record("legendary_models/VGG19", _VGG, 72.56, 90.93),
}
"""Model name to its official weight file."""
