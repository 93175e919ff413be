"""Every schedule against its published formula, written out here, and against hand-computed values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.optimizer import lr


def run(scheduler, count):
    """Learning rates of epochs 0 to ``count`` - 1."""
    rates = []
    for _ in range(count):
        rates.append(scheduler())
        scheduler.step()
    return rates


def cosine(start, end, part):
    return end + (start - end) * (1 + math.cos(math.pi * part)) / 2


def linear(start, end, part):
    return start + (end - start) * part


FORMULAS = [
    (lambda: lr.NoamDecay(64, 4, 2.0), lambda t: 0.0 if t == 0 else 2.0 / 8 * min(t**-0.5, t * 4**-1.5)),
    (lambda: lr.ExponentialDecay(0.5, 0.9), lambda t: 0.5 * 0.9**t),
    (lambda: lr.NaturalExpDecay(0.5, 0.1), lambda t: 0.5 * math.exp(-0.1 * t)),
    (lambda: lr.InverseTimeDecay(0.5, 0.1), lambda t: 0.5 / (1 + 0.1 * t)),
    (lambda: lr.PolynomialDecay(0.5, 8, 0.1, 2.0), lambda t: 0.4 * (1 - min(t, 8) / 8) ** 2 + 0.1),
    (
        lambda: lr.PolynomialDecay(0.5, 8, 0.1, 1.0, cycle=True),
        lambda t: 0.4 * (1 - t / (8 if t <= 8 else 16 if t <= 16 else 24)) + 0.1,
    ),
    (lambda: lr.LinearWarmup(0.5, 5, 0.1, 0.6), lambda t: 0.1 + 0.5 * t / 5 if t < 5 else 0.5),
    (
        lambda: lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.9), 5, 0.0, 0.5),
        lambda t: 0.5 * t / 5 if t < 5 else 0.5 * 0.9 ** (t - 5),
    ),
    (lambda: lr.PiecewiseDecay([3, 6], [0.1, 0.2, 0.3]), lambda t: 0.1 if t < 3 else 0.2 if t < 6 else 0.3),
    (lambda: lr.CosineAnnealingDecay(0.5, 10, 0.1), lambda t: cosine(0.5, 0.1, t / 10)),
    (lambda: lr.CosineAnnealingDecay(0.5, 3), lambda t: cosine(0.5, 0.0, t / 3)),
    (lambda: lr.CosineAnnealingWarmRestarts(0.5, 4, 1, 0.1), lambda t: cosine(0.5, 0.1, t % 4 / 4)),
    (
        lambda: lr.CosineAnnealingWarmRestarts(0.5, 2, 2, 0.1),
        lambda t: cosine(0.5, 0.1, *[(t - a) / (b - a) for a, b in ((0, 2), (2, 6), (6, 14), (14, 30)) if a <= t < b]),
    ),
    (lambda: lr.LambdaDecay(0.5, lambda t: 0.95**t), lambda t: 0.5 * 0.95**t),
    (
        lambda: lr.MultiplicativeDecay(0.5, lambda t: 0.9 + 0.01 * t),
        lambda t: 0.5 * np.prod([0.9 + 0.01 * k for k in range(1, t + 1)]),
    ),
    (lambda: lr.StepDecay(0.5, 3, 0.2), lambda t: 0.5 * 0.2 ** (t // 3)),
    (lambda: lr.MultiStepDecay(0.5, [2, 7], 0.2), lambda t: 0.5 * 0.2 ** ((t >= 2) + (t >= 7))),
    (lambda: lr.LinearLR(0.5, 6, 0.25, 0.75), lambda t: 0.5 * linear(0.25, 0.75, min(t, 6) / 6)),
    (lambda: lr.CyclicLR(0.1, 0.5, 3, 5), lambda t: linear(0.1, 0.5, t % 8 / 3 if t % 8 <= 3 else (8 - t % 8) / 5)),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 4, mode="triangular2"),
        lambda t: 0.1 + 0.4 * (1 - abs(t % 8 / 4 - 1)) / 2 ** (t // 8),
    ),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 4, mode="exp_range", exp_gamma=0.9),
        lambda t: 0.1 + 0.4 * (1 - abs(t % 8 / 4 - 1)) * 0.9**t,
    ),
    (
        lambda: lr.CyclicLR(0.1, 0.5, 4, scale_fn=lambda k: 1 / k, scale_mode="cycle"),
        lambda t: 0.1 + 0.4 * (1 - abs(t % 8 / 4 - 1)) / (1 + t // 8),
    ),
    (
        lambda: lr.OneCycleLR(0.5, 20, 5.0, 0.01, 0.25),
        lambda t: cosine(0.1, 0.5, t / 4) if t <= 4 else cosine(0.5, 0.01, (t - 4) / 15),
    ),
    (
        lambda: lr.OneCycleLR(0.5, 20, 5.0, 0.01, 0.25, "linear", three_phase=True),
        lambda t: np.interp(t, [0, 4, 8, 19], [0.1, 0.5, 0.1, 0.01]),
    ),
]


@pytest.mark.parametrize("make, formula", FORMULAS)
def test_formula(make, formula):
    count = 20
    scheduler = make()
    np.testing.assert_allclose(run(scheduler, count), [formula(t) for t in range(count)], rtol=1e-12, atol=1e-15)
    assert type(scheduler()) is float


@pytest.mark.parametrize("make, formula", FORMULAS)
def test_step_to_an_epoch(make, formula):
    scheduler = make()
    for epoch in (7, 2, 13):
        scheduler.step(epoch)
        assert scheduler.last_epoch == epoch
        assert scheduler() == pytest.approx(formula(epoch), rel=1e-12)


def test_hand_computed_values():
    assert run(lr.PolynomialDecay(1.0, 4, 0.0), 6) == [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    assert run(lr.LinearWarmup(1.0, 4, 0.0, 1.0), 6) == [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    assert run(lr.MultiStepDecay(1.0, [1, 2], 0.5), 4) == [1.0, 0.5, 0.25, 0.25]
    assert run(lr.CyclicLR(0.0, 1.0, 2), 5) == [0.0, 0.5, 1.0, 0.5, 0.0]


FRESH = [
    lambda: lr.CosineAnnealingDecay(0.5, 4, 0.1),
    lambda: lr.CosineAnnealingWarmRestarts(0.5, 2, 2),
    lambda: lr.LinearWarmup(lr.StepDecay(0.5, 2), 3, 0.0, 0.5),
    lambda: lr.LinearLR(0.5, 8),
    lambda: lr.OneCycleLR(0.5, 20),
    lambda: lr.NoamDecay(8, 3),
]


@pytest.mark.parametrize("make", FRESH)
@pytest.mark.parametrize("before", [0, 1, 5])
def test_state_continues_exactly(make, before):
    first, second = make(), make()
    run(first, before)
    second.set_state_dict(first.state_dict())
    assert second() == first()
    assert run(second, 8) == run(first, 8)


def test_last_epoch_continues_a_schedule():
    assert lr.StepDecay(1.0, 2, 0.5, last_epoch=3)() == 0.25


def test_reduce_on_plateau():
    scheduler = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, cooldown=2, min_lr=0.2, threshold=0.1)
    # better; within 10 %: bad 1; bad 2 > patience: fall; two epochs not looked at; bad 1; bad 2: fall; ...
    losses = [1.0, 0.95, 0.95, 0.1, 0.1, 1.0, 1.0, 0.0, 0.0, 2.0, 2.0]
    rates = []
    for loss in losses:
        scheduler.step(np.float32(loss))
        rates.append(scheduler())
    assert rates == [1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.2]
    other = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, cooldown=2, min_lr=0.2, threshold=0.1)
    other.set_state_dict(scheduler.state_dict())
    assert other.state_dict() == scheduler.state_dict() == {
        "cooldown_counter": 2, "best": 1.0, "num_bad_epochs": 0, "last_epoch": 11, "last_lr": 0.2,
    }


def test_reduce_on_plateau_maximum_and_absolute_threshold():
    scheduler = lr.ReduceOnPlateau(1.0, mode="max", factor=0.5, patience=0, threshold=0.1, threshold_mode="abs")
    rates = []
    for score in [0.5, 0.65, 0.7, 0.8]:
        scheduler.step(np.array([score]))
        rates.append(scheduler())
    assert rates == [1.0, 1.0, 0.5, 0.5]


def test_verbose_prints_each_step(capsys):
    lr.StepDecay(1.0, 2, verbose=True).step()
    assert capsys.readouterr().out == (
        "Epoch 0: StepDecay set learning rate to 1.0.\nEpoch 1: StepDecay set learning rate to 1.0.\n"
    )


def test_a_schedule_of_ones_own():
    class Halving(lr.LRScheduler):
        def __init__(self, learning_rate):
            self.extra = 3
            super().__init__(learning_rate)

        def get_lr(self):
            return self.base_lr / 2**self.last_epoch

        def state_keys(self):
            super().state_keys()
            self.keys += ["extra"]

    scheduler = Halving(1.0)
    assert run(scheduler, 3) == [1.0, 0.5, 0.25]
    assert scheduler.state_dict() == {"last_epoch": 3, "last_lr": 0.125, "extra": 3}


ERRORS = [
    (lambda: lr.LRScheduler(0.1), NotImplementedError, r"LRScheduler must define get_lr\(\)"),
    (lambda: lr.StepDecay("0.1", 2), TypeError, "learning_rate must be a float or an int, not str"),
    (lambda: lr.StepDecay(-0.1, 2), ValueError, "learning_rate must not be negative, but is -0.1"),
    (lambda: lr.StepDecay(0.1, 2.0), TypeError, "step_size must be an int, not float"),
    (lambda: lr.StepDecay(0.1, 0), ValueError, "step_size must be positive, but is 0"),
    (lambda: lr.StepDecay(0.1, 2, 1.0), ValueError, "gamma must be below 1, but is 1.0"),
    (lambda: lr.NoamDecay(0, 1), ValueError, "d_model and warmup_steps must be positive, but are 0 and 1"),
    (lambda: lr.ExponentialDecay(0.1, 1.0), ValueError, r"gamma must be in the open interval \(0, 1\), but is 1.0"),
    (lambda: lr.NaturalExpDecay(0.1, 0), ValueError, "gamma must be positive so that .* falls, but is 0"),
    (lambda: lr.PolynomialDecay(0.1, 2, power=0.0), ValueError, "power must be positive, but is 0.0"),
    (lambda: lr.PiecewiseDecay([], [0.1]), ValueError, "boundaries must not be empty"),
    (lambda: lr.PiecewiseDecay([1], [0.1]), ValueError, "values must be one more than boundaries, but are 1 for 1"),
    (lambda: lr.MultiStepDecay(0.1, 3), TypeError, "milestones must be a list or tuple, not int"),
    (lambda: lr.MultiStepDecay(0.1, [3, 3]), ValueError, r"milestones must increase, but are \[3, 3\]"),
    (lambda: lr.LambdaDecay(0.1, 3), TypeError, "lr_lambda must be callable, but is of type int"),
    (lambda: lr.LinearWarmup("x", 2, 0, 1), TypeError, "learning_rate must be a float, an int or an LRS.* not str"),
    (lambda: lr.LinearWarmup(0.1, 2, 0.5, 0.5), ValueError, "end_lr 0.5 must be above start_lr 0.5"),
    (lambda: lr.LinearLR(0.1, 2, 0.0), ValueError, r"start_factor must be in \(0, 1\], but is 0.0"),
    (lambda: lr.LinearLR(0.1, 2, end_factor=1.5), ValueError, r"end_factor must be in \[0, 1\], but is 1.5"),
    (lambda: lr.CosineAnnealingDecay(0.1, 0), ValueError, "T_max must be positive, but is 0"),
    (lambda: lr.CosineAnnealingWarmRestarts(0.1, 2).step(-1), ValueError, "epoch must not be negative, but is -1"),
    (lambda: lr.OneCycleLR(0.1, 10, phase_pct=2), ValueError, "phase_pct must be between 0 and 1, but is 2"),
    (lambda: lr.OneCycleLR(0.1, 9, phase_pct=0.5, three_phase=True), ValueError, "phase_pct must be below 0.5 with"),
    (lambda: lr.OneCycleLR(0.1, 10, anneal_strategy="x"), ValueError, "anneal_strategy must be 'cos' or 'linear'"),
    (lambda: run(lr.OneCycleLR(0.1, 5), 7), ValueError, "step 6 is past the 5 steps of the cycle"),
    (lambda: lr.CyclicLR(0.1, 0.2, 3, mode="x"), ValueError, "mode must be one of .*'triangular', 'triangular2'.*'x'"),
    (lambda: lr.CyclicLR(0.1, 0.2, 3, scale_mode="x"), ValueError, "scale_mode must be 'cycle' or 'iterations'"),
    (lambda: lr.ReduceOnPlateau(0.1, mode="x"), ValueError, "mode must be 'min' or 'max', but is 'x'"),
    (lambda: lr.ReduceOnPlateau(0.1, threshold_mode="x"), ValueError, "threshold_mode must be 'rel' or 'abs'"),
    (lambda: lr.ReduceOnPlateau(0.1, factor=1.0), ValueError, "factor must be below 1 so that .* falls, but is 1.0"),
    (lambda: lr.ReduceOnPlateau(0.1).step("x"), TypeError, "metrics must be a float, .* not str"),
    (lambda: lr.ReduceOnPlateau(0.1).step(np.ones(2)), TypeError, "metrics must be a float, .* not ndarray"),
    (lambda: lr.StepDecay(0.1, 2).set_state_dict({}), RuntimeError, "the state of StepDecay lacks 'last_epoch'"),
    (
        lambda: lr.LinearWarmup(lr.StepDecay(0.1, 2), 2, 0, 1).set_state_dict({"last_epoch": 1, "last_lr": 0.1}),
        RuntimeError,
        "lacks 'LinearWarmup_LR', its wrapped schedule",
    ),
]


@pytest.mark.parametrize("call, kind, message", ERRORS)
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_surplus_state_warns():
    with pytest.warns(UserWarning, match=r"the state of StepDecay has unused entries: \['other'\]"):
        lr.StepDecay(0.1, 2).set_state_dict({"last_epoch": 1, "last_lr": 0.1, "other": 1})
