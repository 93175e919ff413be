"""Reading photographs: JPEG decode + random-resized-crop + flip + normalise to batches of Tensors, in images/s.

    pip install torch                          # for the row that compares with PyTorch's loader
    python -m benchmarks.core.loader FOLDER [--rounds 8] [--images 512] [--batch 32] [--workers 2] [--paddle PYTHON]

FOLDER holds the photographs, at any depth. Every loader gets the same data set with the same transforms, core.vision's,
its own collation and its own Tensors, and keeps its workers from one epoch to the next. `--paddle` names a Python in
which paddlepaddle, opencv-python (4.11 or newer), numpy and pillow are installed; there, Paddle's loader is also
measured with Paddle's own transforms. Each side is a program of its own; the sides of a row take turns, an epoch each,
and the ratio is the median of the rounds' ratios, because machines are noisy. A ratio above 1 says that the first side
is faster.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

from benchmarks.side import Side, Steps, compare, lacking, require

SIZE = 224
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def main() -> None:
    """Print one row per comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the photographs are")
    parser.add_argument("--rounds", type=int, default=8, help="rounds in which the sides take turns (default 8)")
    parser.add_argument("--images", type=int, default=512, help="images per epoch (default 512)")
    parser.add_argument("--batch", type=int, default=32, help="images per batch (default 32)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes (default 2)")
    parser.add_argument("--paddle", metavar="PYTHON", help="compare with the paddlepaddle of this Python")
    arguments = parser.parse_args()
    if arguments.paddle:
        require("paddle", python=arguments.paddle)
    missing = lacking("torch")
    if missing:
        print(f"no row of PyTorch, {missing}")
    workers = arguments.workers

    def side(name: str, count: int, python: str = sys.executable) -> Side:
        given = (name, arguments.folder, arguments.images, arguments.batch, count)
        return Side(f"{name}, {count} workers", steps, given, python=python)

    ours, one, none = side("ours", workers), side("ours", 1), side("ours", 0)
    peers = [one, none]
    if not missing:
        peers.append(side("PyTorch", workers))
    if arguments.paddle:
        peers += [side("Paddle", workers, arguments.paddle), side("Paddle, its transforms", workers, arguments.paddle)]
    print(f"{'':25} {'images/s':>9}   {'against':35} {'images/s':>9} {'ratio':>7}")
    for peer in peers:
        mine, theirs, ratio = compare((ours, "epoch"), (peer, "epoch"), arguments.rounds)
        images = arguments.images
        print(f"{ours.name:25} {images / mine:9.1f}   {peer.name:35} {images / theirs:9.1f} {ratio:7.2f}", flush=True)
    for each in (ours, *peers):
        each.close()


# --- inside a side ---------------------------------------------------------------------------------------------------


class Photos:
    """The photographs of a folder, over and over; sample i is (image, its class).

    Args:
        folder: where they are.
        count: how many samples there are.
        read: makes an array of a path.
    """

    def __init__(self, folder: str, count: int, read: Callable[[str], Any]) -> None:
        paths = sorted(str(path) for path in Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
        if not paths:
            raise SystemExit(f"no JPEG files below {folder!r}")
        self.paths = [paths[number * 7 % len(paths)] for number in range(count)]
        self.read = read

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.read(self.paths[index]), index % 10

    def __len__(self) -> int:
        return len(self.paths)


class Transformed:
    """Read an image and transform it."""

    def __init__(self, read: Callable[[str], Any], transform: Callable[[Any], Any]) -> None:
        self.read = read
        self.transform = transform

    def __call__(self, path: str) -> Any:
        """Return the image of a file after the transforms."""
        return self.transform(self.read(path))


def one_thread(worker: int) -> None:
    """Keep OpenCV from using more cores than its worker's own."""
    import cv2

    cv2.setNumThreads(1)


def ours(folder: str, images: int, batch: int, workers: int) -> Callable[[], Iterator[Any]]:
    """Return what gives our loader's batches."""
    from core.io import DataLoader, Dataset

    dataset = _as(Dataset, folder, images, _our_transforms())
    options = {"persistent_workers": True} if workers else {}
    loader = DataLoader(dataset, batch_size=batch, shuffle=True, num_workers=workers, seed=0, **options)
    return lambda: iter(loader)


def pytorch(folder: str, images: int, batch: int, workers: int) -> Callable[[], Iterator[Any]]:
    """Return what gives the batches of PyTorch's loader."""
    from torch.utils.data import DataLoader, Dataset

    dataset = _as(Dataset, folder, images, _our_transforms())
    loader = DataLoader(
        dataset, batch, shuffle=True, num_workers=workers, persistent_workers=True, worker_init_fn=one_thread
    )
    return lambda: iter(loader)


def paddle(
    folder: str, images: int, batch: int, workers: int, transforms: Callable[[], Transformed]
) -> Callable[[], Iterator[Any]]:
    """Return what gives the batches of Paddle's loader."""
    import zlib  # noqa: F401  # before Paddle, whose own copy of it is another version

    from paddle.io import DataLoader, Dataset

    dataset = _as(Dataset, folder, images, transforms())
    loader = DataLoader(
        dataset,
        batch_size=batch,
        shuffle=True,
        num_workers=workers,
        persistent_workers=True,
        worker_init_fn=one_thread,
        return_list=True,
    )
    return lambda: iter(loader)


def _as(base: type, folder: str, images: int, read: Callable[[str], Any]) -> Any:
    """Return the photographs as a data set of a library; of the module, so that a worker process finds the class."""
    if base.__module__.startswith("core."):
        return Photos(folder, images, read)
    return type("Photos", (Photos, base), {})(folder, images, read)


def _our_transforms() -> Transformed:
    from core.vision import read_image, transforms

    return Transformed(
        read_image,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(SIZE),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize(MEAN, DEVIATION),
            ]
        ),
    )


def _paddles_transforms() -> Transformed:
    from paddle.vision import image_load, set_image_backend, transforms

    set_image_backend("cv2")
    mean, deviation = ([255 * value for value in values] for values in (MEAN, DEVIATION))
    return Transformed(
        image_load,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(SIZE),
                transforms.RandomHorizontalFlip(),
                transforms.Transpose(),
                transforms.Normalize(mean, deviation),
            ]
        ),
    )


SIDES: dict[str, Callable[..., Callable[[], Iterator[Any]]]] = {
    "ours": ours,
    "PyTorch": pytorch,
    "Paddle": lambda *arguments: paddle(*arguments, transforms=_our_transforms),
    "Paddle, its transforms": lambda *arguments: paddle(*arguments, transforms=_paddles_transforms),
}


def steps(name: str, folder: str, images: int, batch: int, workers: int) -> Steps:
    """Return the one step of a side: an epoch."""
    batches = SIDES[name](folder, images, batch, workers)

    def epoch() -> None:
        assert sum(len(batch[1]) for batch in batches()) == images

    return {"epoch": epoch}


if __name__ == "__main__":
    main()
