"""A training step of YOLOv3: time and memory, ours beside the same step unfused, PyTorch's and Paddle's.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch torchvision
    python -m benchmarks.PaddleDetection.detector_training --peers PEERS/bin/python [--models yolov3_darknet53-320]
    [--paddle PADDLE/bin/python] [--rows unfused,pytorch,paddle] [--batch 8] [--rounds 3] [--threads 2] [--processor]

Forward pass, losses, backward pass, Momentum, of images with eight objects each; all sides begin with the same weights.
Ours is compiled, as training is by default; "unfused" is ours operator by operator, "pytorch" a plain network of the
same layers with channels-last memory, "paddle" PaddleDetection's own in dynamic mode (detectors.py says what PADDLE
needs). Each side is a process of its own with the same number of threads; the two of a row take turns, and its ratio is
the median of the rounds' ratios: above 1, ours is faster. Memory is the peak of a side's process above what it occupies
before the network is built, libraries included; its ratio is the other's over ours. ``--processor`` compares the time
that processors worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from typing import Any

import numpy as np

from benchmarks.core.memory import resident, status
from benchmarks.options import add_rows, add_sides, chosen_rows
from benchmarks.PaddleDetection import detector_sides as sides
from benchmarks.side import Side, Steps, compare, require

OBJECTS = 8
ROWS = {"unfused": [], "pytorch": ["torch", "torchvision"], "paddle": ["paddle", "ppdet"]}
"""Who ours is compared with, and the packages that it needs."""


def main() -> None:
    """Print a row for each comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="yolov3_darknet53-320", help="names and sizes, separated by commas")
    add_rows(parser, ROWS)
    parser.add_argument("--batch", type=int, default=8, help="images per step (default 8)")
    add_sides(parser, rounds=3, peers="torchvision", paddle="Paddle and PaddleDetection")
    options = parser.parse_args()
    wanted = chosen_rows(parser, options, ROWS)
    pythons = {"unfused": sys.executable, "pytorch": options.peers, "paddle": options.paddle}
    for row in wanted:
        require(*ROWS[row], python=pythons[row])
    print(f"{'':32} {'seconds':>17} {'ratio':>6}   {'megabytes':>13} {'ratio':>6}")
    for model in options.models.split(","):
        name, side = model.rsplit("-", 1)
        with tempfile.TemporaryDirectory() as folder:
            given = (name, (int(side), int(side)), options.batch, folder)
            Side("ours", sides.make, (*given, False, False), options.threads).close()
            for row in wanted:
                _compare(model, row, given, pythons[row], options)


def _compare(model: str, row: str, given: tuple[Any, ...], python: str, options: argparse.Namespace) -> None:
    kind: dict[str, Any] = {"threads": options.threads, "processor": options.processor}
    mine = Side("ours", ours, (*given, True), **kind)
    if row == "unfused":
        other = Side("ours, unfused", ours, (*given, False), **kind)
    else:
        other = Side(row, {"pytorch": pytorch, "paddle": paddle}[row], (*given, options.threads), python=python, **kind)
    case = f"{model}, batch {options.batch}"
    print_row(f"{model}, {row}", (mine, "step"), (other, "step"), options.rounds, case)


def print_row(title: str, first: tuple[Side, str], second: tuple[Side, str], rounds: int, case: str) -> None:
    """Compare the steps of two sides, print times, memory and ratios, and end both."""
    seconds = compare(first, second, rounds, case=case)
    used, theirs = first[0].ask("memory"), second[0].ask("memory")
    first[0].close()
    second[0].close()
    times = f"{seconds[0]:8.3f} {seconds[1]:8.3f} {seconds[2]:6.2f}"
    print(f"{title:32} {times}   {used:6.0f} {theirs:6.0f} {theirs / used:6.2f}", flush=True)


def objects(size: sides.Size, batch: int) -> dict[str, np.ndarray]:
    """Return what a training step learns: eight objects in each image."""
    random = np.random.default_rng(1)
    corners = random.uniform(0, 0.7, (batch, OBJECTS, 2))
    ends = corners + random.uniform(0.05, 0.3, (batch, OBJECTS, 2))
    boxes = (np.concatenate([corners, ends], -1) * np.tile(size[::-1], 2)).astype(np.float32)
    classes = random.integers(0, sides.CLASSES, (batch, OBJECTS))
    return {"gt_bbox": boxes, "gt_class": classes, "gt_count": np.full(batch, OBJECTS)}


# --- inside a side ---------------------------------------------------------------------------------------------------


def ours(name: str, size: sides.Size, batch: int, folder: str, compiled: bool) -> Steps:
    """Return our step, as one program or operator by operator."""
    import core

    core.ones([2]).numpy()
    before = resident()
    network = sides.built(name)
    network.set_state_dict(core.load(f"{folder}/{sides.WEIGHTS}"))
    network.train()
    tensors = [core.to_tensor(array) for array in sides.data(size, batch).values()]
    targets = {key: core.to_tensor(array) for key, array in objects(size, batch).items()}
    optimizer = core.optimizer.Momentum(1e-5, 0.9, parameters=network.parameters())

    def total(*inputs: Any) -> Any:
        return core.add_n(list(network.losses(*inputs, targets).values()))

    loss = core.jit.to_static(total) if compiled else total

    def step() -> float:
        value = loss(*tensors)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        return float(value.item())

    return {"step": step, "memory": lambda: status("VmHWM") - before}


def pytorch(name: str, size: sides.Size, batch: int, folder: str, threads: int) -> Steps:
    """Return the step of a plain network with channels-last memory."""
    import torch

    from benchmarks.PaddleDetection import detector_torch

    torch.set_num_threads(threads)
    torch.ones(2).sum().item()
    before = resident()
    network = detector_torch.YOLOv3(name, sides.CLASSES)
    detector_torch.load(network, list(np.load(f"{folder}/{sides.ORDERED}").values()))
    network.to(memory_format=torch.channels_last)
    network.train()
    images = torch.from_numpy(sides.data(size, batch)["image"]).to(memory_format=torch.channels_last)
    targets = {key: torch.from_numpy(array) for key, array in objects(size, batch).items()}
    optimizer = torch.optim.SGD(network.parameters(), 1e-5, momentum=0.9)

    def step() -> float:
        optimizer.zero_grad()
        value = detector_torch.loss(network(images), targets, size[0] * size[1])
        value.backward()
        optimizer.step()
        return float(value.item())

    return {"step": step, "memory": lambda: status("VmHWM") - before}


def paddle(name: str, size: sides.Size, batch: int, folder: str, threads: int) -> Steps:
    """Return PaddleDetection's step."""
    import zlib  # noqa: F401  # before paddle, which crashes after it

    import paddle as framework

    from benchmarks.PaddleDetection.detector_paddle import built, yolo_targets

    framework.set_device("cpu")
    before = resident()
    network = built(name, sides.CLASSES)
    network.set_state_dict(framework.load(f"{folder}/{sides.WEIGHTS}"))
    network.train()
    optimizer = framework.optimizer.Momentum(1e-5, 0.9, parameters=network.parameters())
    arrays = sides.data(size, batch)
    fields = {**arrays, **yolo_targets(arrays["image"], objects(size, batch), sides.CLASSES)}
    inputs = {key: framework.to_tensor(array) for key, array in fields.items()}

    def step() -> float:
        value = network(inputs)["loss"]
        value.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(value.item())

    return {"step": step, "memory": lambda: status("VmHWM") - before}


if __name__ == "__main__":
    main()
