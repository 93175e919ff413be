"""The one table of models, and functions that read it. Importing this module loads no network and no engine."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core.train.config.table import Table

FAMILIES = {
    "lenet": ("LeNet",),
    "vgg": ("VGG11", "VGG13", "VGG16", "VGG19"),
    "resnet": (
        *("ResNet18", "ResNet34", "ResNet50", "ResNet101", "ResNet152"),
        *("ResNet18_vd", "ResNet34_vd", "ResNet50_vd", "ResNet101_vd", "ResNet152_vd", "ResNet200_vd"),
    ),
    "resnet_vc": ("ResNet50_vc",),
    "mobilenet_v1": ("MobileNetV1_x0_25", "MobileNetV1_x0_5", "MobileNetV1_x0_75", "MobileNetV1"),
    "mobilenet_v2": (
        *("MobileNetV2_x0_25", "MobileNetV2_x0_5", "MobileNetV2_x0_75"),
        *("MobileNetV2", "MobileNetV2_x1_5", "MobileNetV2_x2_0"),
    ),
    "mobilenet_v3": (
        *("MobileNetV3_small_x0_35", "MobileNetV3_small_x0_5", "MobileNetV3_small_x0_75"),
        *("MobileNetV3_small_x1_0", "MobileNetV3_small_x1_25"),
        *("MobileNetV3_large_x0_35", "MobileNetV3_large_x0_5", "MobileNetV3_large_x0_75"),
        *("MobileNetV3_large_x1_0", "MobileNetV3_large_x1_25"),
    ),
    "shufflenet_v2": (
        *("ShuffleNetV2_x0_25", "ShuffleNetV2_x0_33", "ShuffleNetV2_x0_5", "ShuffleNetV2_x1_0"),
        *("ShuffleNetV2_x1_5", "ShuffleNetV2_x2_0", "ShuffleNetV2_swish"),
    ),
    "ghostnet": ("GhostNet_x0_5", "GhostNet_x1_0", "GhostNet_x1_3"),
    "alexnet": ("AlexNet",),
    "squeezenet": ("SqueezeNet1_0", "SqueezeNet1_1"),
    "darknet": ("DarkNet53",),
    "googlenet": ("GoogLeNet",),
    "resnext": (
        *("ResNeXt50_32x4d", "ResNeXt101_32x4d", "ResNeXt152_32x4d", "ResNeXt50_64x4d"),
        *("ResNeXt101_64x4d", "ResNeXt152_64x4d", "ResNeXt50_vd_32x4d", "ResNeXt101_vd_32x4d"),
        *("ResNeXt152_vd_32x4d", "ResNeXt50_vd_64x4d", "ResNeXt101_vd_64x4d", "ResNeXt152_vd_64x4d"),
    ),
    "se_resnet_vd": ("SE_ResNet18_vd", "SE_ResNet34_vd", "SE_ResNet50_vd"),
    "se_resnext": ("SE_ResNeXt50_32x4d", "SE_ResNeXt101_32x4d", "SE_ResNeXt50_vd_32x4d", "SENet154_vd"),
    "efficientnet": (
        *("EfficientNetB0_small", "EfficientNetB0", "EfficientNetB1", "EfficientNetB2", "EfficientNetB3"),
        *("EfficientNetB4", "EfficientNetB5", "EfficientNetB6", "EfficientNetB7"),
    ),
    "res2net": (
        *("Res2Net50_26w_4s", "Res2Net50_14w_8s"),
        *("Res2Net50_vd_26w_4s", "Res2Net101_vd_26w_4s", "Res2Net200_vd_26w_4s"),
    ),
    "hrnet": (
        *("HRNet_W18_C", "HRNet_W30_C", "HRNet_W32_C", "HRNet_W40_C", "HRNet_W44_C", "HRNet_W48_C"),
        *("HRNet_W64_C", "SE_HRNet_W64_C"),
    ),
    "regnet": (
        *("RegNetX_200MF", "RegNetX_400MF", "RegNetX_600MF", "RegNetX_800MF", "RegNetX_1600MF", "RegNetX_3200MF"),
        *("RegNetX_4GF", "RegNetX_6400MF", "RegNetX_8GF", "RegNetX_12GF", "RegNetX_16GF", "RegNetX_32GF"),
    ),
    "resnest": ("ResNeSt50_fast_1s1x64d", "ResNeSt50", "ResNeSt101", "ResNeSt200", "ResNeSt269"),
    "densenet": ("DenseNet121", "DenseNet161", "DenseNet169", "DenseNet201", "DenseNet264"),
    "inception_v3": ("InceptionV3",),
    "inception_v4": ("InceptionV4",),
    "dpn": ("DPN68", "DPN92", "DPN98", "DPN107", "DPN131"),
    "xception": ("Xception41", "Xception65", "Xception71"),
    "xception_deeplab": ("Xception41_deeplab", "Xception65_deeplab"),
    "resnext101_wsl": (
        *("ResNeXt101_32x8d_wsl", "ResNeXt101_32x16d_wsl", "ResNeXt101_32x32d_wsl"),
        *("ResNeXt101_32x48d_wsl", "Fix_ResNeXt101_32x48d_wsl"),
    ),
    "pp_lcnet": (
        *("PPLCNet_x0_25", "PPLCNet_x0_35", "PPLCNet_x0_5", "PPLCNet_x0_75"),
        *("PPLCNet_x1_0", "PPLCNet_x1_5", "PPLCNet_x2_0", "PPLCNet_x2_5"),
    ),
    "pp_lcnet_v2": ("PPLCNetV2_small", "PPLCNetV2_base", "PPLCNetV2_large"),
    "vision_transformer": (
        *("DeiT_tiny_patch16_224", "DeiT_small_patch16_224", "DeiT_base_patch16_224", "DeiT_base_patch16_384"),
        *("DeiT_tiny_distilled_patch16_224", "DeiT_small_distilled_patch16_224"),
        *("DeiT_base_distilled_patch16_224", "DeiT_base_distilled_patch16_384"),
        *("ViT_small_patch16_224", "ViT_base_patch16_224", "ViT_base_patch16_384", "ViT_base_patch32_384"),
        *("ViT_large_patch16_224", "ViT_large_patch16_384", "ViT_large_patch32_384"),
    ),
    "swin_transformer": (
        *("SwinTransformer_tiny_patch4_window7_224", "SwinTransformer_small_patch4_window7_224"),
        *("SwinTransformer_base_patch4_window7_224", "SwinTransformer_base_patch4_window12_384"),
        *("SwinTransformer_large_patch4_window7_224", "SwinTransformer_large_patch4_window12_384"),
    ),
    "swin_transformer_v2": (
        *("SwinTransformerV2_tiny_patch4_window8_256", "SwinTransformerV2_tiny_patch4_window16_256"),
        *("SwinTransformerV2_small_patch4_window8_256", "SwinTransformerV2_small_patch4_window16_256"),
        *("SwinTransformerV2_base_patch4_window8_256", "SwinTransformerV2_base_patch4_window16_256"),
        *("SwinTransformerV2_base_patch4_window24_384", "SwinTransformerV2_large_patch4_window16_256"),
        "SwinTransformerV2_large_patch4_window24_384",
    ),
    "convnext": (
        *("ConvNeXt_tiny", "ConvNeXt_small", "ConvNeXt_base_224", "ConvNeXt_base_384"),
        *("ConvNeXt_large_224", "ConvNeXt_large_384"),
    ),
    "repvgg": (
        *("RepVGG_A0", "RepVGG_A1", "RepVGG_A2", "RepVGG_B0", "RepVGG_B1", "RepVGG_B1g2", "RepVGG_B1g4"),
        *("RepVGG_B2", "RepVGG_B2g4", "RepVGG_B3", "RepVGG_B3g4", "RepVGG_D2se"),
    ),
    "pp_hgnet": ("PPHGNet_tiny", "PPHGNet_small", "PPHGNet_base"),
    "pp_hgnet_v2": (
        *("PPHGNetV2_B0", "PPHGNetV2_B1", "PPHGNetV2_B2", "PPHGNetV2_B3", "PPHGNetV2_B4"),
        *("PPHGNetV2_B5", "PPHGNetV2_B6"),
    ),
    "mobilevit": ("MobileViT_XXS", "MobileViT_XS", "MobileViT_S"),
    "cspnet": ("CSPDarkNet53",),
    "nasnet": ("NASNetA_mobile", "NASNetA_large"),
    "pnasnet": ("PNASNet5_large",),
}
"""Module of PaddleClas.models to the names of its models, small ones first."""

MODELS = {name: family for family, names in FAMILIES.items() for name in names}
"""Model name, which is also the name of its entry function, to the module of PaddleClas.models that holds it."""

ALIASES = {
    "GoogleNet": "GoogLeNet",
    "SE154_vd": "SENet154_vd",
    "ShuffleNetV2": "ShuffleNetV2_x1_0",
}
"""Names of PaddleClas 1.5 to 2.0 to the names that the same networks have here. (In 1.5 alone, ShuffleNetV2 was the one
with swish.)"""

NETWORKS = Table(
    "model",
    {name: f"PaddleClas.models.{family}:{name}" for name, family in MODELS.items()},
    aliases=ALIASES,
    signature="PaddleClas.models.arguments:signature",
    listing="PaddleClas.list_models()",
)
"""Entry functions by name; a config names one with its arguments."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the models, families together, small ones first.

    Args:
        pattern: a shell pattern such as ``"ResNet*_vd"``; upper and lower case are the same.

    Example:
        >>> PaddleClas.list_models("vgg*")
        ['VGG11', 'VGG13', 'VGG16', 'VGG19']
    """
    return NETWORKS.list(pattern)


def known_name(name: str) -> str:
    """Return the name that a model has here.

    Args:
        name: one of :func:`list_models`, or an older official name of one.

    Raises:
        ValueError: there is no model of this name; the message has the nearest ones.
    """
    return NETWORKS.find(name)


def entry_function(name: str) -> Callable[..., Any]:
    """Return the function that builds a model: ``entry_function("ResNet18")`` is ``PaddleClas.models.ResNet18``.

    Raises:
        ValueError: there is no model of this name; the message has the nearest ones.
    """
    return NETWORKS.resolve(name)


def create_model(
    name: str,
    class_num: int = 1000,
    pretrained: Union[bool, str, os.PathLike[str]] = False,
    adapt_head: bool = False,
    features_only: bool = False,
    out_indices: Optional[Sequence[int]] = None,
    **kwargs: Any,
) -> Any:
    """Build an image classifier by name.

    Official weight files of any age load as they are, also the folders and archives of Fluid 1.x. A file must have
    exactly the network's parameters and shapes; the one exception, a head for another number of classes, has to be
    asked for.

    Args:
        name: one of :func:`list_models`, such as ``"ResNet50_vd"``, or an older official name of one.
        class_num: number of classes, the length of the last axis of the output.
        pretrained: False for fresh weights; True for the official ones, downloaded on first use and kept in the
            cache (``~/.cache/core/weights``, see :mod:`core.weights.downloads.download` for mirrors and offline use);
            or the path of a ``.pdparams``, ``.safetensors`` or MXNet ``.params`` file, or of a folder, an archive or a
            file of Fluid 1.x.
        adapt_head: whether a head of other shape than the file's keeps fresh weights, to fine-tune to another number
            of classes; a log line lists the parameters concerned.
        features_only: whether to return the feature maps of the stages instead of logits, as a backbone for detection
            or segmentation.
        out_indices: with ``features_only``, which stages, counted from 0 or from the last (-1); all by default.
        **kwargs: ``use_ssld=True`` chooses the official weights that were distilled from a larger network
            (:data:`PaddleClas.models.weights.SSLD_WEIGHTS`); further arguments of the network's class, documented
            there: ``stride_list``, ``max_pool``, ``input_image_channel``, ``lr_mult_list`` and ``use_first_short_conv``
            of :class:`PaddleClas.models.resnet.ResNet`, ``stop_grad_layers`` of :class:`PaddleClas.models.vgg.VGGNet`.

    Returns:
        The network, a :class:`core.nn.Layer` in training mode: float32 images (N, channels, height, width) to logits
        (N, class_num). ``forward_features`` and ``forward_head`` are its two halves. With ``features_only`` a
        :class:`PaddleClas.models.base.FeatureExtractor`, which declares ``channels`` and ``strides`` of its maps.

    Raises:
        ValueError: there is no such model (the message has the nearest names), ``class_num`` is not positive, no
            weights are published, the file does not fit (the message names the parameters), or the network has no
            such stage.
        TypeError: the network takes no such argument, or ``pretrained`` is neither a bool nor a path.
        FileNotFoundError: there is no such weight file.
        ConnectionError: the official file is neither in the cache nor within reach; the message says where to put it.

    Example:
        >>> model = PaddleClas.create_model("ResNet50_vd", pretrained=True)
        >>> model = PaddleClas.create_model("ResNet18", class_num=10, pretrained="mine.pdparams", adapt_head=True)
        >>> backbone = PaddleClas.create_model("ResNet50_vd", features_only=True, out_indices=(1, 2, 3))
        >>> backbone.channels, backbone.strides
        ((512, 1024, 2048), (8, 16, 32))
    """
    entry = entry_function(name)
    if out_indices is not None and not features_only:
        raise ValueError("out_indices needs features_only=True")
    network = entry(class_num=class_num, pretrained=pretrained, adapt_head=adapt_head, **kwargs)
    if not features_only:
        return network
    return importlib.import_module("PaddleClas.models.base").FeatureExtractor(network, out_indices)
