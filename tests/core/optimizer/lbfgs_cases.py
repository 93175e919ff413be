"""Runs of LBFGS on a valley; run in either environment. As a program it writes data/lbfgs.npz with the official ones.

Run in an environment with paddlepaddle 2.6.2: ``python tests/core/optimizer/lbfgs_cases.py`` from the
repository's root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np

STORED = Path(__file__).parent / "data" / "lbfgs.npz"
START = np.array([-1.2, 1.0, 0.5, -0.3])
CASES: dict[str, dict[str, Any]] = {
    "plain": {"learning_rate": 1e-3, "max_iter": 5},
    "searching": {"line_search_fn": "strong_wolfe", "max_iter": 10},
    "forgetful": {"line_search_fn": "strong_wolfe", "history_size": 2, "max_iter": 4, "learning_rate": 0.5},
    "few evaluations": {"line_search_fn": "strong_wolfe", "max_iter": 20, "max_eval": 3},
}


def valley(x: Any) -> Any:
    """Return Rosenbrock's function."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def run(optimizer: Callable[..., Any], x: Any, options: dict[str, Any], steps: int = 6) -> np.ndarray:
    """Return the loss and the position after each step, shape (steps, 5)."""
    made = optimizer(parameters=[x], **options)

    def closure() -> Any:
        made.clear_grad()
        loss = valley(x)
        loss.backward()
        return loss

    return np.array([[float(made.step(closure)), *x.numpy()] for _ in range(steps)])


if __name__ == "__main__":
    import zlib  # noqa: F401  # must be loaded before paddle

    import paddle

    arrays = {}
    for name, options in CASES.items():
        given = paddle.create_parameter([4], "float64", default_initializer=paddle.nn.initializer.Assign(START))
        arrays[name] = run(paddle.optimizer.LBFGS, given, options)
    np.savez_compressed(STORED, **arrays)
