"""Every encoder and head says what paddlenlp's says: outputs, losses, gradients, the loss after a step."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.registry import create_model
from tests.parity.PaddleNLP import model_cases as cases
from tests.parity.stored import stored_arrays

ALWAYS = ("ernie",)
"""Families whose every head is tested always; of the others, it is the last one, and the rest before a release."""


def when(name: str, task: str) -> Any:
    """Return a case, marked where it runs before a release only."""
    own = list(cases.FAMILIES[name].tasks)
    seldom = name not in ALWAYS and task != own[-1]
    return pytest.param(name, task, marks=pytest.mark.zoo if seldom else ())


EVERY = [when(name, task) for name, family in cases.FAMILIES.items() for task in family.tasks]
LEARNING = [case for case in EVERY if case.values[1] != "encoder"]


@functools.cache
def stored(name: str) -> Mapping[str, np.ndarray]:
    return stored_arrays(cases.FOLDER / f"{name}.npz")


def build(name: str, task: str) -> Any:
    """Return a family's small model with seeded weights, in evaluation mode."""
    model = create_model(name, task, cases.CLASSES, **cases.FAMILIES[name].settings)
    shapes = {key: list(value.shape) for key, value in model.state_dict().items()}
    model.set_state_dict(cases.weights(name, shapes))
    return model.eval() or model


def tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {key: core.to_tensor(value) for key, value in arrays.items()}


def listed(outputs: Any) -> list[Any]:
    every = outputs if isinstance(outputs, tuple) else (outputs,)
    return [one for one in every if one is not None]


def assert_as_stored(name: str, task: str, outputs: Any) -> None:
    """Assert that results are the official ones; some encoders give the text's vector besides."""
    official = stored(name)
    count = sum(f"{task} {index}" in official for index in range(3))
    assert count >= 1
    for index, one in enumerate(listed(outputs)[:count]):
        assert_near(one.numpy(), official[f"{task} {index}"])


def assert_near(ours: np.ndarray, official: np.ndarray, share: float = 1e-4) -> None:
    """Assert that the largest difference is at most a share of the largest value."""
    assert ours.shape == official.shape
    assert np.abs(ours - official).max() <= share * max(np.abs(official).max(), 1e-3)


def loss_of(name: str, task: str, model: Any, given: Mapping[str, Any]) -> Any:
    """Return the loss, or a sum over all results where the official model has no loss."""
    outputs = model(**given)
    if cases.FAMILIES[name].labels.get(task, cases.LABELS.get(task, ())):
        values = tuple(core.to_tensor(value) for value in cases.labels(task))
        return model.loss(outputs, values if len(values) > 1 else values[0])
    every = enumerate(listed(outputs))
    return sum((one * core.to_tensor(cases.mixture(index, one.shape))).sum() for index, one in every)


@pytest.mark.parametrize(("name", "task"), EVERY)
def test_names_and_outputs(name: str, task: str) -> None:
    model = build(name, task)
    keys = sorted(f"{key} {list(value.shape)}" for key, value in model.state_dict().items())
    assert keys == list(stored(name)[f"{task} keys"])
    assert_as_stored(name, task, model(**tensors(cases.inputs(name, task))))


@pytest.mark.parametrize("name", cases.FAMILIES)
def test_masks_and_positions_that_are_given(name: str) -> None:
    encoder = build(name, "encoder")
    for way, arrays in cases.further(name).items():
        assert_as_stored(name, f"encoder {way}", encoder(**tensors(arrays)))


@pytest.mark.parametrize(("name", "task"), LEARNING)
def test_loss_gradients_and_a_step(name: str, task: str) -> None:
    model, given, official = build(name, task), tensors(cases.inputs(name, task)), stored(name)
    loss = loss_of(name, task, model, given)
    loss.backward()
    gradients = {key: one.grad.numpy() for key, one in model.named_parameters() if one.grad is not None}
    assert sorted(gradients) == list(official[f"{task} names"])
    largest = max(np.abs(gradient).max() for gradient in gradients.values())
    start = 0
    for key in sorted(gradients):
        ours = cases.sample(gradients[key])
        theirs = official[f"{task} gradients"][start : start + len(ours)]
        start += len(ours)
        allowed = 1e-4 * max(np.abs(gradients[key]).max(), 1e-2 * largest)  # of a key's bias it is rounding alone
        assert np.abs(ours - theirs).max() <= allowed, key
    assert start == len(official[f"{task} gradients"])
    core.optimizer.SGD(cases.RATE, parameters=model.parameters()).step()
    after = loss_of(name, task, model, given)
    np.testing.assert_allclose([float(loss), float(after)], official[f"{task} losses"], rtol=1e-4)


@pytest.mark.parametrize("name", cases.FAMILIES)
def test_a_file_that_paddle_wrote(name: str) -> None:
    task = str(stored(name)["saved task"])
    path = cases.FOLDER / f"{name}.pdparams"
    model = create_model(name, task, cases.CLASSES, pretrained=path, **cases.FAMILIES[name].settings)
    model.eval()
    assert_as_stored(name, task, model(**tensors(cases.inputs(name, task))))
