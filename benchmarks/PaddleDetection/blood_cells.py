"""Do detectors learn here what they learn in PyTorch? Blood cells, mAP at 0.5 of each class, ours beside PyTorch.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch torchvision
    python -m benchmarks.PaddleDetection.blood_cells FOLDER --peers PEERS/bin/python --log FILE [--only TEXT]
    [--work runs/blood_cells] [--threads 1]

FOLDER is BCCD (https://github.com/Shenggan/BCCD_Dataset, its folder BCCD). A run is a config that is trained by
PaddleDetection/train.py, and by a loop in PyTorch on a plain network of the same definition: the same images in the
same order with the same augmentation, which our loader writes down with 16 bits, and the same optimizer and schedule.
YOLOv3 and SSD begin with the same weights; Faster R-CNN is made of torchvision's parts, which draw their own. Runs
"from digits" are ours alone: they begin with the weights of the config of drawn digits of the same network. Our
evaluation judges both. What is finished in the folder of ``--work`` or in the log is not done again, and a training of
ours that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.PaddleDetection.detector_sides import in_order
from benchmarks.runs import ROOT, Log, command, processor_seconds, trained
from benchmarks.side import require

CONFIGS = ROOT / "PaddleDetection" / "configs"
ORIGINAL = (480, 640)
"""Height and width of all images."""

SHORTER = {"yolov3_mobilenet_v1": ("train.epochs=10", "train.evaluate_every=5")}
"""What is changed in a network's config, on both sides."""


FITTED = (
    "network.min_sizes=[[22,55],[107],[150],[195],[240],[285]]",
    "network.aspect_ratios=[[],[],[],[],[],[]]",
    "network.overlap_threshold=0.4",
    "schedule.learning_rate=0.002",
    "train.epochs=24",
)
"""Prior boxes that tools/anchor_cluster.py proposes for SSD here, and a longer training."""


class Run(NamedTuple):
    """One training.

    Attributes:
        network: what the names of its configs end with.
        seed: of weights, order and augmentation.
        digits: whether ours begins with what it learned of drawn digits.
        setting: what is special about it.
        changes: which keys of the config that changes.
    """

    network: str
    seed: int
    digits: bool
    setting: str = ""
    changes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What tells this run from others."""
        setting = f", {self.setting}" if self.setting else ""
        return f"{self.network}{setting}{', from digits' if self.digits else ''}, seed {self.seed}"

    @property
    def overrides(self) -> list[str]:
        """What differs from the network's config, on both sides."""
        return [f"seed={self.seed}", *SHORTER.get(self.network, ()), *self.changes]


RUNS = [
    *(Run("yolov3_mobilenet_v1", seed, digits) for digits in (False, True) for seed in (0, 1, 2)),
    *(Run(name, 0, digits) for name in ("ssd_mobilenet_v1", "faster_rcnn_r18_fpn") for digits in (False, True)),
    Run("ssd_mobilenet_v1", 0, True, "fitted priors", FITTED),
]


def ours(run: Run, data: Path, work: Path, threads: int) -> dict[str, Any]:
    """Train with PaddleDetection/train.py, unless that is done, and return the evaluation."""
    train = functools.partial(trained, "PaddleDetection", threads=threads)
    digits = train(work / f"digits_{run.network}", [f"digits_{run.network}"]) if run.digits else None
    words = [f"bccd_{run.network}", "--data", str(data)]
    words += [word for change in run.overrides for word in ("-o", change)]
    if digits is not None:
        words += ["-o", f"network.pretrained={digits / 'checkpoints/best/model.safetensors'}"]
    folder = train(work / run.name.replace(", ", "_").replace(" ", "_"), words)
    tested = folder / "evaluation_valid" / "results.json"
    if not tested.exists():
        command("PaddleDetection", "eval.py", [str(folder), "--split", "valid"], tested, threads)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {
        **json.loads(tested.read_text(encoding="utf-8"))["valid"],
        "seconds": results["training_seconds"],
        "processor_seconds": processor_seconds(folder),
    }


