"""Pascal VOC 2012, segmentation.

Paper: M. Everingham et al., "The PASCAL Visual Object Classes Challenge 2012",
    http://host.robots.ox.ac.uk/pascal/VOC/voc2012.
"""

from __future__ import annotations

import io
from typing import Any, Callable, Optional

import numpy as np
from PIL import Image

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.vision.datasets.source import as_sample, choose_backend
from core.vision.decoding import decode_image, open_with_pillow
from core.weights.archives import Member, archive_members
from core.weights.compressed import ArchiveError

_ROOT = "VOCdevkit/VOC2012/"
_SETS = {"train": "trainval", "test": "train", "valid": "val"}  # Paddle's choice


class VOC2012(Dataset):
    """Photographs with the class of each pixel: 2,913 to train, 1,464 of these to test, 1,449 of these to validate.

    Sample i is (image, mask). As PIL images, RGB and palette; or as float32 of shapes (H, W, 3) and (H, W), the mask
    with class numbers 0 to 20, and 255 at borders. Only the image is transformed.

    Args:
        data_file: the archive, a tar file that is not compressed; None: the published one.
        mode: "train", "valid" or "test".
        transform: what to do with an image.
        download: whether the published file may be downloaded.
        backend: "pil" or "cv2": the kind of image; None: the one of :func:`core.vision.set_image_backend`.

    Raises:
        FileNotFoundError: a given file is missing.
        ValueError: it is not such an archive, or lacks a part; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source("https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar", "6cd6e144f989b92b3379bac3b3de84fd")

    def __init__(
        self,
        data_file: Optional[str] = None,
        mode: str = "train",
        transform: Optional[Callable[[Any], Any]] = None,
        download: bool = True,
        backend: Optional[str] = None,
    ) -> None:
        self.flag = _SETS[choose_mode("VOC2012", mode, ("train", "valid", "test"))]
        self.backend = choose_backend("VOC2012", backend)
        self.data_file = local_file("VOC2012", "data_file", data_file, self.source, download)
        self.transform = transform
        try:
            self._places = {
                member.name: (_offset(member), member.size)
                for member in archive_members(self.data_file)
                if member.kind == "file"
            }
        except ArchiveError as error:
            raise ValueError(f"VOC2012: {self.data_file!r} is no whole tar file: {error}") from None
        names = self._content(f"{_ROOT}ImageSets/Segmentation/{self.flag}.txt").decode("utf-8").split()
        self.data = [f"{_ROOT}JPEGImages/{name}.jpg" for name in names]
        self.labels = [f"{_ROOT}SegmentationClass/{name}.png" for name in names]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        picture, label = self.data[index], self.labels[index]
        pixels = decode_image(self._content(picture), f"{self.data_file}/{picture}")
        mask: Any = open_with_pillow(self._content(label), f"{self.data_file}/{label}")
        image: Any = Image.fromarray(pixels) if self.backend == "pil" else pixels
        if self.transform is not None:
            image = self.transform(image)
        return as_sample(image, self.backend), mask if self.backend == "pil" else np.asarray(mask, dtype=np.float32)

    def __len__(self) -> int:
        return len(self.data)

    def _content(self, name: str) -> bytes:
        """Read a member; no file stays open, so that the data set can be sent to a worker process."""
        if name not in self._places:
            raise ValueError(f"VOC2012: {self.data_file!r} holds no {name!r}")
        offset, size = self._places[name]
        with open(self.data_file, "rb") as stream:
            stream.seek(offset, io.SEEK_SET)
            return stream.read(size)


def _offset(member: Member) -> int:
    if member.offset is None:
        raise ArchiveError("it is compressed, or a member has holes; give the archive as it is published")
    return member.offset
