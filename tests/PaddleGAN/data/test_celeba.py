"""CelebA's attributes: read as they stand, refused where they are broken, and free of contradictions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.vision.image import write_image
from PaddleGAN.data import SELECTED_ATTRIBUTES, CelebA, flip_attribute, repair_contradictions

NAMES = ("5_o_Clock_Shadow", *SELECTED_ATTRIBUTES)
VALUES = np.array([[column % (row + 2) == 0 for column in range(14)] for row in range(3)])


def written(folder: Path, count: str = "3", names: tuple[str, ...] = NAMES, last: str = "") -> Path:
    (folder / "img_align_celeba").mkdir()
    lines = [count, " ".join(names) + " "]
    for row in range(3):
        write_image(folder / "img_align_celeba" / f"00000{row + 1}.png", np.full((4, 5, 3), row, np.uint8))
        signs = ["1" if value else "-1" for value in VALUES[row]]
        lines.append(f"00000{row + 1}.png  " + "  ".join(signs))
    if last:
        lines[-1] = last
    (folder / "list_attr_celeba.txt").write_text("\r\n".join(lines) + "\n\n", encoding="utf-8")
    return folder


def test_images_and_attributes(tmp_path: Path) -> None:
    dataset = CelebA(str(written(tmp_path)))
    assert len(dataset) == 3 and dataset.attribute_names == SELECTED_ATTRIBUTES and len(SELECTED_ATTRIBUTES) == 13
    for row in range(3):
        image, attributes = dataset[row]
        assert np.array_equal(image, np.full((4, 5, 3), row, np.uint8))
        assert attributes.dtype == np.float32 and attributes.tolist() == VALUES[row, 1:].astype(float).tolist()


def test_some_images_some_attributes(tmp_path: Path) -> None:
    dataset = CelebA(str(written(tmp_path)), attributes=["Young", "Bald"], start=1, stop=2)
    image, attributes = dataset[0]
    assert len(dataset) == 1 and image[0, 0, 0] == 1
    assert attributes.tolist() == VALUES[1, [13, 1]].astype(float).tolist()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": "4"}, "list_attr_celeba.txt:1: 4 images are announced, but there are lines for 3"),
        ({"count": "many"}, "list_attr_celeba.txt:1: the first line is the number of images, the second the"),
        ({"names": (*NAMES[:-1], "Yung")}, "list_attr_celeba.txt: no attribute 'Young'; the nearest is 'Yung'"),
        ({"last": "000003.png 1 -1"}, ":5: a line holds a file and 14 values; this one has 2 values"),
        ({"last": "000003.png" + " 0" * 14}, ":5: an attribute is 1 or -1, not '0'"),
        ({"last": "000009.png" + " 1" * 14}, ":5: no image file '"),
    ],
)
def test_broken_files(tmp_path: Path, changes: dict, message: str) -> None:
    written(tmp_path, **changes)
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(message)):
        CelebA(str(tmp_path))


def test_what_is_asked_for_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="CelebA: no attribute file '.*list_attr_celeba.txt'"):
        CelebA(str(tmp_path))
    written(tmp_path)
    with pytest.raises(ValueError, match="no attribute 'Eyeglases'; the nearest is 'Eyeglasses'"):
        CelebA(str(tmp_path), attributes=["Eyeglases"])
    with pytest.raises(ValueError, match=r"CelebA: images 3 to None of '.*' are none; it has 3"):
        CelebA(str(tmp_path), start=3)


def vector(*present: str) -> list[int]:
    return [int(name in present) for name in SELECTED_ATTRIBUTES]


@pytest.mark.parametrize(
    ("before", "flipped", "after"),
    [
        (("Black_Hair", "Male"), "Blond_Hair", ("Blond_Hair", "Male")),
        (("Bangs", "Brown_Hair"), "Bald", ("Bald", "Brown_Hair")),
        (("Bald",), "Bangs", ("Bangs",)),
        (("No_Beard",), "Mustache", ("Mustache",)),
        (("Mustache",), "No_Beard", ("No_Beard",)),
        (("Bangs", "Bald"), "Bald", ("Bangs",)),
        (("Male", "Black_Hair", "Bangs"), "Eyeglasses", ("Male", "Black_Hair", "Bangs", "Eyeglasses")),
    ],
)
def test_a_flipped_attribute_takes_away_what_contradicts_it(
    before: tuple[str, ...], flipped: str, after: tuple[str, ...]
) -> None:
    attributes = np.array([vector(*before)], np.float32)
    edited = flip_attribute(attributes, SELECTED_ATTRIBUTES, flipped)
    assert edited.tolist() == [vector(*after)] and edited.dtype == np.float32
    assert attributes.tolist() == [vector(*before)]


def test_repair_leaves_rows_without_the_attribute_alone() -> None:
    attributes = np.array([vector("Bald", "Bangs"), vector("Bangs")])
    assert repair_contradictions(attributes, SELECTED_ATTRIBUTES, "Bald").tolist() == [vector("Bald"), vector("Bangs")]


def test_an_unknown_attribute_cannot_be_flipped() -> None:
    with pytest.raises(ValueError, match="no attribute 'Wings'; there are Bald, Bangs, "):
        flip_attribute(np.zeros((1, 13)), SELECTED_ATTRIBUTES, "Wings")
