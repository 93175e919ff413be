"""One photograph on one core: JPEG decode + random-resized-crop + flip + to tensor + normalise, in photographs per
second.

    pip install torch                          # for the row that compares with Pillow and PyTorch
    python -m benchmarks.core.transforms FOLDER [--rounds 10] [--images 64] [--paddle PYTHON]

FOLDER holds the photographs, at any depth. The peers are what torchvision does with PIL images, written out here in
Pillow and PyTorch, and Paddle's transforms on OpenCV and on Pillow; `--paddle` names a Python in which paddlepaddle,
opencv-python and pillow are installed. Each side is a program of its own with one thread, and its processor time
counts; the sides of a row take turns, an epoch each, and the ratio is the median of the rounds' ratios, because
machines are noisy. A ratio above 1 says that ours is faster. Below that is where our own time goes.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any, Callable

from benchmarks.side import Side, Steps, compare, lacking, require

SIZE = 224
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def main() -> None:
    """Print one row per comparison, and the parts of our own time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the photographs are")
    parser.add_argument("--rounds", type=int, default=10, help="rounds in which the sides take turns (default 10)")
    parser.add_argument("--images", type=int, default=64, help="photographs per round (default 64)")
    parser.add_argument("--paddle", metavar="PYTHON", help="compare with the paddlepaddle of this Python")
    arguments = parser.parse_args()
    if arguments.paddle:
        require("paddle", python=arguments.paddle)
    missing = lacking("torch")
    if missing:
        print(f"no row of pillow and torch, {missing}")

    def side(name: str, python: str = sys.executable) -> Side:
        given = (name, arguments.folder, arguments.images)
        return Side(name, steps, given, threads=1, python=python, processor=True)

    ours = side("ours")
    peers = [] if missing else [side("pillow and torch")]
    if arguments.paddle:
        peers += [side(name, arguments.paddle) for name in ("paddle cv2", "paddle pil")]
    print(f"{'ours, photographs/s':>20} {'against':18} {'photographs/s':>14} {'ratio':>7}")
    for peer in peers:
        mine, theirs, ratio = compare((ours, "epoch"), (peer, "epoch"), arguments.rounds)
        speeds = f"{arguments.images / mine:20.0f} {peer.name:18} {arguments.images / theirs:14.0f}"
        print(f"{speeds} {ratio:7.2f}", flush=True)
    print(f"\n{'our part':34} {'microseconds':>12}")
    for part in ours.steps[1:]:
        seconds = min(ours.seconds(part) for _ in range(arguments.rounds))
        print(f"{part:34} {1e6 * seconds / arguments.images:12.0f}")
    for each in (ours, *peers):
        each.close()


# --- inside a side ---------------------------------------------------------------------------------------------------

OfAPhotograph = dict[str, Callable[[str], Any]]


def ours() -> OfAPhotograph:
    """Return what we do with a photograph, and the parts of it."""
    import cv2

    from core.io.randomness import sample_scope
    from core.vision import read_image
    from core.vision import transforms as T

    cv2.setNumThreads(1)
    crop, flip = T.RandomResizedCrop(SIZE), T.RandomHorizontalFlip()
    to_tensor, normalize = T.ToTensor(), T.Normalize(MEAN, DEVIATION)
    everything = T.Compose([crop, flip, to_tensor, normalize])
    fused, apart = T.Compose([to_tensor, normalize]), (lambda image: normalize(to_tensor(image)))
    number = iter(range(10**9))
    read: dict[str, Any] = {}
    cut: dict[str, Any] = {}

    def epoch(path: str) -> Any:
        with sample_scope(0, 0, next(number)):
            return everything(read_image(path))

    def image(path: str) -> Any:
        if path not in read:
            read[path] = read_image(path)
        return read[path]

    def crop_of(path: str) -> Any:
        if path not in cut:
            cut[path] = crop(image(path))
        return cut[path]

    return {
        "epoch": epoch,
        "read and decode": read_image,
        "random-resized-crop": lambda path: crop(image(path)),
        "flip": lambda path: flip(crop_of(path)),
        "to tensor + normalise, in one pass": lambda path: fused(crop_of(path)),
        "to tensor + normalise, apart": lambda path: apart(crop_of(path)),
    }


def pillow_and_torch() -> OfAPhotograph:
    """Return what torchvision does with a PIL image."""
    import numpy as np
    import torch
    from PIL import Image

    torch.set_num_threads(1)
    mean, deviation = torch.tensor(MEAN).view(-1, 1, 1), torch.tensor(DEVIATION).view(-1, 1, 1)

    def epoch(path: str) -> Any:
        with open(path, "rb") as stream:
            image = Image.open(stream).convert("RGB")  # noqa: TID251 (this is what is measured)
        left, top, width, height = rectangle(image.width, image.height)
        image = image.crop((left, top, left + width, top + height)).resize((SIZE, SIZE), Image.Resampling.BILINEAR)
        if random.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        pixels = torch.from_numpy(np.array(image, np.uint8, copy=True))
        scaled = pixels.permute((2, 0, 1)).contiguous().to(dtype=torch.float32).div(255)
        return scaled.clone().sub_(mean).div_(deviation)

    return {"epoch": epoch}


def paddle(backend: str) -> OfAPhotograph:
    """Return what Paddle's transforms do on one of their back ends, to an array in the end as ours."""
    import zlib  # noqa: F401  # must be loaded before paddle

    import cv2
    from paddle.vision import image_load
    from paddle.vision import transforms as T

    cv2.setNumThreads(1)
    steps = [T.RandomResizedCrop(SIZE), T.RandomHorizontalFlip(), T.Transpose()]
    everything = T.Compose([*steps, T.Normalize([255 * m for m in MEAN], [255 * d for d in DEVIATION])])

    def epoch(path: str) -> Any:
        image = image_load(path, backend)
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB) if backend == "cv2" else image.convert("RGB")
        return everything(image)

    return {"epoch": epoch}


def rectangle(columns: int, rows: int) -> tuple[int, int, int, int]:
    """Draw the (left, top, width, height) of a random-resized-crop."""
    for _ in range(10):
        area, aspect = random.uniform(0.08, 1) * columns * rows, 2 ** random.uniform(-0.415, 0.415)
        width, height = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
        if width <= columns and height <= rows:
            return random.randint(0, columns - width), random.randint(0, rows - height), width, height
    return 0, 0, columns, rows


SIDES: dict[str, Callable[[], OfAPhotograph]] = {
    "ours": ours,
    "pillow and torch": pillow_and_torch,
    "paddle cv2": lambda: paddle("cv2"),
    "paddle pil": lambda: paddle("pil"),
}


def steps(name: str, folder: str, images: int) -> Steps:
    """Return what a side does with all photographs."""
    found = sorted(str(path) for path in Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
    if not found:
        raise SystemExit(f"no JPEG files below {folder!r}")
    paths = [found[number % len(found)] for number in range(images)]

    def of_each(step: Callable[[str], Any]) -> Callable[[], None]:
        def run() -> None:
            for path in paths:
                step(path)

        return run

    return {key: of_each(step) for key, step in SIDES[name]().items()}


if __name__ == "__main__":
    main()
