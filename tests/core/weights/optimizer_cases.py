"""Optimizers whose states are exchanged with Paddle; both sides hand in their own modules."""

from __future__ import annotations

import numpy as np

_rng = np.random.RandomState(3)
VALUES = {"fc.w_0": _rng.randn(3, 2).astype(np.float32), "fc.b_0": _rng.randn(2).astype(np.float32)}
GRADIENTS = [{name: _rng.randn(*value.shape).astype(np.float32) for name, value in VALUES.items()} for _ in range(4)]
STEPS_BEFORE = 2

CASES = {
    "momentum": lambda o, s, p: o.Momentum(s, 0.9, p, weight_decay=0.02),
    "adam": lambda o, s, p: o.Adam(s, parameters=p),
    "adamw": lambda o, s, p: o.AdamW(s, parameters=p, weight_decay=0.1),
    "lamb": lambda o, s, p: o.Lamb(s, parameters=p),
}


def make(name, module, parameters):
    """Return a schedule and the optimizer of a case."""
    schedule = module.lr.LinearWarmup(module.lr.StepDecay(0.1, 2), 2, 0.1, 0.2)
    return schedule, CASES[name](module, schedule, parameters)


def train(schedule, optimizer, parameters, gradients, to_tensor):
    """Make one step for each gradient."""
    for gradient in gradients:
        sum((parameter * to_tensor(gradient[parameter.name])).sum() for parameter in parameters).backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
