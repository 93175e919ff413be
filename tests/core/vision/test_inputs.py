"""Images that a command line names."""

from __future__ import annotations

import os
from pathlib import Path

import fsspec
import numpy as np
import pytest

from core.vision.image import write_image
from core.vision.inputs import expand, expand_named, read_picture

PICTURE = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype(np.uint8)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    (tmp_path / "photos" / "below").mkdir(parents=True)
    for name in ("photos/b.png", "photos/a.png", "photos/below/a.png", "photos/a.bmp", "other.png"):
        write_image(tmp_path / name, PICTURE)
    (tmp_path / "photos" / "notes.txt").write_text("no image")
    return tmp_path


def test_folders_patterns_and_files_in_their_order(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(photos)
    found = expand(["other.png", "photos", "photos/*.png", "photos/**/a.*", "https://example.org/bee.jpg"])
    below = [os.path.join("photos", name) for name in ("a.bmp", "a.png", "b.png", "below/a.png")]
    assert found == [
        "other.png", *below, "photos/a.png", "photos/b.png", "photos/a.bmp", "photos/a.png", "photos/below/a.png",
        "https://example.org/bee.jpg",
    ]  # fmt: skip


def test_every_image_has_a_name_of_its_own(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(photos)
    named = expand_named(["photos", "other.png", "photos/b.png", "https://example.org/b.jpg?size=2"])
    assert named == {
        "a": "photos/a.bmp", "a_2": "photos/a.png", "b": "photos/b.png", "below_a": "photos/below/a.png",
        "other": "other.png", "b_2": "photos/b.png", "b_3": "https://example.org/b.jpg?size=2",
    }  # fmt: skip


def test_what_is_not_there_is_named(photos: Path) -> None:
    (photos / "empty").mkdir()
    for path, message in (
        ("gone.png", "no image file '{}'"),
        ("empty", "there are no images in '{}'"),
        ("photos/*.jpg", "no file matches '{}'"),
    ):
        with pytest.raises(FileNotFoundError) as refused:
            expand([str(photos / path)])
        assert str(refused.value) == message.format(photos / path)


def test_a_picture_from_a_file_or_a_url(photos: Path) -> None:
    np.testing.assert_array_equal(read_picture(str(photos / "other.png")), PICTURE)
    fsspec.filesystem("memory").pipe("/bee.png", (photos / "other.png").read_bytes())
    np.testing.assert_array_equal(read_picture("memory://bee.png"), PICTURE)
    fsspec.filesystem("memory").rm("/bee.png")
