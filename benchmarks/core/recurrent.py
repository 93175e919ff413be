"""One LSTM and one GRU layer against PyTorch's, forward and with gradients, for hidden sizes and batches.

    pip install torch
    python -m benchmarks.core.recurrent [--rounds 5] [--threads 1] [--only LSTM,650] [--peers PYTHON]

Sequences have 35 steps, inputs are as long as the state. Each side has a process of its own and they take turns; a
ratio is the median of the rounds' ratios of processor time, above 1 where ours is faster. ``--clock`` takes the clock's
time instead, which means something where nothing else runs. ``--lengths`` gives sequences of 1 to 35 steps, which
PyTorch packs.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable

from benchmarks.side import Side, Steps, compare, require

LENGTH = 35
SIZES, BATCHES = (64, 256, 650, 1500), (1, 20, 128)
ROWS = [
    f"{kind} {size}, batch {batch}, {what}"
    for kind in ("LSTM", "GRU")
    for size in SIZES
    for batch in BATCHES
    for what in ("forward", "training")
]


def _lengths(batch: int) -> list[int]:
    return [LENGTH - i * (LENGTH - 1) // max(batch - 1, 1) for i in range(batch)]


class _Steps(dict[str, Callable[[], Any]]):
    """Steps that are built when they are asked for, one at a time: all layers together would fill the memory."""

    def __init__(self, build: Callable[[str, int, int, bool], Callable[[], Any]]) -> None:
        super().__init__({row: lambda: None for row in ROWS})
        self._build, self._name, self._step = build, "", None

    def __getitem__(self, name: str) -> Callable[[], Any]:
        if name != self._name:
            layer, batch, what = name.split(", ")
            kind, size = layer.split()
            self._name = name
            self._step = self._build(kind, int(size), int(batch.split()[1]), what == "training")
        return self._step


def our_steps(uneven: bool) -> Steps:
    """Return our steps."""
    import numpy as np

    import core
    from core import nn
    from core.kernels.engine.engine import wait_all

    def build(kind: str, size: int, batch: int, trains: bool) -> Callable[[], Any]:
        layer = getattr(nn, kind)(size, size, time_major=True)
        x = core.to_tensor(np.random.default_rng(0).standard_normal((LENGTH, batch, size), dtype="float32"))
        x.stop_gradient = not trains
        lengths = core.to_tensor(np.array(_lengths(batch))) if uneven else None

        def forward() -> None:
            with core.no_grad():
                layer(x, sequence_length=lengths)
            wait_all()

        def training() -> None:
            layer(x, sequence_length=lengths)[0].sum().backward()
            for tensor in (x, *layer.parameters()):
                tensor.clear_gradient(set_to_zero=False)
            wait_all()

        return training if trains else forward

    return _Steps(build)


def torch_steps(threads: int, uneven: bool) -> Steps:
    """Return PyTorch's steps."""
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    torch.set_num_threads(threads)

    def build(kind: str, size: int, batch: int, trains: bool) -> Callable[[], Any]:
        layer = getattr(torch.nn, kind)(size, size)
        x = torch.randn(LENGTH, batch, size, requires_grad=trains)
        lengths = torch.tensor(_lengths(batch))

        def run() -> Any:
            if not uneven:
                return layer(x)[0]
            return pad_packed_sequence(layer(pack_padded_sequence(x, lengths))[0])[0]

        def forward() -> None:
            with torch.inference_mode():
                run()

        def training() -> None:
            run().sum().backward()
            layer.zero_grad()
            x.grad = None

        return training if trains else forward

    return _Steps(build)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="words that a row's name must have, between commas")
    parser.add_argument("--peers", metavar="PYTHON", default=sys.executable, help="an interpreter that has torch")
    parser.add_argument("--clock", action="store_true", help="the clock's time instead of the processors'")
    parser.add_argument("--lengths", action="store_true", help="sequences of 1 to 35 steps")
    options = parser.parse_args()
    require("torch", python=options.peers)
    shared: dict[str, Any] = {"threads": options.threads, "processor": not options.clock}
    ours = Side("core", our_steps, (options.lengths,), **shared)
    theirs = Side(
        "PyTorch", torch_steps, (options.threads, options.lengths), python=options.peers, **shared
    )
    print(f"| {options.threads} thread(s), 35 steps | PyTorch, ms | core, ms | ratio |\n|---|---:|---:|---:|")
    for row in ROWS:
        if all(word in row.replace(",", "").split() for word in options.only.split(",") if word):
            numbers = row.replace(",", "").split()
            repeats = max(1, 40_000 // (int(numbers[1]) * (1 + int(numbers[3]))))
            mine, others, ratio = compare((ours, row), (theirs, row), options.rounds, min(repeats, 50))
            print(f"| {row} | {others * 1e3:.2f} | {mine * 1e3:.2f} | {ratio:.2f} |", flush=True)
    ours.close()
    theirs.close()


if __name__ == "__main__":
    main()
