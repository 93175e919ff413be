from __future__ import annotations

import numpy as np
import pytest

import core
from core.optimizer import ExponentialMovingAverage


def follow(thres_steps: bool, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the average of three made-up weights, and the same by the formula."""
    values = np.random.RandomState(0).randn(4, 5, 70).astype(dtype)
    tensor = core.to_tensor(values[0])
    average = ExponentialMovingAverage([tensor], 0.9, thres_steps)
    expected = values[0].astype("float64")
    for step, value in enumerate(values[1:]):
        tensor.set_value(value)
        average.update()
        decay = min(0.9, (1 + step) / (10 + step)) if thres_steps else 0.9
        expected = decay * expected + (1 - decay) * value
    with average.apply():
        inside = tensor.numpy()
    np.testing.assert_array_equal(tensor.numpy(), values[-1])
    return inside, expected


@pytest.mark.parametrize("thres_steps", [True, False])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float64", 1e-14), ("float16", 1e-3)])
def test_the_formula(thres_steps: bool, dtype: str, tolerance: float) -> None:
    inside, expected = follow(thres_steps, dtype)
    assert inside.dtype == dtype
    np.testing.assert_allclose(inside, expected, rtol=tolerance, atol=tolerance)


def test_integers_are_copied_and_layers_predict_with_the_average() -> None:
    layer = core.nn.Linear(2, 1)
    count = core.to_tensor(np.array([3], np.int64))
    average = ExponentialMovingAverage([*layer.parameters(), count], 0.5, thres_steps=False)
    compiled = core.jit.to_static(layer.forward)
    inputs = core.ones([1, 2])
    first = compiled(inputs).numpy()
    layer.weight.set_value(layer.weight.numpy() + 2)
    count.set_value(np.array([4], np.int64))
    average.update()
    with average.apply():
        np.testing.assert_allclose(compiled(inputs).numpy(), first + 2, rtol=1e-6)  # 2 weights, each half of 2 more
        assert int(count) == 4
    np.testing.assert_allclose(compiled(inputs).numpy(), first + 4, rtol=1e-6)


def test_state_continues_exactly() -> None:
    tensors = [core.to_tensor(np.ones(3, np.float32)) for _ in range(2)]
    for tensor in tensors:
        tensor.name = "w"
    first, second = (ExponentialMovingAverage([tensor], 0.9) for tensor in tensors)
    for value in (2.0, 5.0):
        tensors[0].set_value(np.full(3, value, np.float32))
        first.update()
    second.set_state_dict(first.state_dict())
    for average, tensor in ((first, tensors[0]), (second, tensors[1])):
        tensor.set_value(np.full(3, 7.0, np.float32))
        average.update()
    assert second.updates == 3
    np.testing.assert_array_equal(first.state_dict()["w"].numpy(), second.state_dict()["w"].numpy())
    second.reset(updates=9)
    assert second.updates == 9 and second.state_dict()["w"].numpy().tolist() == [7.0] * 3


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="decay must be at least 0 and below 1, not 1"):
        ExponentialMovingAverage([core.ones([1])], 1)
    with pytest.raises(ValueError, match="there are no parameters to follow"):
        ExponentialMovingAverage([])
    with pytest.raises(ValueError, match="the state has no average of '0'"):
        ExponentialMovingAverage([core.ones([1])]).set_state_dict({"updates": 1})
