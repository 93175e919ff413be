"""Every transform by reflection: documented, constructed, called on every kind of image, repeatable, strict."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from PIL import Image

import core
from core.io.randomness import sample_scope
from core.vision import transforms as T
from core.vision.transforms import functional as F

PIXELS = np.random.RandomState(0).randint(0, 256, (24, 30, 3), dtype=np.uint8)
FIRST = np.ascontiguousarray(PIXELS.transpose(2, 0, 1)) / np.float32(255)

KINDS: dict[str, Any] = {
    "array (H, W, 3)": PIXELS,
    "array (H, W, 1)": PIXELS[:, :, :1],
    "array (H, W)": PIXELS[:, :, 0],
    "float array (C, H, W)": FIRST,
    "float array (H, W, 3)": PIXELS / np.float32(255),
    "PIL RGB": Image.fromarray(PIXELS),
    "PIL L": Image.fromarray(PIXELS[:, :, 0]),
    "Tensor": FIRST,  # made when it is needed
    "batch": np.stack([FIRST, FIRST]),
}
REFUSED = {("Transpose", "batch")} | {
    (name, kind)
    for name in ("AutoAugment", "RandAugment")
    for kind in KINDS
    if kind.startswith(("float", "Tensor", "batch"))
}

INSTANCES = {
    "AutoAugment": lambda: T.AutoAugment(),
    "BrightnessTransform": lambda: T.BrightnessTransform(0.4),
    "CenterCrop": lambda: T.CenterCrop((20, 16)),
    "ColorJitter": lambda: T.ColorJitter(0.4, 0.4, 0.4, 0.1),
    "ContrastTransform": lambda: T.ContrastTransform(0.4),
    "Grayscale": lambda: T.Grayscale(3),
    "HueTransform": lambda: T.HueTransform(0.2),
    "Normalize": lambda: T.Normalize(0.5, 0.25),
    "Pad": lambda: T.Pad((1, 2)),
    "RandAugment": lambda: T.RandAugment(),
    "RandomAffine": lambda: T.RandomAffine(20, (0.1, 0.2), (0.8, 1.2), (-5, 5, -3, 3), "bilinear"),
    "RandomCrop": lambda: T.RandomCrop((20, 20)),
    "RandomErasing": lambda: T.RandomErasing(1.0, value="random"),
    "RandomHorizontalFlip": lambda: T.RandomHorizontalFlip(),
    "RandomPerspective": lambda: T.RandomPerspective(1.0),
    "RandomResizedCrop": lambda: T.RandomResizedCrop((12, 14)),
    "RandomRotation": lambda: T.RandomRotation(40),
    "RandomVerticalFlip": lambda: T.RandomVerticalFlip(),
    "Resize": lambda: T.Resize((12, 14)),
    "SaturationTransform": lambda: T.SaturationTransform(0.4),
    "ToTensor": lambda: T.ToTensor(),
    "Transpose": lambda: T.Transpose(),
}
DRAWING = {name for name in INSTANCES if name.startswith("Random") or name.endswith(("Augment", "Jitter"))} | {
    "BrightnessTransform", "ContrastTransform", "HueTransform", "SaturationTransform"
}  # fmt: skip
CLASSES = {
    name: value
    for name, value in vars(T).items()
    if inspect.isclass(value) and issubclass(value, T.BaseTransform) and value is not T.BaseTransform
}
PADDLE_NAMES = """
BaseTransform Compose Resize RandomResizedCrop CenterCrop RandomHorizontalFlip RandomVerticalFlip Transpose Normalize
BrightnessTransform SaturationTransform ContrastTransform HueTransform ColorJitter RandomCrop Pad RandomAffine
RandomRotation RandomPerspective Grayscale ToTensor RandomErasing to_tensor hflip vflip resize pad affine rotate
perspective to_grayscale crop center_crop adjust_brightness adjust_contrast adjust_hue normalize erase
""".split()
PADDLE_SIGNATURES = {
    "ColorJitter": "brightness=0 contrast=0 saturation=0 hue=0 keys=None",
    "Normalize": "mean=0.0 std=1.0 data_format='CHW' to_rgb=False keys=None",
    "Pad": "padding fill=0 padding_mode='constant' keys=None",
    "RandomAffine": "degrees translate=None scale=None shear=None interpolation='nearest' fill=0 center=None keys=None",
    "RandomCrop": "size padding=None pad_if_needed=False fill=0 padding_mode='constant' keys=None",
    "RandomErasing": "prob=0.5 scale=(0.02, 0.33) ratio=(0.3, 3.3) value=0 inplace=False keys=None",
    "RandomHorizontalFlip": "prob=0.5 keys=None",
    "RandomPerspective": "prob=0.5 distortion_scale=0.5 interpolation='nearest' fill=0 keys=None",
    "RandomResizedCrop": "size scale=(0.08, 1.0) ratio=(0.75, 1.3333333333333333) interpolation='bilinear' keys=None",
    "RandomRotation": "degrees interpolation='nearest' expand=False center=None fill=0 keys=None",
    "Resize": "size interpolation='bilinear' keys=None",
    "ToTensor": "data_format='CHW' keys=None",
    "Transpose": "order=(2, 0, 1) keys=None",
    "affine": "img angle translate scale shear interpolation='nearest' fill=0 center=None",
    "erase": "img i j h w v inplace=False",
    "normalize": "img mean std data_format='CHW' to_rgb=False",
    "pad": "img padding fill=0 padding_mode='constant'",
    "perspective": "img startpoints endpoints interpolation='nearest' fill=0",
    "resize": "img size interpolation='bilinear'",
    "rotate": "img angle interpolation='nearest' expand=False center=None fill=0",
    "to_grayscale": "img num_output_channels=1",
    "to_tensor": "pic data_format='CHW'",
}


def picture(kind: str) -> Any:
    return core.to_tensor(KINDS[kind]) if kind in ("Tensor", "batch") else KINDS[kind]


def values(image: Any) -> np.ndarray:
    return image.numpy() if hasattr(image, "numpy") else np.asarray(image)


def test_all_names_are_here() -> None:
    assert set(PADDLE_NAMES) <= set(T.__all__)
    assert set(CLASSES) == set(INSTANCES)
    for name in T.__all__:
        assert inspect.getdoc(getattr(T, name)), name


@pytest.mark.parametrize("name", PADDLE_SIGNATURES)
def test_arguments_and_defaults_are_paddles(name: str) -> None:
    parameters = inspect.signature(getattr(T, name)).parameters.values()
    found = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters]
    assert " ".join(found) == PADDLE_SIGNATURES[name]


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_it_is_documented(name: str) -> None:
    text = inspect.getdoc(CLASSES[name]) or ""
    for argument in inspect.signature(CLASSES[name]).parameters:
        assert f"{argument}:" in text, argument
    assert "Raises:" in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sorted(INSTANCES))
def test_it_takes_every_kind_and_repeats_itself(name: str, kind: str) -> None:
    transform = INSTANCES[name]()
    image = picture(kind)
    if (name, kind) in REFUSED:
        with pytest.raises(ValueError):
            transform(image)
        return
    before = values(image).copy()
    with sample_scope(3, 1, 7):
        first = transform(image)
    with sample_scope(3, 1, 7):
        second = INSTANCES[name]()(image)
    np.testing.assert_array_equal(values(first), values(second))
    np.testing.assert_array_equal(values(image), before)  # the image itself is not changed
    if name in ("ToTensor", "Normalize", "Transpose"):
        return
    assert isinstance(first, Image.Image) == isinstance(image, Image.Image)
    assert hasattr(first, "stop_gradient") == hasattr(image, "stop_gradient")
    assert values(first).dtype == values(image).dtype
    assert values(first).ndim == values(image).ndim or name == "Grayscale"


@pytest.mark.parametrize("name", sorted(DRAWING))
def test_draws_belong_to_the_sample(name: str) -> None:
    results = set()
    for index in range(12):
        with sample_scope(0, 0, index):
            results.add(values(INSTANCES[name]()(PIXELS)).tobytes())
    assert len(results) > 1
    state = np.random.get_state()[1].copy()  # noqa: NPY002 -- nothing is drawn from the global generator
    with sample_scope(0, 0, 1):
        INSTANCES[name]()(PIXELS)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("name", sorted(INSTANCES))
def test_wrong_images_are_refused_in_one_line(name: str) -> None:
    wrong: list[Any] = ["photo.jpg", [[1, 2]], None, np.zeros(3, np.uint8), np.zeros((0, 4, 3), np.uint8)]
    for image in wrong:
        if name == "Normalize" and isinstance(image, np.ndarray) and image.ndim == 3:
            continue
        with pytest.raises((TypeError, ValueError)) as caught:
            INSTANCES[name]()(image)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize("name", sorted(INSTANCES))
def test_it_travels_to_a_worker(name: str) -> None:
    transform = pickle.loads(pickle.dumps(INSTANCES[name]()))
    with sample_scope(3, 1, 7):
        first = transform(PIXELS)
    with sample_scope(3, 1, 7):
        np.testing.assert_array_equal(values(INSTANCES[name]()(PIXELS)), values(first))
    assert repr(transform).startswith(f"{name}(")


def test_a_tensor_keeps_no_gradient() -> None:
    tensor = core.to_tensor(FIRST)
    assert T.Resize((4, 5))(tensor).shape == [3, 4, 5]
    assert T.RandomHorizontalFlip(1.0)(core.to_tensor(np.stack([FIRST] * 2))).shape == [2, 3, 24, 30]
    tensor.stop_gradient = False
    with pytest.raises(ValueError, match=r"this Tensor needs a gradient, and none flows through them; detach\(\) it"):
        F.hflip(tensor)
    with pytest.raises(ValueError, match=r"an image Tensor has shape \(C, H, W\) or \(N, C, H, W\), not \(3,\)"):
        F.hflip(core.to_tensor(np.zeros(3)))


def test_channels_first_is_told_by_type_and_shape() -> None:
    assert F.image_size(FIRST) == (24, 30)
    assert F.image_size((FIRST * 255).astype(np.uint8)) == (3, 24)  # bytes have their channels last
    assert F.image_size(np.zeros((3, 9, 3))) == (3, 9)
    np.testing.assert_array_equal(F.hflip(FIRST), FIRST[:, :, ::-1])
    np.testing.assert_array_equal(F.crop(FIRST, 1, 2, 5, 6), FIRST[:, 1:6, 2:8])
