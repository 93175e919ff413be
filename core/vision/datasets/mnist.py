"""MNIST, and Fashion-MNIST in its file format."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.vision.datasets.idx import read_idx
from core.vision.datasets.source import as_backend, as_sample, choose_backend

_MNIST = "https://dataset.bj.bcebos.com/mnist/"
_FASHION = "https://dataset.bj.bcebos.com/fashion_mnist/"


class MNIST(Dataset):
    """Handwritten digits: 60,000 grey images of 28 x 28 pixels to train and 10,000 to test.

    Paper: Y. LeCun et al., "Gradient-based learning applied to document recognition", 1998;
        http://yann.lecun.com/exdb/mnist.

    Sample i is (image, label): a PIL image of mode L, or float32 of shape (28, 28) from 0 to 255, after the transform;
    and int64 of shape (1,).

    Args:
        image_path: the images' IDX file, plain or gzipped; None: the published one.
        label_path: the labels' IDX file; None: the published one.
        mode: "train" or "test": which of the published files.
        transform: what to do with an image.
        download: whether published files may be downloaded.
        backend: "pil" or "cv2": the kind of image; None: the one of :func:`core.vision.set_image_backend`.
        maximum_bytes: how many bytes a file may unpack to; None: 2 GB or 200 times its size, whichever is more.

    Raises:
        FileNotFoundError: a given file is missing.
        ValueError: a file is not IDX, is truncated, or the two do not fit; or an argument is unknown.
        ConnectionError: a file cannot be downloaded.
    """

    sources = {
        "train": (
            Source(_MNIST + "train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
            Source(_MNIST + "train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ),
        "test": (
            Source(_MNIST + "t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
            Source(_MNIST + "t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
        ),
    }

    def __init__(
        self,
        image_path: Optional[str] = None,
        label_path: Optional[str] = None,
        mode: str = "train",
        transform: Optional[Callable[[Any], Any]] = None,
        download: bool = True,
        backend: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        owner = type(self).__name__
        self.mode = choose_mode(owner, mode, ("train", "test"))
        self.backend = choose_backend(owner, backend)
        image_source, label_source = self.sources[self.mode]
        self.image_path = local_file(owner, "image_path", image_path, image_source, download)
        self.label_path = local_file(owner, "label_path", label_path, label_source, download)
        self.transform = transform
        self.images = read_idx(self.image_path, maximum_bytes)
        self.labels = read_idx(self.label_path, maximum_bytes)
        if self.images.ndim != 3 or self.labels.ndim != 1 or len(self.images) != len(self.labels):
            raise ValueError(
                f"{owner}: {self.image_path!r} of shape {self.images.shape} and {self.label_path!r} of shape "
                f"{self.labels.shape} are not N images and N labels"
            )

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        image: Any = self.images[index]
        image = as_backend(image if self.backend == "pil" else image.astype(np.float32), self.backend)
        if self.transform is not None:
            image = self.transform(image)
        return as_sample(image, self.backend), self.labels[index : index + 1 or None].astype(np.int64)

    def __len__(self) -> int:
        return len(self.labels)


class FashionMNIST(MNIST):
    """Articles of clothing: 60,000 grey images of 28 x 28 pixels to train and 10,000 to test, in 10 classes.

    Paper: "Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning Algorithms",
    https://arxiv.org/abs/1708.07747.

    Samples, arguments and errors are those of :class:`MNIST`.

    Args:
        image_path: the images' IDX file, plain or gzipped; None: the published one.
        label_path: the labels' IDX file; None: the published one.
        mode: "train" or "test": which of the published files.
        transform: what to do with an image.
        download: whether published files may be downloaded.
        backend: "pil" or "cv2": the kind of image; None: the one of :func:`core.vision.set_image_backend`.
        maximum_bytes: how many bytes a file may unpack to; None: 2 GB or 200 times its size, whichever is more.
    """

    sources = {
        "train": (
            Source(_FASHION + "train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
            Source(_FASHION + "train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ),
        "test": (
            Source(_FASHION + "t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
            Source(_FASHION + "t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
        ),
    }
