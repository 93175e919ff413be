"""Training from photographs: does the whole reach what its parts allow? ResNet-18 at 224 x 224, in images/s.

    python -m benchmarks.PaddleClas.end_to_end FOLDER [--rounds 6] [--images 256] [--batch 32] [--workers 2] [--model
    ResNet18]

FOLDER holds one folder of photographs for each class. In each round the Trainer trains an epoch, with worker processes
that read and augment; then the same loader is read without training; then the same steps are made on batches that are
already there. Reading and computing share the cores, so that at best an epoch takes the sum of both. The ratio is that
sum divided by the epoch's time, which is the throughput divided by 1/(1/loader + 1/step); its median over the rounds is
what counts, because machines are noisy. The first round is not counted.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from core.train import Callback, TrainOptions
from core.train.logs.console import Console
from core.train.seeds import seed_everything
from core.train.step import PhaseStep
from core.train.trainer import Trainer
from PaddleClas.config import ClassificationConfig
from PaddleClas.data import DatasetFolder
from PaddleClas.task import ClassificationTask

TRANSFORMS = [
    {"name": "RandomResizedCrop", "size": 224},
    {"name": "RandomHorizontalFlip"},
    {"name": "ToTensor"},
    {"name": "Normalize", "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]},
]


def main() -> None:
    """Print one row per round, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the photographs are")
    parser.add_argument("--rounds", type=int, default=6, help="rounds that count (default 6)")
    parser.add_argument("--images", type=int, default=256, help="images per epoch (default 256)")
    parser.add_argument("--batch", type=int, default=32, help="images per batch (default 32)")
    parser.add_argument("--workers", type=int, default=2, help="worker processes (default 2)")
    parser.add_argument("--model", default="ResNet18", help="a model of PaddleClas.list_models() (default ResNet18)")
    arguments = parser.parse_args()
    seed_everything(0)
    with tempfile.TemporaryDirectory() as folder:
        task = ClassificationTask(configured(arguments, Path(folder) / "images.txt"))
        options = TrainOptions(epochs=arguments.rounds + 1, compiled=True)
        print(f"{'round':>6} {'loader':>9} {'step':>9} {'possible':>9} {'training':>9} {'ratio':>7}", flush=True)
        rounds = Rounds(task, arguments.images)
        Trainer(task, options, None, callbacks=[rounds], console=Console(quiet=True)).fit()
    rounds.show("median", *(statistics.median(column) for column in zip(*rounds.seconds)))
    ratio = statistics.median((loader + step) / whole for loader, step, whole in rounds.seconds)
    print(f"median of the ratios: {ratio:.3f}")


def configured(arguments: argparse.Namespace, list_file: Path) -> ClassificationConfig:
    """Return an experiment on the photographs, which a list names over and over to make an epoch long enough."""
    samples = DatasetFolder(str(Path(arguments.folder).resolve())).samples
    chosen = [samples[number * 7 % len(samples)] for number in range(arguments.images)]
    list_file.write_text("".join(f"{path} {label}\n" for path, label in chosen), encoding="utf-8")
    train = {
        "dataset": {"name": "ImageNetDataset", "image_root": "/", "cls_label_path": str(list_file)},
        "transforms": TRANSFORMS,
        "batch_size": arguments.batch,
        "shuffle": True,
        "drop_last": True,
    }
    return ClassificationConfig.model_validate(
        {
            "output": "nowhere",
            "network": {"name": arguments.model, "class_num": max(label for _, label in chosen) + 1},
            "data": {"num_workers": arguments.workers, "train": train},
            "optimizer": {"name": "Momentum", "momentum": 0.9},
            "schedule": {"name": "Constant", "learning_rate": 0.01},
            "train": {"epochs": 1},
        }
    )


class Rounds(Callback):
    """After each epoch of the Trainer's: reads the same loader alone, then makes the same steps alone.

    Args:
        task: what is trained.
        images: of an epoch.

    Attributes:
        seconds: of each round but the first: of the loader, the steps, the Trainer's epoch.
    """

    def __init__(self, task: ClassificationTask, images: int) -> None:
        self.task = task
        self.images = images
        self.seconds: list[tuple[float, float, float]] = []
        self._batches: list[Any] = []
        self._epochs = 0
        self._began = 0.0

    def on_train_begin(self, trainer: Any) -> None:
        """Compile the steps that are made alone."""
        self.step = PhaseStep(trainer.phases[0], compiled=True)

    def on_epoch_begin(self, trainer: Any) -> None:
        """Start the clock."""
        self._began = time.perf_counter()

    def on_epoch_end(self, trainer: Any, values: Any) -> None:
        """Stop the clock, and measure the parts."""
        whole = time.perf_counter() - self._began
        loader = self._read(trainer)
        step = self._compute(trainer)
        self._epochs += 1
        if self._epochs > 1:
            self.seconds.append((loader, step, whole))
            self.show(str(self._epochs - 1), loader, step, whole)

    def show(self, name: str, loader: float, step: float, whole: float) -> None:
        """Print a row of images/s."""
        possible = loader + step
        rates = "".join(f" {self.images / seconds:9.1f}" for seconds in (loader, step, possible, whole))
        print(f"{name:>6}{rates} {possible / whole:7.3f}", flush=True)

    def _read(self, trainer: Any) -> float:
        began = time.perf_counter()
        for batch in trainer.loader.batches():
            if len(self._batches) < 2:
                self._batches.append(batch)
        return time.perf_counter() - began

    def _compute(self, trainer: Any) -> float:
        phase = trainer.phases[0]
        began = time.perf_counter()
        waiting = []
        for number in range(len(trainer.loader)):
            waiting.append(self.step(number, [self._batches[number % len(self._batches)]]))
            phase.optimizer.clear_grad(set_to_zero=False)
            if len(waiting) > 1:
                waiting.pop(0).read()
        waiting.pop().read()
        return time.perf_counter() - began


if __name__ == "__main__":
    main()
