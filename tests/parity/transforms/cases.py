"""What is asked of the official transforms and of core's: every transform, on every kind of image.

A kind of image is a PIL mode, an array's axes and type, or a Tensor's. Both environments build the images and the calls
from this file. What is drawn at random is fixed by ranges of one number and probabilities of 0 and 1.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

HEIGHT, WIDTH = 10, 12
EVERY = 5  # of a result's values this one is stored; 5 meets every channel, row and column
START = [[0, 0], [WIDTH - 1, 0], [WIDTH - 1, HEIGHT - 1], [0, HEIGHT - 1]]
END = [[1, 1], [WIDTH - 2, 1], [WIDTH - 1, HEIGHT - 1], [0, HEIGHT - 2]]

PIL_MODES = ("1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "YCbCr", "I", "I;16", "F")
ARRAYS = {
    "uint8": ("HW", "HW1", "HW3", "HW4", "3HW"),
    "float32": ("HW", "HW1", "HW3", "HW4", "1HW", "3HW"),
    "float64": ("HW3",),
    "int16": ("HW3",),
    "uint16": ("HW",),
    "int32": ("HW3",),
    "int64": ("HW3", "HW"),
    "bool": ("HW",),
}
TENSORS = {"uint8": ("3HW",), "float32": ("1HW", "3HW", "4HW", "N3HW", "HW3"), "float64": ("3HW",)}

IMAGES = [
    *(f"pil {mode}" for mode in PIL_MODES),
    *(f"array {axes} {dtype}" for dtype, all_axes in ARRAYS.items() for axes in all_axes),
    *(f"tensor {axes} {dtype}" for dtype, all_axes in TENSORS.items() for axes in all_axes),
]


class Call(NamedTuple):
    """A function of the module and its arguments, or a class, which is made and called."""

    name: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = {}  # noqa: RUF012


CALLS = {
    "to_tensor": Call("to_tensor"),
    "to_tensor HWC": Call("to_tensor", ("HWC",)),
    "resize pair": Call("resize", ((6, 7),)),
    "resize list": Call("resize", ([6, 7],)),
    "resize shorter": Call("resize", (7,)),
    "resize same": Call("resize", (HEIGHT,)),
    "resize nearest": Call("resize", ((20, 24), "nearest")),
    "resize bicubic": Call("resize", ((20, 24), "bicubic")),
    "resize nearest down": Call("resize", ((5, 6), "nearest")),
    "resize lanczos": Call("resize", ((20, 24), "lanczos")),
    "resize area": Call("resize", ((5, 6), "area")),
    "resize box": Call("resize", ((5, 6), "box")),
    "resize unknown": Call("resize", ((5, 6), "cubical")),
    "resize three": Call("resize", ((5, 6, 7),)),
    "pad one": Call("pad", (1,)),
    "pad list": Call("pad", ([1, 2],)),
    "pad four": Call("pad", ((1, 2, 3, 4),)),
    "pad fill": Call("pad", (1, 7)),
    "pad fills": Call("pad", (1, (9, 8, 7))),
    "pad edge": Call("pad", ((1, 2, 3, 4), 0, "edge")),
    "pad reflect": Call("pad", ((1, 2), 0, "reflect")),
    "pad symmetric": Call("pad", (2, 0, "symmetric")),
    "pad three": Call("pad", ((1, 2, 3),)),
    "pad unknown": Call("pad", (1, 0, "wrap")),
    "crop": Call("crop", (1, 2, 5, 6)),
    "center_crop": Call("center_crop", ((5, 6),)),
    "center_crop one": Call("center_crop", (5,)),
    "hflip": Call("hflip"),
    "vflip": Call("vflip"),
    "to_grayscale": Call("to_grayscale"),
    "to_grayscale three": Call("to_grayscale", (3,)),
    "to_grayscale two": Call("to_grayscale", (2,)),
    "adjust_brightness": Call("adjust_brightness", (0.4,)),
    "adjust_brightness integer": Call("adjust_brightness", (2,)),
    "adjust_contrast": Call("adjust_contrast", (0.4,)),
    "adjust_hue": Call("adjust_hue", (0.2,)),
    "adjust_hue none": Call("adjust_hue", (0,)),
    "adjust_hue too far": Call("adjust_hue", (0.7,)),
    "affine": Call("affine", (25.0, (1, -1), 1.25, (8.0, 3.0))),
    "affine integers": Call("affine", (90, [0, 0], 1, 0)),
    "affine bilinear": Call("affine", (-10.0, (0, 1), 0.8, [5.0, 0.0], "bilinear")),
    "affine fill": Call("affine", (25.0, (1, -1), 0.75, 0.0, "nearest", 9)),
    "affine center": Call("affine", (25.0, (0, 0), 1.0, 0.0, "nearest", 0, (2, 3))),
    "rotate": Call("rotate", (33.0,)),
    "rotate right": Call("rotate", (90,)),
    "rotate bilinear": Call("rotate", (-20.0, "bilinear")),
    "rotate expand": Call("rotate", (30.0, "nearest", True)),
    "rotate center": Call("rotate", (75.0, "nearest", False, (4, 6))),
    "rotate fill": Call("rotate", (33.0, "nearest", False, None, 9)),
    "rotate fills": Call("rotate", (33.0, "nearest", False, None, [9, 8, 7])),
    "perspective": Call("perspective", (START, END)),
    "perspective bilinear": Call("perspective", (START, END, "bilinear")),
    "perspective fill": Call("perspective", (START, END, "nearest", 9)),
    "erase": Call("erase", (1, 2, 3, 4, 99)),
    "normalize": Call("normalize", (0.5, 0.25)),
    "normalize one": Call("normalize", ([0.5], [0.25])),
    "normalize CHW": Call("normalize", ([0.4, 0.5, 0.6], [0.2, 0.3, 0.4])),
    "normalize HWC": Call("normalize", ((100, 120, 140), (50, 60, 70), "HWC")),
    "normalize HWC one": Call("normalize", ([0.5], [0.25], "HWC")),
    "normalize CHW to_rgb": Call("normalize", ([0.4, 0.5, 0.6], [0.2, 0.3, 0.4], "CHW", True)),
    "normalize HWC to_rgb": Call("normalize", ([0.4, 0.5, 0.6], [0.2, 0.3, 0.4], "HWC", True)),
    "Resize": Call("Resize", (7,)),
    "Resize pair": Call("Resize", ((6, 7), "nearest")),
    "CenterCrop": Call("CenterCrop", (5,)),
    "Pad": Call("Pad", (1,)),
    "Pad edge": Call("Pad", ([1, 2], 0, "edge")),
    "Grayscale": Call("Grayscale"),
    "Grayscale three": Call("Grayscale", (3,)),
    "ToTensor": Call("ToTensor"),
    "ToTensor HWC": Call("ToTensor", ("HWC",)),
    "Transpose": Call("Transpose"),
    "Transpose list": Call("Transpose", ([1, 0, 2],)),
    "Normalize": Call("Normalize"),
    "Normalize number": Call("Normalize", (127.5, 127.5)),
    "Normalize list": Call("Normalize", ([127.5], [127.5])),
    "Normalize CHW": Call("Normalize", ([127.5] * 3, [127.5] * 3, "CHW")),
    "Normalize HWC": Call("Normalize", ([127.5] * 3, [127.5] * 3, "HWC")),
    "Normalize HWC number": Call("Normalize", (127.5, 127.5, "HWC")),
    "Normalize to_rgb": Call("Normalize", ([1, 2, 3], [4, 5, 6], "HWC", True)),
    "RandomHorizontalFlip": Call("RandomHorizontalFlip", (1.0,)),
    "RandomHorizontalFlip never": Call("RandomHorizontalFlip", (0.0,)),
    "RandomVerticalFlip": Call("RandomVerticalFlip", (1.0,)),
    "RandomCrop": Call("RandomCrop", ((HEIGHT, WIDTH),)),
    "RandomCrop padded": Call("RandomCrop", ((HEIGHT + 2, WIDTH + 4),), {"padding": (2, 1)}),
    "RandomResizedCrop": Call("RandomResizedCrop", ((6, 7), (1.0, 1.0), (1.2, 1.2))),
    "RandomRotation": Call("RandomRotation", ((33, 33),)),
    "RandomRotation center": Call("RandomRotation", ((33, 33),), {"center": (4, 6), "fill": 3}),
    "RandomAffine": Call("RandomAffine", ((25, 25), None, (1.25, 1.25), (8, 8))),
    "RandomPerspective never": Call("RandomPerspective", (0.0,)),
    "RandomErasing never": Call("RandomErasing", (0.0,)),
    "BrightnessTransform": Call("BrightnessTransform", ((1.3, 1.3),)),
    "BrightnessTransform none": Call("BrightnessTransform", (0,)),
    "ContrastTransform none": Call("ContrastTransform", (0,)),
    "SaturationTransform": Call("SaturationTransform", ((1.3, 1.3),)),
    "HueTransform": Call("HueTransform", ((0.2, 0.2),)),
    "ColorJitter": Call("ColorJitter", ((1.3, 1.3),)),
    "ColorJitter hue": Call("ColorJitter", (0, 0, 0, (0.2, 0.2))),
    "Compose": Call("Compose"),
}


def asked(kind: str) -> list[str]:
    """Return the names of the calls for a kind of image: a Tensor with its channels last has a format to be named."""
    return [name for name in CALLS if kind != "tensor HW3 float32" or "ormalize HWC" in name]


def picture() -> np.ndarray:
    """Return waves of color, uint8 of shape (10, 12, 4)."""
    y, x = np.mgrid[:HEIGHT, :WIDTH].astype(np.float64)
    waves = [np.sin(x / 3 + y / 7), np.cos(x / 5 - y / 4), np.sin(x * y / 60 + 1), np.cos(x * y / 40)]
    return np.round(127.5 + 127.5 * np.stack(waves, axis=2)).astype(np.uint8)


def image(kind: str, tensor: Callable[[np.ndarray], Any]) -> Any:
    """Return the picture as one of IMAGES.

    Args:
        kind: "pil <mode>", "array <axes> <type>" or "tensor <axes> <type>".
        tensor: makes a Tensor of an array.
    """
    from PIL import Image

    form, description = kind.split(" ", 1)
    if form == "pil":
        return _pil_image(description, Image)
    axes, dtype = description.split()
    values = picture()
    channels = int(next((axis for axis in axes if axis.isdigit()), "0"))
    values = values[:, :, :channels] if channels else values[:, :, 0]
    values = values.transpose(2, 0, 1) if axes.lstrip("N")[0].isdigit() else values
    values = values[None] if axes.startswith("N") else values
    values = values > 127 if dtype == "bool" else values.astype(dtype)
    values = values / values.dtype.type(255) if dtype.startswith("float") else values
    values = np.ascontiguousarray(values)
    return values if form == "array" else tensor(values)


def run(transforms: Any, call: Call, picture: Any) -> Any:
    """Return what a call gives for an image."""
    if call.name == "Compose":
        return transforms.Compose([transforms.Resize((6, 7)), transforms.Transpose(), transforms.Normalize()])(picture)
    made = getattr(transforms, call.name)
    if call.name[0].isupper():
        return made(*call.arguments, **call.options)(picture)
    return made(picture, *call.arguments, **call.options)


def described(result: Any) -> tuple[str, np.ndarray]:
    """Return a result's kind, with a PIL image's mode, and its values."""
    if hasattr(result, "getbands"):
        return f"pil {result.mode}", np.asarray(result)
    if hasattr(result, "numpy"):
        return "tensor", result.numpy()
    return "array" if isinstance(result, np.ndarray) else type(result).__name__, np.asarray(result)


def _pil_image(mode: str, pillow: Any) -> Any:
    values = picture()
    if mode in ("RGB", "L", "RGBA"):
        return pillow.fromarray(np.ascontiguousarray(values[:, :, : {"RGB": 3, "L": 1, "RGBA": 4}[mode]].squeeze()))
    if mode == "LA":
        return pillow.merge("LA", [pillow.fromarray(values[:, :, 0].copy()), pillow.fromarray(values[:, :, 1].copy())])
    if mode in ("CMYK", "YCbCr"):
        bands = [pillow.fromarray(values[:, :, band].copy()) for band in range(len(mode) if mode == "CMYK" else 3)]
        return pillow.merge(mode, bands)
    if mode == "P":
        palette = pillow.fromarray(values[:, :, 0] // 16)
        result = pillow.frombytes("P", palette.size, palette.tobytes())
        result.putpalette([(7 * entry) % 256 for entry in range(768)])
        return result
    if mode == "1":
        return pillow.fromarray(values[:, :, 0].copy()).point(lambda value: 255 * (value > 127), "1")
    dtype = {"I": "int32", "I;16": "uint16", "F": "float32"}[mode]
    return pillow.fromarray(values[:, :, 0].astype(dtype) * (1 if mode == "F" else 100))
