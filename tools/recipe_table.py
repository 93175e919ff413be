"""The recipes that PaddlePaddle's ImageNet weights were trained with: facts from its training scripts and configs.

:mod:`tools.recipes` writes a config for each. What was trained before PaddleClas 2.0 has a cosine that falls once an
epoch, later ones fall with every step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Optional

SCRIPT = "PaddlePaddle/models, PaddleCV/image_classification/scripts/train/{name}.sh"
CLAS = "PaddlePaddle/PaddleClas 2.0, configs/{folder}/{name}.yaml"
LATER = "PaddlePaddle/PaddleClas 2.2 or later, ppcls/configs/ImageNet/{folder}/{name}.yaml"


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a network is trained.

    Args:
        schedule: of the learning rate, as a config names it.
        epochs: how often the training images are visited.
        weight_decay: of all parameters.
        batch_size: images per step, on all devices together.
        label_smoothing: share of a label that all classes divide.
        mix: how batches are mixed, each time in one of these ways: its name and alpha.
        crop: further arguments of RandCropImage.
        auto_augment: whether images go through AutoAugment.
        rand_augment: strength of RandAugment, from 0 to 10; None: images do not go through it.
        erasing: how often a rectangle of an image is overwritten by noise.
        optimizer: as a config names it.
        ema: decay of the moving average of the weights; None: there is none.
        interpolation: of all resizing; None: the usual one.
        train_size: side of the images that are learned, pixels; None: that of the weights' manifest.
        valid_size: side of the images that are evaluated, pixels; None: that of the weights' manifest.
        arguments: of the network.
        teacher: the network, and its arguments, whose answers are learned instead of the labels; None: labels are.
        published_for: the relative that the recipe is published for, where the network's own is not.
        left_out: what of the published recipe the config does not have; "": nothing.
        remark: why the published accuracy is not to be expected; "": it is.
    """

    schedule: Mapping[str, Any]
    epochs: int
    weight_decay: float
    batch_size: int = 256
    label_smoothing: float = 0.0
    mix: Mapping[str, float] = dataclasses.field(default_factory=dict)
    crop: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    auto_augment: bool = False
    rand_augment: Optional[float] = None
    erasing: float = 0.0
    optimizer: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"name": "Momentum", "momentum": 0.9})
    ema: Optional[float] = None
    interpolation: Optional[str] = None
    train_size: Optional[int] = None
    valid_size: Optional[int] = None
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    teacher: Optional[tuple[str, Mapping[str, Any]]] = None
    published_for: str = ""
    left_out: str = ""
    remark: str = ""


def piecewise(learning_rate: float) -> dict[str, Any]:
    """Return a schedule of three falls."""
    return {"name": "Piecewise", "learning_rate": learning_rate, "decay_epochs": [30, 60, 90], "factor": 0.1}


def cosine(learning_rate: float) -> dict[str, Any]:
    """Return a schedule that falls once an epoch."""
    return {"name": "Cosine", "learning_rate": learning_rate, "by_epoch": True}


def smooth(learning_rate: float, warmup_epochs: int = 0) -> dict[str, Any]:
    """Return a schedule that falls with every step, mostly after a warm-up."""
    warmup = {"warmup_epochs": warmup_epochs} if warmup_epochs else {}
    return {"name": "Cosine", "learning_rate": learning_rate, **warmup}


