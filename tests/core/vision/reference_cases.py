"""What is asked of the official transforms and of core's, on three kinds of one image; run in either environment.

Each case is a function's name and its arguments; ``kinds`` says for which kinds of image the official answer is the
specification. For arrays it is not where the official OpenCV code contradicts its own documentation and its two other
back ends: it rotates around a wrong point, shifts affine maps, and draws a random factor in ``adjust_saturation``. One
number as ``fill`` is tested on Tensors alone: the official code for arrays and PIL images fills only the red channel
when it pads, and none in affine and perspective maps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

ALL = ("array", "pil", "tensor")


class Case(NamedTuple):
    function: str
    arguments: tuple[Any, ...]
    kinds: tuple[str, ...] = ALL
    channel_order: str = "rgb"


def picture() -> np.ndarray:
    """Return waves of color, uint8 of shape (21, 26, 3)."""
    y, x = np.mgrid[:21, :26].astype(np.float64)
    waves = [np.sin(x / 3 + y / 7), np.cos(x / 5 - y / 4), np.sin(x * y / 60 + 1)]
    return np.round(127.5 + 127.5 * np.stack(waves, axis=2)).astype(np.uint8)


START = [[0, 0], [25, 0], [25, 20], [0, 20]]
END = [[2, 1], [23, 3], [24, 18], [1, 19]]

CASES = {
    "resize_both": Case("resize", ((13, 31),), ("array", "pil")),
    "resize_shorter": Case("resize", (14,), ("array", "pil")),
    "resize_up": Case("resize", ((40, 51), "bilinear")),
    "resize_nearest": Case("resize", ((42, 52), "nearest")),
    "resize_bicubic": Case("resize", ((42, 52), "bicubic")),
    "resize_area": Case("resize", ((7, 13), "area"), ("array",)),
    "resize_lanczos": Case("resize", ((30, 40), "lanczos"), ("array", "pil")),
    "resize_box": Case("resize", ((7, 13), "box"), ("pil",)),
    "resize_hamming": Case("resize", ((9, 11), "hamming"), ("pil",)),
    "pad_one": Case("pad", (2,)),
    "pad_two": Case("pad", ((1, 3), 7), ("tensor",)),
    "pad_four": Case("pad", ((1, 2, 3, 4), (9, 8, 7)), ("array", "pil")),
    "pad_edge": Case("pad", ((1, 2, 3, 4), 0, "edge")),
    "pad_reflect": Case("pad", ((1, 2, 3, 4), 0, "reflect")),
    "pad_symmetric": Case("pad", ((1, 2, 3, 4), 0, "symmetric"), ("array", "pil")),
    "crop": Case("crop", (2, 3, 10, 12)),
    "center_crop": Case("center_crop", ((10, 13),)),
    "center_crop_one": Case("center_crop", (9,)),
    "hflip": Case("hflip", ()),
    "vflip": Case("vflip", ()),
    "gray_one": Case("to_grayscale", ()),
    "gray_three": Case("to_grayscale", (3,)),
    "brightness_down": Case("adjust_brightness", (0.4,)),
    "brightness_up": Case("adjust_brightness", (1.6,)),
    "contrast_down": Case("adjust_contrast", (0.4,), ("pil", "tensor")),
    "contrast_up": Case("adjust_contrast", (1.6,), ("pil", "tensor")),
    "saturation_down": Case("adjust_saturation", (0.4,), ("pil", "tensor")),
    "saturation_up": Case("adjust_saturation", (1.6,), ("pil", "tensor")),
    "hue_forward": Case("adjust_hue", (0.2,), ("pil", "tensor")),
    "hue_back": Case("adjust_hue", (-0.4,), ("pil", "tensor")),
    "hue_of_reversed_channels": Case("adjust_hue", (0.2,), ("array",), "bgr"),
    "rotate": Case("rotate", (33.0,), ("pil", "tensor")),
    "rotate_bilinear": Case("rotate", (-20.0, "bilinear", False, None, 5), ("pil",)),
    "rotate_expanded": Case("rotate", (30.0, "nearest", True, None, 9), ("pil",)),
    "rotate_around": Case("rotate", (75.0, "nearest", False, (4, 6)), ("pil", "tensor")),
    "affine": Case("affine", (25.0, (3, -2), 1.25, (8.0, 3.0)), ("pil", "tensor")),
    "affine_bilinear": Case("affine", (-10.0, (0, 1), 0.8, 5.0, "bilinear"), ("pil",)),
    "perspective": Case("perspective", (START, END), ("pil", "tensor")),
    "perspective_bicubic": Case("perspective", (START, END, "bicubic"), ("pil",)),
    "erase": Case("erase", (3, 4, 5, 6, 99)),
    "normalize_chw": Case("normalize", ([0.4, 0.5, 0.6], [0.2, 0.3, 0.4]), ("tensor",)),
    "normalize_hwc": Case("normalize", ([100, 120, 140], [50, 60, 70], "HWC"), ("array", "pil")),
    "to_tensor": Case("to_tensor", (), ("array", "pil")),
    "to_tensor_hwc": Case("to_tensor", ("HWC",), ("array", "pil")),
}


def run(functions: Any, case: Case, kind: str, tensor: Any) -> np.ndarray:
    """Return a case's result for a kind of image.

    Args:
        functions: the module of transforms.
        case: what is asked.
        kind: "array", "pil" or "tensor".
        tensor: makes a Tensor of an array.

    Returns:
        An array, channels last but for "tensor" and ``to_tensor``.
    """
    from PIL import Image

    image: Any = picture()
    image = np.ascontiguousarray(image[:, :, ::-1]) if case.channel_order == "bgr" else image
    if kind == "pil":
        image = Image.fromarray(image)
    elif kind == "tensor":
        image = tensor(np.ascontiguousarray(image.transpose(2, 0, 1)).astype(np.float32) / np.float32(255))
    result = getattr(functions, case.function)(image, *case.arguments)
    array = result.numpy() if hasattr(result, "numpy") else np.asarray(result)
    return array[:, :, ::-1] if case.channel_order == "bgr" and array.shape[-1] == 3 else array
