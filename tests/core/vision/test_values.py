from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

import core
from core.vision import transforms as T
from core.vision.transforms import functional as F
from core.vision.transforms import values

IMAGE = np.random.RandomState(0).randint(0, 256, (9, 7, 3), dtype=np.uint8)
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def test_to_tensor_by_mode() -> None:
    scaled = F.to_tensor(Image.fromarray(IMAGE))
    assert scaled.dtype == np.float32 and scaled.flags.c_contiguous
    np.testing.assert_array_equal(scaled, IMAGE.transpose(2, 0, 1).astype(np.float32) / np.float32(255))
    bits = Image.fromarray(IMAGE[:, :, 0] > 100)
    assert bits.mode == "1"
    np.testing.assert_array_equal(F.to_tensor(bits)[0], IMAGE[:, :, 0] > 100)
    deep = Image.fromarray(IMAGE[:, :, 0].astype(np.uint16) * 200)
    assert F.to_tensor(deep).dtype == np.int32 and F.to_tensor(deep).max() > 30000
    real = Image.fromarray(IMAGE[:, :, 0].astype(np.float32))
    np.testing.assert_array_equal(F.to_tensor(real, "HWC")[:, :, 0], IMAGE[:, :, 0])
    for mode, channels in (("RGBA", 4), ("LA", 2), ("CMYK", 4), ("L", 1)):
        assert F.to_tensor(Image.fromarray(IMAGE).convert(mode)).shape == (channels, 9, 7)
    tensor = core.to_tensor(scaled)
    assert F.to_tensor(tensor) is tensor and F.to_tensor(tensor, "HWC").shape == [9, 7, 3]


CHAINS = {
    "ToTensor, Normalize": [T.ToTensor(), T.Normalize(MEAN, DEVIATION)],
    "ToTensor, Normalize and reverse": [T.ToTensor(), T.Normalize(0.5, DEVIATION, to_rgb=True)],
    "Normalize, Transpose": [T.Normalize([127.5], [3.0], "HWC"), T.Transpose()],
    "Transpose, Normalize": [T.Transpose(), T.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375])],
}


@pytest.mark.parametrize("name", CHAINS)
def test_neighbours_in_one_pass_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = CHAINS[name]
    images = [IMAGE, IMAGE[1:8, 2:6], IMAGE[:, ::-1], np.asfortranarray(IMAGE)]
    if "[" not in repr(second.__dict__.get("std", 0)) or name == "Normalize, Transpose":
        images += [IMAGE[:, :, :1], IMAGE[:, :, 0]]
    for image in images:
        apart = second(first(image))
        assert apart.shape == (1 if image.ndim == 2 else image.shape[2], *image.shape[:2])
        together = T.Compose([first, second])(image)
        assert together.dtype == np.float32 and together.flags.c_contiguous
        np.testing.assert_array_equal(together, apart)
    calls = []
    monkeypatch.setattr(type(second), "_apply_image", lambda self, image: calls.append(image))
    T.Compose([first, second])(IMAGE)
    assert not calls  # it was one pass indeed
    T.Compose([first, second])(IMAGE.astype(np.float32))
    assert len(calls) == 1


def test_neighbours_of_other_kinds_stay_apart() -> None:
    class Doubled(T.Normalize):
        def _apply_image(self, image: Any) -> Any:
            return 2 * super()._apply_image(image)

    plain = T.Compose([T.ToTensor(), T.Normalize(MEAN, DEVIATION)])(IMAGE)
    np.testing.assert_array_equal(T.Compose([T.ToTensor(), Doubled(MEAN, DEVIATION)])(IMAGE), 2 * plain)
    image, label = T.Compose([T.ToTensor(), T.Normalize(MEAN, DEVIATION)])((IMAGE, 5))
    assert label == 5
    np.testing.assert_array_equal(image, plain)
    np.testing.assert_array_equal(T.Compose(CHAINS["ToTensor, Normalize"])(Image.fromarray(IMAGE)), plain)
    assert T.Compose([T.ToTensor(), T.Normalize(0.5, 0.5, "HWC")])(IMAGE[:, :, :1]).shape == (1, 9, 7)
    with pytest.raises(
        ValueError, match=r"mean has 3 numbers for the 1 channels of an image of shape \(1, 9, 7\) \(CHW\)"
    ):
        T.Compose(CHAINS["ToTensor, Normalize"])(IMAGE[:, :, 0])  # a grey image for three channels
    with pytest.raises(ValueError, match="std must not be zero"):
        T.Compose([T.ToTensor(), T.Normalize(0, [1, 0, 1])])(IMAGE)
    with pytest.raises(TypeError, match="Compose: transform 1 is a str, not a function"):
        T.Compose([T.ToTensor(), "Normalize"])


