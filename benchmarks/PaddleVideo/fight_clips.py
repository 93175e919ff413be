"""Do recognisers learn here what they learn in PyTorch? Fights in clips of cameras, five folds, ours beside PyTorch.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch
    python -m benchmarks.PaddleVideo.fight_clips FOLDER --peers PEERS/bin/python --log FILE [--only TEXT]
    [--work runs/fight_clips] [--threads 1]

FOLDER is https://github.com/seymanurakti/fight-detection-surv-dataset. A run is a config fight_clips_* that
PaddleVideo/train.py trains on four fifths of the clips and tests on the rest; clips of following numbers are in one
fold. The networks are as narrow as those of the moving digits, whose weights the runs "from digits" begin with. Frames
are decoded and made as small as the config asks for once, before all runs. TSM is also trained by a loop in PyTorch on
a plain network that begins with the same weights and sees the same clips in the same order with the same augmentation,
which our loader writes down with 16 bits; dropout draws anew. What is finished in the folder of ``--work`` or in the
log is not done again; our training, stopped, goes on where it was. ``--only`` takes runs whose names begin so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np
from scipy.stats import binomtest

from benchmarks.runs import ROOT, Log, add_options, processor_seconds, trained
from benchmarks.side import require

CONFIGS = ROOT / "PaddleVideo" / "configs"
FOLDS = 5
WIDTH = 16
"""Channels of the first stage, as in the configs of moving digits."""

DIGITS = {
    "tsn": ("moving_digits_tsn",),
    "tsm": ("moving_digits_tsm",),
    "pptsm": ("moving_digits_tsm", "-o", "network.name=pptsm_r18"),
}
"""What a network learns of moving digits: the words of the training's command line."""

SHORT_SIDE = 128
"""Of the frames that are written down, pixels: the size of the configs' ResizeShort."""

PICTURE = "img_{:05d}.png"


class Run(NamedTuple):
    """One training.

    Attributes:
        network: what the name of its config ends with.
        digits: whether ours begins with what it learned of moving digits.
        fold: which fifth is tested.
    """

    network: str
    digits: bool
    fold: int

    @property
    def name(self) -> str:
        """What tells this run from others."""
        return f"{self.network}{', from digits' if self.digits else ''}, fold {self.fold}"


RUNS = [Run(network, digits, fold) for network in DIGITS for digits in (False, True) for fold in range(FOLDS)]


def written_down(data: Path, work: Path) -> Path:
    """Decode all clips, unless that is done; return the folder of their frames and of lists for each fold."""
    from core.vision.image import write_image
    from PaddleVideo.data.clips import ResizeShort
    from PaddleVideo.data.files import VideoFolder

    folder = work / "frames"
    if (folder / "names.txt").exists():
        return folder
    classes, counts, small = ["noFight", "fight"], {}, ResizeShort(SHORT_SIDE)
    whole = VideoFolder(str(data), classes)
    for index, (path, label) in enumerate(whole.samples):
        counts[path] = f"{classes[label]}/{Path(path).stem}", label
        (folder / counts[path][0]).mkdir(parents=True, exist_ok=True)
        source = whole.source(index)
        for number in range(0, source.count, 50):
            for place, frame in enumerate(source.read(np.arange(number, min(number + 50, source.count))), number + 1):
                write_image(folder / counts[path][0] / PICTURE.format(place), np.asarray(small(frame)))
        counts[path] = *counts[path], source.count
    for fold in range(FOLDS):
        for split, held_out in (("train", False), ("test", True)):
            chosen = [counts[path] for path, _ in VideoFolder(str(data), classes, FOLDS, fold, held_out).samples]
            lines = "".join(f"{name} {count} {label}\n" for name, label, count in chosen)
            (folder / f"{split}_{fold}.txt").write_text(lines, encoding="utf-8")
    (folder / "names.txt").write_text("\n".join(classes) + "\n", encoding="utf-8")
    return folder


def changes(run: Run, frames: Path) -> list[str]:
    """Return what a run changes in its config."""
    given = [f"network.width={WIDTH}", f"data.root={json.dumps(str(frames))}"]
    for split in ("train", "test"):
        names = f"file_path: {split}_{run.fold}.txt, data_prefix: ., class_names_path: names.txt"
        given.append(f'data.{split}.dataset={{name: FrameDataset, {names}, suffix: "{PICTURE}"}}')
    return given


