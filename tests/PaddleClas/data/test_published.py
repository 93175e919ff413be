"""Published data sets, read from small files in their publishers' formats that the tests write."""

from __future__ import annotations

import gzip
import hashlib
import io
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from core.io.published import Source
from core.vision import datasets
from PaddleClas.data import MNIST, Cifar10, Cifar100, FashionMNIST, Flowers
from PaddleClas.data.pipeline import SplitSection
from tests.PaddleClas.data.test_datasets import idx

PIXELS = np.random.RandomState(0).randint(0, 256, (5, 3072), dtype=np.uint8)
IMAGES = [row.reshape(3, 32, 32).transpose(1, 2, 0) for row in PIXELS]


def archive(path: Path, members: dict[str, bytes]) -> str:
    with tarfile.open(path, "w:gz") as target:
        for name, data in members.items():
            member = tarfile.TarInfo(f"data/{name}")
            member.size = len(data)
            target.addfile(member, io.BytesIO(data))
    return str(path)


def batch(rows: np.ndarray, **labels: Any) -> bytes:
    return pickle.dumps({b"data": rows, **{name.encode(): values for name, values in labels.items()}}, protocol=2)


def built(dataset: dict[str, Any], root: Path) -> Any:
    section = {"dataset": dataset, "transforms": [], "batch_size": 1}
    return SplitSection.model_validate(section).build_dataset(str(root))


def test_cifar_for_python_and_in_binary(tmp_path: Path) -> None:
    archive(
        tmp_path / "python.tar.gz",
        {
            "data_batch_1": batch(PIXELS[:2], labels=[3, 9]),
            "data_batch_2": batch(PIXELS[2:3], labels=[0]),
            "test_batch": batch(PIXELS[3:], labels=[7, 8]),
        },
    )
    (tmp_path / "binary").mkdir()
    for name, rows, labels in (("data_batch_1", PIXELS[:3], (3, 9, 0)), ("test_batch", PIXELS[3:], (7, 8))):
        data = b"".join(bytes([label]) + row.tobytes() for label, row in zip(labels, rows))
        (tmp_path / "binary" / f"{name}.bin").write_bytes(data)
    for place in ("python.tar.gz", "binary"):
        train = built({"name": "Cifar10", "data_file": place}, tmp_path)
        test = built({"name": "Cifar10", "data_file": place, "split": "test"}, tmp_path)
        assert [train.label(i) for i in range(len(train))] == [3, 9, 0] and [test[i][1] for i in range(2)] == [7, 8]
        assert [train.class_names[train.label(i)] for i in range(3)] == ["cat", "truck", "airplane"]
        for number, expected in enumerate(IMAGES):
            image = train.image(number) if number < 3 else test.image(number - 3)
            assert image.dtype == np.uint8 and image.flags.c_contiguous
            np.testing.assert_array_equal(image, expected)
    with pytest.raises(ValueError, match="Cifar10: split must be one of train, test, not 'valid'"):
        Cifar10(str(tmp_path / "binary"), "valid")
    with pytest.raises(
        FileNotFoundError, match=r"Cifar10: no file '.*none' \(data_file\); it is published at https://"
    ):
        built({"name": "Cifar10", "data_file": "none"}, tmp_path)
    (tmp_path / "binary" / "test_batch.bin").write_bytes(bytes([10]) + PIXELS[0].tobytes())
    with pytest.raises(ValueError, match="Cifar10: '.*binary' has label 10, of 10 classes"):
        Cifar10(str(tmp_path / "binary"), "test")


def test_cifar_100_has_the_fine_labels(tmp_path: Path) -> None:
    python = {"train": batch(PIXELS[:2], fine_labels=[0, 99], coarse_labels=[4, 5])}
    binary = {"train.bin": b"".join(bytes([4, label]) + row.tobytes() for label, row in zip((0, 99), PIXELS))}
    for name, members in (("python", python), ("binary", binary)):
        train = Cifar100(archive(tmp_path / name, members))
        assert [train.class_names[train[i][1]] for i in range(len(train))] == ["apple", "worm"]
        np.testing.assert_array_equal(train[1][0], IMAGES[1])
    assert len(set(train.class_names)) == 100 and train.class_names == sorted(train.class_names)