def test_tables_are_not_changed_by_their_users() -> None:
    first = values.to_normalized(IMAGE, MEAN, DEVIATION)
    expected = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(values.to_normalized(IMAGE, MEAN, DEVIATION), expected)


def test_normalize_of_every_kind() -> None:
    by_hand = (IMAGE.astype(np.float32) - np.float32(100)) / np.float32(50)
    np.testing.assert_array_equal(F.normalize(Image.fromarray(IMAGE), 100, 50, "HWC"), by_hand)
    np.testing.assert_array_equal(F.normalize(IMAGE[:, :, 0], 100, 50, "HWC"), by_hand[:, :, 0])
    np.testing.assert_array_equal(F.normalize(IMAGE[:, :, 0], 100, 50), by_hand[None, :, :, 0])
    batch = np.stack([IMAGE.transpose(2, 0, 1)] * 2).astype(np.float32)
    tensor = F.normalize(core.to_tensor(batch), [100] * 3, [50] * 3)
    np.testing.assert_array_equal(tensor.numpy()[1], by_hand.transpose(2, 0, 1))
    assert F.normalize(IMAGE.astype(np.float64), 0, 1, "HWC").dtype == np.float64
    mirrored = F.normalize(core.to_tensor(batch), [1, 2, 3], 1, to_rgb=True)  # which Tensors ignore, as in Paddle
    assert float(mirrored[0, 0, 0, 0]) == float(IMAGE[0, 0, 0]) - 1
    reversed_channels = F.normalize(IMAGE.transpose(2, 0, 1), [1, 2, 3], 1, to_rgb=True)
    assert reversed_channels[0, 0, 0] == float(IMAGE[0, 0, 2]) - 1


def test_colors_of_every_floating_type_and_of_transparent_images() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        doubled = F.adjust_saturation(np.array([[[0.2, 0.4, 0.4]]], dtype), 0.0)
        assert doubled.dtype == dtype
        np.testing.assert_allclose(doubled, 0.299 * 0.2 + 0.701 * 0.4, rtol=2e-3)
    transparent = np.dstack([IMAGE, IMAGE[:, :, 0]])
    np.testing.assert_array_equal(F.to_grayscale(transparent), F.to_grayscale(IMAGE))


def test_label_maps_are_resampled_by_nearest_neighbours() -> None:
    labels = np.arange(12, dtype=np.int32).reshape(3, 4) * 100_000
    larger = F.resize(labels, (6, 8), "nearest")
    assert larger.dtype == np.int32
    np.testing.assert_array_equal(larger, labels.repeat(2, axis=0).repeat(2, axis=1))
    np.testing.assert_array_equal(F.rotate(labels, 180), labels[::-1, ::-1])
    with pytest.raises(TypeError, match="rotate: an image of type int32 cannot be resampled; convert it with astype"):
        F.rotate(labels, 180, "bilinear")


