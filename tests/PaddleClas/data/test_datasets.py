from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from core.vision import write_image
from core.vision.datasets.digits import split_indices
from core.vision.datasets.idx import read_idx
from PaddleClas.data import MNIST, DatasetFolder, Digits, ImageNetDataset
from tests.core.vision.test_decoding import FILES, as_pillow_reads, encoded

GRAY = np.full((3, 4, 3), 90, np.uint8)


def test_digits_split_is_a_stratified_partition() -> None:
    labels = load_digits().target
    parts = split_indices(labels)
    assert {split: len(members) for split, members in parts.items()} == {"train": 1259, "valid": 179, "test": 359}
    assert sorted(np.concatenate(list(parts.values())).tolist()) == list(range(1797))
    shares = np.bincount(labels[parts["test"]], minlength=10) / np.bincount(labels)
    assert shares.min() > 0.19 and shares.max() < 0.21


def test_digits_split_never_changes() -> None:
    parts = split_indices(load_digits().target)
    assert parts["test"][:8].tolist() == [3, 7, 13, 19, 36, 38, 43, 48]
    assert int(parts["test"].sum()) == 311827 and int(parts["valid"].sum()) == 159162


def test_digits_images_are_scikit_learns() -> None:
    raw = load_digits()
    number = int(split_indices(raw.target)["test"][5])
    image, label = Digits("test")[5]
    assert image.shape == (8, 8, 3) and image.dtype == np.uint8
    np.testing.assert_allclose(image[:, :, 1] / 255 * 16, raw.images[number], atol=0.04)
    assert label == raw.target[number]
    assert Digits("valid", color="gray")[0][0].shape == (8, 8, 1)
    assert Digits("valid", transform=lambda image: image.mean())[0][0] == Digits("valid").image(0).mean()
    with pytest.raises(ValueError, match="Digits: split must be one of train, valid, test, not 'dev'"):
        Digits("dev")
    with pytest.raises(ValueError, match="color must be 'gray' or 'rgb', not 'bgr'"):
        Digits("test", color="bgr")