PLAIN = Recipe(piecewise(0.1), 120, 1e-4)
TRICKS = Recipe(cosine(0.1), 200, 1e-4, label_smoothing=0.1, mix={"Mixup": 0.2})
LIGHT_TRICKS = replace(TRICKS, weight_decay=7e-5)
INCEPTION = replace(TRICKS, schedule=cosine(0.045))
XCEPTION = replace(INCEPTION, epochs=120, mix={})
NARROW_V2 = Recipe(cosine(0.1), 240, 3e-5, crop={"ratio": [1.0, 1.0]})
LARGE_V3 = Recipe(smooth(1.3, 5), 360, 2e-5, batch_size=2048, label_smoothing=0.1)
SMALL_V3 = replace(LARGE_V3, schedule=smooth(2.6, 5), batch_size=4096)
SHUFFLE = Recipe(smooth(0.5, 5), 240, 4e-5, batch_size=1024)
NARROW_SHUFFLE = replace(SHUFFLE, weight_decay=3e-5, crop={"scale": [0.64, 1.0], "ratio": [0.8, 1.2]})
WIDE_SHUFFLE = replace(SHUFFLE, schedule=smooth(0.25, 5), batch_size=512)
GHOST = Recipe(smooth(0.4, 5), 360, 4e-5, batch_size=1024, label_smoothing=0.1)
RESNEST = Recipe(smooth(0.1, 5), 300, 7e-5, label_smoothing=0.1, mix={"CutMix": 0.2}, auto_augment=True)
LARGE_RESNEST = replace(RESNEST, schedule=smooth(0.1), weight_decay=1e-4, mix={"Mixup": 0.2})
EFFICIENT = Recipe(
    {
        "name": "Exponential",
        "learning_rate": 0.032,
        "factor": 0.97,
        "decay_epochs": 2.4,
        "warmup_epochs": 5,
        "by_epoch": True,
    },
    360,
    1e-5,
    batch_size=512,
    label_smoothing=0.1,
    auto_augment=True,
    optimizer={"name": "RMSProp", "rho": 0.9, "epsilon": 1e-3, "momentum": 0.9},
    ema=0.9999,
    interpolation="bicubic",
)
LATER_EFFICIENT = replace(EFFICIENT, schedule=smooth(0.032, 5), ema=None, interpolation=None)
LCNET = Recipe(smooth(0.8, 5), 360, 3e-5, batch_size=2048, label_smoothing=0.1)
LCNET_V2 = Recipe(
    smooth(0.8, 5),
    480,
    4e-5,
    batch_size=2000,
    label_smoothing=0.1,
    left_out="images of 160, 192, 288 and 320 pixels beside those of 224",
)
UNEVEN = "the strength of RandAugment, which varies there by a deviation of 0.5"
BEGUN_WITH_MORE = "they were converted from those of the paper's authors, who began with more pictures than ImageNet-1k"


