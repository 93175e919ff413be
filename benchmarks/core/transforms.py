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
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
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
    from benchmarks.side import compare, lacking, require

    if arguments.paddle:
        require("paddle", python=arguments.paddle)
    missing = lacking("torch")
    if missing:
        print(f"no row of pillow and torch, {missing}")
    ours = Side("ours", sys.executable, arguments.folder, arguments.images)
    peers = []
    if not missing:
        peers.append(Side("pillow and torch", sys.executable, arguments.folder, arguments.images))
    if arguments.paddle:
        peers += [
            Side(name, arguments.paddle, arguments.folder, arguments.images) for name in ("paddle cv2", "paddle pil")
        ]
    print(f"{'ours, photographs/s':>20} {'against':18} {'photographs/s':>14} {'ratio':>7}")
    for peer in peers:
        mine, theirs, ratio = compare((ours, "epoch"), (peer, "epoch"), arguments.rounds)  # type: ignore[arg-type]
        print(f"{ours.images / mine:20.0f} {peer.name:18} {peer.images / theirs:14.0f} {ratio:7.2f}", flush=True)
    print(f"\n{'our part':34} {'microseconds':>12}")
    for part in ours.parts:
        seconds = min(ours.seconds(part) for _ in range(arguments.rounds))
        print(f"{part:34} {1e6 * seconds / ours.images:12.0f}")
    for side in (ours, *peers):
        side.close()


class Side:
    """A program that times its steps when its input says so."""

    def __init__(self, name: str, python: str, folder: str, images: int) -> None:
        self.name = name
        self.images = images
        command = [python, str(Path(__file__).resolve()), "--side", json.dumps([name, folder, images])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.parts: list[str] = [step for step in json.loads(self._answer()) if step != "epoch"]

    def seconds(self, step: str, repeats: int = 1) -> float:
        """Return the mean seconds of processor time of some calls of a step."""
        assert self._process.stdin is not None
        total = 0.0
        for _ in range(repeats):
            print(step, file=self._process.stdin, flush=True)
            total += float(self._answer())
        return total / repeats

    def close(self) -> None:
        """End the program."""
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended; its message is above")
        return line


# --- inside a side ---------------------------------------------------------------------------------------------------

Steps = dict[str, Callable[[str], Any]]


def ours() -> Steps:
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


def pillow_and_torch() -> Steps:
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


def paddle(backend: str) -> Steps:
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


SIDES: dict[str, Callable[[], Steps]] = {
    "ours": ours,
    "pillow and torch": pillow_and_torch,
    "paddle cv2": lambda: paddle("cv2"),
    "paddle pil": lambda: paddle("pil"),
}


def serve(name: str, folder: str, images: int) -> None:
    """Time a step for each line of the input."""
    found = sorted(str(path) for path in Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
    if not found:
        raise SystemExit(f"no JPEG files below {folder!r}")
    paths = [found[number % len(found)] for number in range(images)]
    steps = SIDES[name]()
    print(json.dumps(list(steps)), flush=True)
    for line in sys.stdin:
        step = steps[line.strip()]
        began = time.process_time()
        for path in paths:
            step(path)
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if sys.argv[1:2] == ["--side"]:
        serve(*json.loads(sys.argv[2]))
    else:
        main()
