"""Optimizer settings that are run both here and by Paddle; ``data/make_references.py`` stores Paddle's numbers.

Nothing of Paddle or of core is imported here: both hand in their own modules.
"""

from __future__ import annotations

import numpy as np

_rng = np.random.RandomState(0)
VALUES = {
    "w": _rng.randn(3, 4).astype(np.float32),
    "b": _rng.randn(5).astype(np.float32),
    "z": np.zeros(2, np.float32),
}
GRADIENTS = [{key: _rng.randn(*value.shape).astype(np.float32) for key, value in VALUES.items()} for _ in range(6)]


def _is_bias(name):
    return name.endswith("b")


# name: function of (parameters, schedule, optimizer module, clip module, regularizer module)
CASES = {
    "SGD": lambda p, s, o, c, r: o.SGD(s, p),
    "SGD, L1": lambda p, s, o, c, r: o.SGD(0.1, p, weight_decay=r.L1Decay(0.02)),
    "SGD, value": lambda p, s, o, c, r: o.SGD(0.1, p, 0.02, c.ClipGradByValue(0.5, -0.3)),
    "SGD, norm": lambda p, s, o, c, r: o.SGD(0.1, p, 0.02, c.ClipGradByNorm(0.5)),
    "SGD, global norm": lambda p, s, o, c, r: o.SGD(0.1, p, 0.02, c.ClipGradByGlobalNorm(1.0)),
    "SGD, groups": lambda p, s, o, c, r: o.SGD(
        s, [{"params": p[:1], "learning_rate": 0.5, "weight_decay": 0.1}, {"params": p[1:]}], 0.02
    ),
    "Momentum": lambda p, s, o, c, r: o.Momentum(s, 0.9, p, weight_decay=0.02),
    "Momentum, L1": lambda p, s, o, c, r: o.Momentum(s, 0.9, p, weight_decay=r.L1Decay(0.02)),
    "Nesterov": lambda p, s, o, c, r: o.Momentum(s, 0.9, p, True, 0.02, c.ClipGradByGlobalNorm(1.0)),
    "Momentum, groups": lambda p, s, o, c, r: o.Momentum(
        s,
        0.9,
        [{"params": p[:1], "learning_rate": 0.5, "weight_decay": 0.1, "momentum": 0.5}, {"params": p[1:]}],
        weight_decay=0.02,
    ),
    "Momentum, group without decay": lambda p, s, o, c, r: o.Momentum(
        s, 0.9, [{"params": p[:1], "weight_decay": None}, {"params": p[1:]}], weight_decay=0.02
    ),
    "Adam": lambda p, s, o, c, r: o.Adam(s, parameters=p, epsilon=1e-3),
    "Adam, L2, global norm": lambda p, s, o, c, r: o.Adam(
        s, 0.8, 0.9, parameters=p, weight_decay=0.02, grad_clip=c.ClipGradByGlobalNorm(1.0)
    ),
    "Adam, groups": lambda p, s, o, c, r: o.Adam(
        s,
        parameters=[
            {"params": p[:1], "learning_rate": 0.5, "weight_decay": 0.1, "beta1": 0.5},
            {"params": p[1:], "grad_clip": c.ClipGradByNorm(0.1)},
        ],
        weight_decay=0.02,
        grad_clip=c.ClipGradByGlobalNorm(1.0),
    ),
    "Adam, groups with None and 0": lambda p, s, o, c, r: o.Adam(
        s, parameters=[{"params": p[:1], "weight_decay": None}, {"params": p[1:], "weight_decay": 0.0}],
        weight_decay=0.02,
    ),
    "AdamW": lambda p, s, o, c, r: o.AdamW(
        s, parameters=p, weight_decay=0.1, apply_decay_param_fun=lambda name: not _is_bias(name)
    ),
    "AdamW, norm": lambda p, s, o, c, r: o.AdamW(s, 0.7, parameters=p, grad_clip=c.ClipGradByNorm(0.5)),
    "AdamW, groups": lambda p, s, o, c, r: o.AdamW(
        s,
        parameters=[
            {"params": p[:1], "learning_rate": 0.5, "weight_decay": 0.1, "beta1": 0.5},
            {"params": p[1:]},
        ],
        weight_decay=0.02,
    ),
    "Adamax": lambda p, s, o, c, r: o.Adamax(s, epsilon=1e-3, parameters=p, weight_decay=0.02),
    "Adagrad": lambda p, s, o, c, r: o.Adagrad(s, parameters=p, weight_decay=0.02, initial_accumulator_value=0.1),
    "Adadelta": lambda p, s, o, c, r: o.Adadelta(s, 1e-3, parameters=p, weight_decay=0.02),
    "RMSProp": lambda p, s, o, c, r: o.RMSProp(s, parameters=p, weight_decay=0.02),
    "RMSProp, centered": lambda p, s, o, c, r: o.RMSProp(s, 0.9, 1e-4, 0.9, True, p, 0.02),
    "Lamb": lambda p, s, o, c, r: o.Lamb(s, 0.05, parameters=p, grad_clip=c.ClipGradByGlobalNorm(1.0)),
    "Lamb, excluded": lambda p, s, o, c, r: o.Lamb(
        s, 0.05, parameters=p, exclude_from_weight_decay_fn=lambda parameter: _is_bias(parameter.name)
    ),
    "Lamb, always adapted": lambda p, s, o, c, r: o.Lamb(
        s, 0.05, parameters=p, always_adapt=True,
        exclude_from_weight_decay_fn=lambda parameter: _is_bias(parameter.name),
    ),
    "Lamb without decay": lambda p, s, o, c, r: o.Lamb(s, 0.0, parameters=p),
}


def train(name, parameters, optimizer_module, clip_module, regularizer_module, to_tensor):
    """Return all weights, flattened, after each step: shape (steps, numbers).

    The gradients are those of GRADIENTS; the schedule warms up for 3 steps from 0 to 0.1, then halves at each step.
    """
    schedules = optimizer_module.lr
    schedule = schedules.LinearWarmup(schedules.ExponentialDecay(0.1, 0.5), 3, 0.0, 0.1)
    optimizer = CASES[name](parameters, schedule, optimizer_module, clip_module, regularizer_module)
    trajectory = []
    for gradients in GRADIENTS:
        for parameter, key in zip(parameters, VALUES):
            (parameter * to_tensor(gradients[key])).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        trajectory.append(np.concatenate([np.array(parameter.numpy()).reshape(-1) for parameter in parameters]))
    return np.array(trajectory)
