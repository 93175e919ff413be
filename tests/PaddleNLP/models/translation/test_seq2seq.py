"""Recurrent translators: forward passes by NumPy, scores of what they generate, sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F
from core.text.generation import Generation
from PaddleNLP.models.registry import create_model

T = core.to_tensor
SIZE: dict[str, Any] = {"src_vocab_size": 11, "trg_vocab_size": 9, "embed_dim": 4, "hidden_size": 5, "num_layers": 2}
SOURCE = np.array([[5, 6, 7, 8, 1], [10, 4, 1, 0, 0]], np.int64)
TARGET = np.array([[0, 5, 3, 7], [0, 8, 2, 0]], np.int64)
NETWORKS = ("seq2seq", "seq2seq_attention", "seq2seq_variational")


def build(name: str, **further: Any) -> Any:
    """Return a small network in evaluation mode, with weights that are not small."""
    core.seed(5)
    network = create_model(name, "encoder", **{**SIZE, **further, "init_scale": 0.8})
    network.eval()
    return network


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def cell(x: np.ndarray, state: Any, weights: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return an LSTM's new state and memory; gates are input, forget, candidate, output."""
    gates = x @ weights[0].T + weights[2] + state[0] @ weights[1].T + weights[3]
    i, f, c, o = np.split(gates, 4, axis=-1)
    memory = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(c)
    return sigmoid(o) * np.tanh(memory), memory


def layers(values: Any, prefix: str, form: str) -> list[list[np.ndarray]]:
    parts = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return [[values[prefix + form.format(part=part, layer=layer)] for part in parts] for layer in range(2)]


def encoded(values: Any, source: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Return the states of one sentence's tokens, and each layer's last state and memory."""
    stack = layers(values, "encoder.", "{part}_l{layer}")
    states = [(np.zeros(5), np.zeros(5)) for _ in stack]
    outputs = []
    for token in source[source != 0]:
        x = values["src_embedding.weight"][token]
        for layer, weights in enumerate(stack):
            states[layer] = cell(x, states[layer], weights)
            x = states[layer][0]
        outputs.append(x)
    return np.array(outputs), states


def written(name: str, values: Any, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the scores of one sentence's words."""
    memory, states = encoded(values, source)
    attends = name == "seq2seq_attention"
    form = "cell.cells.{layer}.{part}" if attends else "{part}_l{layer}"
    stack = layers(values, "decoder.", form)
    feed = np.zeros(5)
    scores = []
    for token in target:
        x = values["trg_embedding.weight"][token]
        x = np.concatenate([x, feed]) if attends else x
        for layer, weights in enumerate(stack):
            states[layer] = cell(x, states[layer], weights)
            x = states[layer][0]
        if attends:
            match = memory @ values["decoder.cell.attention.memory_proj.weight"] @ x
            share = np.exp(match - match.max())
            context = (share / share.sum()) @ memory
            x = feed = np.tanh(np.concatenate([context, x]) @ values["decoder.cell.output_proj.weight"])
        scores.append(x @ values["linear.weight"])
    return np.array(scores)


@pytest.mark.parametrize("name", NETWORKS[:2])
def test_scores_are_numpy_s(name: str) -> None:
    network = build(name)
    values = {key: one.numpy().astype("float64") for key, one in network.state_dict().items()}
    with core.no_grad():
        scores = network(T(SOURCE), T(TARGET)).numpy()
    for row in range(2):
        np.testing.assert_allclose(scores[row], written(name, values, SOURCE[row], TARGET[row]), rtol=1e-4, atol=1e-5)


def test_the_autoencoder_writes_from_the_mean_and_tells_its_divergence() -> None:
    network = build("seq2seq_variational", latent_size=3)
    values = {key: one.numpy().astype("float64") for key, one in network.state_dict().items()}
    with core.no_grad():
        scores, divergence = (one.numpy() for one in network.scores_and_divergence(T(SOURCE), T(TARGET)))
    stack = layers(values, "decoder.", "{part}_l{layer}")
    for row in range(2):
        _, states = encoded(values, SOURCE[row])
        last = np.concatenate([part for state in states for part in state])
        mean, log_variance = (
            last @ values[f"{key}.weight"] + values[f"{key}.bias"] for key in ("mean", "log_variance")
        )
        kl = 0.5 * (np.exp(log_variance) + mean**2 - 1 - log_variance).sum()
        assert divergence[row] == pytest.approx(kl, rel=1e-4)
        first = np.split(mean @ values["first.weight"] + values["first.bias"], 4)
        states = [(np.tanh(first[0]), first[1]), (np.tanh(first[2]), first[3])]
        for place, token in enumerate(TARGET[row]):
            x = np.concatenate([values["trg_embedding.weight"][token], mean])
            for layer, weights in enumerate(stack):
                states[layer] = cell(x, states[layer], weights)
                x = states[layer][0]
            np.testing.assert_allclose(scores[row, place], x @ values["linear.weight"], rtol=1e-4, atol=1e-5)
    network.train()
    drawn = [network(T(SOURCE), T(TARGET)).numpy() for _ in range(2)]
    assert np.abs(drawn[0] - drawn[1]).max() > 1e-3  # in training the latent vector is drawn


@pytest.mark.parametrize("name", NETWORKS)
def test_generated_scores_are_those_of_reading_the_whole(name: str) -> None:
    network = build(name)
    with core.no_grad():
        found = network.generate(T(SOURCE), Generation(0, 1, 6, "beam", 3, pad_token=0))
        for row in range(2):
            count = int(found.lengths.numpy()[row, 0])
            tokens = found.tokens.numpy()[row, 0, :count]
            logs = F.log_softmax(network(T(SOURCE[row : row + 1]), T(np.array([[0, *tokens[:-1]]]))), -1).numpy()[0]
            np.testing.assert_allclose(found.scores.numpy()[row, 0], logs[np.arange(count), tokens].sum(), rtol=1e-4)


def test_latent_vectors_stand_for_sentences() -> None:
    network = build("seq2seq_variational", latent_size=3)
    settings = Generation(0, 1, 5, pad_token=0)
    with core.no_grad():
        mean = network.posterior(T(SOURCE))[0]
        assert (
            network.sample(mean, settings).tokens.numpy().tolist()
            == network.generate(T(SOURCE), settings).tokens.numpy().tolist()
        )


def test_sizes_of_the_published_recipe() -> None:
    tables = (17191 + 7709) * 512
    lstm = 2 * (4 * 512 * (512 + 512) + 2 * 4 * 512)
    with core.LazyGuard():
        counts = {
            name: sum(int(np.prod(one.shape)) for one in create_model(name, "encoder").parameters())
            for name in NETWORKS[:2]
        }
    assert counts["seq2seq"] == tables + 2 * lstm + 512 * 7709
    fed = 4 * 512 * 512  # the first cell takes the output before, too
    assert counts["seq2seq_attention"] == tables + 2 * lstm + fed + 512 * 512 + 1024 * 512 + 512 * 7709
