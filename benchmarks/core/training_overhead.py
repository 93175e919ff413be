"""What the training loop costs beside its steps: LeNet on digits, whose steps are among the shortest.

    python -m benchmarks.core.training_overhead [--against FOLDER] [--rounds 9] [--epochs 3]

The first row compares a run of the Trainer without a folder to the bare steps of the same task: the same batches, the
same compiled phases, nothing logged or saved. With ``--against``, the root of another version of this project, further
rows compare the two versions: the same runs, and the loop alone, whose step computes nothing, by the processor's time,
as that depends less on what else runs. Each side is a process of its own; the sides take turns, a training each, and
the ratio is the median of the rounds' ratios. The last line is of one save of a checkpoint: how long it takes, and its
share of the time where one is written every ten minutes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

BATCH = 32


def main() -> None:
    """Print the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="FOLDER", help="the root of another version of this project")
    parser.add_argument("--rounds", type=int, default=9, help="rounds in which the sides take turns (default 9)")
    parser.add_argument("--epochs", type=int, default=3, help="epochs of each training (default 3)")
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        serve(arguments.side[0], int(arguments.side[1]))
        return
    here = Path(__file__).resolve().parents[2]
    loop = Side("this loop", "loop", here, arguments.epochs)
    rows = [(loop, Side("the bare steps", "bare", here, arguments.epochs))]
    if arguments.against:
        there = Path(arguments.against).resolve()
        rows.append((loop, Side("the other version's loop", "loop", there, arguments.epochs)))
        alone = [Side(f"{name} alone", "empty", root, 1) for name, root in (("the loop", here), ("the other", there))]
        rows.append((alone[0], alone[1]))
    print(f"{'':15} {'ms a step':>10}   {'against':25} {'ms a step':>10} {'ratio':>7}")
    for side, other in rows:
        pairs = [[one.run() for one in order(side, other, number)] for number in range(arguments.rounds)]
        pairs = [pair if number % 2 == 0 else pair[::-1] for number, pair in enumerate(pairs)]
        mine, theirs = (1e3 * statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(one / two for one, two in pairs)
        print(f"{side.name:15} {mine:10.3f}   {other.name:25} {theirs:10.3f} {ratio:7.3f}", flush=True)
    saves = [loop.run("save") for _ in range(arguments.rounds)]
    took = statistics.median(saves)
    print(f"a checkpoint takes {1e3 * took:.1f} ms: {took / 600:.4%} of ten minutes")
    for side in {side for row in rows for side in row}:
        side.close()


def order(one: Side, two: Side, number: int) -> list[Side]:
    """Return both sides, in turns the one first and the other."""
    return [one, two] if number % 2 == 0 else [two, one]


class Side:
    """A version's loop, or the bare steps, in a program of its own, which reads from its input when to train.

    Args:
        name: for the table.
        what: "loop" or "bare".
        root: of the project.
        epochs: of each training.
    """

    def __init__(self, name: str, what: str, root: Path, epochs: int) -> None:
        self.name = name
        command = [sys.executable, str(Path(__file__).resolve()), "--side", what, str(epochs)]
        self.process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        )  # fmt: skip
        self.run()

    def run(self, what: str = "train") -> float:
        """Return the seconds of a step, or of a save."""
        assert self.process.stdin and self.process.stdout
        print(what, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended; its message is above")
        return float(line)

    def close(self) -> None:
        """End the program."""
        self.process.communicate()


# --- inside a side ---------------------------------------------------------------------------------------------------


def serve(what: str, epochs: int) -> None:
    """Answer each line of the input with a number of seconds."""
    train, save = {"loop": loop, "bare": bare, "empty": empty}[what](epochs)
    for line in sys.stdin:
        print((save if line.strip() == "save" else train)(), flush=True)


def digits() -> Any:
    """Return the task: LeNet on scikit-learn's digits, 8 by 8 pixels in a frame."""
    import numpy as np
    from sklearn.datasets import load_digits

    import core
    from core.io import DataLoader, Dataset
    from core.train import Phase, Task
    from core.vision.models import LeNet

    images, labels = load_digits(return_X_y=True)
    framed = np.zeros((len(images), 1, 28, 28), np.float32)
    framed[:, 0, 10:18, 10:18] = images.reshape(-1, 8, 8) / 16

    class Digits(Dataset):
        def __getitem__(self, index: int) -> Any:
            return framed[index], labels[index]

        def __len__(self) -> int:
            return len(labels)

    class Classification(Task):
        def __init__(self) -> None:
            core.seed(0)
            self.network = LeNet()
            self.networks = {"model": self.network}

        def loader(self, split: str) -> Any:
            return DataLoader(Digits(), batch_size=BATCH, shuffle=True, seed=0) if split == "train" else None

        def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
            optimizer = core.optimizer.Momentum(0.01, parameters=self.network.parameters())
            return [Phase("train", self.loss, self.network.parameters(), optimizer)]

        def loss(self, images: Any, labels: Any) -> Any:
            return core.nn.functional.cross_entropy(self.network(images), labels), {}

        def predict(self, images: Any, labels: Any) -> Any:
            return [self.network(images)]

        def evaluator(self, split: str) -> Any:
            raise NotImplementedError

    return Classification()


def loop(epochs: int) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return what trains with the Trainer, and what saves a checkpoint."""
    from core.train import Callback, CheckpointStore, Progress, Trainer, TrainOptions
    from core.train.logs.console import Console

    class Begun(Callback):
        def on_step_end(self, trainer: Any, values: Any) -> None:
            times.append(time.perf_counter())

    task, times = digits(), [0.0]

    def train() -> float:
        times.clear()
        trainer = Trainer(task, TrainOptions(epochs=epochs), None, 0, [Begun()], Console(quiet=True))
        trainer.fit()
        task.phase = trainer.phases[0]
        return (times[-1] - times[steps_of(task)]) / (len(times) - 1 - steps_of(task))  # the first epoch compiles

    def save() -> float:
        with tempfile.TemporaryDirectory() as folder:
            store = CheckpointStore(folder)
            began = time.perf_counter()
            store.save(Progress(step=1), task.networks, {"train": task.phase.optimizer})
            return time.perf_counter() - began

    return train, save


def steps_of(task: Any) -> int:
    """Return how many steps an epoch has."""
    return len(task.loader("train"))


def bare(epochs: int) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return what makes the same steps, with the Trainer's seeds and nothing else."""
    from core.train.seeds import seed_everything, step_seed
    from core.train.step import PhaseStep

    task = digits()

    def train() -> float:
        loader, (phase,) = task.loader("train"), task.phases(steps_of(task), epochs)
        step, number, began, last = PhaseStep(phase, True), 0, 0.0, None
        for epoch in range(epochs):
            loader.set_epoch(epoch)
            for batch in loader.batches():
                seed_everything(step_seed(0, number))
                result = step(number, [batch])
                phase.optimizer.clear_grad(set_to_zero=False)
                if last is not None:
                    last.read()
                last, number = result, number + 1
                if number == steps_of(task) + 1:
                    began = time.perf_counter()
        assert last is not None
        last.read()
        return (time.perf_counter() - began) / (number - 1 - steps_of(task))

    return train, lambda: 0.0


def empty(epochs: int) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return what goes through steps that compute nothing."""
    import core
    from core.train import Phase, Trainer, TrainOptions
    from core.train.logs.console import Console

    task = digits()
    batch, loss, steps = [core.zeros([BATCH])], core.zeros([]), 5000

    class Same:
        batch_size, batch_sampler, dataset = BATCH, None, None

        def __len__(self) -> int:
            return steps

        def set_epoch(self, epoch: int) -> None:
            """Give the same."""

        def batches(self, start: int = 0) -> Any:
            """Yield one batch again and again."""
            yield from (batch for _ in range(start, steps))

    def phases(steps_per_epoch: int, epochs: float) -> list[Phase]:
        optimizer = core.optimizer.SGD(0.1, parameters=task.network.parameters())
        return [Phase("train", lambda _: (loss, {}), [], optimizer, in_place=True)]

    task.loader = lambda split: Same() if split == "train" else None
    task.phases = phases

    def train() -> float:
        began = time.process_time()
        Trainer(task, TrainOptions(epochs=epochs), None, 0, (), Console(quiet=True)).fit()
        return (time.process_time() - began) / (epochs * steps)

    return train, lambda: 0.0


if __name__ == "__main__":
    main()
