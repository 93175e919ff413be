"""This checkout against another one: whether a change made training, serving or eager code slower.

    git worktree add FOLDER COMMIT
    python -m benchmarks.core.checkouts FOLDER [--rounds 5] [--only NAME ...]

Each case runs in a process of its own for each checkout, both alive at once, a few calls of one and then of the other,
so that what else the machine does meets both. A row shows the median time of a call and the median of the rounds'
ratios other / this: above 1 this checkout is the faster one.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np


def _images(batch: int, size: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((batch, 3, size, size)).astype(np.float32)


def classifier(name: str, batch: int, size: int, mode: str) -> Callable[[], Any]:
    """Return one call of a classifier: mode is ``train``, ``eager``, ``half`` (training in bfloat16) or ``serve``."""
    import core
    import PaddleClas

    core.seed(0)
    model, images = PaddleClas.create_model(name, class_num=10), _images(batch, size)
    if mode == "serve":
        return serving(model, [batch, 3, size, size], images)
    labels = core.to_tensor(np.arange(batch) % 10)
    function = lambda x: core.nn.functional.cross_entropy(model(x), labels)  # noqa: E731
    return training(function, model, images, mode)


def training(function: Callable[[Any], Any], model: Any, array: np.ndarray, mode: str) -> Callable[[], Any]:
    """Return one training step of a loss."""
    import core

    optimizer = core.optimizer.Momentum(0.001, parameters=model.parameters())
    x = core.to_tensor(array)
    loss_of = function if mode == "eager" else core.jit.to_static(function)

    def step() -> None:
        with core.amp.auto_cast(enable=mode == "half", dtype="bfloat16"):
            loss = loss_of(x)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        loss.numpy()

    return step


def serving(model: Any, shape: list[int], array: np.ndarray) -> Callable[[], Any]:
    """Return one call of a model's exported program."""
    import tempfile

    import core

    folder = tempfile.mkdtemp()
    model.eval()
    core.jit.save(model, f"{folder}/model", [core.static.InputSpec(shape, str(array.dtype), "x")])
    predictor = core.jit.Predictor(f"{folder}/model")
    return lambda: predictor.run(array)


def encoder(mode: str) -> Callable[[], Any]:
    """Return one call of two layers of a Transformer's encoder."""
    import core
    from core import nn

    core.seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.1, activation="gelu")
    model = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Linear(256, 10))
    array = np.random.default_rng(0).standard_normal((8, 64, 256)).astype(np.float32)
    if mode == "serve":
        return serving(model, [8, 64, 256], array)
    return training(lambda x: (model(x) ** 2).mean(), model, array, mode)


def generator(mode: str) -> Callable[[], Any]:
    """Return one call of a small generator of images with instance normalisation."""
    import core
    from core import nn

    core.seed(0)
    model = nn.Sequential(
        nn.Conv2D(3, 32, 7, padding=3), nn.InstanceNorm2D(32), nn.ReLU(),
        nn.Conv2D(32, 64, 3, 2, 1), nn.InstanceNorm2D(64), nn.ReLU(),
        nn.Conv2DTranspose(64, 32, 4, 2, 1), nn.InstanceNorm2D(32), nn.ReLU(),
        nn.Conv2D(32, 3, 7, padding=3), nn.Tanh(),
    )  # fmt: skip
    if mode == "serve":
        return serving(model, [2, 3, 64, 64], _images(2, 64))
    return training(lambda x: (model(x) - x).abs().mean(), model, _images(2, 64), mode)


def perceptron(mode: str) -> Callable[[], Any]:
    """Return one training step of a small perceptron with dropout."""
    import core
    from core import nn

    core.seed(0)
    model = nn.Sequential(
        nn.Linear(64, 128), nn.LayerNorm(128), nn.Silu(), nn.Dropout(0.1), nn.Linear(128, 128), nn.Hardswish(),
        nn.Linear(128, 10),
    )  # fmt: skip
    array = np.random.default_rng(0).standard_normal((32, 64)).astype(np.float32)
    labels = core.to_tensor(np.arange(32) % 10)
    return training(lambda x: core.nn.functional.cross_entropy(model(x), labels), model, array, mode)


