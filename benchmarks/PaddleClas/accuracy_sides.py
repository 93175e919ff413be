"""The two sides of the benchmark of accuracy: our Trainer, and a training loop in PyTorch that follows the same config.

Our side reads and augments the pictures and writes them down; both then train on the same batches from the same
weights, so that what they reach differs by their arithmetic alone.
"""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from benchmarks.side import Steps

CONFIGS = Path(__file__).resolve().parents[2] / "PaddleClas" / "configs"


class Run(NamedTuple):
    """One training.

    Attributes:
        name: of the experiment.
        config: the YAML file's name.
        data: the folder that its paths are relative to.
        overrides: changes of its keys.
        start: the run whose final weights this one starts from; None: fresh ones.
        seed: of weights, order and augmentation.
    """

    name: str
    config: str
    data: str
    overrides: tuple[str, ...]
    start: Optional[str]
    seed: int

    @property
    def key(self) -> str:
        """What tells this run from others."""
        return f"{self.name} {self.seed}"


class Recording:
    """Batches of every epoch of a run, as arrays in a folder: the loader of both sides.

    Args:
        folder: where the arrays are, or will be.
        convert: what makes a framework's tensor of an array.
    """

    batch_sampler = None

    def __init__(self, folder: Path, convert: Callable[[np.ndarray], Any]) -> None:
        self.convert = convert
        self.images = np.load(folder / "images.npy", mmap_mode="r")
        self.labels = np.load(folder / "labels.npy")
        self.batch_size = int(np.load(folder / "batch_size.npy"))
        self.epoch = 0

    def __len__(self) -> int:
        return math.ceil(self.labels.shape[1] / self.batch_size)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that is read next."""
        self.epoch = epoch

    def batches(self, start: int = 0) -> Generator[Sequence[Any], None, None]:
        """Yield images and labels of the epoch's batches from number ``start`` on."""
        for first in range(start * self.batch_size, self.labels.shape[1], self.batch_size):
            chosen = slice(first, first + self.batch_size)
            images, labels = self.images[self.epoch, chosen], self.labels[self.epoch, chosen]
            yield [self.convert(np.array(images)), self.convert(labels)]


def record(loader: Any, epochs: int, folder: Path) -> None:
    """Write all batches of a loader of our own, unless they are there.

    Args:
        loader: every epoch has the same number of images.
        epochs: how many.
        folder: for ``images.npy``, float32, shape (epochs, N, C, H, W), and ``labels.npy``, int64, (epochs, N).
    """
    if (folder / "batch_size.npy").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    images, labels = None, []
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        parts = [[field.numpy() for field in batch] for batch in loader.batches()]
        whole = np.concatenate([part[0] for part in parts])
        if images is None:
            shape = (epochs, *whole.shape)
            images = np.lib.format.open_memmap(folder / "images.npy", "w+", np.float32, shape)
        images[epoch] = whole
        labels.append(np.concatenate([part[1] for part in parts]).reshape(-1))
    np.save(folder / "labels.npy", np.stack(labels))
    np.save(folder / "batch_size.npy", loader.batch_sampler.batch_size)


def our_steps(runs: Sequence[Run], work: str) -> Steps:
    """Return a step for each run, which trains with our Trainer and says what came of it."""
    return {run.key: functools.partial(_train_ours, run, Path(work)) for run in runs}


def torch_steps(runs: Sequence[Run], work: str, threads: int) -> Steps:
    """Return a step for each run, which trains with PyTorch what our side has prepared."""
    import torch

    torch.set_num_threads(threads)
    return {run.key: functools.partial(_train_torch, run, Path(work)) for run in runs}


def _batches(run: Run, work: Path, split: str) -> Path:
    return work / "batches" / f"{run.config} {run.seed} {split}"


