"""Damaged image files through the reader and through the inference command's path: the picture, or one clear line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from core.train.config.table import Component
from core.vision import read_image
from core.vision.inputs import read_picture
from PaddleClas.classifier import ImageClassifier
from PaddleClas.data import SplitSection
from PaddleClas.inference import Source, classify
from tests.fuzz import bounds, cases, mutated, outcome
from tests.hostile_images import encoded as encoded_image
from tests.hostile_images import run_length_bmp

COUNT = 700


class ByColour(ImageClassifier):
    """Preprocesses as a run does, and tells images apart by their mean colour."""

    class_names = ("red", "green", "blue")

    def __init__(self) -> None:
        parts = [{"name": "Resize", "size": 32}, {"name": "CenterCrop", "size": 28}, {"name": "ToTensor"}]
        self.transform = SplitSection.composed([Component.model_validate(part) for part in parts])

    def logits(self, batch: np.ndarray) -> np.ndarray:
        assert batch.shape == (1, 3, 28, 28) and batch.dtype == np.float32
        return batch.mean(axis=(2, 3))


def encoded(image: Image.Image, format: str, **options: object) -> bytes:
    return encoded_image(format, image, **options)


@pytest.fixture(scope="module")
def seeds() -> list[bytes]:
    """Good files: grey, colour, CMYK, palette, transparent, 16-bit, progressive, animated, lossless, rotated, ..."""
    pixels = np.random.RandomState(0).randint(0, 256, (6, 8, 3), dtype=np.uint8).repeat(4, axis=0).repeat(4, axis=1)
    picture = Image.fromarray(pixels)
    exif = Image.Exif()
    exif[0x0112] = 6
    deep = Image.fromarray(pixels[:, :, 0].astype(np.uint16) * 257)
    moved = Image.fromarray(pixels[::-1].copy())
    return [
        encoded(picture, "JPEG"),
        encoded(picture, "PNG"),
        encoded(picture, "GIF"),
        encoded(picture, "BMP"),
        encoded(picture, "WEBP"),
        encoded(picture, "JPEG", progressive=True, exif=exif),
        encoded(picture.convert("P"), "PNG", transparency=3),
        encoded(picture, "GIF", save_all=True, append_images=[moved]),
        encoded(picture.convert("P"), "BMP"),
        encoded(picture.convert("RGBA"), "WEBP", lossless=True),
        encoded(picture.convert("L"), "JPEG"),
        encoded(deep, "PNG"),
        encoded(picture.convert("CMYK"), "JPEG"),
        encoded(picture.convert("LA"), "PNG", exif=exif),
        encoded(picture, "TIFF", compression="tiff_lzw"),
        encoded(picture, "TIFF"),
        encoded(picture, "PPM"),
        run_length_bmp(pixels[:, :, 0], np.arange(768).reshape(256, 3).astype(np.uint8)),
        encoded(picture, "WEBP", save_all=True, append_images=[moved]),
    ]


def test_the_seeds_are_good(seeds: list[bytes], tmp_path: Path) -> None:
    for number, data in enumerate(seeds):
        path = tmp_path / "image"
        path.write_bytes(data)
        assert read_image(path).shape == ((32, 24, 3) if number in (5, 13) else (24, 32, 3))


def test_damaged_images_are_read_or_named(
    seeds: list[bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, picture = tmp_path / "damaged.jpg", tmp_path / "drawn.png"
    classifier = ByColour()
    read = refused = 0
    for number in cases(COUNT):
        path.write_bytes(mutated(number, seeds))
        image, message = outcome(lambda: read_image(path), ValueError, name=str(path))
        with bounds():
            (record,) = classify(classifier, [Source(str(path), lambda: read_picture(str(path)))], 2, [picture])
        if message is None:
            assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3 and image.size, number
            if "error" not in record:  # a picture of a thousand to one may be too thin for the preprocessing
                assert len(record["names"]) == 2 and abs(sum(record["probabilities"])) <= 1.0001, number
                drawn = read_image(picture)
                assert 320 <= drawn.shape[1] <= 1600 and 16 < drawn.shape[0] <= 1800, (number, drawn.shape)
            read += 1
        else:
            assert record == {"image": str(path), "error": message}, number
            refused += 1
        assert len(record.get("error", "").splitlines()) <= 1 and len(record.get("error", "")) < 2000
    assert read > 50 and refused > 200
    assert capfd.readouterr() == ("", "")
