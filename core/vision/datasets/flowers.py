"""The 102 flowers of Oxford.

Paper: M.-E. Nilsback, A. Zisserman, "Automated flower classification over a large number of classes", 2008,
https://www.robots.ox.ac.uk/~vgg/data/flowers/102.
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Optional

import numpy as np
from PIL import Image

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.vision.datasets.source import as_sample, choose_backend
from core.vision.image import read_image
from core.vision.matlab import read_matlab
from core.weights.compressed import ArchiveError
from core.weights.unpacking import unpack

_URL = "http://paddlemodels.bj.bcebos.com/flowers/"
_SETS = {"train": "tstid", "test": "trnid", "valid": "valid"}  # Paddle trains on the larger part


class Flowers(Dataset):
    """8,189 photographs of 102 kinds of flowers, in Paddle's split: 6,149 to train, 1,020 to test, 1,020 to validate.

    Sample i is (image, label): a PIL image of mode RGB, or float32 of shape (H, W, 3) from 0 to 255, after the
    transform; and int64 of shape (1,), the kind from 1 to 102.

    Args:
        data_file: the archive of photographs; unpacked once, beside it. None: the published one.
        label_file: the kinds, a Matlab file; None: the published one.
        setid_file: the split, a Matlab file; None: the published one.
        mode: "train", "valid" or "test".
        transform: what to do with an image.
        download: whether published files may be downloaded.
        backend: "pil" or "cv2": the kind of image; None: the one of :func:`core.vision.set_image_backend`.
        maximum_bytes: how many bytes may be unpacked; None: 2 GB or 200 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: a given file is missing.
        ValueError: a file is damaged or holds something else; or an argument is unknown.
        ConnectionError: a file cannot be downloaded.
    """

    sources = {
        "data_file": Source(_URL + "102flowers.tgz", "52808999861908f626f3c1f4e79d11fa"),
        "label_file": Source(_URL + "imagelabels.mat", "e0620be6f572b9609742df49c70aed4d"),
        "setid_file": Source(_URL + "setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c"),
    }

    def __init__(
        self,
        data_file: Optional[str] = None,
        label_file: Optional[str] = None,
        setid_file: Optional[str] = None,
        mode: str = "train",
        transform: Optional[Callable[[Any], Any]] = None,
        download: bool = True,
        backend: Optional[str] = None,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        chosen = _SETS[choose_mode("Flowers", mode, ("train", "valid", "test"))]
        self.backend = choose_backend("Flowers", backend)
        given = {"data_file": data_file, "label_file": label_file, "setid_file": setid_file}
        paths = {
            name: local_file("Flowers", name, path or None, self.sources[name], download)
            for name, path in given.items()
        }
        self.transform = transform
        self.labels = _matlab_row(paths["label_file"], "labels")
        self.indexes = _matlab_row(paths["setid_file"], chosen)
        if len(self.indexes) and (self.indexes.min() < 1 or self.indexes.max() > len(self.labels)):
            raise ValueError(
                f"Flowers: {paths['setid_file']!r} names image {self.indexes.max()}, but {paths['label_file']!r} has "
                f"{len(self.labels)} labels"
            )
        folder = re.sub(r"(\.tgz|\.tar\.gz|\.tar)$", "", paths["data_file"]) + "_images"
        try:
            self.data_path = str(unpack(paths["data_file"], _place, folder, maximum_bytes))
        except ArchiveError as error:
            raise ValueError(f"Flowers: {paths['data_file']!r} is no whole archive: {error}") from None

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        number = int(self.indexes[index])
        pixels = read_image(os.path.join(self.data_path, "jpg", f"image_{number:05d}.jpg"))
        image: Any = Image.fromarray(pixels) if self.backend == "pil" else pixels
        if self.transform is not None:
            image = self.transform(image)
        return as_sample(image, self.backend), self.labels[number - 1 : number].astype(np.int64)

    def __len__(self) -> int:
        return len(self.indexes)


def _matlab_row(path: str, name: str) -> np.ndarray:
    content = read_matlab(path, "Flowers")
    if name not in content or content[name].ndim != 2 or content[name].dtype.kind not in "iu":
        raise ValueError(f"Flowers: {path!r} holds no row of whole numbers {name!r}")
    return content[name][0].astype(np.int64)


def _place(name: str) -> Optional[str]:
    """Return where a member of the archive is unpacked to; None for one that is no photograph."""
    base = name.rpartition("/")[2]
    return f"jpg/{base}" if re.fullmatch(r"image_\d{5}\.jpg", base) else None