def _train_ours(run: Run, work: Path) -> dict[str, Any]:
    import core
    from core.train import Callback, load_config
    from core.train.logs.console import Console
    from core.train.seeds import seed_everything
    from core.train.trainer import Trainer
    from PaddleClas.config import ClassificationConfig
    from PaddleClas.task import ClassificationTask

    overrides = [*run.overrides, f"data.root={json.dumps(run.data)}", f"seed={run.seed}", "data.num_workers=0"]
    if run.start is not None:
        overrides.append(f"network.pretrained={json.dumps(str(work / f'{run.start}.pdparams'))}")
    config = load_config(ClassificationConfig, CONFIGS / f"{run.config}.yaml", overrides)
    config.data.valid = None  # the last epoch is tested, on both sides

    class Recorded(ClassificationTask):
        def loader(self, split: str) -> Any:
            if split not in self.splits:
                return None
            folder = _batches(run, work, split)
            record(super().loader(split), config.train.epochs if split == "train" else 1, folder)
            return Recording(folder, core.to_tensor)

    class Losses(Callback):
        def __init__(self) -> None:
            self.values: list[float] = []

        def on_step_end(self, trainer: Any, values: Any) -> None:
            self.values.append(float(values["loss"]))

    seed_everything(config.seed)
    task, losses = Recorded(config), Losses()
    task.loader("test")
    initial = {name: tensor.numpy() for name, tensor in task.network.state_dict().items()}
    np.savez(work / f"{run.key}.npz", **initial)
    (work / f"{run.key}.json").write_text(config.model_dump_json(), encoding="utf-8")
    trainer = Trainer(task, config.train, None, config.seed, callbacks=[losses], console=Console(quiet=True))
    outcome = trainer.fit()
    core.save(task.network.state_dict(), str(work / f"{run.key}.pdparams"))
    tested = trainer.evaluate_split("test").result()
    return {
        "accuracy": tested["accuracy"],
        "loss": tested["loss"],
        "seconds": outcome.seconds,
        "losses": losses.values,
    }


def _train_torch(run: Run, work: Path) -> dict[str, Any]:
    import torch

    from benchmarks.model_files import on_torch

    config = json.loads((work / f"{run.key}.json").read_text(encoding="utf-8"))
    network = on_torch(config["network"]["name"], config["network"]["class_num"])
    with np.load(work / f"{run.key}.npz") as weights:
        _load(network, dict(weights))
    loader = Recording(_batches(run, work, "train"), torch.from_numpy)
    criterion = torch.nn.CrossEntropyLoss(label_smoothing=config["loss"].get("label_smoothing", 0.0))
    optimizer = _optimizer(config["optimizer"], network)
    epochs = config["train"]["epochs"]
    rate = _learning_rate(config["schedule"], len(loader), epochs)
    losses: list[float] = []
    began = time.perf_counter()
    network.train()
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for images, labels in loader.batches():
            for group in optimizer.param_groups:
                group["lr"] = rate(len(losses))
            optimizer.zero_grad()
            loss = criterion(network(images), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    seconds = time.perf_counter() - began
    network.eval()
    logits, labels = [], []
    with torch.inference_mode():
        for images, truth in Recording(_batches(run, work, "test"), torch.from_numpy).batches():
            logits.append(network(images))
            labels.append(truth)
    answers, truth = torch.cat(logits), torch.cat(labels)
    return {
        "accuracy": int((answers.argmax(1) == truth).sum()) / len(truth),
        "loss": float(torch.nn.functional.cross_entropy(answers, truth)),
        "seconds": seconds,
        "losses": losses,
    }


def _load(network: Any, weights: dict[str, np.ndarray]) -> None:
    """Give PyTorch's network our weights: its linear layers hold them transposed, its statistics have other names."""
    import torch

    given = {
        name.replace("._mean", ".running_mean").replace("._variance", ".running_var"): torch.from_numpy(
            array.T.copy() if array.ndim == 2 else array
        )
        for name, array in weights.items()
    }
    missing, unexpected = network.load_state_dict(given, strict=False)
    wrong = [*unexpected, *(name for name in missing if not name.endswith("num_batches_tracked"))]
    if wrong:
        raise ValueError(f"the two networks differ in {', '.join(wrong)}")


def _optimizer(chosen: dict[str, Any], network: Any) -> Any:
    """Return PyTorch's form of a config's optimizer; weight decay reaches all parameters."""
    import torch

    decay = chosen.get("weight_decay", 0.0)
    if chosen["name"] == "Momentum":
        return torch.optim.SGD(network.parameters(), 0.0, momentum=chosen.get("momentum", 0.9), weight_decay=decay)
    if chosen["name"] == "Adam":
        return torch.optim.Adam(network.parameters(), 0.0, weight_decay=decay)
    raise ValueError(f"the PyTorch side has no {chosen['name']}; it has Momentum and Adam")


def _learning_rate(chosen: dict[str, Any], steps_per_epoch: int, epochs: int) -> Callable[[int], float]:
    """Return a step's learning rate: a straight line from zero, left out itself, then half a cosine to zero."""
    if chosen["name"] != "Cosine" or not set(chosen) <= {"name", "learning_rate", "warmup_epochs"}:
        raise ValueError("the PyTorch side has one schedule: Cosine of learning_rate and warmup_epochs")
    warm = round(chosen.get("warmup_epochs", 0) * steps_per_epoch)
    rest = epochs * steps_per_epoch - warm

    def rate(step: int) -> float:
        if step < warm:
            return float(chosen["learning_rate"]) * (step + 1) / (warm + 1)
        return float(chosen["learning_rate"]) * (1 + math.cos(math.pi * (step - warm) / rest)) / 2

    return rate