def test_erase() -> None:
    erased = F.erase(IMAGE, 2, 1, 3, 4, [7, 8, 9])
    expected = IMAGE.copy()
    expected[2:5, 1:5] = [7, 8, 9]
    np.testing.assert_array_equal(erased, expected)
    np.testing.assert_array_equal(np.asarray(F.erase(Image.fromarray(IMAGE), 2, 1, 3, 4, [7, 8, 9])), expected)
    first = IMAGE.transpose(2, 0, 1).astype(np.float32)
    np.testing.assert_array_equal(
        F.erase(first, 2, 1, 3, 4, np.reshape([7, 8, 9], (3, 1, 1))).transpose(1, 2, 0), expected
    )
    patch = np.arange(36).reshape(3, 3, 4)
    for image in (first, core.to_tensor(first), core.to_tensor(np.stack([first, first]))):
        result = F.erase(image, 2, 1, 3, 4, patch)
        array = result.numpy() if hasattr(result, "numpy") else result
        np.testing.assert_array_equal(array.reshape(-1, 3, 9, 7)[-1][:, 2:5, 1:5], patch)
    np.testing.assert_array_equal(F.erase(IMAGE[:, :, 0], 0, 0, 1, 2, 5)[0, :2], [5, 5])
    copy = IMAGE.copy()
    assert F.erase(copy, 2, 1, 3, 4, [7, 8, 9], inplace=True) is copy
    np.testing.assert_array_equal(copy, expected)
    copy = first.copy()
    assert F.erase(copy, 2, 1, 3, 4, 0, inplace=True) is copy and not copy[:, 2:5, 1:5].any()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: F.erase(IMAGE, 0, 0, 10, 2, 0),
            ValueError,
            r"erase: rows 0\.\.\.10 and columns 0\.\.\.2 leave the 9x7 image",
        ),
        (
            lambda: F.erase(IMAGE, 0, 0, 2, 2, [1, 2]),
            ValueError,
            r"values of shape \(2,\) do not fit a rectangle of shape \(2, 2, 3\)",
        ),
        (
            lambda: F.adjust_brightness(Image.fromarray(IMAGE).convert("P"), 2),
            ValueError,
            "adjust_brightness: a PIL image of mode P has no such colors; convert it to L or RGB",
        ),
        (lambda: F.normalize([[1]], 0, 1), TypeError, "an image is a numpy array, a PIL image or a Tensor, not list"),
        (lambda: F.normalize(IMAGE[0, 0], 0, 1), ValueError, r"an image has 2 or 3 axes, not shape \(3,\)"),
        (
            lambda: F.normalize(IMAGE, 0, 1, "NHWC"),
            ValueError,
            "normalize: data_format must be 'CHW' or 'HWC', not 'NHWC'",
        ),
        (lambda: F.to_tensor(IMAGE, "chw"), ValueError, "to_tensor: data_format must be 'CHW' or 'HWC', not 'chw'"),
        (lambda: T.Normalize(0, 1, "chw"), ValueError, "Normalize: data_format must be 'CHW' or 'HWC', not 'chw'"),
        (
            lambda: T.Transpose((0, 1, 1)),
            ValueError,
            r"order must name each axis once, such as \(2, 0, 1\), not \(0, 1, 1\)",
        ),
        (lambda: T.Transpose((1, 0))(IMAGE), ValueError, r"order \(1, 0\) does not fit an image of shape \(9, 7, 3\)"),
        (lambda: T.Grayscale(2), ValueError, "Grayscale: num_output_channels must be 1 or 3, not 2"),
        (
            lambda: T.Resize(4, "cubic"),
            ValueError,
            "Resize: interpolation must be one of nearest, bilinear, .* not 'cubic'",
        ),
        (lambda: T.Resize((4, 4), "box")(IMAGE), ValueError, "resize: interpolation must be one of .* not 'box'"),
        (lambda: T.Resize((4.5, 4)), ValueError, r"Resize: size must be one positive number or \(height, width\), not"),
        (
            lambda: T.Resize(4)(IMAGE.astype(np.int32)),
            TypeError,
            "resize: an image of type int32 cannot be resampled; convert",
        ),
        (lambda: T.Pad(1, padding_mode="wrap"), ValueError, "Pad: padding_mode must be one of constant, edge, reflect"),
        (lambda: T.Pad(-1), ValueError, "padding must be 1, 2 or 4 non-negative numbers, not -1"),
        (
            lambda: T.Pad(1, fill=(1, 2))(IMAGE),
            ValueError,
            "pad: fill must be one number or one for each of the image's 3",
        ),
        (lambda: F.crop(IMAGE, 0, 0, 0, 3), ValueError, "crop: a rectangle of 0x3 pixels is empty"),
        (
            lambda: T.CenterCrop(8)(IMAGE),
            ValueError,
            "center_crop: the 9x7 image is smaller than 8x8; resize or pad it",
        ),
        (
            lambda: F.hflip(np.zeros((2, 2, 2, 2))),
            ValueError,
            r"an image has shape \(H, W\) or \(H, W, C\), not \(2, 2, 2, 2\)",
        ),
        (lambda: F.vflip(np.zeros((0, 2))), ValueError, "needs at least one pixel; this one has 0 rows and 2 columns"),
    ],
)
def test_bad_values_are_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_padding_of_every_mode_of_pil_images() -> None:
    palette = Image.fromarray(IMAGE).quantize(8)
    for mode in ("constant", "edge", "reflect", "symmetric"):
        padded = F.pad(palette, (1, 2), 0, mode)
        assert padded.mode == "P" and padded.getpalette()[:12] == palette.getpalette()[:12]
        options = {"constant_values": 0} if mode == "constant" else {}
        expected = np.pad(np.asarray(palette), ((2, 2), (1, 1)), mode=mode, **options)  # type: ignore[call-overload]
        np.testing.assert_array_equal(np.asarray(padded), expected)
    assert F.pad(Image.fromarray(IMAGE[:, :, 0]), 1, fill=9).getpixel((0, 0)) == 9
    assert F.pad(Image.fromarray(IMAGE), 1, fill=9).getpixel((0, 0)) == (9, 9, 9)