def theirs(run: Run, data: Path, work: Path, threads: int, peers: str) -> dict[str, Any]:
    """Train in PyTorch on our batches, unless that is done, and return the same evaluation."""
    from core.train import load_config
    from PaddleDetection.config import DetectionConfig

    folder = work / "_".join(["torch", run.network, *run.setting.split(), str(run.seed)])
    overrides = [f"data.root={json.dumps(str(data))}", *run.overrides]
    config = load_config(DetectionConfig, CONFIGS / f"bccd_{run.network}.yaml", overrides)
    if not (folder / "detections.npz").exists():
        folder.mkdir(parents=True, exist_ok=True)
        record(config, folder)
        words = [peers, "-m", "benchmarks.PaddleDetection.blood_cells_torch", str(threads), str(folder)]
        subprocess.run(words, check=True, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        (folder / "images.npy").unlink()  # gigabytes
    with np.load(folder / "detections.npz") as stored:
        found = dict(stored)
    return {
        **evaluated(config, found["rows"], found["image"]),
        "seconds": float(found["seconds"]),
        "processor_seconds": float(found["processor_seconds"]),
    }


def record(config: Any, folder: Path) -> None:
    """Write all batches of a config's training, the images to validate, and the network's initial weights.

    Args:
        config: the experiment.
        folder: gets arrays for :mod:`benchmarks.PaddleDetection.blood_cells_torch`, and config.json.
    """
    import core
    from core.train.seeds import seed_everything
    from PaddleDetection.models.arguments import signature
    from PaddleDetection.task import DetectionTask

    seed_everything(config.seed)
    task = DetectionTask(config)
    shown = list(task.loader("valid").batches())
    valid = np.concatenate([batch["image"].numpy() for batch in shown])
    np.save(folder / "valid_images.npy", valid.astype(np.float16))
    task.network.eval()
    first = [shown[0][key][:1] for key in ("image", "im_shape", "scale_factor")]
    np.savez(folder / "initial.npz", *in_order(task.network, first))
    if hasattr(task.network, "ssd_head"):
        with core.no_grad():
            np.save(folder / "priors.npy", task.network.ssd_head(task.network.backbone(first[0]), first[0])[2].numpy())

    loader, epochs = task.loader("train"), config.train.epochs
    images, objects, step = None, {}, 0
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for batch in loader.batches():
            pixels = batch["image"].numpy()
            if images is None:
                shape = (epochs * len(loader), *pixels.shape)
                images = np.lib.format.open_memmap(folder / "images.npy", "w+", np.float16, shape)
            images[step] = pixels
            for key in ("gt_bbox", "gt_class", "gt_bbox_lengths"):
                objects.setdefault(key, []).append(batch[key].numpy())
            step += 1
    objects["gt_count"] = objects.pop("gt_bbox_lengths")
    for key, arrays in objects.items():
        np.save(folder / f"{key}.npy", np.stack(arrays))
    complete = json.loads(config.model_dump_json())
    defaults = {key: one.default for key, one in signature(config.network.name).parameters.items()}
    complete["network"] = {**defaults, **complete["network"]}
    complete["network"].pop("pretrained", None)
    if hasattr(task.network, "ssd_head"):
        complete["network"]["prior_counts"] = task.network.ssd_head.priors.counts
    (folder / "config.json").write_text(json.dumps(complete), encoding="utf-8")


def evaluated(config: Any, rows: np.ndarray, image: np.ndarray) -> dict[str, Any]:
    """Return mAP and the average precision of each class.

    Args:
        config: the experiment.
        rows: class, score and corners in pixels of the network's images (D, 6).
        image: of which image each is (D,).
    """
    from PaddleDetection.evaluator import DetectionEvaluator
    from PaddleDetection.metrics.base import Found
    from PaddleDetection.task import DetectionTask

    dataset = DetectionTask(config).dataset("valid")
    height, width = np.asarray(dataset[0]["image"]).shape[-2:]
    factor = np.array([1, 1, *(ORIGINAL[1] / width, ORIGINAL[0] / height) * 2])
    evaluator = DetectionEvaluator(dataset, config.evaluate)
    for number in range(len(dataset)):
        evaluator.add(number, Found(rows[image == number] * factor))
    return {**evaluator.result(), **evaluator.details()}


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each network and beginning: mean and standard deviation, and whether ours is as good."""
    lines = [f"| {'network':38} | seeds | ours, mAP | of each class | PyTorch, mAP | of each class |"]
    lines += ["|---|---:|---:|---|---:|---|"]
    for name in dict.fromkeys(row["run"].rsplit(", seed", 1)[0] for row in rows):
        own = [row for row in rows if row["run"].rsplit(", seed", 1)[0] == name]
        cells = []
        for side in ("ours", "pytorch"):
            reached = [row[side] for row in own if row.get(side)]
            values = [one["mAP"] for one in reached]
            spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
            cells.append(f"{statistics.mean(values):.3f}{spread}" if values else "")
            classes = reached[0]["AP_of_classes"] if reached else {}
            means = {key: statistics.mean(one["AP_of_classes"][key] for one in reached) for key in classes}
            cells.append(", ".join(f"{key} {value:.3f}" for key, value in means.items()))
        lines.append(f"| {name:38} | {len(own)} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Print and write a line for each run, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where BCCD is")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch and torchvision")
    parser.add_argument("--work", type=Path, default=Path("runs/blood_cells"), help="for runs and batches")
    parser.add_argument("--log", type=Path, help="a file for one JSON object per run; runs in it are not done again")
    parser.add_argument("--only", default="", help="runs with this in their name")
    parser.add_argument("--threads", type=int, default=1, help="threads of each side (default 1)")
    options = parser.parse_args()
    require("torch", "torchvision", python=options.peers)
    data, work = options.folder.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    log = Log(options.log)
    for run in [run for run in RUNS if options.only in run.name and run.name not in log]:
        row: dict[str, Any] = {"run": run.name, **({"changes": run.changes} if run.changes else {})}
        row["ours"] = ours(run, data, work, options.threads)
        if not run.digits:
            row["pytorch"] = theirs(run, data, work, options.threads, options.peers)
        log.add(row)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
