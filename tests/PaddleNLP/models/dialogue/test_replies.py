"""DuConv's generation and MMPMS: their formulas in NumPy, terms of the losses, gradients, sizes, what is generated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.text.generation import Generation
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.dialogue.oracle import (
    Values,
    both_ways,
    check_loss_gradients,
    count,
    drawn,
    fluid_gru,
    linear,
    sigmoid,
    softmax,
)

WORDS, START, END = 12, 10, 11
SOURCES = [[3, 9, 1, 7], [4, 8]]
FACTS = [[[5, 2], [6]], [[7, 7], []]]
REPLIES = [[2, 5, 3], [6]]
SEARCH = Generation(START, END, 5)


def padded(rows: Any, shape: tuple[int, ...]) -> Any:
    found = np.full(shape, WORDS, np.int64)
    for place, row in enumerate(rows):
        if row and isinstance(row[0], list):
            for inner, one in enumerate(row):
                found[place, inner, : len(one)] = one
        else:
            found[place, : len(row)] = row
    return core.to_tensor(found)


SOURCE, FACT = padded(SOURCES, (2, 5)), padded(FACTS, (2, 2, 3))
REPLY = padded([[START, *reply, END] for reply in REPLIES], (2, 6))


def log_shares(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(softmax(x)))


def gru_cell(x: np.ndarray, state: np.ndarray, values: Values, name: str) -> np.ndarray:
    """Return the new state of a GRU that resets behind the product: reset, update, candidate."""
    given = values[f"{name}.weight_ih"] @ x + values[f"{name}.bias_ih"]
    kept = values[f"{name}.weight_hh"] @ state + values[f"{name}.bias_hh"]
    size = len(state)
    reset, update = sigmoid(given + kept)[:size], sigmoid(given + kept)[size : 2 * size]
    new = np.tanh(given[2 * size :] + reset * kept[2 * size :])
    return np.asarray(update * state + (1 - update) * new)


class KnowledgeOracle:
    """DuConv's generation for one conversation."""

    def __init__(self, place: int, values: Values) -> None:
        self.values, table = values, values["words.table.weight"]
        self.table = table
        self.memory, last = both_ways(table[SOURCES[place]], values, "source_reader", True)
        self.state = np.tanh(linear(last, values, "bridge"))
        self.facts = np.array([both_ways(table[one], values, "fact_reader", True)[1] for one in FACTS[place] if one])
        self.prior = softmax(self.facts @ self.state)
        self.posterior = softmax(self.facts @ both_ways(table[REPLIES[place]], values, "fact_reader", True)[1])

    def step(self, word: int, state: np.ndarray, knowledge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = self.values
        found = softmax(self.memory @ state) @ self.memory
        y = gru_cell(np.concatenate([self.table[word], found]), state, values, "word_gru")
        z = gru_cell(np.concatenate([knowledge, found]), state, values, "fact_gru")
        y, z = np.tanh(linear(y, values, "word_side")), np.tanh(linear(z, values, "fact_side"))
        gate = sigmoid(linear(np.concatenate([y, z]), values, "gate"))
        state = gate * y + (1 - gate) * z
        return linear(linear(np.concatenate([found, state]), values, "out0"), values, "out1"), state


@pytest.fixture
def knowledge() -> tuple[Any, Values]:
    model = create_model(
        "duconv_generation", "encoder", vocab_size=WORDS, emb_dim=5, hidden_size=6, hidden_dropout_prob=0.0
    )
    return model, drawn(model)


def test_duconv_terms_of_the_loss(knowledge: tuple[Any, Values]) -> None:
    model, values = knowledge
    bow, nll, kl = [], [], np.zeros((2, 2))
    for place, reply in enumerate(REPLIES):
        one = KnowledgeOracle(place, values)
        vector, state = one.posterior @ one.facts, one.state
        words = log_shares(linear(np.tanh(linear(vector, values, "bow0")), values, "bow1"))
        bow.append(-sum(words[word] for word in reply))
        kl[place, : len(one.facts)] = one.posterior * (np.log(one.posterior + 1e-10) - np.log(one.prior + 1e-10))
        losses = []
        for before, right in zip([START, *reply], [*reply, END]):
            scores, state = one.step(before, state, vector)
            losses.append(-log_shares(scores)[right])
        nll.append(sum(losses))
    terms = model.losses(SOURCE, FACT, REPLY, END)
    expected = {"bow": np.mean(bow), "kl": kl.mean(), "nll": np.mean(nll)}
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(expected, abs=1e-5)
    alone = model.losses(SOURCE, FACT, REPLY, END, bow_alone=True)
    assert {name: term.item() for name, term in alone.items()} == pytest.approx({"bow": expected["bow"]}, abs=1e-5)


def test_duconv_generates_by_the_prior(knowledge: tuple[Any, Values]) -> None:
    model, values = knowledge
    model.eval()
    found = model.generate(SOURCE, FACT, SEARCH)
    for place in range(2):
        one, word = KnowledgeOracle(place, values), START
        words: list[int] = []
        state, vector = one.state, one.prior @ one.facts
        while word != END and len(words) < 5:
            scores, state = one.step(word, state, vector)
            word = int(scores.argmax())
            words.append(word)
        assert found.tokens.numpy()[place, 0, : len(words)].tolist() == words
    again = core.jit.to_static(lambda *given: tuple(model.generate(*given, SEARCH)))(SOURCE, FACT)
    np.testing.assert_array_equal(again[0].numpy(), found.tokens.numpy())
    wide = model.generate(SOURCE, FACT, Generation(START, END, 5, "beam", 3))
    assert (wide.scores.numpy()[:, 0] >= found.scores.numpy()[:, 0] - 1e-5).all()


def test_duconv_gradients(knowledge: tuple[Any, Values]) -> None:
    model, _ = knowledge
    check_loss_gradients(model, lambda: sum(model.losses(SOURCE, FACT, REPLY, END).values()))


def mapped(values: Values, place: int, chosen: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the loss of a reply by a first state, the post's vector and the response's."""
    table = values["words.table.weight"]
    memory, vector = both_ways(table[SOURCES[place]], values, "post_reader", False)
    response = both_ways(table[REPLIES[place]], values, "response_reader", False)[1]
    state, loss = chosen, 0.0
    for before, right in zip([START, *REPLIES[place]], [*REPLIES[place], END]):
        output, state = mapped_step(values, memory, table[before], state)
        loss -= log_shares(output)[right]
    return loss, vector, response


def mapped_step(values: Values, memory: np.ndarray, word: np.ndarray, state: np.ndarray) -> tuple[Any, np.ndarray]:
    keys = memory @ values["attention.memory_proj.weight"] + linear(state, values, "attention.query_proj")
    found = softmax((np.tanh(keys) @ values["attention.score_proj.weight"])[:, 0]) @ memory
    x = linear(np.concatenate([word, found]), values, "fc")
    weight, bias = values["gru.weight"], values["gru.bias"].reshape(-1)
    size, numbers = len(state), weight.reshape(-1)
    gates, candidate = numbers[: 2 * size * size].reshape(size, -1), numbers[2 * size * size :].reshape(size, -1)
    both = sigmoid(x[: 2 * size] + state @ gates + bias[: 2 * size])
    new = np.tanh(x[2 * size :] + (both[size:] * state) @ candidate + bias[2 * size :])
    state = (1 - both[:size]) * state + both[:size] * new
    return linear(linear(np.concatenate([state, found]), values, "project"), values, "predictor"), state


@pytest.fixture
def mapping() -> tuple[Any, Values]:
    settings: Any = {"vocab_size": WORDS, "emb_dim": 5, "hidden_size": 6, "mappings": 3, "hidden_dropout_prob": 0.0}
    model = create_model("mmpms", "encoder", **settings)
    return model, drawn(model)


@pytest.mark.parametrize("noisy", [False, True])
def test_mmpms_terms_of_the_loss(noisy: bool, mapping: tuple[Any, Values]) -> None:
    model, values = mapping
    model.eval()
    noise = np.random.default_rng(3).uniform(0.05, 0.95, (2, 3)).astype(np.float32)
    nll, vectors, responses = [], [], []
    for place in range(2):
        _, vector, response = mapped(values, place, np.zeros(6))
        candidates = np.array([linear(vector, values, f"mappings.{k}") for k in range(3)])
        shares = softmax(candidates @ response)
        weights = np.eye(3)[shares.argmax()]
        if noisy:
            weights = softmax((np.log(shares + 1e-10) - np.log(1e-10 - np.log(noise[place] + 1e-10))) / 0.67)
        nll.append(mapped(values, place, weights @ candidates)[0])
        vectors.append(vector)
        responses.append(response)
    match = [
        np.log1p(np.exp(-vectors[i] @ responses[i])) + np.log1p(np.exp(vectors[i] @ responses[1 - i])) for i in (0, 1)
    ]
    terms = model.losses(SOURCE, REPLY, END, core.to_tensor(noise) if noisy else None)
    expected = {"nll": np.mean(nll), "match": np.mean(match)}
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(expected, abs=1e-5)


def test_mmpms_replies_from_each_mapping(mapping: tuple[Any, Values]) -> None:
    model, values = mapping
    model.eval()
    found = model.generate(SOURCE, SEARCH)
    assert list(found.tokens.shape) == [2, 3, 5]
    table = values["words.table.weight"]
    for place in range(2):
        memory, vector = both_ways(table[SOURCES[place]], values, "post_reader", False)
        for k in range(3):
            state, word = linear(vector, values, f"mappings.{k}"), START
            words: list[int] = []
            while word != END and len(words) < 5:
                scores, state = mapped_step(values, memory, table[word], state)
                word = int(scores.argmax())
                words.append(word)
            assert found.tokens.numpy()[place, k, : len(words)].tolist() == words


def test_mmpms_gradients(mapping: tuple[Any, Values]) -> None:
    model, _ = mapping
    noise = core.to_tensor(np.random.default_rng(3).uniform(0.1, 0.9, (2, 3)).astype(np.float32))
    check_loss_gradients(model, lambda: sum(model.losses(SOURCE, REPLY, END, noise).values()))


def test_published_sizes() -> None:
    with core.LazyGuard():
        model, other = create_model("duconv_generation", "encoder"), create_model("mmpms", "encoder")
    square, words = 800 * 800 + 800, 30004
    readers = 2 * 2 * ((300 * 1200 + 1200) + (400 * 1200 + 1200))
    cells = sum((size + 800) * 2400 + 2 * 2400 for size in (1100, 1600))
    projection = (1600 * 800 + 800) + (800 * words + words)
    assert (
        count(model)
        == words * 300 + readers + square + cells + 2 * square + 1601 + projection + square + 800 * words + words
    )
    readers = 2 * 2 * ((300 * 1536 + 1536) + (512 * 1536 + 1536))
    attention = 2 * 1024 * 512 + 512 + 512
    decoder = (1324 * 3072 + 3072) + (1024 * 3072 + 3072)
    projection = (2048 * 1024 + 1024) + (1024 * words + words)
    assert count(other) == words * 300 + readers + 20 * (1024 * 1024 + 1024) + attention + decoder + projection


def test_the_oracle_is_fluids_gru() -> None:
    assert fluid_gru(np.zeros((0, 6)), np.zeros((2, 6)), np.zeros(6), True).shape == (0, 2)
