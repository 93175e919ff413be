"""The reader alone: images/s from JPEG files to batches of 608 x 608 pixels, ours beside ppdet's transforms.

    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 paddledet==2.6.0
    python -m benchmarks.PaddleDetection.reader FOLDER --paddle PADDLE/bin/python [--rounds 4] [--images 64]

FOLDER holds photographs, at any depth; each gets three boxes. Both sides decode, mix up, distort, expand, crop, mirror,
resize, normalise, and put channels first, with the same settings, and read with two workers of their own loader. They
take turns, an epoch each, and keep their workers; a ratio above 1 says that ours is faster.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import cv2
import numpy as np

from benchmarks.side import Side, compare, require

SIZE, BATCH, WORKERS = 608, 8, 2
FILL = [123.675, 116.28, 103.53]


class Photos:
    """Photographs of a folder, over and over, after a list of functions of a sample and of another one.

    Args:
        folder: where they are.
        count: how many samples there are.
        make: returns the functions.
    """

    def __init__(self, folder: str, count: int, make: Callable[[], Sequence[Callable[[Any, Any], Any]]]) -> None:
        self.files = sorted(str(path) for path in Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
        if not self.files:
            raise SystemExit(f"no JPEG files below {folder!r}")
        self.count, self.make = count, make
        self.steps: Any = None

    def sample(self, index: int) -> dict[str, Any]:
        """Return a sample before the transforms."""
        cv2.setNumThreads(1)
        boxes = np.array([[20, 30, 150, 200], [100, 50, 250, 160], [10, 10, 60, 70]], np.float32)
        objects = {"gt_class": np.array([[1], [2], [3]], np.int32), "gt_score": np.ones((3, 1), np.float32)}
        about = {"im_id": np.array([index]), "index": index, "curr_iter": 0, "is_crowd": np.zeros((3, 1), np.int32)}
        return {"im_file": self.files[index % len(self.files)], "gt_bbox": boxes, **objects, **about}

    def __getitem__(self, index: int) -> np.ndarray:
        self.steps = self.steps or self.make()
        made = self.sample(index)
        for step in self.steps:
            made = step(made, lambda: self.sample((index * 7 + 3) % self.count))
        return np.ascontiguousarray(made["image"])

    def __len__(self) -> int:
        return self.count


def our_steps() -> list[Callable[[Any, Any], Any]]:
    """Return our transforms."""
    from PaddleDetection.data.transforms import basic, color, cropping, mixing, padding

    mixup = mixing.Mixup()
    alone = [color.RandomDistort(), padding.RandomExpand(fill_value=FILL), cropping.RandomCrop(), basic.RandomFlip()]
    alone += [basic.Resize([SIZE, SIZE]), basic.NormalizeImage(), basic.Permute()]
    first = basic.Decode()
    return [
        lambda sample, another: mixup({**first(sample), "another": another}),
        *((lambda sample, another, step=step: step(sample)) for step in alone),
    ]


def their_steps() -> list[Callable[[Any, Any], Any]]:
    """Return those of ppdet."""
    import sys
    import types
    import zlib  # noqa: F401  # before Paddle, whose own copy of it is another version

    sys.modules.setdefault("aistudio_sdk", types.ModuleType("aistudio_sdk"))  # not needed, and not on the index
    from ppdet.data.transform import operators

    first, mixup = operators.Decode(), operators.Mixup(1.5, 1.5)
    alone = [operators.RandomDistort(), operators.RandomExpand(fill_value=FILL), operators.RandomCrop()]
    alone += [operators.RandomFlip(), operators.Resize([SIZE, SIZE], keep_ratio=False, interp=1)]
    alone += [operators.NormalizeImage(), operators.Permute()]
    return [
        lambda sample, another: mixup([first(sample), first(another())]),
        *((lambda sample, another, step=step: step(sample)) for step in alone),
    ]


def ours(folder: str, images: int) -> dict[str, Callable[[], Any]]:
    """Return an epoch of our loader."""
    from core.io import DataLoader

    loader = DataLoader(
        Photos(folder, images, our_steps), batch_size=BATCH, num_workers=WORKERS, persistent_workers=True, seed=0
    )
    return {"epoch": lambda: [None for _ in loader]}


def theirs(folder: str, images: int) -> dict[str, Callable[[], Any]]:
    """Return an epoch of Paddle's loader."""
    import zlib  # noqa: F401

    from paddle.io import DataLoader, Dataset

    dataset = type("Photos", (Photos, Dataset), {})(folder, images, their_steps)
    options = {"num_workers": WORKERS, "persistent_workers": True, "return_list": True}
    loader = DataLoader(dataset, batch_size=BATCH, **options)
    return {"epoch": lambda: [None for _ in loader]}


def main() -> None:
    """Print images/s of both sides, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the photographs are")
    parser.add_argument("--paddle", required=True, metavar="PYTHON", help="has paddlepaddle and paddledet")
    parser.add_argument("--rounds", type=int, default=4, help="rounds in which the sides take turns (default 4)")
    parser.add_argument("--images", type=int, default=64, help="images of an epoch (default 64)")
    options = parser.parse_args()
    require("paddle", "ppdet", python=options.paddle)
    arguments = [options.folder, options.images]
    sides = Side("ours", ours, arguments, 1), Side("ppdet", theirs, arguments, 1, python=options.paddle)
    mine, other, ratio = compare((sides[0], "epoch"), (sides[1], "epoch"), options.rounds)
    for side in sides:
        side.close()
    print(f"ours {options.images / mine:.1f} images/s, ppdet {options.images / other:.1f}: ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
