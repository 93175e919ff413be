"""The manifest: what PaddlePaddle published for each model. Addresses, figures and papers are facts from its documents.

No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every record: a
downloaded file's length can be checked, its identity cannot. :mod:`PaddleClas.models.pretrained` says so in the log.
"""

from __future__ import annotations

from typing import Optional

from core.weights import Preprocessing, WeightRecord

_HOST = "https://paddle-imagenet-models-name.bj.bcebos.com/dygraph/"
_RESNET = "Deep residual learning for image recognition, https://arxiv.org/abs/1512.03385"
_TRICKS = "Bag of tricks for image classification with CNNs, https://arxiv.org/abs/1812.01187"
_MOBILENET_V1 = "MobileNets, https://arxiv.org/abs/1704.04861"
_MOBILENET_V2 = "MobileNetV2: inverted residuals and linear bottlenecks, https://arxiv.org/abs/1801.04381"
_MOBILENET_V3 = "Searching for MobileNetV3, https://arxiv.org/abs/1905.02244"
_SHUFFLENET_V2 = "ShuffleNet V2, https://arxiv.org/abs/1807.11164"
_GHOSTNET = "GhostNet: more features from cheap operations, https://arxiv.org/abs/1911.11907"
_EFFICIENTNET = "EfficientNet: rethinking model scaling, https://arxiv.org/abs/1905.11946"
_RES2NET = "Res2Net: a new multi-scale backbone architecture, https://arxiv.org/abs/1904.01169"
_HRNET = "Deep high-resolution representation learning for visual recognition, https://arxiv.org/abs/1908.07919"
_REGNET = "Designing network design spaces, https://arxiv.org/abs/2003.13678"
_RESNEST = "ResNeSt: split-attention networks, https://arxiv.org/abs/2004.08955"
_ALEXNET = "One weird trick for parallelizing convolutional neural networks, https://arxiv.org/abs/1404.5997"
_SQUEEZENET = "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters, https://arxiv.org/abs/1602.07360"
_DARKNET = "YOLOv3: an incremental improvement, https://arxiv.org/abs/1804.02767"
_GOOGLENET = "Going deeper with convolutions, https://arxiv.org/abs/1409.4842"
_RESNEXT = "Aggregated residual transformations for deep neural networks, https://arxiv.org/abs/1611.05431"
_SENET = "Squeeze-and-excitation networks, https://arxiv.org/abs/1709.01507"
_DENSENET = "Densely connected convolutional networks, https://arxiv.org/abs/1608.06993"
_INCEPTION_V3 = "Rethinking the inception architecture for computer vision, https://arxiv.org/abs/1512.00567"
_INCEPTION_V4 = "Inception-v4, Inception-ResNet and residual connections, https://arxiv.org/abs/1602.07261"
_DPN = "Dual path networks, https://arxiv.org/abs/1707.01629"
_XCEPTION = "Xception: deep learning with depthwise separable convolutions, https://arxiv.org/abs/1610.02357"
_DEEPLAB = "Encoder-decoder with atrous separable convolution, https://arxiv.org/abs/1802.02611"
_WSL = "Exploring the limits of weakly supervised pretraining, https://arxiv.org/abs/1805.00932"
_SSLD = "Beyond self-supervision: a simple yet effective network distillation, https://arxiv.org/abs/2103.05959"
_VGG = "Very deep convolutional networks, https://arxiv.org/abs/1409.1556"