def ours(run: Run, frames: Path, work: Path, threads: int) -> dict[str, Any]:
    """Train with PaddleVideo/train.py, unless that is done, and return how many clips it gets right."""
    given = changes(run, frames)
    if run.digits:
        words = DIGITS[run.network]
        digits = trained("PaddleVideo", work / f"digits_{run.network}", words, threads)
        weights = json.dumps(str(digits / "checkpoints" / "best" / "model.safetensors"))
        given += [f"network.pretrained={weights}", "network.adapt_head=true"]
    words = [f"fight_clips_{run.network}", *(word for change in given for word in ("-o", change))]
    folder = trained("PaddleVideo", work / run.name.replace(", ", "_").replace(" ", "_"), words, threads)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    clips = len((frames / f"test_{run.fold}.txt").read_text(encoding="utf-8").splitlines())
    right = round(results["results"]["test"]["accuracy"] * clips)
    return {"right": right, "clips": clips, "processor_seconds": processor_seconds(folder)}


def theirs(run: Run, frames: Path, work: Path, threads: int, peers: str) -> dict[str, Any]:
    """Train in PyTorch on our clips, unless that is done, and return how many it gets right."""
    folder = work / f"torch_{run.network}_{run.fold}"
    result = folder / "result.json"
    if not result.exists():
        folder.mkdir(parents=True, exist_ok=True)
        record(run, folder, changes(run, frames))
        words = [peers, "-m", "benchmarks.PaddleVideo.fight_clips_torch", str(threads), str(folder)]
        subprocess.run(words, check=True, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        (folder / "clips.npy").unlink()  # half a gigabyte
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return found


def record(run: Run, folder: Path, given: Sequence[str]) -> None:
    """Write all batches of a run's training, the clips to test, and the network's initial weights.

    Args:
        run: which one.
        folder: gets arrays for :mod:`benchmarks.PaddleVideo.fight_clips_torch`, and config.json.
        given: what is changed in its config.
    """
    from core.train.seeds import seed_everything
    from PaddleVideo.config import TOOLKIT
    from PaddleVideo.tasks.recognition import RecognitionTask

    config = TOOLKIT.load(CONFIGS / f"fight_clips_{run.network}.yaml", given)
    seed_everything(config.seed)
    task = RecognitionTask(config)
    tested = [[field.numpy() for field in batch] for batch in task.loader("test").batches()]
    np.savez(folder / "test.npz", clips=np.concatenate([one[0] for one in tested]), labels=_joined(tested))
    loader, epochs = task.loader("train"), config.train.epochs
    np.savez(folder / "initial.npz", **{name: value.numpy() for name, value in task.network.state_dict().items()})
    clips: Optional[np.ndarray] = None
    labels, step = [], 0
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for batch, truth in loader.batches():
            if clips is None:
                shape = (epochs * len(loader), *batch.shape)
                clips = np.lib.format.open_memmap(folder / "clips.npy", "w+", np.float16, shape)
            clips[step] = batch.numpy()
            labels.append(truth.numpy().reshape(-1))
            step += 1
    np.save(folder / "labels.npy", np.stack(labels))
    (folder / "config.json").write_text(config.model_dump_json(), encoding="utf-8")


def _joined(batches: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
    return np.concatenate([labels.reshape(-1) for _, labels in batches])


def describe(rows: Sequence[dict[str, Any]]) -> str:
    """Return the pooled accuracy of some folds, with Wilson's interval of 95 %."""
    if not rows:
        return ""
    right, clips = (sum(row[key] for row in rows) for key in ("right", "clips"))
    interval = binomtest(right, clips).proportion_ci(method="wilson")
    return f"{right} of {clips}, {right / clips:.1%} ({interval.low:.1%} to {interval.high:.1%})"


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each network and beginning: pooled accuracy of the folds that are done."""
    lines = [f"| {'network':20} | folds | {'ours':40} | {'PyTorch':40} | seconds a run |", "|---|---:|---|---|---:|"]
    for name in dict.fromkeys(row["run"].rsplit(", fold", 1)[0] for row in rows):
        own = [row for row in rows if row["run"].rsplit(", fold", 1)[0] == name]
        sides = [describe([row[side] for row in own if side in row]) for side in ("ours", "pytorch")]
        seconds = [row["ours"]["processor_seconds"] for row in own if row["ours"]["processor_seconds"] is not None]
        mean = f"{sum(seconds) / len(seconds):.0f}" if seconds else ""
        lines.append(f"| {name:20} | {len(own)} | {sides[0]:40} | {sides[1]:40} | {mean} |")
    return lines


def main() -> None:
    """Print and write a line for each run, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where noFight and fight are")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch")
    add_options(parser, "runs/fight_clips")
    options = parser.parse_args()
    require("torch", python=options.peers)
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    frames = written_down(options.folder.resolve(), work)
    log = Log(options.log)
    for run in [run for run in RUNS if run.name.startswith(options.only) and run.name not in log]:
        row: dict[str, Any] = {"run": run.name, "ours": ours(run, frames, work, options.threads)}
        if run.network == "tsm" and not run.digits:
            row["pytorch"] = theirs(run, frames, work, options.threads, options.peers)
        log.add(row)
    print("\n".join(table(log.rows)))


if __name__ == "__main__":
    main()