def additions(recorded: bool) -> Callable[[], Any]:
    """Return a thousand additions of 8 numbers."""
    import core

    x, y = core.ones([8]), core.ones([8])
    x.stop_gradient = not recorded

    def add() -> None:
        for _ in range(1000):
            x + y

    return add


CASES: dict[str, Callable[[], Callable[[], Any]]] = {
    "MobileNetV3 small, training": lambda: classifier("MobileNetV3_small_x0_5", 8, 128, "train"),
    "MobileNetV3 small, eager training": lambda: classifier("MobileNetV3_small_x0_5", 8, 128, "eager"),
    "MobileNetV3 small, exported": lambda: classifier("MobileNetV3_small_x0_5", 1, 224, "serve"),
    "EfficientNet-B0, training": lambda: classifier("EfficientNetB0", 4, 96, "train"),
    "EfficientNet-B0, exported": lambda: classifier("EfficientNetB0", 1, 224, "serve"),
    "ResNet-18, training": lambda: classifier("ResNet18", 8, 96, "train"),
    "ResNet-18, eager training": lambda: classifier("ResNet18", 8, 96, "eager"),
    "ResNet-18, training in bfloat16": lambda: classifier("ResNet18", 8, 96, "half"),
    "ResNet-18, exported": lambda: classifier("ResNet18", 1, 224, "serve"),
    "ResNeXt-50, training": lambda: classifier("ResNeXt50_32x4d", 4, 96, "train"),
    "ResNeXt-50, eager training": lambda: classifier("ResNeXt50_32x4d", 4, 96, "eager"),
    "encoder, training": lambda: encoder("train"),
    "encoder, eager training": lambda: encoder("eager"),
    "encoder, training in bfloat16": lambda: encoder("half"),
    "encoder, exported": lambda: encoder("serve"),
    "generator, training": lambda: generator("train"),
    "generator, eager training": lambda: generator("eager"),
    "generator, exported": lambda: generator("serve"),
    "perceptron, training": lambda: perceptron("train"),
    "perceptron, eager training": lambda: perceptron("eager"),
    "1000 additions": lambda: additions(False),
    "1000 additions, recorded": lambda: additions(True),
}


def answer(name: str) -> None:
    """Serve one case: for each number that is read, print how many seconds a call took, of so many calls."""
    call = CASES[name]()
    for _ in range(5):
        call()
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        for _ in range(int(line)):
            call()
        print((time.perf_counter() - began) / int(line), flush=True)


class Side:
    """A process of one checkout that runs one case."""

    def __init__(self, checkout: Path, name: str) -> None:
        command = [sys.executable, str(Path(__file__).resolve()), "--answer", name]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        self.process = subprocess.Popen(
            command, cwd=checkout, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        line = "started"
        while line and line.strip() != "ready":
            line = self._read()
        if not line:
            raise SystemExit(f"{name}: the process of {checkout} ended")

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def seconds(self, calls: int) -> float:
        """Return the seconds of one call, of so many."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{calls}\n")
        self.process.stdin.flush()
        return float(self._read())

    def close(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait()


def main() -> None:
    """Print one row for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", nargs="?", type=Path, help="folder of the other checkout")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each case (default 5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="about how long a round of one side takes")
    parser.add_argument("--only", nargs="+", default=[""], help="words of which one is in a case's name")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.answer:
        return answer(arguments.answer)
    if arguments.other is None:
        parser.error("name the folder of the other checkout")
    here = Path(__file__).resolve().parents[2]
    print(f"{'':36}{'this':>12}{'other':>12}{'other / this':>14}")
    for name in CASES:
        if not any(word in name for word in arguments.only):
            continue
        sides = [Side(here, name), Side(arguments.other.resolve(), name)]
        calls = max(1, int(arguments.seconds / min(side.seconds(1) for side in sides)))
        times = [[side.seconds(calls) for side in sides] for _ in range(arguments.rounds)]
        for side in sides:
            side.close()
        this, other = (1e3 * statistics.median(found) for found in zip(*times))
        ratio = statistics.median([pair[1] / pair[0] for pair in times])
        print(f"{name:36}{this:9.2f} ms{other:9.2f} ms{ratio:14.3f}", flush=True)


if __name__ == "__main__":
    main()