def test_flowers(tmp_path: Path) -> None:
    pictures = {}
    for number in (1, 2, 3):
        stream = io.BytesIO()
        Image.fromarray(np.full((12, 17, 3), 60 * number, np.uint8)).save(stream, "JPEG", quality=95)
        pictures[f"image_{number:05d}.jpg"] = stream.getvalue()
    archive(tmp_path / "flowers.tgz", pictures)
    savemat(tmp_path / "labels.mat", {"labels": np.array([[77, 5, 102]], np.uint8)})
    parts = {"trnid": [[2]], "valid": [[3]], "tstid": [[1, 3]]}
    savemat(tmp_path / "setid.mat", {name: np.array(part, np.uint16) for name, part in parts.items()})
    files = {"data_file": "flowers.tgz", "label_file": "labels.mat", "setid_file": "setid.mat"}
    train = built({"name": "Flowers", **files}, tmp_path)
    assert [train[i][1] for i in range(len(train))] == [76, 101] and train.class_names[101] == "102"
    assert train.image(1).shape == (12, 17, 3) and train.image(1).dtype == np.uint8
    assert [round(train.image(i).mean() / 60) for i in range(2)] == [1, 3]
    test = built({"name": "Flowers", "split": "test", **files}, tmp_path)
    assert [test[i][1] for i in range(len(test))] == [4]
    with pytest.raises(ValueError, match="Flowers: split must be one of train, valid, test, not 'val'"):
        Flowers(split="val")
    savemat(tmp_path / "labels.mat", {"labels": np.array([[77, 5, 103]], np.uint8)})
    with pytest.raises(ValueError, match="Flowers: the train split has no photographs, or kinds that are not 1 to 102"):
        built({"name": "Flowers", **files}, tmp_path)


@pytest.mark.parametrize(("kind", "folder"), [(MNIST, "mnist"), (FashionMNIST, "fashion_mnist")])
def test_published_files_are_downloaded_once_and_checked(
    kind: Any, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    with pytest.raises(ValueError, match="image_path is not given and download=False; fetch https://.*t10k-images"):
        kind(split="test", download=False)
    with pytest.raises(ConnectionError, match="t10k-images-idx3-ubyte.gz elsewhere and put it at .*home"):
        kind(split="test")
    images, labels = PIXELS[:, :12].reshape(5, 4, 3), np.array([3, 1, 4, 1, 9], np.uint8)
    mirror = tmp_path / "mirror" / "dataset.bj.bcebos.com" / folder
    mirror.mkdir(parents=True)
    published = []
    for name, content in (("t10k-images-idx3-ubyte.gz", images), ("t10k-labels-idx1-ubyte.gz", labels)):
        data = gzip.compress(idx(content))
        (mirror / name).write_bytes(data)
        published.append(Source(f"https://dataset.bj.bcebos.com/{folder}/{name}", hashlib.md5(data).hexdigest()))
    with pytest.raises(ValueError, match="is not the file of https://.*: its MD5 differs; remove it"):
        kind(split="test")
    monkeypatch.setitem(getattr(datasets, kind.__name__).sources, "test", tuple(published))
    dataset = built({"name": kind.__name__, "split": "test"}, tmp_path)
    assert [dataset.label(i) for i in range(5)] == labels.tolist()
    np.testing.assert_array_equal(dataset.image(4)[:, :, 0], images[4])
    assert dataset.class_names[9] == {"mnist": "9", "fashion_mnist": "ankle boot"}[folder]
    with pytest.raises(ValueError, match="give image_path and label_path, or neither, for the published files"):
        kind(str(mirror / "t10k-images-idx3-ubyte.gz"))
    with pytest.raises(ValueError, match="split must be one of train, test, not 'valid'"):
        kind(split="valid")


def test_cifar_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    with pytest.raises(ConnectionError, match="cifar-10-python.tar.gz elsewhere and put it at .*home"):
        Cifar10()
    mirror = tmp_path / "mirror" / "dataset.bj.bcebos.com" / "cifar"
    mirror.mkdir(parents=True)
    path = archive(mirror / "cifar-10-python.tar.gz", {"test_batch": batch(PIXELS[:1], labels=[6])})
    checksum = hashlib.md5(Path(path).read_bytes()).hexdigest()
    monkeypatch.setattr(datasets.Cifar10, "source", Source(datasets.Cifar10.source.url, checksum))
    assert Cifar10(split="test")[0][1] == 6
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "gone"))
    np.testing.assert_array_equal(Cifar10(split="test", download=False).image(0), IMAGES[0])
