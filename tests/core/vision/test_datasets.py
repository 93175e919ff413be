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
from core.vision import (
    MNIST,
    VOC2012,
    Cifar10,
    Cifar100,
    DatasetFolder,
    FashionMNIST,
    Flowers,
    ImageFolder,
    set_image_backend,
    write_image,
)
from core.vision import transforms as T

SHARED = Path(__file__).parents[4] / "shared" / "data"
RANDOM = np.random.RandomState(0)
IMAGES = RANDOM.randint(0, 256, (7, 28, 28), dtype=np.uint8)
LABELS = np.array([3, 1, 4, 1, 5, 9, 2], dtype=np.uint8)


def idx(array: np.ndarray) -> bytes:
    shape = b"".join(extent.to_bytes(4, "big") for extent in array.shape)
    return b"\0\0\x08" + bytes([array.ndim]) + shape + array.tobytes()


def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def jpeg(value: int, height: int = 12, width: int = 17) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), value, np.uint8)).save(stream, "JPEG", quality=95)
    return stream.getvalue()


@pytest.fixture
def mnist_files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "images.gz").write_bytes(gzip.compress(idx(IMAGES)))
    (tmp_path / "labels").write_bytes(idx(LABELS))
    return str(tmp_path / "images.gz"), str(tmp_path / "labels")


def test_mnist(mnist_files: tuple[str, str]) -> None:
    data = MNIST(*mnist_files)
    assert len(data) == 7
    image, label = data[2]
    assert isinstance(image, Image.Image) and image.mode == "L"
    np.testing.assert_array_equal(np.asarray(image), IMAGES[2])
    assert label.dtype == np.int64 and label.tolist() == [4] and data[-1][1].tolist() == [2]
    image, label = FashionMNIST(*mnist_files, backend="cv2")[3]
    assert image.dtype == np.float32 and image.shape == (28, 28)
    np.testing.assert_array_equal(image, IMAGES[3])
    image, _ = MNIST(*mnist_files, transform=T.Compose([T.Resize(14), T.ToTensor()]))[0]
    assert image.shape == (1, 14, 14) and image.max() <= 1
    assert [int(label[0]) for _, label in data] == LABELS.tolist()  # iteration ends
    assert len(pickle.loads(pickle.dumps(data))) == 7


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data sets are not beside the repository")
@pytest.mark.parametrize(("kind", "name"), [(MNIST, "mnist-sample"), (FashionMNIST, "fashion-mnist-sample")])
def test_official_idx_files(kind: Any, name: str) -> None:
    folder = SHARED / name
    data = kind(str(folder / "t10k-images-idx3-ubyte.gz"), str(folder / "t10k-labels-idx1-ubyte.gz"), mode="test")
    assert len(data) in (100, 1000) and data[0][0].size == (28, 28)
    assert {int(label[0]) for _, label in data} == set(range(10))


def test_mnist_files_that_do_not_fit_are_named(mnist_files: tuple[str, str], tmp_path: Path) -> None:
    images, labels = mnist_files
    with pytest.raises(
        ValueError, match=r"MNIST: .*labels' of shape \(7,\) and .*images.gz' .* are not N images and N labels"
    ):
        MNIST(labels, images)
    with pytest.raises(
        FileNotFoundError, match=r"MNIST: no file 'nowhere' \(label_path\); it is published at https://"
    ):
        MNIST(images, "nowhere")
    (tmp_path / "cut").write_bytes(idx(IMAGES)[:-9])
    with pytest.raises(ValueError, match="cut' is truncated: its header promises 5488 bytes of data, 5479 are there"):
        MNIST(str(tmp_path / "cut"), labels)
    with pytest.raises(ValueError, match="MNIST: mode must be one of 'train', 'test', not 'valid'"):
        MNIST(images, labels, mode="valid")
    with pytest.raises(ValueError, match="MNIST: backend must be 'pil' or 'cv2', not 'tensor'"):
        MNIST(images, labels, backend="tensor")


def test_files_are_downloaded_once_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    mirror = tmp_path / "mirror" / "dataset.bj.bcebos.com" / "mnist"
    message = (
        r"MNIST: image_path is not given and download=False; fetch https://.*train-images-idx3-ubyte.gz and put it at"
    )
    with pytest.raises(ValueError, match=message):
        MNIST(download=False)
    with pytest.raises(ConnectionError, match="train-images-idx3-ubyte.gz elsewhere and put it at .*home"):
        MNIST()
    mirror.mkdir(parents=True)
    published = []
    for name, content in (("train-images-idx3-ubyte.gz", IMAGES), ("train-labels-idx1-ubyte.gz", LABELS)):
        data = gzip.compress(idx(content))
        (mirror / name).write_bytes(data)
        published.append(Source(f"https://dataset.bj.bcebos.com/mnist/{name}", hashlib.md5(data).hexdigest()))
    with pytest.raises(ValueError, match="is not the file of https://.*: its MD5 differs; remove it"):
        MNIST()
    monkeypatch.setitem(MNIST.sources, "train", tuple(published))
    assert len(MNIST()) == 7
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "gone"))
    assert len(MNIST()) == 7 and len(MNIST(download=False)) == 7


