"""Image classifiers: ``ppcls.arch`` of paddleclas, some by a backbone's file, others by its configuration."""

from __future__ import annotations

import importlib
from typing import Any

from cases.case import IMAGES, LARGE_IMAGES, Case, made

BACKBONE = "ppcls.arch.backbone"


def _classifier(module: str, name: str, inputs: Any = IMAGES, **kwargs: Any) -> Case:
    return Case("paddleclas", made(f"{BACKBONE}.{module}", name, class_num=20, **kwargs), (inputs,))


def _configured(name: str, inputs: Any = IMAGES, **kwargs: Any) -> Case:
    """Return a case of a model that ``build_model`` makes."""
    arch = {"name": name, "class_num": 20, **kwargs}
    return Case(
        "paddleclas",
        lambda: importlib.import_module("ppcls.arch").build_model({"Arch": arch}),
        inputs if isinstance(inputs[0], tuple) else (inputs,),
    )


def _recognition(head: str, **kwargs: Any) -> Case:
    """Return a case of a model that compares images by their features."""
    return _configured(
        "RecModel",
        (IMAGES, ("below", 20, (2, 1))),
        Backbone={"name": "PPLCNet_x0_25"},
        BackboneStopLayer={"name": "flatten"},
        Neck={"name": "FC", "embedding_size": 1280, "class_num": 32},
        Head={"name": head, "embedding_size": 32, "class_num": 20, **kwargs},
    )


CASES = {
    "ResNet50_vd": _classifier("legendary_models.resnet", "ResNet50_vd"),
    "MobileNetV1_x0_25": _classifier("legendary_models.mobilenet_v1", "MobileNetV1_x0_25"),
    "MobileNetV3_small_x0_35": _classifier("legendary_models.mobilenet_v3", "MobileNetV3_small_x0_35"),
    "VGG11": _classifier("legendary_models.vgg", "VGG11", LARGE_IMAGES),
    "InceptionV3": _classifier("legendary_models.inception_v3", "InceptionV3", ("uniform", (1, 3, 160, 160))),
    "HRNet_W18_C": _classifier("legendary_models.hrnet", "HRNet_W18_C"),
    "PPLCNet_x0_25": _classifier("legendary_models.pp_lcnet", "PPLCNet_x0_25"),
    "PPHGNet_tiny": _classifier("legendary_models.pp_hgnet", "PPHGNet_tiny"),
    "SwinTransformer_tiny": _classifier(
        "legendary_models.swin_transformer", "SwinTransformer_tiny_patch4_window7_224", LARGE_IMAGES
    ),
    "AlexNet": _classifier("model_zoo.alexnet", "AlexNet", LARGE_IMAGES),
    "SqueezeNet1_1": _classifier("model_zoo.squeezenet", "SqueezeNet1_1"),
    "DenseNet121": _classifier("model_zoo.densenet", "DenseNet121"),
    "ResNeXt50_32x4d": _classifier("model_zoo.resnext", "ResNeXt50_32x4d"),
    "SE_ResNet18_vd": _classifier("model_zoo.se_resnet_vd", "SE_ResNet18_vd"),
    "Res2Net50_26w_4s": _classifier("model_zoo.res2net", "Res2Net50_26w_4s"),
    "ShuffleNetV2_x0_25": _classifier("model_zoo.shufflenet_v2", "ShuffleNetV2_x0_25"),
    "GhostNet_x0_5": _classifier("model_zoo.ghostnet", "GhostNet_x0_5"),
    "EfficientNetB0_small": _classifier("model_zoo.efficientnet", "EfficientNetB0_small"),
    "RepVGG_A0": _classifier("model_zoo.repvgg", "RepVGG_A0"),
    "RegNetX_200MF": _classifier("model_zoo.regnet", "RegNetX_200MF"),
    "DLA34": _classifier("model_zoo.dla", "DLA34"),
    "ReXNet_1_0": _classifier("model_zoo.rexnet", "ReXNet_1_0"),
    "DeiT_tiny_patch16_224": _classifier(
        "model_zoo.distilled_vision_transformer", "DeiT_tiny_patch16_224", LARGE_IMAGES
    ),
    "LeViT_128S": _classifier("model_zoo.levit", "LeViT_128S", LARGE_IMAGES),
    "ConvNeXt_tiny": _classifier("model_zoo.convnext", "ConvNeXt_tiny"),
    "PVT_V2_B0": _classifier("model_zoo.pvt_v2", "PVT_V2_B0"),
    "MobileViT_XXS": _classifier("model_zoo.mobilevit", "MobileViT_XXS"),
    "StarNet_S1": _configured("StarNet_S1"),
    "CSWinTransformer_tiny_224": _configured("CSWinTransformer_tiny_224", LARGE_IMAGES),
    "TNT_small": _configured("TNT_small", LARGE_IMAGES),
    "CvT_13_224": _configured("CvT_13_224"),
    "Xception41": _configured("Xception41", ("uniform", (1, 3, 96, 96))),
    "ResNeSt50_fast_1s1x64d": _configured("ResNeSt50_fast_1s1x64d"),
    "PeleeNet": _configured("PeleeNet"),
    "RecModel_ArcMargin": _recognition("ArcMargin"),
    "RecModel_CircleMargin": _recognition("CircleMargin", margin=0.35, scale=64),
}
