"""The manifest: what PaddlePaddle published for each model. Addresses, figures and papers are facts from its documents.

No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every record: a
downloaded file's length can be checked, its identity cannot. :mod:`PaddleClas.models.pretrained` says so in the log.
"""

from __future__ import annotations

from typing import Any, Optional

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
_PP_LCNET = "PP-LCNet: a lightweight CPU convolutional neural network, https://arxiv.org/abs/2109.15099"
_VIT = "An image is worth 16x16 words: transformers for image recognition at scale, https://arxiv.org/abs/2010.11929"
_DEIT = "Training data-efficient image transformers and distillation, https://arxiv.org/abs/2012.12877"
_SWIN = "Swin Transformer: hierarchical vision transformer using shifted windows, https://arxiv.org/abs/2103.14030"
_SWIN_V2 = "Swin Transformer V2: scaling up capacity and resolution, https://arxiv.org/abs/2111.09883"
_CONVNEXT = "A ConvNet for the 2020s, https://arxiv.org/abs/2201.03545"
_REPVGG = "RepVGG: making VGG-style ConvNets great again, https://arxiv.org/abs/2101.03697"
_VOVNET = "CenterMask: real-time anchor-free instance segmentation, https://arxiv.org/abs/1911.06667"
_MOBILEVIT = "MobileViT: light-weight, general-purpose vision transformer, https://arxiv.org/abs/2110.02178"
_CSPNET = "CSPNet: a new backbone that can enhance learning capability of CNN, https://arxiv.org/abs/1911.11929"
_SSLD = "Beyond self-supervision: a simple yet effective network distillation, https://arxiv.org/abs/2103.05959"
_VGG = "Very deep convolutional networks, https://arxiv.org/abs/1409.1556"


_HALVES: dict[str, Any] = {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)}
_CUBIC: dict[str, Any] = {"interpolation": "bicubic"}
_AS_THEY_ARE: dict[str, Any] = {"mean": (0.0, 0.0, 0.0), "std": (1.0, 1.0, 1.0), "channel_order": "BGR"}


