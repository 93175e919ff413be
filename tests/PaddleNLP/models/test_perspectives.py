"""The four classifiers of the multi-perspective head against NumPy, and without a trace of padding."""

from __future__ import annotations

import numpy as np

import core
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.test_bigru import gru

SIZE = {"vocab_size": 30, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 12}


def test_each_classifier_computes_what_it_says() -> None:
    core.seed(3)
    model = create_model("ernie", "multi_perspective", 3, initializer_range=0.5, **SIZE)
    model.eval()
    ids = np.array([[5, 9, 3, 7, 6, 8], [4, 8, 9, 0, 0, 0]])
    found = model(core.to_tensor(ids)).numpy()
    sequence, pooled = (one.numpy() for one in model.encoder(core.to_tensor(ids))[:2])
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    for row, length in enumerate((6, 3)):
        tokens = sequence[row, :length]
        grams = []
        for place, width in enumerate((3, 4, 5)):
            weight, bias = state[f"convolutions.{place}.weight"], state[f"convolutions.{place}.bias"]
            whole = np.pad(tokens, ((width // 2, (width - 1) // 2), (0, 0)))
            windows = np.stack([whole[start : start + width].T for start in range(length)])
            results = np.einsum("tcw,fcw->tf", windows, weight) + bias
            grams.append(np.maximum(results, 0).max(axis=0))
        ways = []
        for suffix, step in (("", 1), ("_reverse", -1)):
            names = [f"gru.{kind}_l0{suffix}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            ways.append(gru(tokens[::step], [state[name] for name in names])[::step])
        scores = np.tanh(tokens @ state["attention.weight"] + state["attention.bias"])
        weights = np.exp(scores) / np.exp(scores).sum()
        inputs = (
            pooled[row],
            np.concatenate(grams),
            np.concatenate(ways, axis=1).max(axis=0),
            (tokens * weights).sum(axis=0),
        )
        for place, one in enumerate(inputs):
            expected = one @ state[f"classifiers.{place}.weight"] + state[f"classifiers.{place}.bias"]
            np.testing.assert_allclose(found[row, place], expected, atol=1e-4)
    labels = core.to_tensor(np.array([2, 0]))
    logs = found - np.log(np.exp(found).sum(-1, keepdims=True))
    loss = float(model.loss(core.to_tensor(found), labels))
    np.testing.assert_allclose(loss, -logs[[0, 1], :, [2, 0]].mean(), rtol=1e-5)
