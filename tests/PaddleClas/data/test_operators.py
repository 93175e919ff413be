from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from core.io.randomness import sample_scope
from core.train.config.table import Component
from core.vision.transforms import Compose
from PaddleClas.data import operators
from PaddleClas.data.pipeline import TRANSFORMS

IMAGE = np.random.RandomState(0).randint(0, 256, (30, 41, 3), dtype=np.uint8)

# Arguments of official recipes, as their YAML files write them.
RECIPES: dict[str, dict[str, Any]] = {
    "AutoAugment": {},
    "BrightnessTransform": {"value": 0.4},
    "CenterCrop": {"size": [8, 8]},
    "ColorJitter": {"brightness": 0.4, "hue": [-0.1, 0.1]},
    "ContrastTransform": {"value": [0.4, 1.2]},
    "Cutout": {"n_holes": 1, "length": 8},
    "CropImage": {"size": 16},
    "DecodeImage": {"to_rgb": True, "channel_first": False},
    "Grayscale": {"num_output_channels": 3},
    "GridMask": {"d1": 6, "d2": 12, "rotate": 1, "ratio": 0.5, "mode": 1, "prob": 0.7},
    "HideAndSeek": {"grid_sizes": [0, 4], "hide_prob": 0.5},
    "HueTransform": {"value": 0.1},
    "Normalize": {"mean": [1.0, 2, 3], "std": [4.0, 5, 6], "data_format": "HWC"},
    "NormalizeImage": {"scale": "1.0/255.0", "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "order": ""},
    "Pad": {"padding": [1, 2], "fill": [1, 2, 3]},
    "RandAugment": {"num_layers": 2, "magnitude": 5},
    "RandCropImage": {"size": 16},
    "RandFlipImage": {"flip_code": 1},
    "RandomAffine": {"degrees": 10, "translate": [0.1, 0.1], "shear": [-1, 1, -2, 2]},
    "RandomCrop": {"size": 8},
    "RandomErasing": {"value": "random"},
    "RandomHorizontalFlip": {},
    "RandomPerspective": {"distortion_scale": 0.2},
    "RandomResizedCrop": {"size": 8, "scale": [0.1, 1.0]},
    "RandomRotation": {"degrees": [-3, 3], "fill": 7},
    "RandomVerticalFlip": {"prob": 0.3},
    "Resize": {"size": 32},
    "ResizeImage": {"resize_short": 16},
    "SaturationTransform": {"value": 1},
    "ToCHWImage": {},
    "ToTensor": {},
    "Transpose": {},
}


@pytest.mark.parametrize("name", sorted(TRANSFORMS.entries))
def test_every_transform_can_be_named_in_a_config(name: str) -> None:
    component = TRANSFORMS.check(Component(name=name, **RECIPES[name]))
    with sample_scope(0, 0, 0):
        assert isinstance(TRANSFORMS.build(component)(IMAGE), np.ndarray)


def test_decode_image() -> None:
    stream = io.BytesIO()
    Image.fromarray(IMAGE).save(stream, "PNG")
    np.testing.assert_array_equal(operators.DecodeImage()(stream.getvalue()), IMAGE)
    np.testing.assert_array_equal(operators.DecodeImage(to_rgb=False)(stream.getvalue()), IMAGE[:, :, ::-1])
    np.testing.assert_array_equal(operators.DecodeImage(channel_first=True)(IMAGE), IMAGE.transpose(2, 0, 1))
    with pytest.raises(ValueError, match="'in memory' is not an image file that can be read"):
        operators.DecodeImage()(b"nothing")


def test_resize_and_crop() -> None:
    assert operators.ResizeImage(resize_short=20)(IMAGE).shape == (20, 27, 3)  # 41 * 20 / 30 = 27.3
    assert operators.ResizeImage(size=[13, 17])(IMAGE).shape == (17, 13, 3)  # width, height
    assert operators.ResizeImage(size=9, interpolation="bicubic")(IMAGE).shape == (9, 9, 3)
    small = operators.ResizeImage(size=(10, 8), interpolation="lanczos", backend="pil")(IMAGE)
    expected = Image.fromarray(IMAGE).resize((10, 8), Image.Resampling.LANCZOS)
    np.testing.assert_array_equal(small, np.asarray(expected))
    np.testing.assert_array_equal(operators.CropImage((10, 7))(IMAGE), IMAGE[11:18, 15:25])


def test_random_crop_and_flip() -> None:
    crop = operators.RandCropImage(12, scale=(0.3, 0.6), ratio=(0.5, 2.0))
    for use_log_aspect in (False, True):
        crop.use_log_aspect = use_log_aspect
        shares = []
        for index in range(200):
            with sample_scope(0, 0, index):
                assert crop(IMAGE).shape == (12, 12, 3)
            top, left, height, width = crop.params
            assert top + height <= 30 and left + width <= 41 and 0.4 < width / height < 2.3
            shares.append(height * width / 1230)
        assert 0.22 < min(shares) < 0.35 and 0.5 < max(shares) <= 0.6
    for code, mirrored in ((1, IMAGE[:, ::-1]), (0, IMAGE[::-1]), (-1, IMAGE[::-1, ::-1])):
        np.testing.assert_array_equal(operators.RandFlipImage(code, prob=1.0)(IMAGE), mirrored)
        assert operators.RandFlipImage(code, prob=0.0)(IMAGE) is IMAGE


def test_normalise_and_turn_in_one_pass() -> None:
    normalize, turn = operators.NormalizeImage(scale="1.0/255.0", order=""), operators.ToCHWImage()
    apart = turn(normalize(IMAGE))
    by_hand = (IMAGE / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    np.testing.assert_allclose(apart, by_hand.transpose(2, 0, 1), rtol=1e-5, atol=1e-5)
    together = Compose([normalize, turn])(IMAGE)
    assert together.flags.c_contiguous and together.dtype == np.float32
    np.testing.assert_array_equal(together, apart)
    first = operators.NormalizeImage(order="chw")(IMAGE.transpose(2, 0, 1))
    np.testing.assert_array_equal(first, apart)
    assert (
        operators.NormalizeImage(scale=1, mean=[1.0] * 3, std=[2.0] * 3, order="hwc")(IMAGE)[0, 0, 0]
        == (float(IMAGE[0, 0, 0]) - 1) / 2
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: operators.ResizeImage(), "ResizeImage: give either size or resize_short"),
        (lambda: operators.ResizeImage(size=3, resize_short=3), "ResizeImage: give either size or resize_short"),
        (lambda: operators.ResizeImage(resize_short=0), "resize_short must be positive, not 0"),
        (lambda: operators.ResizeImage(3, backend="cv"), "ResizeImage: backend must be 'cv2' or 'pil', not 'cv'"),
        (lambda: operators.CropImage(31)(IMAGE), "CropImage: the 30x41 image is smaller than 31x31; resize it first"),
        (lambda: operators.RandCropImage(3, scale=(0, 1)), r"scale must be two rising positive numbers, not \(0, 1\)"),
        (lambda: operators.RandFlipImage(2), "flip_code must be -1, 0 or 1, not 2"),
        (lambda: operators.RandFlipImage(1, 2), "prob must lie between 0 and 1, not 2"),
        (lambda: operators.NormalizeImage(order="CHW"), "order must be 'chw', 'hwc' or '', not 'CHW'"),
        (lambda: operators.NormalizeImage("__import__('os')"), "scale must be a number or a fraction of two, not"),
        (lambda: operators.NormalizeImage("1/0"), "scale must be a number or a fraction of two, not '1/0'"),
        (lambda: operators.NormalizeImage("1..0"), "scale must be a number or a fraction of two, not '1..0'"),
    ],
)
def test_bad_values_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
