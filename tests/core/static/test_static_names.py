"""Names of paddle.static that model files use outside of static programs."""

from __future__ import annotations

import numpy as np

import core


def test_fp16_guard_changes_nothing() -> None:
    x = core.to_tensor(np.array([1.0, 2.0], "float32"))
    with core.static.amp.fp16_guard():
        doubled = x * 2
    assert doubled.dtype == core.float32 and doubled.numpy().tolist() == [2.0, 4.0]


def test_a_variable_is_a_tensor() -> None:
    assert core.static.Variable is core.Tensor and isinstance(core.ones([1]), core.static.Variable)
