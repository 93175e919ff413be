"""What one operator costs besides its arithmetic: microseconds for adding two tensors of 8 numbers.

    pip install torch
    python -m benchmarks.core.invoke [--rounds 15]

The calls of all rows are interleaved, and each row shows its median round; nothing waits for the result, as in a model.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any, Callable

from benchmarks.side import lacking

CALLS = 500


def our_calls() -> dict[str, Callable[[], Any]]:
    """Return our ways to add, and the engine's own."""
    import core
    from core.kernels.engine import engine
    from core.kernels.engine.engine import mx

    x, y = core.ones([8]), core.ones([8])
    watched = core.ones([8])
    watched.stop_gradient = False
    compiled = core.jit.to_static(lambda a, b: a + b)
    many = core.jit.to_static(lambda a, b: twenty(a, b))
    first, second = pair = mx.nd.ones((8,)), mx.nd.ones((8,))
    add, none = engine.operator_handle("elemwise_add"), engine.Attributes({})

    def twenty(a: Any, b: Any) -> Any:
        for _ in range(20):
            a = a + b
        return a

    def without(function: Callable[..., Any], a: Any, b: Any) -> Callable[[], Any]:
        def call() -> None:
            with core.no_grad():
                function(a, b)

        return call

    return {
        "the engine's C interface alone": lambda: engine.invoke(add, pair, none),
        "the engine's own call, mx.nd": lambda: mx.nd.elemwise_add(first, second),
        "ours, nothing recorded": lambda: x + y,
        "ours, recorded for a gradient": lambda: watched + y,
        "ours, a compiled program of 1": lambda: compiled(x, y),
        "ours, a compiled program of 20": lambda: many(x, y),
        "ours, 20 one by one": lambda: twenty(x, y),
        "ours, recorded compiled program of 20": lambda: many(watched, y),
        "ours, no_grad around one": without(lambda a, b: a + b, watched, y),
    }


def torch_calls() -> dict[str, Callable[[], Any]]:
    """Return PyTorch's ways to add."""
    import torch

    torch.set_num_threads(1)
    x, y = torch.ones(8), torch.ones(8)
    watched = torch.ones(8, requires_grad=True)
    return {"PyTorch, nothing recorded": lambda: x + y, "PyTorch, recorded for a gradient": lambda: watched + y}


def main() -> None:
    """Print one row per way to add."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="rounds of 500 calls (default 15)")
    arguments = parser.parse_args()
    missing = lacking("torch")
    if missing:
        print(f"no rows of PyTorch, {missing}")
    calls = {**our_calls(), **({} if missing else torch_calls())}
    from core.kernels.engine import engine

    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(arguments.rounds + 1):
        for name, call in calls.items():
            began = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[name].append((time.perf_counter() - began) / CALLS)
            engine.wait_all()
    print(f"{'':40}{'microseconds':>13}")
    for name, found in times.items():
        print(f"{name:40}{1e6 * statistics.median(found[1:]):13.1f}")


if __name__ == "__main__":
    main()
