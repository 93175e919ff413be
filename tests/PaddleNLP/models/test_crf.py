"""SKEP's chain of tags says what paddlenlp's says."""

from __future__ import annotations

import numpy as np

import core
from PaddleNLP.models.registry import create_model
from tests.parity.PaddleNLP import further_cases
from tests.parity.PaddleNLP import model_cases as cases
from tests.parity.stored import stored_arrays

STORED = stored_arrays(cases.FOLDER / "skep_chain.npz")


def test_paths_losses_and_gradients_are_paddles() -> None:
    model = create_model("skep", "crf_token_classification", cases.CLASSES, **cases.FAMILIES["skep"].settings)
    shapes = {key: list(value.shape) for key, value in model.state_dict().items()}
    assert sorted(f"{key} {shape}" for key, shape in shapes.items()) == list(STORED["keys"])
    model.set_state_dict(further_cases.chained(shapes))
    model.eval()
    arrays, labels = further_cases.chain_inputs()
    given = {name: core.to_tensor(value) for name, value in arrays.items()}
    np.testing.assert_array_equal(model(**given).numpy(), STORED["paths"])
    scores = model.emissions(given["input_ids"], given["token_type_ids"], None, given["attention_mask"])
    lengths = model.lengths(**{name: given[name] for name in ("input_ids", "attention_mask")})
    losses = model.crf_loss(scores, lengths, core.to_tensor(labels))
    np.testing.assert_allclose(losses.numpy(), STORED["losses"], rtol=1e-4)
    model.loss(scores, core.to_tensor(labels), lengths).backward()
    gradients = {name: one.grad.numpy() for name, one in model.named_parameters() if one.grad is not None}
    assert sorted(gradients) == list(STORED["names"])
    ours = np.concatenate([cases.sample(gradients[name]) for name in sorted(gradients)])
    assert np.abs(ours - STORED["gradients"]).max() <= 1e-4 * np.abs(STORED["gradients"]).max()
