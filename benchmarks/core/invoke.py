"""What one operator costs besides its arithmetic: microseconds of processor time, small tensors.

    python -m benchmarks.core.invoke --peers PYTHON [--rounds 9]

PYTHON is an interpreter that has PyTorch; by default this one. Each row stands for one call: as it is, where NumPy
computes what is small; with every operator left to the engine, in a process of its own; and of PyTorch. The three take
turns, and a ratio is the median of the rounds' ratios, above 1 where the first column is faster. The LSTM of two layers
of 32 units, 20 sequences of 35 steps, is the one of benchmarks.core.language_model, forward and backward.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import Any, Callable

from benchmarks.core.sides import written_out_lstm
from benchmarks.side import Side, Steps, measured, require

SIZES = (8, 1024, 16384)
LSTM = "LSTM of 32 written out, a step"
LAYERS, BATCH, LENGTH, UNITS = 2, 20, 35, 32


def our_calls(most_bytes: int) -> Steps:
    """Return our calls.

    Args:
        most_bytes: The size up to which NumPy computes; 0 leaves all to the engine, below 0 is the usual one.
    """
    import numpy as np

    import core
    from core.kernels.engine import engine, host_array
    from core.nn import functional as F

    if most_bytes >= 0:
        host_array.MOST_BYTES = most_bytes
    steps: dict[str, Callable[[], Any]] = {}
    for size in SIZES:
        x, y = (core.to_tensor(np.linspace(0.1, 0.9, size, dtype="float32")) for _ in range(2))
        watched = core.to_tensor(np.linspace(0.1, 0.9, size, dtype="float32"), stop_gradient=False)
        steps |= {
            f"a + b, {size} numbers": lambda x=x, y=y: x + y,
            f"a + b recorded, {size}": lambda x=watched, y=y: x + y,
            f"sigmoid(a), {size}": lambda x=x: F.sigmoid(x),
            f"erf(erf(a) + b), {size}": lambda x=x, y=y: core.erf(core.erf(x) + y),
        }
    matrix, row = core.ones([20, 32]), core.ones([32, 32])
    steps["20 x 32 by 32 x 32"] = lambda: core.matmul(matrix, row)
    x, y = core.ones([8]), core.ones([8])
    twenty = core.jit.to_static(lambda a, b: _added(a, b))
    steps |= {"20 sums one by one": lambda: _added(x, y), "20 sums, compiled": lambda: twenty(x, y)}
    pair, add, none = [core.ones([8])._value.array] * 2, engine.operator_handle("_npi_add"), engine.Attributes({})
    steps["the engine's C interface alone"] = lambda: engine.invoke(add, pair, none)

    generator = np.random.default_rng(0)
    written_out, weights = written_out_lstm.ours(UNITS, LAYERS, generator)
    numbers = generator.uniform(-0.2, 0.2, (LENGTH, BATCH, UNITS)).astype("float32")
    inputs = core.to_tensor(numbers, stop_gradient=False)

    def lstm() -> None:
        written_out(inputs).sum().backward()
        for tensor in (inputs, *weights):
            tensor.clear_gradient(False)

    steps[LSTM] = lstm
    return steps


def _added(a: Any, b: Any) -> Any:
    for _ in range(20):
        a = a + b
    return a


def torch_calls() -> Steps:
    """Return PyTorch's calls."""
    import torch

    torch.set_num_threads(1)
    steps: dict[str, Callable[[], Any]] = {}
    for size in SIZES:
        x, y = torch.linspace(0.1, 0.9, size), torch.linspace(0.1, 0.9, size)
        watched = torch.linspace(0.1, 0.9, size).requires_grad_()
        steps |= {
            f"a + b, {size} numbers": lambda x=x, y=y: x + y,
            f"a + b recorded, {size}": lambda x=watched, y=y: x + y,
            f"sigmoid(a), {size}": lambda x=x: x.sigmoid(),
            f"erf(erf(a) + b), {size}": lambda x=x, y=y: (x.erf() + y).erf(),
        }
    matrix, row = torch.ones(20, 32), torch.ones(32, 32)
    steps["20 x 32 by 32 x 32"] = lambda: matrix @ row
    x, y = torch.ones(8), torch.ones(8)
    steps["20 sums one by one"] = lambda: _added(x, y)
    steps[LSTM] = written_out_lstm.pytorch(torch.randn(LENGTH, BATCH, UNITS, requires_grad=True), LAYERS)
    return steps


def main() -> None:
    """Print one row per call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="alternating rounds (default 9)")
    parser.add_argument("--calls", type=int, default=500, help="calls in a row (default 500)")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch")
    arguments = parser.parse_args()
    require("torch", python=arguments.peers)
    sides = [
        Side("core", our_calls, (-1,), threads=1, processor=True),
        Side("core, the engine alone", our_calls, (0,), threads=1, processor=True),
        Side("PyTorch", torch_calls, threads=1, python=arguments.peers, processor=True),
    ]
    print(f"{'microseconds of processor time':34}{'ours':>10}{'engine':>10}{'ratio':>7}{'PyTorch':>10}{'ratio':>7}")
    for step in sides[0].steps:
        taking = [side for side in sides if step in side.steps]
        calls = max(1, arguments.calls // 100) if step == LSTM else arguments.calls
        rounds = [[side.seconds(step, calls) for side in taking] for _ in range(arguments.rounds + 1)][1:]
        text = f"{step:34}{1e6 * statistics.median(times[0] for times in rounds):10.1f}"
        for i, side in enumerate(taking[1:], 1):
            pairs = [(times[0], times[i]) for times in rounds]
            _, seconds, ratio = measured((sides[0].name, step), (side.name, step), pairs)
            text += f"{1e6 * seconds:10.1f}{ratio:7.2f}"
        print(text, flush=True)
    for side in sides:
        side.close()


if __name__ == "__main__":
    main()
