"""Seconds to save a checkpoint of ResNet-50 with its optimizer, beside the time of writing as many bytes.

Run ``python -m benchmarks.core.checkpoint``. Both sides write, synchronise to the disk and rename, in turns;
``--folder`` says on which disk. The bytes lie ready in memory; the checkpoint begins with the tensors.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

import core
import PaddleClas
from core.weights import atomic_write
from core.weights.atomic import synchronise_directory


def main() -> None:
    """Print one row for each optimizer and format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default=None)
    arguments = parser.parse_args()
    print("| optimizer | format | MB | bytes alone, s | save, s | ratio | load, s |\n|---|---|--:|--:|--:|--:|--:|")
    for optimizer_name in ("Momentum", "Adam"):
        network, optimizer = trained(optimizer_name)
        parts = {"weights": network.state_dict(), "optimizer": optimizer.state_dict()}
        for ending in ("safetensors", "pd"):
            with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
                row = measured(parts, Path(name), ending, arguments.rounds)
            print(f"| {optimizer_name} | {ending} | " + " | ".join(row) + " |", flush=True)


def trained(optimizer_name: str) -> tuple[Any, Any]:
    """Return ResNet-50 and its optimizer after a step."""
    network = PaddleClas.create_model("ResNet50")
    optimizer = getattr(core.optimizer, optimizer_name)(learning_rate=0.1, parameters=network.parameters())
    network(core.randn([1, 3, 64, 64])).sum().backward()
    optimizer.step()
    optimizer.clear_grad(False)
    return network, optimizer


def measured(parts: dict[str, Any], folder: Path, ending: str, rounds: int) -> tuple[str, ...]:
    """Let the two sides take turns; return the cells of a row."""
    files = {name: folder / f"{name}.{ending}" for name in parts}

    def save() -> None:
        for name, state in parts.items():
            core.save(state, files[name])

    save()
    sizes = [file.stat().st_size for file in files.values()]
    contents = [np.random.default_rng(0).bytes(size) for size in sizes]

    def write() -> None:
        for index, content in enumerate(contents):
            with atomic_write(folder / f"bytes{index}") as stream:
                stream.write(content)

    write()
    pairs = [(seconds(write), seconds(save)) for _ in range(rounds)]
    loads = [seconds(lambda: [core.load(file) for file in files.values()]) for _ in range(3)]
    synchronise_directory(folder)
    alone, saved = (statistics.median(column) for column in zip(*pairs))
    ratio = statistics.median(mine / bare for bare, mine in pairs)
    return f"{sum(sizes) / 1e6:.0f}", f"{alone:.3f}", f"{saved:.3f}", f"{ratio:.2f}", f"{statistics.median(loads):.3f}"


def seconds(function: Callable[[], Any]) -> float:
    """Return the time of one call, with nothing left to be written before it."""
    os.sync()
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