def _record(
    path: str,
    paper: str,
    top1: Optional[float] = None,
    top5: Optional[float] = None,
    size: int = 224,
    resize: Optional[int] = None,
) -> WeightRecord:
    """Return the record of a file trained on ImageNet-1k.

    The figures are percentages, as published; None where a file has none. Images are cropped to a size, in pixels,
    after their shorter side was resized: to 32 pixels more where ``resize`` is None.
    """
    figures = {"ImageNet top-1 %": top1, "ImageNet top-5 %": top5}
    return WeightRecord(
        url=f"{_HOST}{path}_pretrained.pdparams",
        sha256=None,
        preprocessing=Preprocessing(input_size=(size, size), resize_short=resize or size + 32),
        class_count=1000,
        license="Apache-2.0",
        source="PaddlePaddle/PaddleClas 2.2 or later",
        paper=paper,
        metrics={name: figure for name, figure in figures.items() if figure is not None},
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
    "MobileNetV3_small_x0_35": _record("legendary_models/MobileNetV3_small_x0_35", _MOBILENET_V3, 53.03, 76.37),
    "MobileNetV3_small_x0_5": _record("legendary_models/MobileNetV3_small_x0_5", _MOBILENET_V3, 59.21, 81.52),
    "MobileNetV3_small_x0_75": _record("legendary_models/MobileNetV3_small_x0_75", _MOBILENET_V3, 66.02, 86.33),
    "MobileNetV3_small_x1_0": _record("legendary_models/MobileNetV3_small_x1_0", _MOBILENET_V3, 68.24, 88.06),
    "MobileNetV3_small_x1_25": _record("legendary_models/MobileNetV3_small_x1_25", _MOBILENET_V3, 70.67, 89.51),
    "MobileNetV3_large_x0_35": _record("legendary_models/MobileNetV3_large_x0_35", _MOBILENET_V3, 64.32, 85.46),
    "MobileNetV3_large_x0_5": _record("legendary_models/MobileNetV3_large_x0_5", _MOBILENET_V3, 69.24, 88.52),
    "MobileNetV3_large_x0_75": _record("legendary_models/MobileNetV3_large_x0_75", _MOBILENET_V3, 73.14, 91.08),
    "MobileNetV3_large_x1_0": _record("legendary_models/MobileNetV3_large_x1_0", _MOBILENET_V3, 75.32, 92.31),
    "MobileNetV3_large_x1_25": _record("legendary_models/MobileNetV3_large_x1_25", _MOBILENET_V3, 76.41, 92.95),
    "ShuffleNetV2_x0_25": _record("ShuffleNetV2_x0_25", _SHUFFLENET_V2, 49.90, 73.79),
    "ShuffleNetV2_x0_33": _record("ShuffleNetV2_x0_33", _SHUFFLENET_V2, 53.73, 77.05),
    "ShuffleNetV2_x0_5": _record("ShuffleNetV2_x0_5", _SHUFFLENET_V2, 60.32, 82.26),
    "ShuffleNetV2_x1_0": _record("ShuffleNetV2_x1_0", _SHUFFLENET_V2, 68.80, 88.45),
    "ShuffleNetV2_x1_5": _record("ShuffleNetV2_x1_5", _SHUFFLENET_V2, 71.63, 90.15),
    "ShuffleNetV2_x2_0": _record("ShuffleNetV2_x2_0", _SHUFFLENET_V2, 73.15, 91.20),
    "ShuffleNetV2_swish": _record("ShuffleNetV2_swish", _SHUFFLENET_V2, 70.03, 89.17),
    "GhostNet_x0_5": _record("GhostNet_x0_5", _GHOSTNET, 66.88, 86.95),
    "GhostNet_x1_0": _record("GhostNet_x1_0", _GHOSTNET, 74.02, 91.65),
    "GhostNet_x1_3": _record("GhostNet_x1_3", _GHOSTNET, 75.79, 92.54),
    "AlexNet": _record("AlexNet", _ALEXNET, 56.72, 79.17),
    "SqueezeNet1_0": _record("SqueezeNet1_0", _SQUEEZENET, 59.60, 81.66),
    "SqueezeNet1_1": _record("SqueezeNet1_1", _SQUEEZENET, 60.08, 81.85),
    "DarkNet53": _record("DarkNet53", _DARKNET, 78.04, 94.05, 256, 256),
    "GoogLeNet": _record("GoogLeNet", _GOOGLENET, 70.70, 89.66),
    "ResNeXt50_32x4d": _record("ResNeXt50_32x4d", _RESNEXT, 77.75, 93.82),
    "ResNeXt101_32x4d": _record("ResNeXt101_32x4d", _RESNEXT, 78.65, 94.19),
    "ResNeXt152_32x4d": _record("ResNeXt152_32x4d", _RESNEXT, 78.98, 94.33),
    "ResNeXt50_64x4d": _record("ResNeXt50_64x4d", _RESNEXT, 78.43, 94.13),
    "ResNeXt101_64x4d": _record("ResNeXt101_64x4d", _RESNEXT, 78.35, 94.52),
    "ResNeXt152_64x4d": _record("ResNeXt152_64x4d", _RESNEXT, 79.51, 94.71),
    "ResNeXt50_vd_32x4d": _record("ResNeXt50_vd_32x4d", _RESNEXT, 79.56, 94.62),
    "ResNeXt101_vd_32x4d": _record("ResNeXt101_vd_32x4d", _RESNEXT, 80.33, 95.12),
    "ResNeXt152_vd_32x4d": _record("ResNeXt152_vd_32x4d", _RESNEXT, 80.72, 95.20),
    "ResNeXt50_vd_64x4d": _record("ResNeXt50_vd_64x4d", _RESNEXT, 80.12, 94.86),
    "ResNeXt101_vd_64x4d": _record("ResNeXt101_vd_64x4d", _RESNEXT, 80.78, 95.20),
    "ResNeXt152_vd_64x4d": _record("ResNeXt152_vd_64x4d", _RESNEXT, 81.08, 95.34),
    "SE_ResNet18_vd": _record("SE_ResNet18_vd", _SENET, 73.33, 91.38),
    "SE_ResNet34_vd": _record("SE_ResNet34_vd", _SENET, 76.51, 93.20),
    "SE_ResNet50_vd": _record("SE_ResNet50_vd", _SENET, 79.52, 94.75),
    "SE_ResNeXt50_32x4d": _record("SE_ResNeXt50_32x4d", _SENET, 78.44, 93.96),
    "SE_ResNeXt101_32x4d": _record("SE_ResNeXt101_32x4d", _SENET, 79.39, 94.43),
    "SE_ResNeXt50_vd_32x4d": _record("SE_ResNeXt50_vd_32x4d", _SENET, 80.24, 94.89),
    "SENet154_vd": _record("SENet154_vd", _SENET, 81.40, 95.48),
    "EfficientNetB0_small": _record("EfficientNetB0_small", _EFFICIENTNET, 75.80, 92.58),
    "EfficientNetB0": _record("EfficientNetB0", _EFFICIENTNET, 77.38, 93.31),
    "EfficientNetB1": _record("EfficientNetB1", _EFFICIENTNET, 79.15, 94.41, 240),
    "EfficientNetB2": _record("EfficientNetB2", _EFFICIENTNET, 79.85, 94.74, 260),
    "EfficientNetB3": _record("EfficientNetB3", _EFFICIENTNET, 81.15, 95.41, 300),
    "EfficientNetB4": _record("EfficientNetB4", _EFFICIENTNET, 82.85, 96.23, 380),
    "EfficientNetB5": _record("EfficientNetB5", _EFFICIENTNET, 83.62, 96.72, 456),
    "EfficientNetB6": _record("EfficientNetB6", _EFFICIENTNET, 84.00, 96.88, 528),
    "EfficientNetB7": _record("EfficientNetB7", _EFFICIENTNET, 84.30, 96.89, 600),
    "Res2Net50_26w_4s": _record("Res2Net50_26w_4s", _RES2NET, 79.33, 94.57),
    "Res2Net50_14w_8s": _record("Res2Net50_14w_8s", _RES2NET, 79.46, 94.70),
    "Res2Net50_vd_26w_4s": _record("Res2Net50_vd_26w_4s", _RES2NET, 79.75, 94.91),
    "Res2Net101_vd_26w_4s": _record("Res2Net101_vd_26w_4s", _RES2NET, 80.64, 95.22),
    "Res2Net200_vd_26w_4s": _record("Res2Net200_vd_26w_4s", _RES2NET, 81.21, 95.71),
    "HRNet_W18_C": _record("legendary_models/HRNet_W18_C", _HRNET, 76.92, 93.39),
    "HRNet_W30_C": _record("legendary_models/HRNet_W30_C", _HRNET, 78.04, 94.02),
    "HRNet_W32_C": _record("legendary_models/HRNet_W32_C", _HRNET, 78.28, 94.24),
    "HRNet_W40_C": _record("legendary_models/HRNet_W40_C", _HRNET, 78.77, 94.47),
    "HRNet_W44_C": _record("legendary_models/HRNet_W44_C", _HRNET, 79.00, 94.51),
    "HRNet_W48_C": _record("legendary_models/HRNet_W48_C", _HRNET, 78.95, 94.42),
    "HRNet_W64_C": _record("legendary_models/HRNet_W64_C", _HRNET, 79.30, 94.61),
    "SE_HRNet_W64_C": _record("legendary_models/SE_HRNet_W64_C_ssld", _HRNET, 84.75, 97.26),
    "RegNetX_200MF": _record("RegNetX_200MF", _REGNET),
    "RegNetX_400MF": _record("RegNetX_400MF", _REGNET),
    "RegNetX_600MF": _record("RegNetX_600MF", _REGNET),
    "RegNetX_800MF": _record("RegNetX_800MF", _REGNET),
    "RegNetX_1600MF": _record("RegNetX_1600MF", _REGNET),
    "RegNetX_3200MF": _record("RegNetX_3200MF", _REGNET),
    "RegNetX_4GF": _record("RegNetX_4GF", _REGNET, 78.50, 94.16),
    "RegNetX_6400MF": _record("RegNetX_6400MF", _REGNET),
    "RegNetX_8GF": _record("RegNetX_8GF", _REGNET),
    "RegNetX_12GF": _record("RegNetX_12GF", _REGNET),
    "RegNetX_16GF": _record("RegNetX_16GF", _REGNET),
    "RegNetX_32GF": _record("RegNetX_32GF", _REGNET),
    "ResNeSt50_fast_1s1x64d": _record("ResNeSt50_fast_1s1x64d", _RESNEST, 80.35, 95.28),
    "ResNeSt50": _record("ResNeSt50", _RESNEST, 80.83, 95.42),
    "ResNeSt101": _record("ResNeSt101", _RESNEST, size=256, resize=288),
    "ResNeSt200": _record("ResNeSt200", _RESNEST, size=320, resize=320),
    "ResNeSt269": _record("ResNeSt269", _RESNEST, size=416, resize=416),
    "DenseNet121": _record("DenseNet121", _DENSENET, 75.66, 92.58),
    "DenseNet161": _record("DenseNet161", _DENSENET, 78.57, 94.14),
    "DenseNet169": _record("DenseNet169", _DENSENET, 76.81, 93.31),
    "DenseNet201": _record("DenseNet201", _DENSENET, 77.63, 93.66),
    "DenseNet264": _record("DenseNet264", _DENSENET, 77.96, 93.85),
    "InceptionV3": _record("legendary_models/InceptionV3", _INCEPTION_V3, 79.14, 94.59, 299, 320),
    "InceptionV4": _record("InceptionV4", _INCEPTION_V4, 80.77, 95.26, 299, 320),
    "DPN68": _record("DPN68", _DPN, 76.78, 93.43),
    "DPN92": _record("DPN92", _DPN, 79.85, 94.80),
    "DPN98": _record("DPN98", _DPN, 80.59, 95.10),
    "DPN107": _record("DPN107", _DPN, 80.89, 95.32),
    "DPN131": _record("DPN131", _DPN, 80.70, 95.14),
    "Xception41": _record("Xception41", _XCEPTION, 79.30, 94.53, 299, 320),
    "Xception65": _record("Xception65", _XCEPTION, 81.00, 95.49, 299, 320),
    "Xception71": _record("Xception71", _XCEPTION, 81.11, 95.45, 299, 320),
    "Xception41_deeplab": _record("Xception41_deeplab", _DEEPLAB, 79.55, 94.38, 299, 320),
    "Xception65_deeplab": _record("Xception65_deeplab", _DEEPLAB, 80.32, 94.49, 299, 320),
    "ResNeXt101_32x8d_wsl": _record("ResNeXt101_32x8d_wsl", _WSL, 82.55, 96.74),
    "ResNeXt101_32x16d_wsl": _record("ResNeXt101_32x16_wsl", _WSL, 84.24, 97.26),
    "ResNeXt101_32x32d_wsl": _record("ResNeXt101_32x32d_wsl", _WSL, 84.97, 97.59),
    "ResNeXt101_32x48d_wsl": _record("ResNeXt101_32x48d_wsl", _WSL, 85.37, 97.69),
    "Fix_ResNeXt101_32x48d_wsl": _record("Fix_ResNeXt101_32x48d_wsl", _WSL, 86.26, 97.97, 320, 320),
}
"""Model name to its official weight file."""

