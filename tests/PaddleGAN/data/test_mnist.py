"""Digits and clothing from IDX files, with an axis of channels."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from core.train.config.table import Component
from PaddleGAN.data import MNIST, FashionMNIST, SplitSection

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
IMAGES = np.random.RandomState(0).randint(0, 256, (5, 28, 28), dtype=np.uint8)


def written(folder: Path, count: int = 5) -> dict[str, str]:
    (folder / "images").write_bytes(b"\0\0\x08\x03" + struct.pack(">3I", 5, 28, 28) + IMAGES.tobytes())
    (folder / "labels").write_bytes(b"\0\0\x08\x01" + struct.pack(">I", count) + bytes(range(count)))
    return {"image_path": str(folder / "images"), "label_path": str(folder / "labels")}


@pytest.mark.parametrize("kind", [MNIST, FashionMNIST])
def test_samples_are_images_and_numbers(tmp_path: Path, kind: type) -> None:
    dataset = kind(**written(tmp_path))
    image, label = dataset[3]
    assert len(dataset) == 5 and label == 3 and np.array_equal(image, IMAGES[3][:, :, None])


def test_batches_lie_between_minus_one_and_one(tmp_path: Path) -> None:
    written(tmp_path)
    section = SplitSection(
        dataset=Component(name="MNIST", image_path="images", label_path="labels"),
        transforms=[
            Component(name="Resize", size=64),
            Component(name="ToTensor"),
            Component(name="Normalize", mean=0.5, std=0.5),
        ],
        batch_size=5,
    )
    ((images, labels),) = section.build_loader(section.build_dataset(str(tmp_path)), seed=0)
    assert list(images.shape) == [5, 1, 64, 64] and labels.numpy().tolist() == [0, 1, 2, 3, 4]
    assert -1 <= images.numpy().min() < -0.9 and 0.9 < images.numpy().max() <= 1


def test_labels_must_be_as_many(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="are not N images and N labels"):
        MNIST(**written(tmp_path, count=4))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")
def test_real_clothing() -> None:
    folder = SHARED / "fashion-mnist-sample"
    paths = [str(folder / f"train-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1")]
    dataset = FashionMNIST(*paths)
    assert len(dataset) == 500 and np.bincount([label for _, label in dataset]).tolist() == [50] * 10