def adamw(*undecayed: str) -> dict[str, Any]:
    """Return AdamW's section, where parameters of one dimension, and those of some names, do not decay."""
    groups = [{"parameters": list(undecayed), "weight_decay": 0.0}] if undecayed else []
    moments = {"name": "AdamW", "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "decay_norm_and_bias": False}
    return {**moments, "groups": groups} if groups else moments


def warmed(learning_rate: float, end: float, warmup_epochs: int) -> dict[str, Any]:
    """Return a cosine of every step that ends above 0."""
    return {**smooth(learning_rate, warmup_epochs), "end_learning_rate": end}


VIT = replace(PLAIN, remark=BEGUN_WITH_MORE)
DEIT = Recipe(
    warmed(5e-4, 1e-5, 5),
    300,
    0.05,
    batch_size=1024,
    label_smoothing=0.1,
    mix={"Mixup": 0.8, "CutMix": 1.0},
    rand_augment=9,
    erasing=0.25,
    optimizer=adamw("pos_embed", "cls_token"),
    interpolation="bicubic",
    arguments={"drop_path_rate": 0.1},
    left_out=UNEVEN,
)
DEIT_DISTILLED = replace(
    DEIT,
    optimizer=adamw("pos_embed", "cls_token", "dist_token"),
    remark="their second token learned from a teacher, a RegNetY-16GF, which no config names",
)
SWIN = replace(
    DEIT,
    schedule=warmed(1e-3, 2e-5, 20),
    optimizer=adamw("*relative_position_bias_table"),
    arguments={},
)
SWIN_V2 = replace(SWIN, schedule=warmed(1e-3, 1e-5, 20), optimizer=adamw())
BEGUN_WITH_22K = "they learned from ImageNet-22k first"
CONVNEXT = replace(
    DEIT,
    schedule=warmed(4e-3, 1e-6, 20),
    batch_size=4096,
    optimizer=adamw(),
    ema=0.9999,
)
CONVERTED = "they were converted from those of the paper's authors, who trained otherwise"
REPVGG = Recipe(smooth(0.1), 120, 1e-4, remark=CONVERTED)
LONG_REPVGG = replace(
    REPVGG, schedule=smooth(0.1, 5), epochs=200, label_smoothing=0.1, mix={"Mixup": 0.2}, auto_augment=True
)
HGNET = Recipe(
    smooth(0.5, 5),
    600,
    4e-5,
    batch_size=1024,
    label_smoothing=0.1,
    mix={"Mixup": 0.2, "CutMix": 1.0},
    rand_augment=7,
    erasing=0.25,
    interpolation="bicubic",
    left_out=UNEVEN,
)
LARGE_HGNET = replace(
    HGNET,
    mix={"Mixup": 0.4, "CutMix": 1.0},
    rand_augment=10,
    erasing=0.4,
    left_out="a RandAugment of the strength 15, which varies by a deviation of 0.5; here it has 10, its largest",
    remark="they were distilled from a larger network",
)
HGNET_V2 = replace(
    HGNET,
    epochs=200,
    weight_decay=2e-5,
    mix={},
    remark="they were distilled in two steps; the published recipe is for what follows, fine-tuning",
)
MOBILEVIT = Recipe(
    warmed(0.002, 2e-4, 5),
    300,
    0.01,
    batch_size=1024,
    label_smoothing=0.1,
    optimizer=adamw(),
    left_out="colours in the other order, red first, in training; the weights have been evaluated with blue first",
)
HASHTAGS = replace(PLAIN, remark="they began with 940 million pictures and their hashtags, which are not public")
DISTILLED = Recipe(
    smooth(0.4, 5),
    120,
    7e-5,
    batch_size=1024,
    teacher=("ResNeXt101_32x16d_wsl", {}),
    remark="they also learned from pictures beside ImageNet's, which are not public",
)

TABLE: dict[str, tuple[tuple[str, Recipe, str], ...]] = {
    "AlexNet": ((SCRIPT, replace(PLAIN, schedule=piecewise(0.01)), "AlexNet"),),
    "VGG": (
        (SCRIPT, Recipe(cosine(0.1), 90, 2e-4, batch_size=512), "VGG11"),
        (SCRIPT, Recipe(cosine(0.01), 90, 3e-4), "VGG13 VGG16"),
        (SCRIPT, Recipe(cosine(0.01), 150, 4e-4), "VGG19"),
    ),
    "ResNet": (
        (SCRIPT, Recipe(cosine(0.1), 120, 1e-4), "ResNet18 ResNet34"),
        (SCRIPT, PLAIN, "ResNet50 ResNet101 ResNet152"),
        (SCRIPT, Recipe(cosine(0.1), 200, 1e-4), "ResNet50_vc"),
        (CLAS, LIGHT_TRICKS, "ResNet18_vd ResNet34_vd"),
        (SCRIPT, LIGHT_TRICKS, "ResNet50_vd"),
        (SCRIPT, TRICKS, "ResNet101_vd ResNet152_vd ResNet200_vd"),
    ),
    "ResNeXt": (
        (CLAS, PLAIN, "ResNeXt50_32x4d ResNeXt50_64x4d ResNeXt101_32x4d ResNeXt152_32x4d"),
        (SCRIPT, replace(PLAIN, weight_decay=1.5e-4), "ResNeXt101_64x4d"),
        (CLAS, replace(PLAIN, weight_decay=1.8e-4), "ResNeXt152_64x4d"),
        (CLAS, replace(TRICKS, schedule=smooth(0.1, 5)), "ResNeXt50_vd_32x4d"),
        (CLAS, TRICKS, "ResNeXt50_vd_64x4d ResNeXt101_vd_32x4d ResNeXt152_vd_32x4d ResNeXt152_vd_64x4d"),
        (SCRIPT, TRICKS, "ResNeXt101_vd_64x4d"),
    ),
    "ResNeXt101_wsl": (
        (LATER, HASHTAGS, "ResNeXt101_32x8d_wsl ResNeXt101_32x16d_wsl ResNeXt101_32x32d_wsl ResNeXt101_32x48d_wsl"),
        (LATER, replace(HASHTAGS, published_for="ResNeXt101_32x48d_wsl"), "Fix_ResNeXt101_32x48d_wsl"),
    ),
    "SENet": (
        (CLAS, LIGHT_TRICKS, "SE_ResNet18_vd SE_ResNet34_vd"),
        (CLAS, TRICKS, "SE_ResNet50_vd SE_ResNeXt50_vd_32x4d SENet154_vd"),
        (SCRIPT, Recipe(cosine(0.1), 200, 1.2e-4, batch_size=400), "SE_ResNeXt50_32x4d"),
        (SCRIPT, Recipe(cosine(0.1), 200, 1.5e-5, batch_size=400), "SE_ResNeXt101_32x4d"),
    ),
    "Res2Net": (
        (CLAS, TRICKS, "Res2Net50_26w_4s Res2Net50_14w_8s Res2Net50_vd_26w_4s"),
        (CLAS, TRICKS, "Res2Net101_vd_26w_4s Res2Net200_vd_26w_4s"),
    ),
    "ResNeSt": (
        (CLAS, RESNEST, "ResNeSt50_fast_1s1x64d ResNeSt50"),
        (LATER, LARGE_RESNEST, "ResNeSt101 ResNeSt200 ResNeSt269"),
    ),
    "RegNet": (
        (CLAS, Recipe(smooth(0.4, 5), 100, 5e-5, batch_size=512), "RegNetX_4GF"),
        (LATER, replace(PLAIN, valid_size=256), "RegNetX_200MF RegNetX_400MF RegNetX_600MF RegNetX_800MF"),
        (LATER, replace(PLAIN, valid_size=256), "RegNetX_1600MF RegNetX_3200MF RegNetX_6400MF"),
        (LATER, replace(PLAIN, valid_size=256), "RegNetX_8GF RegNetX_12GF RegNetX_16GF RegNetX_32GF"),
    ),
    "HRNet": (
        (CLAS, PLAIN, "HRNet_W18_C HRNet_W30_C HRNet_W32_C HRNet_W40_C HRNet_W44_C HRNet_W48_C HRNet_W64_C"),
        (
            CLAS,
            replace(PLAIN, published_for="HRNet_W64_C", remark="they were distilled from a larger network"),
            "SE_HRNet_W64_C",
        ),
    ),
    "DenseNet": ((CLAS, PLAIN, "DenseNet121 DenseNet161 DenseNet169 DenseNet201 DenseNet264"),),
    "DPN": ((CLAS, TRICKS, "DPN68 DPN92 DPN98 DPN107 DPN131"),),
    "Inception": (
        (SCRIPT, Recipe(cosine(0.01), 200, 1e-4), "GoogLeNet"),
        (CLAS, replace(TRICKS, schedule=smooth(0.045)), "InceptionV3"),
        (SCRIPT, INCEPTION, "InceptionV4"),
    ),
    "Xception": (
        (CLAS, XCEPTION, "Xception41 Xception41_deeplab Xception65_deeplab"),
        (CLAS, INCEPTION, "Xception65"),
        (CLAS, replace(TRICKS, schedule=cosine(0.0225), batch_size=128), "Xception71"),
    ),
    "DarkNet": ((CLAS, Recipe(cosine(0.1), 200, 1e-4), "DarkNet53"),),
    "SqueezeNet": ((CLAS, Recipe(cosine(0.02), 120, 1e-4), "SqueezeNet1_0 SqueezeNet1_1"),),
    "MobileNetV1": (
        (CLAS, replace(PLAIN, weight_decay=3e-5), "MobileNetV1_x0_25 MobileNetV1_x0_5 MobileNetV1_x0_75"),
        (SCRIPT, replace(PLAIN, weight_decay=3e-5), "MobileNetV1"),
    ),
    "MobileNetV2": (
        (SCRIPT, NARROW_V2, "MobileNetV2_x0_25 MobileNetV2_x0_5"),
        (SCRIPT, Recipe(cosine(0.045), 240, 4e-5), "MobileNetV2_x0_75"),
        (SCRIPT, Recipe(cosine(0.1), 240, 4e-5, batch_size=500), "MobileNetV2"),
        (SCRIPT, Recipe(cosine(0.1), 240, 4e-5), "MobileNetV2_x1_5 MobileNetV2_x2_0"),
    ),
    "MobileNetV3": (
        (CLAS, replace(SMALL_V3, weight_decay=1e-5, label_smoothing=0.0), "MobileNetV3_small_x0_35"),
        (CLAS, replace(SMALL_V3, weight_decay=1e-5), "MobileNetV3_small_x0_5"),
        (CLAS, SMALL_V3, "MobileNetV3_small_x0_75 MobileNetV3_small_x1_0 MobileNetV3_large_x0_35"),
        (CLAS, LARGE_V3, "MobileNetV3_small_x1_25 MobileNetV3_large_x0_5 MobileNetV3_large_x0_75"),
        (CLAS, replace(LARGE_V3, auto_augment=True), "MobileNetV3_large_x1_0"),
        (
            CLAS,
            replace(LARGE_V3, schedule=smooth(0.65, 5), weight_decay=4e-5, batch_size=1024),
            "MobileNetV3_large_x1_25",
        ),
    ),
    "ShuffleNet": (
        (CLAS, NARROW_SHUFFLE, "ShuffleNetV2_x0_25 ShuffleNetV2_x0_33 ShuffleNetV2_x0_5"),
        (CLAS, SHUFFLE, "ShuffleNetV2_x1_0"),
        (SCRIPT, SHUFFLE, "ShuffleNetV2_swish"),
        (CLAS, replace(WIDE_SHUFFLE, crop={"ratio": [1.0, 1.0]}), "ShuffleNetV2_x1_5"),
        (CLAS, WIDE_SHUFFLE, "ShuffleNetV2_x2_0"),
    ),
    "PPLCNet": (
        (LATER, LCNET, "PPLCNet_x0_25 PPLCNet_x0_35 PPLCNet_x0_5 PPLCNet_x0_75 PPLCNet_x1_0"),
        (LATER, replace(LCNET, weight_decay=4e-5), "PPLCNet_x1_5 PPLCNet_x2_0"),
        (LATER, replace(LCNET, weight_decay=4e-5, auto_augment=True), "PPLCNet_x2_5"),
    ),
    "PPLCNetV2": ((LATER, LCNET_V2, "PPLCNetV2_small PPLCNetV2_base PPLCNetV2_large"),),
    "VisionTransformer": (
        (LATER, VIT, "ViT_small_patch16_224 ViT_base_patch16_224 ViT_base_patch16_384 ViT_base_patch32_384"),
        (LATER, VIT, "ViT_large_patch16_224 ViT_large_patch16_384 ViT_large_patch32_384"),
    ),
    "DeiT": (
        (LATER, DEIT, "DeiT_tiny_patch16_224 DeiT_small_patch16_224 DeiT_base_patch16_224 DeiT_base_patch16_384"),
        (LATER, DEIT_DISTILLED, "DeiT_tiny_distilled_patch16_224 DeiT_small_distilled_patch16_224"),
        (LATER, DEIT_DISTILLED, "DeiT_base_distilled_patch16_224 DeiT_base_distilled_patch16_384"),
    ),
    "SwinTransformer": (
        (LATER, SWIN, "SwinTransformer_tiny_patch4_window7_224 SwinTransformer_small_patch4_window7_224"),
        (LATER, SWIN, "SwinTransformer_base_patch4_window7_224 SwinTransformer_base_patch4_window12_384"),
        (
            LATER,
            replace(SWIN, remark=BEGUN_WITH_22K),
            "SwinTransformer_large_patch4_window7_224 SwinTransformer_large_patch4_window12_384",
        ),
    ),
    "SwinTransformerV2": (
        (LATER, SWIN_V2, "SwinTransformerV2_tiny_patch4_window8_256 SwinTransformerV2_tiny_patch4_window16_256"),
        (LATER, SWIN_V2, "SwinTransformerV2_small_patch4_window8_256 SwinTransformerV2_small_patch4_window16_256"),
        (LATER, SWIN_V2, "SwinTransformerV2_base_patch4_window8_256 SwinTransformerV2_base_patch4_window16_256"),
        (
            LATER,
            replace(SWIN_V2, remark=BEGUN_WITH_22K),
            "SwinTransformerV2_base_patch4_window24_384 SwinTransformerV2_large_patch4_window16_256 "
            "SwinTransformerV2_large_patch4_window24_384",
        ),
    ),
    "ConvNeXt": (
        (LATER, CONVNEXT, "ConvNeXt_tiny ConvNeXt_small ConvNeXt_base_224 ConvNeXt_base_384"),
        (LATER, CONVNEXT, "ConvNeXt_large_224 ConvNeXt_large_384"),
    ),
    "RepVGG": (
        (LATER, REPVGG, "RepVGG_A0 RepVGG_A1 RepVGG_A2 RepVGG_B0 RepVGG_B1 RepVGG_B1g2 RepVGG_B1g4 RepVGG_B2"),
        (LATER, LONG_REPVGG, "RepVGG_B2g4 RepVGG_B3 RepVGG_B3g4"),
        (LATER, replace(LONG_REPVGG, train_size=224), "RepVGG_D2se"),
    ),
    "PPHGNet": ((LATER, HGNET, "PPHGNet_tiny PPHGNet_small"), (LATER, LARGE_HGNET, "PPHGNet_base")),
    "PPHGNetV2": (
        (LATER, HGNET_V2, "PPHGNetV2_B0 PPHGNetV2_B1 PPHGNetV2_B2 PPHGNetV2_B3"),
        (LATER, HGNET_V2, "PPHGNetV2_B4 PPHGNetV2_B5 PPHGNetV2_B6"),
    ),
    "MobileViT": ((LATER, MOBILEVIT, "MobileViT_XXS MobileViT_XS MobileViT_S"),),
    "CSPNet": ((LATER, PLAIN, "CSPDarkNet53"),),
    "GhostNet": (
        (CLAS, replace(GHOST, schedule=smooth(0.8, 5), batch_size=2048), "GhostNet_x0_5"),
        (CLAS, GHOST, "GhostNet_x1_0"),
        (CLAS, replace(GHOST, auto_augment=True), "GhostNet_x1_3"),
    ),
    "EfficientNet": (
        (SCRIPT, replace(EFFICIENT, arguments={"drop_connect": 0.1}), "EfficientNetB0"),
        (SCRIPT, replace(EFFICIENT, published_for="EfficientNetB0"), "EfficientNetB0_small"),
        (LATER, LATER_EFFICIENT, "EfficientNetB1 EfficientNetB2 EfficientNetB3 EfficientNetB4"),
        (LATER, LATER_EFFICIENT, "EfficientNetB5 EfficientNetB6 EfficientNetB7"),
    ),
    "Distillation": (
        (CLAS, replace(DISTILLED, published_for="ResX101_32x16d_wsl_distill_R50_vd"), "ResNet50_vd_ssld"),
        (
            CLAS,
            replace(
                DISTILLED,
                schedule=smooth(1.3, 5),
                weight_decay=1e-5,
                batch_size=2048,
                teacher=("ResNet50_vd", {"use_ssld": True}),
                published_for="R50_vd_distill_MV3_large_x1_0",
            ),
            "MobileNetV3_large_x1_0_ssld",
        ),
    ),
}
"""Folder in PaddleClas to (where it is published, recipe, names of the models that it serves)."""