SSLD_WEIGHTS = {
    "ResNet34_vd": _record("legendary_models/ResNet34_vd_ssld", _SSLD, 79.72, 94.90),
    "ResNet50_vd": _record("legendary_models/ResNet50_vd_ssld", _SSLD, 83.00, 96.40),
    "ResNet101_vd": _record("legendary_models/ResNet101_vd_ssld", _SSLD, 83.73, 96.69),
    "MobileNetV1": _record("legendary_models/MobileNetV1_ssld", _SSLD, 77.89, 93.94),
    "MobileNetV2": _record("MobileNetV2_ssld", _SSLD, 76.74, 93.39),
    "MobileNetV3_small_x0_35": _record("legendary_models/MobileNetV3_small_x0_35_ssld", _SSLD, 55.55, 77.71),
    "MobileNetV3_small_x1_0": _record("legendary_models/MobileNetV3_small_x1_0_ssld", _SSLD, 71.29, 90.10),
    "MobileNetV3_large_x1_0": _record("legendary_models/MobileNetV3_large_x1_0_ssld", _SSLD, 78.96, 94.48),
    "GhostNet_x1_3": _record("GhostNet_x1_3_ssld", _SSLD, 79.38, 94.49),
    "Res2Net50_vd_26w_4s": _record("Res2Net50_vd_26w_4s_ssld", _SSLD, 83.10, 96.60),
    "Res2Net101_vd_26w_4s": _record("Res2Net101_vd_26w_4s_ssld", _SSLD, 83.90, 97.10),
    "Res2Net200_vd_26w_4s": _record("Res2Net200_vd_26w_4s_ssld", _SSLD, 85.13, 97.42),
    "HRNet_W18_C": _record("legendary_models/HRNet_W18_C_ssld", _SSLD, 81.16, 95.80),
    "HRNet_W48_C": _record("legendary_models/HRNet_W48_C_ssld", _SSLD, 83.63, 96.82),
    "SE_HRNet_W64_C": _record("legendary_models/SE_HRNet_W64_C_ssld", _SSLD, 84.75, 97.26),
}
"""Model name to the official weight file of the network distilled from a larger one, with unlabelled images."""
