"""Write ``paddle_groups.npz``: what Paddle makes of the gradients of ``grouped_network`` with groups.

Run it from the repository root with a Python that has paddlepaddle 2.6.2:
``PYTHONPATH=. python tests/core/train/data/make_group_references.py``
"""

from __future__ import annotations

import zlib  # noqa: F401, I001 - Paddle 2.6 crashes where zlib is imported after it
from pathlib import Path

import numpy as np
import paddle

from tests.core.train.grouped_network import GRADIENTS, VALUES, depth


def trajectory(make):
    """Return all weights after each step, flattened: shape (steps, numbers)."""
    parameters = {}
    for name, value in VALUES.items():
        initializer = paddle.nn.initializer.Assign(value)
        parameters[name] = paddle.create_parameter(
            value.shape, "float32", name=f"{make.__name__}/{name}", default_initializer=initializer
        )
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(0.1, T_max=6)
    optimizer = make(parameters, schedule)
    rows = []
    for gradients in GRADIENTS:
        for name, parameter in parameters.items():
            (parameter * paddle.to_tensor(gradients[name])).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        rows.append(np.concatenate([parameter.numpy().reshape(-1) for parameter in parameters.values()]))
    return np.array(rows)


def momentum(parameters, schedule):
    """A backbone at a tenth, a head that decays more, and no decay of biases and of the norm."""
    weights = {name: value for name, value in parameters.items() if value.ndim > 1}
    rest = {name: value for name, value in parameters.items() if value.ndim <= 1}
    low = ("stem.", "blocks.")
    groups = [
        {"params": [v for n, v in weights.items() if n.startswith(low)], "learning_rate": 0.1},
        {"params": [weights["head.weight"]], "weight_decay": 0.3},
        {"params": [v for n, v in rest.items() if n.startswith(low)], "learning_rate": 0.1, "weight_decay": 0.0},
        {"params": [v for n, v in rest.items() if not n.startswith(low)], "weight_decay": 0.0},
    ]
    clip = paddle.nn.ClipGradByValue(0.7)
    return paddle.optimizer.Momentum(schedule, 0.9, groups, weight_decay=0.02, grad_clip=clip)


def adamw(parameters, schedule):
    """Layer-wise decay of the learning rate, one norm over all gradients, no decay of biases and of the norm."""
    for name, parameter in parameters.items():
        parameter.optimize_attr["learning_rate"] = 0.75 ** depth(name)
    return paddle.optimizer.AdamW(
        schedule,
        parameters=list(parameters.values()),
        weight_decay=0.1,
        apply_decay_param_fun=lambda name: VALUES[name.split("/")[1]].ndim > 1,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
    )


def lamb(parameters, schedule):
    """No decay of biases and of the norm."""
    return paddle.optimizer.Lamb(
        schedule,
        0.05,
        parameters=list(parameters.values()),
        exclude_from_weight_decay_fn=lambda parameter: parameter.ndim <= 1,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
    )


if __name__ == "__main__":
    found = {make.__name__: trajectory(make) for make in (momentum, adamw, lamb)}
    np.savez_compressed(Path(__file__).parent / "paddle_groups.npz", **found)