def cifar_archive(path: Path, members: dict[str, Any], protocol: int = 2) -> str:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            add(archive, f"cifar/{name}", pickle.dumps(content, protocol=protocol))
        add(archive, "cifar/readme.html", b"<html>")
    return str(path)


def test_cifar(tmp_path: Path) -> None:
    batches = [RANDOM.randint(0, 256, (n, 3072), dtype=np.uint8) for n in (4, 3, 2)]
    ten = cifar_archive(
        tmp_path / "ten.tar.gz",
        {
            "data_batch_2": {b"data": batches[1], b"labels": [4, 5, 6]},
            "data_batch_1": {b"data": batches[0], b"labels": [0, 1, 2, 3]},
            "test_batch": {b"data": batches[2], b"labels": [7, 8]},
            "batches.meta": {b"label_names": [b"airplane"]},
        },
    )
    train, test = Cifar10(ten), Cifar10(ten, mode="test", backend="cv2")
    assert [int(label) for _, label in train] == [0, 1, 2, 3, 4, 5, 6] and len(test) == 2
    image, label = train[5]
    assert isinstance(image, Image.Image) and label.dtype == np.int64 and label.shape == ()
    np.testing.assert_array_equal(np.asarray(image), batches[1][1].reshape(3, 32, 32).transpose(1, 2, 0))
    assert test[1][0].dtype == np.float32 and test[1][0].shape == (32, 32, 3)
    assert Cifar10(ten, transform=T.ToTensor())[0][0].shape == (3, 32, 32)
    hundred = cifar_archive(
        tmp_path / "hundred.tar.gz",
        {
            "train": {"data": batches[0], "fine_labels": [9, 99, 0, 1], "coarse_labels": [0, 0, 0, 0]},
            "test": {"data": batches[2], "fine_labels": [3, 4], "coarse_labels": [0, 0]},
        },
    )
    assert [int(label) for _, label in Cifar100(hundred)] == [9, 99, 0, 1]
    with pytest.raises(
        ValueError, match="Cifar10: .*hundred.tar.gz' holds no member 'data_batch'; is it another data set's"
    ):
        Cifar10(hundred)


@pytest.mark.parametrize("unpacked", [False, True])
def test_cifar_in_binary(unpacked: bool, tmp_path: Path) -> None:
    pixels = RANDOM.randint(0, 256, (5, 3072), dtype=np.uint8)
    ten = {  # one byte of label, then red, green and blue
        "data_batch_1.bin": b"".join(bytes([label]) + row.tobytes() for label, row in zip([3, 9], pixels)),
        "data_batch_2.bin": bytes([7]) + pixels[2].tobytes(),
        "test_batch.bin": bytes([4]) + pixels[3].tobytes() + bytes([0]) + pixels[4].tobytes(),
        "batches.meta.txt": b"airplane\n",
    }
    hundred = {  # the coarse label comes first
        "train.bin": bytes([19, 98]) + pixels[0].tobytes() + bytes([1, 2]) + pixels[1].tobytes(),
        "test.bin": bytes([5, 70]) + pixels[2].tobytes(),
    }
    places = []
    for name, members in (("ten", ten), ("hundred", hundred)):
        (tmp_path / name).mkdir()
        with tarfile.open(tmp_path / f"{name}.tar.gz", "w:gz") as archive:
            for member, data in members.items():
                add(archive, f"cifar-binary/{member}", data)
                (tmp_path / name / member).write_bytes(data)
        places.append(str(tmp_path / (name if unpacked else f"{name}.tar.gz")))
    train, test = Cifar10(places[0]), Cifar10(places[0], mode="test")
    assert [int(label) for _, label in train] == [3, 9, 7] and [int(label) for _, label in test] == [4, 0]
    np.testing.assert_array_equal(np.asarray(train[2][0]), pixels[2].reshape(3, 32, 32).transpose(1, 2, 0))
    np.testing.assert_array_equal(np.asarray(test[1][0])[5, 7], pixels[4].reshape(3, 32, 32)[:, 5, 7])
    coarse = Cifar100(places[1])
    assert [int(label) for _, label in coarse] == [98, 2] and int(Cifar100(places[1], mode="test")[0][1]) == 70
    np.testing.assert_array_equal(np.asarray(coarse[1][0])[0, 0], pixels[1].reshape(3, 32, 32)[:, 0, 0])
    with pytest.raises(
        ValueError, match="Cifar10: .*hundred.*' holds no member 'data_batch'; is it another data set's"
    ):
        Cifar10(places[1])
    (tmp_path / "ten" / "data_batch_2.bin").write_bytes(ten["data_batch_2.bin"][:-1])
    with pytest.raises(
        ValueError, match="'data_batch_2.bin' of 3072 bytes is cut off: an image with its label has 3073"
    ):
        Cifar10(str(tmp_path / "ten"))


