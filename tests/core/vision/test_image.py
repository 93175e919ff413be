from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from core.vision import image_files, read_image, write_image

PICTURE = np.random.RandomState(0).randint(0, 256, (9, 7, 3), dtype=np.uint8)


def test_lossless_round_trip_in_every_order(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    write_image(path, PICTURE)
    np.testing.assert_array_equal(np.asarray(Image.open(path)), PICTURE)
    np.testing.assert_array_equal(read_image(path), PICTURE)
    np.testing.assert_array_equal(read_image(path, color="bgr"), PICTURE[:, :, ::-1])
    gray = read_image(path, color="gray")
    assert gray.shape == (9, 7, 1)
    luma = PICTURE @ np.array([0.299, 0.587, 0.114])
    np.testing.assert_allclose(gray[:, :, 0], luma, atol=1)


def test_orientation_is_applied(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees
    Image.fromarray(np.zeros((10, 20, 3), np.uint8)).save(tmp_path / "turned.jpg", exif=exif)
    assert read_image(tmp_path / "turned.jpg").shape == (20, 10, 3)


@pytest.mark.parametrize("extension", ["jpg", "png", "webp"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file_is_named(tmp_path: Path, extension: str, share: float) -> None:
    path = tmp_path / f"cut.{extension}"
    Image.fromarray(np.random.RandomState(1).randint(0, 256, (80, 80, 3), dtype=np.uint8)).save(path)
    whole = path.read_bytes()
    assert read_image(path).shape == (80, 80, 3)
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ValueError, match=rf"cut.{extension}' is truncated: it ends after \d+ bytes"):
        read_image(path)


def test_bad_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "notes.jpg").write_text("not a picture")
    (tmp_path / "empty.png").write_bytes(b"")
    with pytest.raises(ValueError, match="notes.jpg' is not an image file that can be read"):
        read_image(tmp_path / "notes.jpg")
    with pytest.raises(ValueError, match="empty.png' is empty"):
        read_image(tmp_path / "empty.png")
    with pytest.raises(FileNotFoundError, match="no image file .*missing.png"):
        read_image(tmp_path / "missing.png")
    with pytest.raises(ValueError, match="color must be 'rgb', 'bgr' or 'gray', not 'hsv'"):
        read_image(tmp_path / "notes.jpg", color="hsv")


def test_writing_refuses_what_is_no_image(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="an image is uint8 of shape"):
        write_image(tmp_path / "a.png", PICTURE.astype(np.float32))
    with pytest.raises(ValueError, match="its extension is none of"):
        write_image(tmp_path / "a.doc", PICTURE)
    assert list(tmp_path.iterdir()) == []


def test_image_files_are_found_below(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.PNG", "c.gif", "sub/a.jpg", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    assert image_files(tmp_path) == [str(tmp_path / name) for name in ("b.PNG", "c.gif", "sub/a.jpg")]
    with pytest.raises(NotADirectoryError, match="no folder"):
        image_files(tmp_path / "missing")
