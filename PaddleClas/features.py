"""Vectors of images, for use elsewhere: what the head of a trained network would make classes of."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np
from tqdm import tqdm

from core.io.array_file import array_file
from core.train.logs.run_folder import writing
from core.train.runner.experiment import opens_exported
from core.weights.atomic import atomic_write
from PaddleClas.classifier import BATCH_SIZE, Classifier, batches


class Encoder(Classifier):
    """The network of a run without its last layer: images to vectors; :func:`open_encoder` makes one."""

    def __init__(self, path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> None:
        super().__init__(path, checkpoint)
        self.size = int(self.network.num_features)
        self.network.reset_classifier(0)

    def encode(self, images: Sequence[np.ndarray], batch_size: int = BATCH_SIZE, color: str = "rgb") -> np.ndarray:
        """Return the vectors of images, float32 (images, size).

        Args:
            images: uint8, each (H, W, 3), of any size.
            batch_size: how many go through the network at once.
            color: "rgb", or "bgr" for the frames of OpenCV's cameras and videos.

        Raises:
            ValueError: an image is not of this shape and type, or too small for the preprocessing.
        """
        return self.vectors([self.preprocess(image, color) for image in images], batch_size)

    def vectors(self, inputs: Sequence[np.ndarray], batch_size: int, several: bool = False) -> np.ndarray:
        """Return the vectors of preprocessed images, float32 (images, size).

        Args:
            inputs: float32, each (C, H, W).
            batch_size: how many go through the network at once.
            several: whether there are more, so that a last, smaller batch is filled up.
        """
        found = np.empty((len(inputs), self.size), np.float32)
        for numbers, size in batches(inputs, batch_size, several or len(inputs) > batch_size):
            found[numbers] = self.answers([inputs[number] for number in numbers], size)
        return found


def open_encoder(path: Union[str, os.PathLike[str]], checkpoint: str = "best") -> Encoder:
    """Open the folder of a run for the vectors that its network makes of images.

    Args:
        path: the folder.
        checkpoint: which one.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
        ValueError: it is an exported folder, which holds the network with its last layer.
    """
    if opens_exported(path):
        message = "is an exported folder, whose program ends with the classes; features take the folder of the run"
        raise ValueError(f"{os.fspath(path)!r} {message}")
    return Encoder(path, checkpoint)


def write_features(encoder: Encoder, sources: Sequence[Any], file: str, batch_size: int) -> list[str]:
    """Write a row for each image, and FILE.jsonl beside it: which image is which row.

    Args:
        encoder: gives the vectors.
        sources: the images, with ``name``, ``read()`` and ``truth``.
        file: ends in .npy.
        batch_size: how many images go through the network at once.

    Returns:
        One line for each image that could not be read; it has no row.

    Raises:
        OutputError: a file cannot be written.
    """
    failures = []
    names = Path(file).with_suffix(".jsonl")
    hidden = len(sources) <= batch_size or not sys.stderr.isatty()
    with writing(file), array_file(file, (encoder.size,)) as rows, atomic_write(names) as lines:
        for first in tqdm(range(0, len(sources), batch_size), unit="batch", dynamic_ncols=True, disable=hidden):
            read: list[tuple[Any, np.ndarray]] = []
            for source in sources[first : first + batch_size]:
                try:
                    read.append((source, encoder.preprocess(source.read())))
                except (OSError, ValueError) as error:
                    failures.append(f"{source.name}: {' '.join(str(error).split())}")
            if read:
                rows.append(encoder.vectors([entry for _, entry in read], batch_size, len(sources) > batch_size))
            for source, _ in read:
                known = {"image": source.name, "true": source.truth}
                lines.write((json.dumps(known, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    return failures
