"""What every model promises: its size, and for the smallest of each family that it trains and saves."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Union

import numpy as np
import pytest

import core
import PaddleClas
from core.train.classification.losses import main_logits
from PaddleClas.models.registry import FAMILIES
from tests.sampling import is_drawn, sampled

PARAMETERS = {
    "LeNet": 61_610,
    "VGG11": 132_860_584,
    "VGG13": 133_044_904,
    "VGG16": 138_353_320,
    "VGG19": 143_661_736,
    "ResNet18": 11_693_736,
    "ResNet34": 21_801_896,
    "ResNet50": 25_557_032,
    "ResNet101": 44_549_160,
    "ResNet152": 60_192_808,
    "ResNet50_vc": 25_576_264,
    "ResNet18_vd": 11_712_968,
    "ResNet34_vd": 21_821_128,
    "ResNet50_vd": 25_576_264,
    "ResNet101_vd": 44_568_392,
    "ResNet152_vd": 60_212_040,
    "ResNet200_vd": 74_738_504,
    "MobileNetV1_x0_25": 470_072,
    "MobileNetV1_x0_5": 1_331_592,
    "MobileNetV1_x0_75": 2_585_560,
    "MobileNetV1": 4_231_976,
    "MobileNetV2_x0_25": 1_517_392,
    "MobileNetV2_x0_5": 1_965_736,
    "MobileNetV2_x0_75": 2_628_592,
    "MobileNetV2": 3_505_960,
    "MobileNetV2_x1_5": 6_852_712,
    "MobileNetV2_x2_0": 11_262_312,
    "MobileNetV3_small_x0_35": 1_665_954,
    "MobileNetV3_small_x0_5": 1_902_536,
    "MobileNetV3_small_x0_75": 2_375_106,
    "MobileNetV3_small_x1_0": 2_939_958,
    "MobileNetV3_small_x1_25": 3_627_370,
    "MobileNetV3_large_x0_35": 2_104_328,
    "MobileNetV3_large_x0_5": 2_673_422,
    "MobileNetV3_large_x0_75": 3_912_248,
    "MobileNetV3_large_x1_0": 5_480_206,
    "MobileNetV3_large_x1_25": 7_443_308,
    "ShuffleNetV2_x0_25": 603_688,
    "ShuffleNetV2_x0_33": 647_272,
    "ShuffleNetV2_x0_5": 1_366_792,
    "ShuffleNetV2_x1_0": 2_278_604,
    "ShuffleNetV2_x1_5": 3_503_624,
    "ShuffleNetV2_x2_0": 7_393_996,
    "ShuffleNetV2_swish": 2_278_604,
    "GhostNet_x0_5": 2_588_232,
    "GhostNet_x1_0": 5_183_016,
    "GhostNet_x1_3": 7_352_622,
    "AlexNet": 61_100_840,
    "SqueezeNet1_0": 1_248_424,
    "SqueezeNet1_1": 1_235_496,
    "DarkNet53": 41_609_928,
    "GoogLeNet": 11_535_736,
    "ResNeXt50_32x4d": 25_028_904,
    "ResNeXt101_32x4d": 44_177_704,
    "ResNeXt152_32x4d": 59_951_400,
    "ResNeXt50_64x4d": 45_192_488,
    "ResNeXt101_64x4d": 83_455_272,
    "ResNeXt152_64x4d": 114_971_944,
    "ResNeXt50_vd_32x4d": 25_048_136,
    "ResNeXt101_vd_32x4d": 44_196_936,
    "ResNeXt152_vd_32x4d": 59_970_632,
    "ResNeXt50_vd_64x4d": 45_211_720,
    "ResNeXt101_vd_64x4d": 83_474_504,
    "ResNeXt152_vd_64x4d": 114_991_176,
    "SE_ResNet18_vd": 11_802_048,
    "SE_ResNet34_vd": 21_982_324,
    "SE_ResNet50_vd": 28_107_256,
    "SE_ResNeXt50_32x4d": 27_559_896,
    "SE_ResNeXt101_32x4d": 48_955_416,
    "SE_ResNeXt50_vd_32x4d": 27_687_768,
    "SENet154_vd": 121_737_048,
    "EfficientNetB0_small": 4_652_008,
    "EfficientNetB0": 5_288_548,
    "EfficientNetB1": 7_794_184,
    "EfficientNetB2": 9_109_994,
    "EfficientNetB3": 12_233_232,
    "EfficientNetB4": 19_341_616,
    "EfficientNetB5": 30_389_784,
    "EfficientNetB6": 43_040_704,
    "EfficientNetB7": 66_347_960,
    "Res2Net50_26w_4s": 25_699_120,
    "Res2Net50_14w_8s": 25_059_816,
    "Res2Net50_vd_26w_4s": 25_718_352,
    "Res2Net101_vd_26w_4s": 45_225_920,
    "Res2Net200_vd_26w_4s": 76_215_536,
    "HRNet_W18_C": 21_295_164,
    "HRNet_W30_C": 37_708_380,
    "HRNet_W32_C": 41_228_840,
    "HRNet_W40_C": 57_553_320,
    "HRNet_W44_C": 67_061_144,
    "HRNet_W48_C": 77_466_024,
    "HRNet_W64_C": 128_056_104,
    "SE_HRNet_W64_C": 128_991_264,
    "RegNetX_200MF": 2_684_792,
    "RegNetX_400MF": 5_157_512,
    "RegNetX_600MF": 6_196_040,
    "RegNetX_800MF": 7_259_656,
    "RegNetX_1600MF": 9_190_136,
    "RegNetX_3200MF": 15_296_552,
    "RegNetX_4GF": 22_118_248,
    "RegNetX_6400MF": 26_209_256,
    "RegNetX_8GF": 39_572_648,
    "RegNetX_12GF": 46_106_056,
    "RegNetX_16GF": 54_278_536,
    "RegNetX_32GF": 107_811_560,
    "ResNeSt50_fast_1s1x64d": 26_216_904,
    "ResNeSt50": 27_481_352,
    "ResNeSt101": 48_270_952,
    "ResNeSt200": 70_194_536,
    "ResNeSt269": 110_919_272,
    "DenseNet121": 7_978_856,
    "DenseNet161": 28_681_000,
    "DenseNet169": 14_149_480,
    "DenseNet201": 20_013_928,
    "DenseNet264": 33_337_704,
    "InceptionV3": 23_834_568,
    "InceptionV4": 42_679_816,
    "DPN68": 12_611_602,
    "DPN92": 37_668_392,
    "DPN98": 61_570_728,
    "DPN107": 86_917_800,
    "DPN131": 79_254_504,
    "Xception41": 22_919_600,
    "Xception65": 35_866_352,
    "Xception71": 37_678_496,
    "Xception41_deeplab": 26_969_560,
    "Xception65_deeplab": 39_916_312,
    "ResNeXt101_32x8d_wsl": 88_791_336,
    "ResNeXt101_32x16d_wsl": 194_026_792,
    "ResNeXt101_32x32d_wsl": 468_530_472,
    "ResNeXt101_32x48d_wsl": 828_411_176,
    "Fix_ResNeXt101_32x48d_wsl": 828_411_176,
    "PPLCNet_x0_25": 1_521_184,
    "PPLCNet_x0_35": 1_643_090,
    "PPLCNet_x0_5": 1_879_576,
    "PPLCNet_x0_75": 2_357_008,
    "PPLCNet_x1_0": 2_952_520,
    "PPLCNet_x1_5": 4_499_832,
    "PPLCNet_x2_0": 6_521_512,
    "PPLCNet_x2_5": 9_017_560,
    "PPLCNetV2_small": 4_128_552,
    "PPLCNetV2_base": 6_687_208,
    "PPLCNetV2_large": 10_542_120,
    "DeiT_tiny_patch16_224": 5_717_416,
    "DeiT_small_patch16_224": 22_050_664,
    "DeiT_base_patch16_224": 86_567_656,
    "DeiT_base_patch16_384": 86_859_496,
    "DeiT_tiny_distilled_patch16_224": 5_910_800,
    "DeiT_small_distilled_patch16_224": 22_436_432,
    "DeiT_base_distilled_patch16_224": 87_338_192,
    "DeiT_base_distilled_patch16_384": 87_630_032,
    "ViT_small_patch16_224": 48_754_408,
    "ViT_base_patch16_224": 86_567_656,
    "ViT_base_patch16_384": 86_859_496,
    "ViT_base_patch32_384": 88_297_192,
    "ViT_large_patch16_224": 304_326_632,
    "ViT_large_patch16_384": 304_715_752,
    "ViT_large_patch32_384": 306_632_680,
    "SwinTransformer_tiny_patch4_window7_224": 28_288_354,
    "SwinTransformer_small_patch4_window7_224": 49_606_258,
    "SwinTransformer_base_patch4_window7_224": 87_768_224,
    "SwinTransformer_base_patch4_window12_384": 87_903_584,
    "SwinTransformer_large_patch4_window7_224": 196_532_476,
    "SwinTransformer_large_patch4_window12_384": 196_735_516,
    "SwinTransformerV2_tiny_patch4_window8_256": 28_347_154,
    "SwinTransformerV2_tiny_patch4_window16_256": 28_347_154,
    "SwinTransformerV2_small_patch4_window8_256": 49_728_418,
    "SwinTransformerV2_small_patch4_window16_256": 49_728_418,
    "SwinTransformerV2_base_patch4_window8_256": 87_918_816,
    "SwinTransformerV2_base_patch4_window16_256": 87_918_816,
    "SwinTransformerV2_base_patch4_window24_384": 87_918_816,
    "SwinTransformerV2_large_patch4_window16_256": 196_739_932,
    "SwinTransformerV2_large_patch4_window24_384": 196_739_932,
    "ConvNeXt_tiny": 28_589_128,
    "ConvNeXt_small": 50_223_688,
    "ConvNeXt_base_224": 88_591_464,
    "ConvNeXt_base_384": 88_591_464,
    "ConvNeXt_large_224": 197_767_336,
    "ConvNeXt_large_384": 197_767_336,
    "RepVGG_A0": 9_108_968,
    "RepVGG_A1": 14_092_264,
    "RepVGG_A2": 28_210_600,
    "RepVGG_B0": 15_817_960,
    "RepVGG_B1": 57_415_016,
    "RepVGG_B1g2": 45_782_376,
    "RepVGG_B1g4": 39_966_056,
    "RepVGG_B2": 89_022_376,
    "RepVGG_B2g4": 61_758_376,
    "RepVGG_B3": 123_085_288,
    "RepVGG_B3g4": 83_825_128,
    "RepVGG_D2se": 133_334_836,
    "PPHGNet_tiny": 14_735_864,
    "PPHGNet_small": 24_360_872,
    "PPHGNet_base": 71_578_184,
    "PPHGNetV2_B0": 5_996_550,
    "PPHGNetV2_B1": 6_343_158,
    "PPHGNetV2_B2": 11_221_356,
    "PPHGNetV2_B3": 16_292_216,
    "PPHGNetV2_B4": 19_796_680,
    "PPHGNetV2_B5": 39_569_064,
    "PPHGNetV2_B6": 75_256_776,
    "MobileViT_XXS": 1_272_024,
    "MobileViT_XS": 2_317_848,
    "MobileViT_S": 5_578_632,
    "CSPDarkNet53": 27_642_184,
    "NASNetA_mobile": 5_289_978,
    "NASNetA_large": 88_753_150,
    "PNASNet5_large": 86_057_668,
}
"""Trainable parameters of the official implementations (LeNet with 10 classes, the others with 1000).

