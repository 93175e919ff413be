"""ResNet-50, batch 8 at 224 x 224: forward and training step, ours against PyTorch in the same run.

    pip install torch
    python -m benchmarks.resnet50 [--rounds 5] [--threads 2]

Both sides compute the same network on the same images with the same number of threads; rounds alternate, and the ratio
is the median of the rounds' ratios, because machines are noisy.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import Any, Callable


def main() -> None:
    """Print one row per comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="alternating rounds (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--batch", type=int, default=8, help="images per step (default 8)")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)

    ours = our_steps(arguments.batch)
    theirs = torch_steps(arguments.batch, arguments.threads)
    print(f"{'':28} {'ours img/s':>12} {'PyTorch img/s':>14} {'ratio':>7}")
    for name, our_step, their_step in (
        ("forward, eager", ours["forward, eager"], theirs["forward"]),
        ("forward, compiled", ours["forward, compiled"], theirs["forward"]),
        ("training step, eager", ours["training, eager"], theirs["training"]),
        ("training step, compiled", ours["training, compiled"], theirs["training"]),
    ):
        our_step(), their_step()
        rounds = [(seconds(our_step), seconds(their_step)) for _ in range(arguments.rounds)]
        rates = [arguments.batch / statistics.median(column) for column in zip(*rounds)]
        ratio = statistics.median(their_time / our_time for our_time, their_time in rounds)
        print(f"{name:28} {rates[0]:12.1f} {rates[1]:14.1f} {ratio:7.2f}", flush=True)


def seconds(step: Callable[[], None]) -> float:
    """Return how long two calls take, per call."""
    began = time.perf_counter()
    step()
    step()
    return (time.perf_counter() - began) / 2


def our_steps(batch: int) -> dict[str, Callable[[], None]]:
    """Return our forward pass and training step, eager and compiled."""
    import numpy as np

    import core
    import core.nn.functional as F
    import PaddleClas

    generator = np.random.default_rng(0)
    images = core.to_tensor(generator.standard_normal((batch, 3, 224, 224), dtype="float32"))
    labels = core.to_tensor(generator.integers(0, 1000, batch))
    model = PaddleClas.create_model("ResNet50")
    optimizer = core.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())

    def loss(x: Any, y: Any) -> Any:
        return F.cross_entropy(model(x), y)

    def forward(function: Callable[[Any], Any]) -> Callable[[], None]:
        def step() -> None:
            model.eval()
            with core.no_grad():
                function(images).numpy()

        return step

    def training(function: Callable[[Any, Any], Any]) -> Callable[[], None]:
        def step() -> None:
            model.train()
            value = function(images, labels)
            value.backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
            value.item()
            core.kernels.engine.wait_all()

        return step

    return {
        "forward, eager": forward(model),
        "forward, compiled": forward(core.jit.to_static(lambda x: model(x))),
        "training, eager": training(loss),
        "training, compiled": training(core.jit.to_static(loss)),
    }


def torch_steps(batch: int, threads: int) -> dict[str, Callable[[], None]]:
    """Return PyTorch's forward pass and training step, eager with channels-last memory, its fastest plain form."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model = torch_resnet50().to(memory_format=torch.channels_last)
    images = torch.randn(batch, 3, 224, 224).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (batch,))
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def forward() -> None:
        model.eval()
        with torch.inference_mode():
            model(images)

    def training() -> None:
        model.train()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return {"forward": forward, "training": training}


def torch_resnet50() -> Any:
    """Return the same network in PyTorch: bottlenecks with the stride on the 3 x 3 convolution."""
    import torch.nn as nn

    class Bottleneck(nn.Module):
        def __init__(self, inputs: int, width: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                *[*unit(inputs, width, 1), nn.ReLU()],
                *[*unit(width, width, 3, stride), nn.ReLU()],
                *unit(width, 4 * width, 1),
            )
            changed = stride != 1 or inputs != 4 * width
            self.short = nn.Sequential(*unit(inputs, 4 * width, 1, stride)) if changed else nn.Identity()
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.body(x) + self.short(x))

    def unit(inputs: int, outputs: int, kernel: int, stride: int = 1) -> list[Any]:
        return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs)]

    layers: list[Any] = [*unit(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for stage, (width, depth) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(depth):
            layers.append(Bottleneck(channels, width, 2 if block == 0 and stage else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


if __name__ == "__main__":
    main()