class Hostile:
    def __reduce__(self) -> Any:
        return (print, ("code of the file ran",))


def test_hostile_and_broken_archives_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = cifar_archive(tmp_path / "hostile.tar.gz", {"data_batch_1": Hostile()})
    with pytest.raises(ValueError, match="Cifar10: .*hostile.tar.gz' cannot be read: it asks for builtins.print"):
        Cifar10(hostile)
    assert capsys.readouterr().out == ""
    odd = cifar_archive(
        tmp_path / "odd.tar.gz", {"data_batch_1": {b"data": np.zeros((2, 5), np.uint8), b"labels": [0, 1]}}
    )
    with pytest.raises(
        ValueError, match="its member 'cifar/data_batch_1' holds no images of 3 x 32 x 32 bytes with one"
    ):
        Cifar10(odd)
    content = Path(hostile).read_bytes()
    for name, data in (("cut", content[: len(content) // 2]), ("text", b"not found"), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=f"{name}' cannot be read: "):
            Cifar10(str(tmp_path / name))
        with pytest.raises(ValueError, match=f"VOC2012: .*{name}'"):
            VOC2012(str(tmp_path / name))


def test_flowers(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "102flowers.tgz", "w:gz") as archive:
        for number in (1, 2, 3):
            add(archive, f"jpg/image_{number:05d}.jpg", jpeg(60 * number))
        add(archive, "../escaped.jpg", jpeg(0))
    savemat(tmp_path / "labels.mat", {"labels": np.array([[77, 5, 102]], np.uint8)})
    split = {
        "trnid": np.array([[2]], np.uint16),
        "valid": np.array([[3]], np.uint16),
        "tstid": np.array([[1, 3]], np.uint16),
    }
    savemat(tmp_path / "setid.mat", split)
    files = [str(tmp_path / name) for name in ("102flowers.tgz", "labels.mat", "setid.mat")]
    train = Flowers(*files)
    assert len(train) == 2 and [int(label[0]) for _, label in train] == [77, 102]
    image, _ = train[1]
    assert isinstance(image, Image.Image) and image.size == (17, 12) and abs(np.asarray(image).mean() - 180) < 2
    image, label = Flowers(*files, mode="test", backend="cv2", transform=T.Resize(6))[0]
    assert image.dtype == np.float32 and image.shape == (6, 8, 3) and label.tolist() == [5] and label.dtype == np.int64
    assert not (tmp_path.parent / "escaped.jpg").exists()
    assert sorted(path.name for path in (tmp_path / "102flowers_images" / "jpg").iterdir()) == [
        "image_00001.jpg", "image_00002.jpg", "image_00003.jpg"
    ]  # fmt: skip
    with pytest.raises(ValueError, match="Flowers: .*102flowers.tgz' is no Matlab file that can be read"):
        Flowers(files[0], files[0], files[2])
    with pytest.raises(ValueError, match="Flowers: .*setid.mat' holds no row of whole numbers 'labels'"):
        Flowers(files[0], files[2], files[2])
    savemat(tmp_path / "few.mat", {"labels": np.array([[1, 2]], np.uint8)})
    with pytest.raises(ValueError, match="names image 3, but .*few.mat' has 2 labels"):
        Flowers(files[0], str(tmp_path / "few.mat"), files[2])
    (tmp_path / "cut.tgz").write_bytes(Path(files[0]).read_bytes()[:-200])
    with pytest.raises(ValueError, match="Flowers: .*cut.tgz' is no whole archive"):
        Flowers(str(tmp_path / "cut.tgz"), *files[1:])
    assert not (tmp_path / "cut_images").exists() and not list(tmp_path.glob(".unpacking_*"))


def test_voc2012(tmp_path: Path) -> None:
    mask = Image.frombytes("P", (17, 12), RANDOM.randint(0, 21, (12, 17), dtype=np.uint8).tobytes())
    mask.putpalette(list(range(60)))
    stream = io.BytesIO()
    mask.save(stream, "PNG")
    root = "VOCdevkit/VOC2012/"
    with tarfile.open(tmp_path / "voc.tar", "w") as archive:
        add(archive, root + "ImageSets/Segmentation/trainval.txt", b"2007_1\n2007_2\n")
        add(archive, root + "ImageSets/Segmentation/train.txt", b"2007_1\n")
        add(archive, root + "ImageSets/Segmentation/val.txt", b"2007_2\n2007_3\n")
        for number in (1, 2):
            add(archive, f"{root}JPEGImages/2007_{number}.jpg", jpeg(50 * number))
            add(archive, f"{root}SegmentationClass/2007_{number}.png", stream.getvalue())
    data = VOC2012(str(tmp_path / "voc.tar"))
    assert len(data) == 2 and len(VOC2012(str(tmp_path / "voc.tar"), mode="test")) == 1
    image, label = pickle.loads(pickle.dumps(data))[1]
    assert isinstance(image, Image.Image) and label.mode == "P" and abs(np.asarray(image).mean() - 100) < 2
    np.testing.assert_array_equal(np.asarray(label), np.asarray(mask))
    image, label = VOC2012(str(tmp_path / "voc.tar"), backend="cv2", transform=T.Transpose())[0]
    assert image.shape == (3, 12, 17) and label.shape == (12, 17)
    assert image.dtype == label.dtype == np.float32
    with pytest.raises(ValueError, match="VOC2012: .*voc.tar' holds no 'VOCdevkit/VOC2012/JPEGImages/2007_3.jpg'"):
        VOC2012(str(tmp_path / "voc.tar"), mode="valid")[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, value in (("bees/b.png", 10), ("bees/a.PNG", 20), ("ants/sub/c.png", 30), ("ants/d.bmp", 40)):
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        write_image(tmp_path / "root" / name, np.full((6, 8, 3), (value, value + 1, value + 2), np.uint8))
    (tmp_path / "root" / "bees" / "notes.txt").write_text("not an image")
    (tmp_path / "root" / "empty").mkdir()
    return tmp_path / "root"


def test_folder_of_classes(folder: Path) -> None:
    data = DatasetFolder(str(folder))
    assert data.classes == ["ants", "bees", "empty"] and data.class_to_idx == {"ants": 0, "bees": 1, "empty": 2}
    names = ["ants/d.bmp", "ants/sub/c.png", "bees/a.PNG", "bees/b.png"]
    assert data.samples == [(str(folder / name), number) for name, number in zip(names, (0, 0, 1, 1))]
    assert data.targets == [0, 0, 1, 1] and len(data) == 4
    image, label = data[1]
    assert isinstance(image, Image.Image) and image.getpixel((0, 0)) == (30, 31, 32) and label == 0
    set_image_backend("cv2")
    try:
        arrays = DatasetFolder(str(folder), transform=T.Resize(3))
    finally:
        set_image_backend("pil")
    image, _ = pickle.loads(pickle.dumps(arrays))[3]  # a worker knows no backend
    assert image.shape == (3, 4, 3) and image[0, 0].tolist() == [10, 11, 12]
    texts = DatasetFolder(str(folder), loader=lambda path: Path(path).read_text(), extensions=[".txt"])
    assert list(texts) == [("not an image", 1)]
    chosen = DatasetFolder(str(folder), is_valid_file=lambda path: path.endswith("c.png"))
    assert chosen.samples == [(str(folder / "ants/sub/c.png"), 0)]


def test_folder_without_classes(folder: Path) -> None:
    data = ImageFolder(str(folder), transform=T.ToTensor())
    assert data.samples == [str(folder / name) for name in ("ants/d.bmp", "ants/sub/c.png", "bees/a.PNG", "bees/b.png")]
    (image,) = data[0]
    assert image.shape == (3, 6, 8) and len(list(data)) == 4


@pytest.mark.parametrize("kind", [DatasetFolder, ImageFolder])
def test_folders_without_images_are_named(kind: Any, folder: Path, tmp_path: Path) -> None:
    name = kind.__name__
    with pytest.raises(NotADirectoryError, match=f"{name}: no folder .*nowhere"):
        kind(str(tmp_path / "nowhere"))
    with pytest.raises(RuntimeError, match=f"{name}: below .*root' there is no file with one of the extensions .gif"):
        kind(str(folder), extensions=(".gif",))
    with pytest.raises(RuntimeError, match=f"{name}: below .*root' there is no file that is_valid_file takes"):
        kind(str(folder), is_valid_file=lambda path: False)
    with pytest.raises(ValueError, match=f"{name}: give extensions or is_valid_file, not both"):
        kind(str(folder), extensions=(".gif",), is_valid_file=bool)
    with pytest.raises(TypeError, match=f"{name}: extensions must be a list or tuple, not '.gif'"):
        kind(str(folder), extensions=".gif")
    (folder / "ants" / "broken.jpg").write_bytes(b"\xff\xd8 broken")
    with pytest.raises(ValueError, match="broken.jpg' is truncated"):
        list(kind(str(folder)))


def test_a_folder_without_classes_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="DatasetFolder: .* holds no folders; it should hold one per class"):
        DatasetFolder(str(tmp_path))