Those of PP-LCNetV2 without the merged kernels, for which official files have room that training never fills. NASNet and
PNASNet, which PaddlePaddle never published, have as many as their authors' weights in well-known ports.
"""

SMALLEST = {
    "LeNet": (2, 1, 28, 28),
    "VGG11": (1, 3, 224, 224),
    "ResNet18": (4, 3, 64, 64),
    "ResNet18_vd": (4, 3, 64, 64),
    "ResNet50_vc": (4, 3, 64, 64),
    "MobileNetV1_x0_25": (4, 3, 64, 64),
    "MobileNetV2_x0_25": (4, 3, 64, 64),
    "MobileNetV3_small_x0_35": (4, 3, 64, 64),
    "MobileNetV3_large_x0_35": (4, 3, 64, 64),
    "ShuffleNetV2_x0_25": (4, 3, 64, 64),
    "GhostNet_x0_5": (4, 3, 64, 64),
    "AlexNet": (2, 3, 224, 224),
    "SqueezeNet1_1": (4, 3, 64, 64),
    "DarkNet53": (4, 3, 32, 32),
    "GoogLeNet": (2, 3, 224, 224),
    "ResNeXt50_32x4d": (4, 3, 32, 32),
    "ResNeXt50_vd_32x4d": (4, 3, 32, 32),
    "SE_ResNet18_vd": (4, 3, 64, 64),
    "SE_ResNeXt50_32x4d": (4, 3, 32, 32),
    "EfficientNetB0": (4, 3, 64, 64),
    "Res2Net50_26w_4s": (4, 3, 64, 64),
    "HRNet_W18_C": (4, 3, 64, 64),
    "RegNetX_200MF": (4, 3, 64, 64),
    "ResNeSt50_fast_1s1x64d": (4, 3, 64, 64),
    "ResNeSt50": (4, 3, 64, 64),
    "DenseNet121": (4, 3, 64, 64),
    "InceptionV3": (2, 3, 107, 107),
    "InceptionV4": (2, 3, 107, 107),
    "DPN68": (4, 3, 64, 64),
    "Xception41": (4, 3, 64, 64),
    "Xception41_deeplab": (4, 3, 64, 64),
    "ResNeXt101_32x8d_wsl": (2, 3, 32, 32),
    "PPLCNet_x0_25": (4, 3, 64, 64),
    "PPLCNetV2_small": (4, 3, 64, 64),
    "DeiT_tiny_patch16_224": (2, 3, 224, 224),
    "SwinTransformer_tiny_patch4_window7_224": (2, 3, 64, 64),
    "SwinTransformerV2_tiny_patch4_window8_256": (1, 3, 256, 256),
    "ConvNeXt_tiny": (2, 3, 64, 64),
    "RepVGG_A0": (4, 3, 64, 64),
    "PPHGNet_tiny": (4, 3, 64, 64),
    "PPHGNetV2_B0": (4, 3, 64, 64),
    "MobileViT_XXS": (4, 3, 64, 64),
    "CSPDarkNet53": (2, 3, 64, 64),
    "NASNetA_mobile": (4, 3, 64, 64),
    "PNASNet5_large": (2, 3, 32, 32),
}
"""The smallest model of each family, and the shape of a small batch for it."""


FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}


def small_first(names: Collection[str], share: int = 1, turn: int = 0) -> list[Any]:
    """Leave networks of more than 15 million parameters to the exhaustive run, and of the others all but 1/share."""
    drawn = [name for name in names if PARAMETERS[name] <= 15_000_000 and is_drawn(name, share, turn)]
    return [pytest.param(name, marks=() if name in drawn else pytest.mark.exhaustive) for name in names]


def images(shape: tuple[int, ...]) -> core.Tensor:
    return core.to_tensor(np.random.RandomState(0).standard_normal(shape).astype("float32"))


def loss(logits: Union[core.Tensor, list[core.Tensor]]) -> core.Tensor:
    heads = logits if isinstance(logits, list) else [logits]  # GoogLeNet has three
    labels = core.to_tensor(np.arange(heads[0].shape[0], dtype="int64"))
    return sum(core.nn.functional.cross_entropy(head, labels) for head in heads)


def test_the_table_is_complete() -> None:
    missing = sorted(set(PaddleClas.list_models()) - set(PARAMETERS))
    assert missing == [], "enter how many parameters they have in PARAMETERS, above"
    assert sorted(PARAMETERS) == sorted(PaddleClas.list_models())
    without = [family for family, names in FAMILIES.items() if not set(names) & set(SMALLEST)]
    assert without == [], "enter the smallest model of these families, with the shape of a batch, in SMALLEST, above"


@pytest.mark.parametrize("name", sampled(PaddleClas.list_models(), 8, group=FAMILY_OF.get))
def test_number_of_trainable_parameters(name: str) -> None:
    """Names and shapes are compared in tests/parity/PaddleClas/test_networks.py, too."""
    with core.LazyGuard():
        model = PaddleClas.create_model(name, class_num=10 if name == "LeNet" else 1000)
    count = sum(int(np.prod(parameter.shape)) for parameter in model.parameters() if not parameter.stop_gradient)
    assert count == PARAMETERS[name]


@pytest.mark.parametrize("name", small_first(SMALLEST, share=4))
def test_every_parameter_gets_a_finite_gradient(name: str) -> None:
    core.seed(1)
    model = PaddleClas.create_model(name, class_num=4)
    loss(model(images(SMALLEST[name]))).backward()
    for key, parameter in model.named_parameters():
        if parameter.stop_gradient:  # running statistics
            continue
        assert parameter.grad is not None, key
        gradient = parameter.grad.numpy()
        assert np.isfinite(gradient).all(), key
        if gradient.ndim > 1:  # scales and offsets may be undone by the next batch normalisation
            assert np.abs(gradient).max() > 0, key


@pytest.mark.parametrize("name", small_first([name for name in SMALLEST if name != "VGG11"], 4, turn=1))
def test_weights_survive_a_file(name: str, tmp_path: Path) -> None:
    core.seed(2)
    model = PaddleClas.create_model(name, class_num=4)
    model(images(SMALLEST[name]))  # moves the running statistics away from 0 and 1
    core.save(model.state_dict(), str(tmp_path / "weights.pdparams"))
    again = PaddleClas.create_model(name, class_num=4)
    assert again.set_state_dict(core.load(str(tmp_path / "weights.pdparams"))) == ([], [])
    model.eval()
    again.eval()
    with core.no_grad():
        expected = main_logits(model(images(SMALLEST[name]))).numpy()
        np.testing.assert_array_equal(main_logits(again(images(SMALLEST[name]))).numpy(), expected)


@pytest.mark.parametrize("name", small_first([name for name in SMALLEST if name != "VGG11"], 4, turn=2))
def test_a_network_is_its_features_and_its_head(name: str) -> None:
    model = PaddleClas.create_model(name, class_num=4)
    model.eval()
    with core.no_grad():
        features = model.forward_features(images(SMALLEST[name]))
        logits = main_logits(model(images(SMALLEST[name])))
        np.testing.assert_array_equal(model.forward_head(features).numpy(), logits.numpy())
    assert len(features.shape) == (2 if name.startswith("DeiT") else 4)


@pytest.mark.parametrize("name", sampled(PaddleClas.list_models(), 8, group=FAMILY_OF.get))
def test_head_names_are_layers_with_one_output_for_each_class(name: str) -> None:
    with core.LazyGuard():
        model = PaddleClas.create_model(name, class_num=4)
    layers = dict(model.named_sublayers())
    for head in model.head_names:
        shape = layers[head].weight.shape
        assert shape[-1 if len(shape) == 2 else 0] == 4, head
