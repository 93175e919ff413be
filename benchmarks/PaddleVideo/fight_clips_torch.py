"""PyTorch's side of benchmarks.PaddleVideo.fight_clips: TSM in plain PyTorch, on our clips."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from benchmarks.PaddleClas.accuracy_sides import _learning_rate, _load
from benchmarks.PaddleVideo.networks_torch import FrameNetwork


def main(threads: int, folder: Path) -> None:
    """Train on the recorded clips, and write how many of the others are recognised."""
    torch.set_num_threads(threads)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    settings, chosen = config["network"], config["optimizer"]
    torch.manual_seed(config["seed"])
    network = FrameNetwork(18, settings["class_num"], settings["width"], settings["num_seg"])
    _load(network, dict(np.load(folder / "initial.npz")))
    kinds: dict[tuple[float, float], list[Any]] = {}  # learning rate's factor and weight decay, as the head's are given
    for name, parameter in network.named_parameters():
        decay = 0.0 if "_batch_norm" in name else chosen["weight_decay"]
        kind = {"head.fc.weight": (5.0, 1e-4), "head.fc.bias": (10.0, 0.0)}.get(name, (1.0, decay))
        kinds.setdefault(kind, []).append(parameter)
    groups = [{"params": found, "weight_decay": decay, "factor": factor} for (factor, decay), found in kinds.items()]
    optimizer = torch.optim.SGD(groups, 0.1, momentum=chosen["momentum"])
    clips, labels = np.load(folder / "clips.npy", mmap_mode="r"), np.load(folder / "labels.npy")
    epochs = config["train"]["epochs"]
    rate = _learning_rate(config["schedule"], len(labels) // epochs, epochs)
    network.train()
    for step, truth in enumerate(labels):
        for group in optimizer.param_groups:
            group["lr"] = rate(step) * group["factor"]
        optimizer.zero_grad()
        F.cross_entropy(network(torch.from_numpy(clips[step].astype(np.float32))), torch.from_numpy(truth)).backward()
        optimizer.step()
    network.eval()
    with np.load(folder / "test.npz") as tested, torch.inference_mode():
        answers = network(torch.from_numpy(tested["clips"])).argmax(1).numpy()
        right, count = int((answers == tested["labels"]).sum()), len(answers)
    used = resource.getrusage(resource.RUSAGE_SELF)
    result = {"right": right, "clips": count, "processor_seconds": used.ru_utime + used.ru_stime}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
