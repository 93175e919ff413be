"""Ours against the official transforms, whose answers stand in references.npz; DEVIATIONS says why some differ."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core.vision import transforms

FOLDER = Path(__file__).parent


def _module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"transform_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


cases = _module("cases")

GREY = r"pil (1|L|P|I|I;16|F)|array HW \w+"
ONE = rf"{GREY}|array (HW1|1HW) \w+|tensor 1HW \w+"
ARRAY = r"array .*"
COLOR = r"[Aa]djust_\w+.*|(Brightness|Contrast|Saturation|Hue)Transform.*|ColorJitter.*"
WARP = r"(affine|rotate|perspective).*|Random(Rotation|Affine).*"
DEVIATIONS = [
    # where the official code is plainly wrong: calls, kinds of image, why
    (r"pad fill", r"pil (RGB|RGBA|LA|CMYK|YCbCr)|array HW[34] .*", "its one number fills the first channel only"),
    (r"(affine|perspective) fill", r"pil .*", "it drops the number, and fills with 0"),
    (r"affine center", r"tensor .*", "it takes the height for the width where it centers"),
    (WARP, ARRAY, "it rotates around another point than for PIL images and Tensors, and fills the first channel only"),
    (r"(affine|rotate|perspective) bilinear", r"tensor .*", "it darkens the rim twice: by zeros and by the mask"),
    (r"adjust_contrast", r"array .* uint8", "it takes 74 for the mean of every image"),
    (r"SaturationTransform", ARRAY, "adjust_saturation draws a factor of its own there, and takes red for blue"),
    (r"adjust_hue.*|HueTransform|ColorJitter hue", r"array HW3 .*", "it takes red for blue, unlike its own grey"),
    (r"adjust_hue.*|HueTransform|ColorJitter hue", r"pil (RGBA|LA|I;16)", "it loses transparency, and 16-bit values"),
    (r"(adjust_b|B)rightness.*|ColorJitter", r"array \w+ float\d+", "it cuts numbers between 0 and 1 to bytes: black"),
    (COLOR, r"array HW4 .*", "it brightens transparency too, or drops it; ours refuses"),
    (COLOR, r"array \w+ (u?int16|int32|int64|bool)", "it cuts them to bytes; ours refuses"),
    (COLOR, r"array 3HW uint8", "it takes the width for the channels"),
    (r"erase", r"pil (RGBA|CMYK)", "it reads four channels as three"),
    (r"(to_g|G)ray\w+ three", r"array HW4 .*", "its three channels are four"),
    (r".*hflip|RandomHorizontalFlip", r"array HW1 .*", "OpenCV drops the axis of the channel"),
    (r"[Nn]ormalize HWC one", GREY, "it gives (1, H, W), which is not HWC"),
    (r"normalize CHW to_rgb", r"array .*", "it mirrors the image: it turns the last axis around, not the channels"),
    (r"[Nn]ormalize .*", ONE, "three means make three channels of a grey image; ours refuses"),
    (r"Normalize|Normalize number|Compose", ONE, "one number stands for three; ours for each channel there is"),
    (r"rotate.*|RandomRotation.*", r"pil (P|RGBA|CMYK)", "its fill is three numbers: of 4 channels the last is 255"),
    (r"(pad|rotate) fills", r".*", "three numbers for other than three channels; ours refuses"),
    (r".*", r"array (1HW|3HW) .*", "it has no channels first in arrays, which ToTensor makes here"),
    (r".*", r"tensor N3HW .*", "it takes a batch for an image in crops and transpositions"),
    (r".*", r"array \w+ int64", "OpenCV silently narrows it to int32; ours keeps it, or refuses"),
    # where ours is another by design
    (r"adjust_hue|HueTransform|ColorJitter hue", r"tensor 3HW uint8", "hues of bytes are computed in bytes"),
]
FEW = 0.021  # nearest neighbours: the share of pixels that lie exactly between two, or on the rim


def _references() -> dict[str, Any]:
    stored = np.load(FOLDER / "references.npz")
    values, answers = stored["values"], json.loads(stored["answers"].tobytes())
    start = 0
    for answer in answers.values():
        if "refused" not in answer:
            size = -(-int(np.prod(answer["shape"])) // cases.EVERY)
            answer["values"] = values[start : start + size]
            start += size
    return answers


REFERENCES = _references()


def _difference(key: str) -> Optional[str]:
    """Return in what ours differs from the official answer; None where it does not, or answers what that refuses."""
    name, kind = key.split(" | ")
    expected = REFERENCES[key]
    try:
        form, ours = cases.described(cases.run(transforms, cases.CALLS[name], cases.image(kind, core.to_tensor)))
    except (ValueError, TypeError) as error:
        assert re.match(r"\w+: \w+.*$|an image \w+.*$", str(error)), f"{key}: {error}"
        return None if "refused" in expected else f"ours refuses: {error}"
    if "refused" in expected:
        return None
    form = "tensor" if name.lower().startswith(("to_tensor", "totensor")) else form  # the loader makes Tensors
    shown = (form, str(ours.dtype), list(ours.shape))
    if shown != (expected["form"], expected["dtype"], expected["shape"]):
        return f"{shown}, not {expected['form'], expected['dtype'], expected['shape']}"
    scale = 1.0 if ours.dtype.kind in "ui" else 2e-4 * max(1.0, float(np.abs(expected["values"]).max(initial=0.0)))
    sample = ours.astype(np.float64).ravel()[:: cases.EVERY]
    wrong = int(np.sum(np.abs(sample - expected["values"]) > scale))
    few = max(1, FEW * sample.size) if re.fullmatch(WARP, name) else 0
    return f"{wrong} of {sample.size} values differ" if wrong > few else None


def _deviation(key: str) -> Optional[int]:
    name, kind = key.split(" | ")
    for number, (calls, kinds, _) in enumerate(DEVIATIONS):
        if re.fullmatch(calls, name) and re.fullmatch(kinds, kind):
            return number
    return None


@pytest.mark.parametrize("kind", cases.IMAGES)
def test_as_the_official_transforms(kind: str) -> None:
    keys = [f"{name} | {kind}" for name in cases.asked(kind)]
    found = {key: _difference(key) for key in keys if _deviation(key) is None}
    assert {key: difference for key, difference in found.items() if difference} == {}


def test_each_deviation_is_one() -> None:
    """A row of the table that describes no difference is to be taken out."""
    left = set(range(len(DEVIATIONS)))
    for key in REFERENCES:
        number = _deviation(key)
        if number in left and _difference(key):
            left.discard(number)
    assert [DEVIATIONS[number] for number in left] == []


def test_every_case_has_a_reference() -> None:
    assert list(REFERENCES) == [f"{name} | {kind}" for kind in cases.IMAGES for name in cases.asked(kind)]
    names = {call.name for call in cases.CALLS.values()}
    drawn = {"RandomPerspective", "RandomErasing"}  # compared where they do nothing
    ours_alone = {"AutoAugment", "RandAugment", "Mixup", "CutMix", "BaseTransform", "functional"}
    alone_for_paddle = {"adjust_saturation"}  # which paddle.vision.transforms does not export
    assert set(transforms.__all__) - ours_alone - alone_for_paddle == names | drawn