def test_folder_of_classes(tmp_path: Path) -> None:
    for name in ("dog/2.png", "cat/1.png", "dog/sub/3.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write_image(tmp_path / name, GRAY)
    dataset = DatasetFolder(str(tmp_path))
    assert dataset.class_names == ["cat", "dog"]
    assert [dataset[i][1] for i in range(len(dataset))] == [0, 1, 1]
    np.testing.assert_array_equal(dataset[0][0], GRAY)
    assert DatasetFolder(str(tmp_path), classes=["dog", "bird", "cat"])[0][1] == 2
    with pytest.raises(ValueError, match="the folder 'dog' in .* is none of the classes"):
        DatasetFolder(str(tmp_path), classes=["cat"])
    with pytest.raises(NotADirectoryError, match="DatasetFolder: no folder"):
        DatasetFolder(str(tmp_path / "missing"))
    with pytest.raises(ValueError, match="holds no folders; it should hold one per class"):
        DatasetFolder(str(tmp_path / "cat"))
    (tmp_path / "empty" / "class").mkdir(parents=True)
    with pytest.raises(ValueError, match="there are no images below"):
        DatasetFolder(str(tmp_path / "empty"))


def test_list_file(tmp_path: Path) -> None:
    write_image(tmp_path / "a b.png", GRAY)
    (tmp_path / "list.txt").write_text("a b.png 2\n\nother.png 0\n")
    (tmp_path / "names.txt").write_text("zero\none\ntwo\n")
    dataset = ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"), str(tmp_path / "names.txt"))
    assert len(dataset) == 2 and dataset[0][1] == 2 and dataset.class_names[2] == "two"
    np.testing.assert_array_equal(dataset[0][0], GRAY)
    with pytest.raises(FileNotFoundError, match="no image file .*other.png"):
        dataset[1]
    (tmp_path / "list.txt").write_text("a.png 0\nb.png cat\n")
    with pytest.raises(
        ValueError, match="list.txt:2: a line holds a path, a space and a class number, not 'b.png cat'"
    ):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"))
    (tmp_path / "list.txt").write_text("a.png 5\n")
    with pytest.raises(ValueError, match="names.txt: 3 class names, but .*list.txt has label 5"):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"), str(tmp_path / "names.txt"))
    (tmp_path / "list.txt").write_text("\n")
    with pytest.raises(ValueError, match="list.txt: the list is empty"):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"))
    with pytest.raises(FileNotFoundError, match="no list file"):
        ImageNetDataset(str(tmp_path), str(tmp_path / "missing.txt"))


UNUSUAL = {
    "transparent.png": FILES["PNG with transparency"],
    "transparent grey.png": FILES["grey PNG with transparency"],
    "palette.png": FILES["palette PNG with transparency"],
    "cmyk.jpg": FILES["CMYK JPEG"],
    "cmyk.tif": FILES["CMYK TIFF"],
    "animated.gif": FILES["animated GIF"],
    "animated.webp": FILES["animated WebP"],
    "rotated.jpg": lambda: encoded("JPEG", exif=rotated()),
    "rotated.png": lambda: encoded("PNG", exif=rotated()),
}


def rotated() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    return exif


def test_unusual_pictures_are_read_as_pillow_reads_them(tmp_path: Path) -> None:
    for name, write in UNUSUAL.items():
        (tmp_path / "pictures" / "class").mkdir(parents=True, exist_ok=True)
        (tmp_path / "pictures" / "class" / name).write_bytes(write())
    (tmp_path / "list.txt").write_text("".join(f"class/{name} 0\n" for name in sorted(UNUSUAL)))
    in_folder = DatasetFolder(str(tmp_path / "pictures"))
    in_list = ImageNetDataset(str(tmp_path / "pictures"), str(tmp_path / "list.txt"))
    assert len(in_folder) == len(in_list) == len(UNUSUAL)
    for number, name in enumerate(sorted(UNUSUAL)):
        expected = as_pillow_reads((tmp_path / "pictures" / "class" / name).read_bytes())
        np.testing.assert_array_equal(in_folder.image(number), expected)
        np.testing.assert_array_equal(in_list.image(number), expected)
        assert expected.shape == ((52, 40, 3) if "rotated" in name else (20, 30, 3) if "anim" in name else (40, 52, 3))


def test_sixteen_bits_keep_the_upper_eight_and_other_numbers_are_refused(tmp_path: Path) -> None:
    values = (np.arange(12).reshape(3, 4) * 5000).astype(np.uint16)
    (tmp_path / "class").mkdir()
    Image.fromarray(values).save(tmp_path / "class" / "a.png")
    Image.fromarray(values.astype(np.float32)).save(tmp_path / "class" / "b.tif")
    dataset = DatasetFolder(str(tmp_path))
    np.testing.assert_array_equal(dataset.image(0), np.repeat((values // 256)[:, :, None], 3, axis=2))
    with pytest.raises(ValueError, match="b.tif' cannot be read: its pixels are floating-point numbers; convert it to"):
        dataset.image(1)


def test_lists_of_other_systems_and_languages(tmp_path: Path) -> None:
    (tmp_path / "\u56fe" / "zima").mkdir(parents=True)
    pictures = {"\u56fe/zima/\u0437\u0438\u043c\u0430 1.png": 10, "\u56fe/a\u2028b\x85.png": 20, "odd\\name.png": 30}
    for name, value in pictures.items():
        write_image(tmp_path / name, np.full((3, 4, 3), value, np.uint8))
    lines = [
        "\u56fe\\zima\\\u0437\u0438\u043c\u0430 1.png 1",
        "",
        "\u56fe/a\u2028b\x85.png\t0",
        " ",
        "odd\\name.png  2 ",
    ]
    (tmp_path / "list.txt").write_bytes("\r\n".join(lines).encode("utf-8-sig"))
    (tmp_path / "names.txt").write_bytes("\u0437\u0438\u043c\u0430\r\nb\r\nc\r\n\r\n".encode("utf-8-sig"))
    dataset = ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"), str(tmp_path / "names.txt"))
    assert dataset.class_names == ["\u0437\u0438\u043c\u0430", "b", "c"]
    assert [dataset.label(i) for i in range(3)] == [1, 0, 2]
    assert [int(dataset.image(i).max()) for i in range(3)] == [10, 20, 30]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("C:\\photos\\a.png 0", r"list.txt:2: 'C:\\\\photos\\\\a.png' is a path on a computer with Windows; make it"),
        ("d:/photos/a.png 0", "list.txt:2: 'd:/photos/a.png' is a path on a computer with Windows; make it relative"),
        ("\\\\server\\a.png 0", "list.txt:2: .* is a path on a computer with Windows; make it relative"),
        ("a.png \u00b2", "list.txt:2: a line holds a path, a space and a class number, not 'a.png \u00b2'"),
        ("a.png", "list.txt:2: a line holds a path, a space and a class number, not 'a.png'"),
        ("7", "list.txt:2: a line holds a path, a space and a class number, not '7'"),
    ],
)
def test_lines_that_name_no_image_are_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(f"a.png 0\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"))


def test_a_class_without_a_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("a.png 0\n")
    (tmp_path / "names.txt").write_text("a\n\nc\n")
    with pytest.raises(ValueError, match="names.txt:2: the line is blank, but a class name is expected"):
        ImageNetDataset(str(tmp_path), str(tmp_path / "list.txt"), str(tmp_path / "names.txt"))


def idx(array: np.ndarray) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


def test_mnist_files(tmp_path: Path) -> None:
    images = np.random.RandomState(0).randint(0, 256, (5, 4, 3), dtype=np.uint8)
    labels = np.array([3, 1, 4, 1, 5], np.uint8)
    (tmp_path / "images").write_bytes(idx(images))
    (tmp_path / "labels.gz").write_bytes(gzip.compress(idx(labels)))
    dataset = MNIST(str(tmp_path / "images"), str(tmp_path / "labels.gz"))
    assert len(dataset) == 5 and [dataset[i][1] for i in range(5)] == labels.tolist()
    np.testing.assert_array_equal(dataset[2][0][:, :, 0], images[2])
    rgb = MNIST(str(tmp_path / "images"), str(tmp_path / "labels.gz"), color="rgb")
    assert rgb[0][0].shape == (4, 3, 3)
    with pytest.raises(ValueError, match="are not N images and N labels"):
        MNIST(str(tmp_path / "labels.gz"), str(tmp_path / "images"))
    with pytest.raises(ValueError, match="has label 5, of 2 classes"):
        MNIST(str(tmp_path / "images"), str(tmp_path / "labels.gz"), class_names=["a", "b"])


def test_broken_idx_files_are_named(tmp_path: Path) -> None:
    whole = idx(np.zeros((2, 3), np.uint8))
    for name, data, message in (
        ("cut", whole[:-1], "is truncated: its header promises 6 bytes of data, 5 are there"),
        ("text", b"not idx at all", "is not an IDX file of unsigned bytes"),
        ("gz", gzip.compress(whole)[:-9], "is a broken gzip file"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=message):
            read_idx(str(tmp_path / name))
    with pytest.raises(FileNotFoundError, match="no IDX file"):
        read_idx(str(tmp_path / "missing"))
