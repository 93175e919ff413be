"""Time of one optimizer step: our compiled update, MXNet's own update operators, and PyTorch where it is installed.

The tensors are those of ResNet-18 (11.7 million numbers). Run ``python -m benchmarks.core.optimizer_update``; it
prints one table, in milliseconds, the best of several repeats.
"""

from __future__ import annotations

import time
from typing import Callable

import numpy as np

from benchmarks.side import lacking
from core.kernels.dispatch import dispatcher
from core.kernels.engine import engine
from core.kernels.engine.engine import Array, Attributes
from core.kernels.optimizer import update

STAGES = [(64, 64), (64, 128), (128, 256), (256, 512)]
GROUP = 45
"""MXNet's multi-tensor operators take at most 60 tensors."""


def resnet18_shapes() -> list[tuple[int, ...]]:
    """Return the shapes of ResNet-18's parameters."""
    shapes: list[tuple[int, ...]] = [(64, 3, 7, 7), (64,), (64,)]
    for inputs, outputs in STAGES:
        for block in range(2):
            first = inputs if block == 0 else outputs
            shapes += [(outputs, first, 3, 3), (outputs,), (outputs,), (outputs, outputs, 3, 3), (outputs,), (outputs,)]
            if first != outputs:
                shapes += [(outputs, first, 1, 1), (outputs,), (outputs,)]
    return [*shapes, (512, 1000), (1000,)]


def arrays(shapes: list[tuple[int, ...]], seed: int) -> list[Array]:
    """Return positive random arrays."""
    rng = np.random.RandomState(seed)
    return [engine.from_numpy(rng.rand(*shape).astype(np.float32)) for shape in shapes]


def milliseconds(run: Callable[[], None], repeats: int = 15) -> float:
    """Return the best time of a call, all of the engine's work included."""
    times = []
    for _ in range(repeats):
        engine.wait_all()
        start = time.perf_counter()
        run()
        engine.wait_all()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def single(operator: str, columns: list[list[Array]], **attributes: float) -> Callable[[], None]:
    """Return a step through one of MXNet's operators, called for each tensor."""
    handle, encoded = engine.operator_handle(operator), Attributes(attributes)

    def run() -> None:
        for row in zip(*columns):
            engine.invoke(handle, row, encoded, [row[0]])

    return run


def multi(
    operator: str, columns: list[list[Array]], numbers: dict[str, float], extra: list[Array]
) -> Callable[[], None]:
    """Return a step through one of MXNet's multi-tensor operators."""
    handle = engine.operator_handle(operator)
    rows = list(zip(*columns))
    calls = []
    for first in range(0, len(rows), GROUP):
        part = rows[first : first + GROUP]
        tuples = {key: f"({','.join([repr(value)] * len(part))})" for key, value in numbers.items()}
        inputs = [array for row in part for array in row] + extra
        calls.append((inputs, Attributes({**tuples, "num_weights": len(part)}), [row[0] for row in part]))

    def run() -> None:
        for inputs, attributes, outputs in calls:
            engine.invoke(handle, inputs, attributes, outputs)

    return run


def ours(rule: str, columns: list[list[Array]], rates: list[float], constants: list[float]) -> Callable[[], None]:
    """Return a step through our compiled rule."""
    count = len(columns[0])
    values = [[dispatcher.constant(array) for array in column] for column in columns]
    terms = np.tile([1.0, -np.inf, np.inf, 1e-4, 0.0], (count, 1))
    return lambda: update.update(rule, values, terms, np.tile(rates, (count, 1)), constants)


def torch_step(kind: str, shapes: list[tuple[int, ...]]) -> Callable[[], None]:
    """Return a step of PyTorch's optimizer of the same kind, fused where this build has that on the CPU."""
    import torch

    parameters = [torch.nn.Parameter(torch.rand(shape)) for shape in shapes]
    for parameter in parameters:
        parameter.grad = torch.rand(parameter.shape)
    if kind == "momentum":
        return torch.optim.SGD(parameters, 1e-5, momentum=0.9, weight_decay=1e-4, fused=True).step
    return torch.optim.Adam(parameters, 1e-5, weight_decay=1e-4, fused=True).step


def main() -> None:
    """Measure and print the table."""
    missing = lacking("torch")
    if missing:
        print(f"no row of PyTorch, {missing}")
    shapes = resnet18_shapes()
    weights, gradients, first, second = (arrays(shapes, seed) for seed in range(4))
    powers = [[engine.from_numpy(np.array([value], np.float32)) for _ in shapes] for value in (0.9, 0.999)]
    momentum, adam = [weights, gradients, first], [weights, gradients, first, second]
    one = engine.from_numpy(np.ones(1, np.float32))
    rates = {"lrs": 1e-5, "wds": 1e-4}
    table = {
        "core, one compiled call": (
            ours("momentum", momentum, [1e-5], [0.9, 0.0]),
            ours("adam", adam + powers, [1e-5, 1.0], [0.9, 0.999, 1e-8]),
        ),
        "MXNet, operator for each tensor": (
            single("sgd_mom_update", momentum, lr=1e-5, wd=1e-4, momentum=0.9),
            single("adam_update", adam, lr=1e-5, wd=1e-4),
        ),
        "MXNet, multi-tensor operator": (
            multi("multi_sgd_mom_update", momentum, rates, []),
            multi("_multi_adamw_update", adam, {**rates, "etas": 1.0}, [one]),
        ),
    }
    if not missing:
        table["PyTorch, fused"] = (torch_step("momentum", shapes), torch_step("adam", shapes))
    print(f"{'milliseconds a step, ResNet-18':<34}{'momentum':>10}{'Adam':>10}")
    for name, (step_momentum, step_adam) in table.items():
        print(f"{name:<34}{milliseconds(step_momentum):>10.1f}{milliseconds(step_adam):>10.1f}")


if __name__ == "__main__":
    main()
