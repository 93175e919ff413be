"""The LSTM of the Penn Treebank gives NumPy's numbers, and reads files of Fluid 1.x."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.language.rnn_lm import CarriedStates, RnnLm
from PaddleNLP.models.registry import create_model

WORDS, SIZE, LAYERS = 11, 6, 2


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def fluid_file() -> dict[str, np.ndarray]:
    """Draw a file as lm_model writes it: gates in the order input, candidate, forget, output."""
    source = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"embedding_para": (WORDS, SIZE)}
    for i in range(LAYERS):
        shapes.update({f"fc_weight1_{i}": (2 * SIZE, 4 * SIZE), f"fc_bias1_{i}": (4 * SIZE,)})
    shapes.update({"softmax_weight": (SIZE, WORDS), "softmax_bias": (WORDS,)})
    return {name: source.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def fluid_scores(values: dict[str, np.ndarray], ids: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what the official program computes: scores (N, L, words), and hidden states and memories."""
    h, c = states[0].copy(), states[1].copy()
    scores = []
    for step in range(ids.shape[1]):
        x = values["embedding_para"][ids[:, step]]
        for i in range(LAYERS):
            gates = np.concatenate([x, h[i]], 1) @ values[f"fc_weight1_{i}"] + values[f"fc_bias1_{i}"]
            entry, candidate, keep, exit_ = np.split(gates, 4, 1)
            c[i] = sigmoid(keep) * c[i] + sigmoid(entry) * np.tanh(candidate)
            h[i] = x = np.tanh(c[i]) * sigmoid(exit_)
        scores.append(x @ values["softmax_weight"] + values["softmax_bias"])
    return np.stack(scores, 1), np.stack([h, c])


def test_a_file_of_fluid_gives_what_its_program_computes(tmp_path: Path) -> None:
    values = fluid_file()
    core.save({name: core.to_tensor(value) for name, value in values.items()}, str(tmp_path / "lm.pdparams"))
    size = {"vocab_size": WORDS, "hidden_size": SIZE, "num_layers": LAYERS}
    network = create_model("rnn_lm", task="encoder", pretrained=tmp_path / "lm.pdparams", **size)
    network.eval()
    renamed = network.renamed(values)
    assert set(renamed) == {name for name, _ in network.named_parameters()}
    source = np.random.default_rng(1)
    ids = source.integers(0, WORDS, (3, 5))
    states = source.uniform(-1, 1, (2, LAYERS, 3, SIZE)).astype(np.float32)
    scores, left = fluid_scores(values, ids, states)
    given = network(core.to_tensor(ids), *(core.to_tensor(state) for state in states))
    np.testing.assert_allclose(given[0].numpy(), scores, atol=2e-6)
    np.testing.assert_allclose(np.stack([state.numpy() for state in given[1:]]), left, atol=2e-6)
    assert set(network.official_names()) == set(values)
    again = network.renamed(renamed)
    assert set(again) == set(renamed) and all(again[name] is renamed[name] for name in again)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"hidden_size": 200}, 4_653_200),
        ({"hidden_size": 650, "init_scale": 0.05, "dropout": 0.5}, 19_780_400),
        ({"hidden_size": 1500, "init_scale": 0.04, "dropout": 0.65}, 66_034_000),
    ],
)
def test_the_published_sizes(settings: dict[str, Any], count: int) -> None:
    """Two tables of 10,000 words, and two layers with two biases each, as paddlenlp has them."""
    size = settings["hidden_size"]
    assert count == 2 * 10_000 * size + 10_000 + 2 * (8 * size * size + 8 * size)
    with core.LazyGuard():
        network = RnnLm(10_000, **settings)
    assert sum(int(np.prod(tensor.shape)) for tensor in network.parameters()) == count


def test_fresh_weights_are_within_their_scale() -> None:
    core.seed(0)
    network = RnnLm(50, 16, init_scale=0.05)
    for name, tensor in network.named_parameters():
        bound = 16**-0.5 if "bias" in name and name.startswith("lstm") else 0.05
        assert 0.7 * bound < np.abs(tensor.numpy()).max() <= bound, name


def test_states_are_kept_and_begin_anew() -> None:
    states = CarriedStates([(1, 2)], 3)
    kept = np.arange(6, dtype=np.float32).reshape(1, 3, 2)
    states.write([core.to_tensor(kept)])
    (found,) = states.read(core.to_tensor(np.array([1, 0, 1], np.float32)))
    np.testing.assert_array_equal(found.numpy(), kept * np.array([1, 0, 1])[None, :, None])
    assert list(states.state_dict()) == ["state_0"]
