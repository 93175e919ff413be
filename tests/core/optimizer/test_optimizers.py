"""Every optimizer, step by step, against recurrences written independently; and against stored numbers of Paddle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import optimizer as optimizers
from core.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from core.optimizer import lr
from core.regularizer import L1Decay, L2Decay
from core.tensor import Tensor
from tests.core.optimizer import recurrences
from tests.core.optimizer.paddle_cases import CASES, GRADIENTS, VALUES, train
from tests.sampling import sampled

STEPS = 7
SHAPES = [(3, 4), (5,), (), (0, 2)]

OPTIMIZERS = {
    "SGD": (lambda **k: optimizers.SGD(**k), lambda: recurrences.SGD()),
    "Momentum": (lambda **k: optimizers.Momentum(momentum=0.8, **k), lambda: recurrences.Momentum(0.8)),
    "Nesterov": (
        lambda **k: optimizers.Momentum(momentum=0.8, use_nesterov=True, **k),
        lambda: recurrences.Momentum(0.8, True),
    ),
    "Adam": (
        lambda **k: optimizers.Adam(beta1=0.8, beta2=0.95, epsilon=1e-3, **k),
        lambda: recurrences.Adam(0.8, 0.95, 1e-3),
    ),
    "Adamax": (
        lambda **k: optimizers.Adamax(beta1=0.8, beta2=0.95, epsilon=1e-3, **k),
        lambda: recurrences.Adamax(0.8, 0.95, 1e-3),
    ),
    "Adagrad": (
        lambda **k: optimizers.Adagrad(epsilon=1e-3, initial_accumulator_value=0.1, **k),
        lambda: recurrences.Adagrad(1e-3, 0.1),
    ),
    "Adadelta": (
        lambda **k: optimizers.Adadelta(rho=0.9, epsilon=1e-3, **k),
        lambda: recurrences.Adadelta(0.9, 1e-3),
    ),
    "RMSProp": (lambda **k: optimizers.RMSProp(rho=0.9, epsilon=1e-3, **k), lambda: recurrences.RMSProp(0.9, 1e-3)),
    "RMSProp centered": (
        lambda **k: optimizers.RMSProp(rho=0.9, epsilon=1e-3, momentum=0.7, centered=True, **k),
        lambda: recurrences.RMSProp(0.9, 1e-3, 0.7, True),
    ),
}
DECOUPLED = {
    "AdamW": (
        lambda **k: optimizers.AdamW(beta1=0.8, beta2=0.95, epsilon=1e-3, weight_decay=0.1, **k),
        lambda: recurrences.Adam(0.8, 0.95, 1e-3, 0.1),
    ),
    "Lamb": (
        lambda **k: optimizers.Lamb(0.1, 0.05, 0.8, 0.95, 1e-3, **{key: k[key] for key in k if key != "learning_rate"}),
        lambda: recurrences.Lamb(0.8, 0.95, 1e-3, 0.05),
    ),
}
CLIPS = {
    "no clip": (None, lambda gradients: gradients),
    "value": (ClipGradByValue(0.6, -0.4), lambda gradients: recurrences.by_value(gradients, -0.4, 0.6)),
    "norm": (ClipGradByNorm(0.7), lambda gradients: recurrences.by_norm(gradients, 0.7)),
    "global norm": (ClipGradByGlobalNorm(1.5), lambda gradients: recurrences.by_global_norm(gradients, 1.5)),
}
DECAYS = {
    "no decay": (None, lambda w: 0.0),
    "float": (0.05, lambda w: 0.05 * w),
    "L2": (L2Decay(0.05), lambda w: 0.05 * w),
    "L1": (L1Decay(0.05), lambda w: 0.05 * np.sign(w)),
}


def compare(make, recurrence, clip="no clip", decay="no decay", schedule=None, dtype="float32"):
    """Run an optimizer and its recurrence side by side and compare the weights after every step."""
    rng = np.random.RandomState(0)
    weights = [rng.randn(*shape) for shape in SHAPES]
    parameters = [Tensor(w, dtype, stop_gradient=False, name=f"w{i}") for i, w in enumerate(weights)]
    weights = [np.array(p.numpy(), np.float64) for p in parameters]
    states = [recurrence() for _ in weights]
    options = {} if DECAYS[decay][0] is None else {"weight_decay": DECAYS[decay][0]}
    rate = 0.1 if schedule is None else schedule()
    optimizer = make(learning_rate=rate, parameters=parameters, grad_clip=CLIPS[clip][0], **options)
    for _ in range(STEPS):
        gradients = [np.asarray(rng.randn(*shape), dtype) for shape in SHAPES]
        for parameter, gradient in zip(parameters, gradients):
            (parameter * Tensor(gradient)).sum().backward()
        optimizer.step()
        clipped = CLIPS[clip][1]([g.astype(np.float64) for g in gradients])
        now = rate if schedule is None else rate()
        for i, (w, g) in enumerate(zip(weights, clipped)):
            weights[i] = states[i].step(w, g + DECAYS[decay][1](w), now)
            tolerance = 2e-5 if dtype == "float32" else 1e-12
            np.testing.assert_allclose(parameters[i].numpy(), weights[i], rtol=tolerance, atol=tolerance / 10)
        optimizer.clear_grad()
        if schedule is not None:
            rate.step()


BY_TYPE = [(dtype, name) for dtype in ("float32", "float64") for name in (*OPTIMIZERS, *DECOUPLED)]


@pytest.mark.parametrize(
    ("dtype", "name"), sampled(BY_TYPE, 1000, group=lambda case: case if case[0] == "float32" else "float64")
)
def test_recurrence(dtype, name):
    compare(*{**OPTIMIZERS, **DECOUPLED}[name], dtype=dtype)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_recurrence_with_decay_clip_and_schedule(name):
    def schedule():
        return lr.LinearWarmup(lr.StepDecay(0.1, 2, 0.5), 3, 0.0, 0.1)

    compare(*OPTIMIZERS[name], clip="global norm", decay="float", schedule=schedule)


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("decay", DECAYS)
def test_clips_and_decays(clip, decay):
    compare(*OPTIMIZERS["Momentum"], clip=clip, decay=decay)


@pytest.mark.parametrize("name", DECOUPLED)
def test_decoupled_decay_with_clip(name):
    compare(*DECOUPLED[name], clip="global norm")


REFERENCES = np.load(Path(__file__).parent / "data" / "paddle_2_6_2.npz")


@pytest.mark.parametrize("own_settings", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_paddles_numbers(name, own_settings):
    parameters = {}
    for key, value in VALUES.items():
        parameters[key] = Tensor(value, stop_gradient=False, name=key)
    if own_settings:
        parameters["b"].optimize_attr = {"learning_rate": 2.0}
        parameters["b"].regularizer = L2Decay(0.3)
        parameters["z"].regularizer = L1Decay(0.1)
        parameters["z"].need_clip = False
    import core.nn.clip
    import core.regularizer

    trajectory = train(name, list(parameters.values()), optimizers, core.nn.clip, core.regularizer, Tensor)
    expected = REFERENCES[f"{name}/{'own' if own_settings else 'plain'}"]
    np.testing.assert_allclose(trajectory, expected, rtol=1e-6, atol=5e-7)
    assert len(trajectory) == len(GRADIENTS)
