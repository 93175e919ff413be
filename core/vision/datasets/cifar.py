"""CIFAR-10 and CIFAR-100.

Paper: A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009,
    https://www.cs.toronto.edu/~kriz/cifar.html.
"""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.vision.datasets.source import as_backend, as_sample, choose_backend
from core.weights.archives import archive_members
from core.weights.formats.unpickler import load_plain

_URL = "https://dataset.bj.bcebos.com/cifar/"


class Cifar10(Dataset):
    """Small photographs in 10 classes: 50,000 of 32 x 32 pixels to train and 10,000 to test.

    Sample i is (image, label): a PIL image of mode RGB, or float32 of shape (32, 32, 3) from 0 to 255, after the
    transform; and int64 of shape ().

    Args:
        data_file: the archive "for Python" or the binary one, a tar file, gzipped or not, or the folder that it was
            unpacked to; None: the published one.
        mode: "train" or "test".
        transform: what to do with an image.
        download: whether the published file may be downloaded.
        backend: "pil" or "cv2": the kind of image; None: the one of :func:`core.vision.set_image_backend`.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: a given file is missing.
        ValueError: it is not such an archive, is damaged, or asks for code to be run; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source(_URL + "cifar-10-python.tar.gz", "c58f30108f718f92721af3b95e74349a")
    members = {"train": "data_batch", "test": "test_batch"}
    label_bytes = 1

    def __init__(
        self,
        data_file: Optional[str] = None,
        mode: str = "train",
        transform: Optional[Callable[[Any], Any]] = None,
        download: bool = True,
        backend: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        owner = type(self).__name__
        self.mode = choose_mode(owner, mode, ("train", "test"))
        self.backend = choose_backend(owner, backend)
        if data_file is None or not os.path.isdir(data_file):
            data_file = local_file(owner, "data_file", data_file, self.source, download)
        self.data_file = data_file
        self.transform = transform
        self.images, self.labels = read_cifar(
            owner, self.data_file, self.members[self.mode], self.label_bytes, maximum_bytes
        )

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        image: Any = as_backend(np.ascontiguousarray(self.images[index].transpose(1, 2, 0)), self.backend)
        if self.transform is not None:
            image = self.transform(image)
        return as_sample(image, self.backend), np.array(self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)


class Cifar100(Cifar10):
    """Small photographs in 100 classes: 50,000 of 32 x 32 pixels to train and 10,000 to test.

    Samples, arguments and errors are those of :class:`Cifar10`; labels are the fine ones.

    Args:
        data_file: the archive "for Python" or the binary one, a tar file, gzipped or not, or the folder that it was
            unpacked to; None: the published one.
        mode: "train" or "test".
        transform: what to do with an image.
        download: whether the published file may be downloaded.
        backend: "pil" or "cv2": the kind of image; None: the one of :func:`core.vision.set_image_backend`.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the archive's size, whichever is more.
    """

    source = Source(_URL + "cifar-100-python.tar.gz", "eb9058c3a382ffc7106e4002c42a8d85")
    members = {"train": "train", "test": "test"}
    label_bytes = 2  # the coarse one, then the fine one


def read_cifar(
    owner: str, path: str, wanted: str, label_bytes: int, maximum_bytes: Optional[int] = None
) -> tuple[np.ndarray, np.ndarray]:
    """Read the images and labels of a split.

    Args:
        owner: the data set, for messages.
        path: the archive, or the folder that it was unpacked to.
        wanted: how the names of the split's files begin.
        label_bytes: how many bytes an image's label has in the binary files; the last one counts.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the archive's size, whichever is more.

    Returns:
        Images, uint8 of shape (N, 3, 32, 32), and labels, int64 of shape (N,).

    Raises:
        ValueError: there are no such files, one is damaged or asks for code to be run, or too much is unpacked.
    """
    batches = []
    try:
        for name, data in _files(path, wanted, maximum_bytes):
            if name.endswith(".bin"):
                batches.append((name, _binary_batch(data, name, label_bytes)))
            else:
                batches.append((name, _checked_batch(load_plain(io.BytesIO(data)), name)))
    except (OSError, pickle.UnpicklingError, ValueError) as error:
        raise ValueError(f"{owner}: {path!r} cannot be read: {error}") from None
    if not batches:
        raise ValueError(f"{owner}: {path!r} holds no member {wanted!r}; is it another data set's archive?")
    found = [batch for _, batch in sorted(batches, key=lambda entry: entry[0])]
    return np.concatenate([images for images, _ in found]), np.concatenate([labels for _, labels in found])


def _files(path: str, wanted: str, maximum_bytes: Optional[int]) -> Iterator[tuple[str, bytes]]:
    """Yield name and contents of each file whose name starts with ``wanted``, of an archive or a folder."""
    if os.path.isdir(path):
        for file in sorted(Path(path).rglob(f"{wanted}*")):
            if file.is_file():
                yield file.name, file.read_bytes()
        return
    for member in archive_members(path, maximum_bytes):
        if member.kind == "file" and member.name.rpartition("/")[2].startswith(wanted):
            yield member.name, member.read()


def _binary_batch(data: bytes, name: str, label_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    size = label_bytes + 3 * 32 * 32
    if not data or len(data) % size:
        raise ValueError(f"its member {name!r} of {len(data)} bytes is cut off: an image with its label has {size}")
    rows = np.frombuffer(data, dtype=np.uint8).reshape(-1, size)
    return rows[:, label_bytes:].reshape(-1, 3, 32, 32), rows[:, label_bytes - 1].astype(np.int64)


def _checked_batch(batch: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    content = {key.decode("latin1") if isinstance(key, bytes) else key: value for key, value in dict(batch).items()}
    images, labels = content.get("data"), content.get("labels", content.get("fine_labels"))
    if not isinstance(images, np.ndarray) or labels is None or images.shape != (len(labels), 3 * 32 * 32):
        raise ValueError(f"its member {name!r} holds no images of 3 x 32 x 32 bytes with one label each")
    return images.astype(np.uint8).reshape(-1, 3, 32, 32), np.array(labels, dtype=np.int64)