def _record(
    path: str,
    paper: str,
    top1: Optional[float] = None,
    top5: Optional[float] = None,
    size: int = 224,
    resize: Optional[int] = None,
    **preparation: Any,
) -> WeightRecord:
    """Return the record of a file trained on ImageNet-1k.

    The figures are percentages, as published; None where a file has none. Images are cropped to a size, in pixels,
    after their shorter side was resized: to 32 pixels more where ``resize`` is None. What else prepares them is given
    to :class:`core.weights.Preprocessing`.
    """
    figures = {"ImageNet top-1 %": top1, "ImageNet top-5 %": top5}
    return WeightRecord(
        url=f"{_HOST}{path}_pretrained.pdparams",
        sha256=None,
        preprocessing=Preprocessing((size, size), resize or size + 32, **preparation),
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
    "PPLCNet_x0_25": _record("legendary_models/PPLCNet_x0_25", _PP_LCNET, 51.86, 75.65),
    "PPLCNet_x0_35": _record("legendary_models/PPLCNet_x0_35", _PP_LCNET, 58.09, 80.83),
    "PPLCNet_x0_5": _record("legendary_models/PPLCNet_x0_5", _PP_LCNET, 63.14, 84.66),
    "PPLCNet_x0_75": _record("legendary_models/PPLCNet_x0_75", _PP_LCNET, 68.18, 88.30),
    "PPLCNet_x1_0": _record("legendary_models/PPLCNet_x1_0", _PP_LCNET, 71.32, 90.03),
    "PPLCNet_x1_5": _record("legendary_models/PPLCNet_x1_5", _PP_LCNET, 73.71, 91.53),
    "PPLCNet_x2_0": _record("legendary_models/PPLCNet_x2_0", _PP_LCNET, 75.18, 92.27),
    "PPLCNet_x2_5": _record("legendary_models/PPLCNet_x2_5", _PP_LCNET, 76.60, 93.00),
    "PPLCNetV2_small": _record("legendary_models/PPLCNetV2_small", _PP_LCNET),
    "PPLCNetV2_base": _record("legendary_models/PPLCNetV2_base", _PP_LCNET, 77.04, 93.27),
    "PPLCNetV2_large": _record("legendary_models/PPLCNetV2_large", _PP_LCNET),
    "DeiT_tiny_patch16_224": _record("DeiT_tiny_patch16_224", _DEIT, 72.08, 91.12, **_CUBIC),
    "DeiT_small_patch16_224": _record("DeiT_small_patch16_224", _DEIT, 79.82, 94.95, **_CUBIC),
    "DeiT_base_patch16_224": _record("DeiT_base_patch16_224", _DEIT, 81.80, 95.58, **_CUBIC),
    "DeiT_base_patch16_384": _record("DeiT_base_patch16_384", _DEIT, 82.89, 96.24, 384, 438, **_CUBIC),
    "DeiT_tiny_distilled_patch16_224": _record("DeiT_tiny_distilled_patch16_224", _DEIT, 74.49, 91.92, **_CUBIC),
    "DeiT_small_distilled_patch16_224": _record("DeiT_small_distilled_patch16_224", _DEIT, 81.17, 95.38, **_CUBIC),
    "DeiT_base_distilled_patch16_224": _record("DeiT_base_distilled_patch16_224", _DEIT, 83.30, 96.47, **_CUBIC),
    "DeiT_base_distilled_patch16_384": _record(
        "DeiT_base_distilled_patch16_384", _DEIT, 85.20, 97.20, 384, 438, **_CUBIC
    ),
    "ViT_small_patch16_224": _record("ViT_small_patch16_224", _VIT, 75.53, 92.11, **_HALVES),
    "ViT_base_patch16_224": _record("ViT_base_patch16_224", _VIT, 81.87, 96.18, **_HALVES),
    "ViT_base_patch16_384": _record("ViT_base_patch16_384", _VIT, 84.14, 97.17, 384, 384, **_HALVES),
    "ViT_base_patch32_384": _record("ViT_base_patch32_384", _VIT, 81.76, 96.13, 384, 384, **_HALVES),
    "ViT_large_patch16_224": _record("ViT_large_patch16_224", _VIT, 83.03, 96.55, **_HALVES),
    "ViT_large_patch16_384": _record("ViT_large_patch16_384", _VIT, 85.13, 97.36, 384, 384, **_HALVES),
    "ViT_large_patch32_384": _record("ViT_large_patch32_384", _VIT, 81.53, 96.08, 384, 384, **_HALVES),
    "SwinTransformer_tiny_patch4_window7_224": _record(
        "legendary_models/SwinTransformer_tiny_patch4_window7_224", _SWIN, 81.10, 95.49, **_CUBIC
    ),
    "SwinTransformer_small_patch4_window7_224": _record(
        "legendary_models/SwinTransformer_small_patch4_window7_224", _SWIN, 83.21, 96.22, **_CUBIC
    ),
    "SwinTransformer_base_patch4_window7_224": _record(
        "legendary_models/SwinTransformer_base_patch4_window7_224", _SWIN, 83.37, 96.43, **_CUBIC
    ),
    "SwinTransformer_base_patch4_window12_384": _record(
        "legendary_models/SwinTransformer_base_patch4_window12_384", _SWIN, 84.17, 96.74, 384, 438, **_CUBIC
    ),
    "SwinTransformer_large_patch4_window7_224": _record(
        "legendary_models/SwinTransformer_large_patch4_window7_224_22kto1k", _SWIN, 86.19, 97.88, **_CUBIC
    ),
    "SwinTransformer_large_patch4_window12_384": _record(
        "legendary_models/SwinTransformer_large_patch4_window12_384_22kto1k", _SWIN, 87.06, 98.14, 384, 438, **_CUBIC
    ),
    "SwinTransformerV2_tiny_patch4_window8_256": _record(
        "SwinTransformerV2_tiny_patch4_window8_256", _SWIN_V2, 81.77, 95.88, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_tiny_patch4_window16_256": _record(
        "SwinTransformerV2_tiny_patch4_window16_256", _SWIN_V2, 82.83, 96.23, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_small_patch4_window8_256": _record(
        "SwinTransformerV2_small_patch4_window8_256", _SWIN_V2, 83.73, 96.62, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_small_patch4_window16_256": _record(
        "SwinTransformerV2_small_patch4_window16_256", _SWIN_V2, 84.14, 96.81, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_base_patch4_window8_256": _record(
        "SwinTransformerV2_base_patch4_window8_256", _SWIN_V2, 84.19, 96.87, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_base_patch4_window16_256": _record(
        "SwinTransformerV2_base_patch4_window16_256", _SWIN_V2, 84.58, 97.06, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_base_patch4_window24_384": _record(
        "SwinTransformerV2_base_patch4_window24_384_22kto1k", _SWIN_V2, 87.14, 98.24, 384, 384, **_CUBIC
    ),
    "SwinTransformerV2_large_patch4_window16_256": _record(
        "SwinTransformerV2_large_patch4_window16_256_22kto1k", _SWIN_V2, 86.89, 98.04, 256, 292, **_CUBIC
    ),
    "SwinTransformerV2_large_patch4_window24_384": _record(
        "SwinTransformerV2_large_patch4_window24_384_22kto1k", _SWIN_V2, 87.47, 98.27, 384, 384, **_CUBIC
    ),
    "ConvNeXt_tiny": _record("ConvNeXt_tiny", _CONVNEXT, 82.03, 95.90, **_CUBIC),
    "ConvNeXt_small": _record("ConvNeXt_small", _CONVNEXT, **_CUBIC),
    "ConvNeXt_base_224": _record("ConvNeXt_base_224", _CONVNEXT, **_CUBIC),
    "ConvNeXt_base_384": _record("ConvNeXt_base_384", _CONVNEXT, size=384, resize=384, **_CUBIC),
    "ConvNeXt_large_224": _record("ConvNeXt_large_224", _CONVNEXT, **_CUBIC),
    "ConvNeXt_large_384": _record("ConvNeXt_large_384", _CONVNEXT, size=384, resize=384, **_CUBIC),
    "RepVGG_A0": _record("RepVGG_A0", _REPVGG, 71.31, 90.16),
    "RepVGG_A1": _record("RepVGG_A1", _REPVGG, 73.80, 91.46),
    "RepVGG_A2": _record("RepVGG_A2", _REPVGG, 75.71, 92.64),
    "RepVGG_B0": _record("RepVGG_B0", _REPVGG, 74.50, 92.13),
    "RepVGG_B1": _record("RepVGG_B1", _REPVGG, 77.73, 93.85),
    "RepVGG_B1g2": _record("RepVGG_B1g2", _REPVGG, 77.32, 93.59),
    "RepVGG_B1g4": _record("RepVGG_B1g4", _REPVGG, 76.75, 93.35),
    "RepVGG_B2": _record("RepVGG_B2", _REPVGG, 78.13, 94.10),
    "RepVGG_B2g4": _record("RepVGG_B2g4", _REPVGG, 78.81, 94.48),
    "RepVGG_B3": _record("RepVGG_B3", _REPVGG, 80.31, 95.17, **_CUBIC),
    "RepVGG_B3g4": _record("RepVGG_B3g4", _REPVGG, 80.05, 95.02),
    "RepVGG_D2se": _record("RepVGG_D2se", _REPVGG, 83.39, 96.65, 320, 320, **_CUBIC),
    "PPHGNet_tiny": _record("legendary_models/PPHGNet_tiny", _VOVNET, 79.83, 95.04, resize=232, **_CUBIC),
    "PPHGNet_small": _record("legendary_models/PPHGNet_small", _VOVNET, 81.51, 95.82, resize=236, **_CUBIC),
    "PPHGNet_base": _record("legendary_models/PPHGNet_base_ssld", _VOVNET, 85.00, 97.35, resize=236, **_CUBIC),
    "PPHGNetV2_B0": _record("legendary_models/PPHGNetV2_B0_ssld", _VOVNET, 77.77, 93.91, resize=232, **_CUBIC),
    "PPHGNetV2_B1": _record("legendary_models/PPHGNetV2_B1_ssld", _VOVNET, 79.18, 94.57, resize=232, **_CUBIC),
    "PPHGNetV2_B2": _record("legendary_models/PPHGNetV2_B2_ssld", _VOVNET, 81.74, 95.88, resize=232, **_CUBIC),
    "PPHGNetV2_B3": _record("legendary_models/PPHGNetV2_B3_ssld", _VOVNET, 82.98, 96.43, resize=232, **_CUBIC),
    "PPHGNetV2_B4": _record("legendary_models/PPHGNetV2_B4_ssld", _VOVNET, 83.57, 96.72, resize=232, **_CUBIC),
    "PPHGNetV2_B5": _record("legendary_models/PPHGNetV2_B5_ssld", _VOVNET, 84.75, 97.32, resize=232, **_CUBIC),
    "PPHGNetV2_B6": _record("legendary_models/PPHGNetV2_B6_ssld", _VOVNET, 86.30, 97.84, resize=232, **_CUBIC),
    "MobileViT_XXS": _record("MobileViT_XXS", _MOBILEVIT, 68.67, 88.78, 256, 292, **_AS_THEY_ARE),
    "MobileViT_XS": _record("MobileViT_XS", _MOBILEVIT, 74.54, 92.27, 256, 292, **_AS_THEY_ARE),
    "MobileViT_S": _record("MobileViT_S", _MOBILEVIT, 78.14, 94.13, 256, 292, **_AS_THEY_ARE),
    "CSPDarkNet53": _record("CSPDarkNet53", _CSPNET, 77.25, 93.55, 256),
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
    "PPLCNet_x0_5": _record("legendary_models/PPLCNet_x0_5_ssld", _SSLD, 66.10, 86.46),
    "PPLCNet_x1_0": _record("legendary_models/PPLCNet_x1_0_ssld", _SSLD, 74.39, 92.09),
    "PPLCNet_x2_5": _record("legendary_models/PPLCNet_x2_5_ssld", _SSLD, 80.82, 95.33),
    "PPHGNet_tiny": _record("legendary_models/PPHGNet_tiny_ssld", _SSLD, 81.95, 96.12, resize=232, **_CUBIC),
    "PPHGNet_small": _record("legendary_models/PPHGNet_small_ssld", _SSLD, 83.82, 96.81, resize=236, **_CUBIC),
}
"""Model name to the official weight file of the network distilled from a larger one, with unlabelled images."""
