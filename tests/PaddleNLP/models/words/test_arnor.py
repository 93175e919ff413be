"""ARNOR: what NumPy computes, gradients by finite differences, its size, sentences without words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.words.test_bidaf import lstm, softmax
from tests.parity.recipe import uniform

WORDS, UNITS, CLASSES = 12, 3, 4
SENTENCES = [[1, 4, 2, 9, 7], [7, 0]]
FIRST = [[0, 1, 2, 3, 70], [-1, 0]]
SECOND = [[-3, -2, -1, 0, 1], [0, 1]]
TYPES = [[2, 0, 0, 1, 0], [1, 2]]
GUIDE = [[1, 1, 1, 1, 0], [1, 1]]
BETA = 0.7


def padded(rows: list[list[int]], value: int = 0, length: int = 6) -> Any:
    array = np.full((len(rows), length), value, np.int64)
    for own, row in zip(array, rows):
        own[: len(row)] = row
    return core.to_tensor(array)


def given(length: int = 6) -> tuple[Any, ...]:
    return (padded(SENTENCES, WORDS, length), *(padded(rows, 0, length) for rows in (FIRST, SECOND, TYPES)))


def small() -> tuple[Any, dict[str, np.ndarray]]:
    size: Any = {"vocab_size": WORDS, "emb_dim": 4, "place_dim": 3, "type_dim": 2, "units": UNITS, "types": 3}
    model = create_model("arnor", "relation_classification", CLASSES, **size)
    values = {name: uniform(f"arnor {name}", list(one.shape), -0.8, 0.8) for name, one in model.state_dict().items()}
    model.set_state_dict(values)
    return model.eval() or model, {name.replace("arnor.", "", 1): value for name, value in values.items()}


def read(row: int, values: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits and the attention of a sentence."""
    places = [np.clip(one[row], -60, 60) + 60 for one in (FIRST, SECOND)]
    columns = [
        values["word_embeddings.weight"][SENTENCES[row]],
        *(values[f"places.{side}.weight"][place] for side, place in enumerate(places)),
        values["type_embeddings.weight"][TYPES[row]],
    ]
    words = np.concatenate(columns, axis=1)
    ways = []
    for way, step in (("fw", 1), ("bw", -1)):
        names = (f"lstm.{way}_gate.weight", f"lstm.{way}_lstm.weight", f"lstm.{way}_lstm.bias")
        ways.append(lstm(words[::step], *(values[name] for name in names))[::step])
    states = np.concatenate(ways, axis=1)
    shares = softmax((np.tanh(states) @ values["attention.weight"])[:, 0])
    return np.tanh(shares @ states) @ values["classifier.weight"] + values["classifier.bias"], shares


def test_it_computes_what_numpy_computes() -> None:
    model, values = small()
    for logits, shares in (model(*given()), core.jit.to_static(model)(*given(8))):
        for row, sentence in enumerate(SENTENCES):
            wanted, attention = read(row, values)
            np.testing.assert_allclose(logits.numpy()[row], wanted, atol=1e-5)
            np.testing.assert_allclose(shares.numpy()[row, : len(sentence)], attention, atol=1e-5)
            assert not shares.numpy()[row, len(sentence) :].any()


def test_the_loss_adds_how_far_the_attention_is_from_the_pattern() -> None:
    model, values = small()
    labels, trusted = core.to_tensor([2, 0]), core.to_tensor([1, 0])
    results = model(*given())
    own = [read(row, values) for row in (0, 1)]
    entropy = -np.mean([np.log(softmax(logits)[label]) for (logits, _), label in zip(own, (2, 0))])
    missed = -np.mean(np.log(own[0][1][:4])) / 2  # the same share of four words; the second instance is not trusted
    guide = padded(GUIDE)
    assert model.loss(results, labels, guide, trusted, BETA).item() == pytest.approx(entropy + BETA * missed, rel=1e-5)
    assert model.loss(results, labels, guide, trusted, 0.0).item() == pytest.approx(entropy, rel=1e-5)
    nothing = model.loss(results, labels, core.zeros_like(guide), trusted, BETA)
    assert nothing.item() == pytest.approx(entropy, rel=1e-5)


def test_gradients_are_those_of_finite_differences() -> None:
    model, _ = small()
    model.to(dtype="float64")
    labels, guide, trusted = core.to_tensor([2, 0]), padded(GUIDE), core.to_tensor([1, 1])

    def loss() -> Any:
        return model.loss(model(*given()), labels, guide, trusted, BETA)

    loss().backward()
    parameters, source = model.parameters(), np.random.default_rng(0)
    before = [one.numpy() for one in parameters]
    for _ in range(3):  # all numbers of all parameters move at once
        directions = [source.standard_normal(one.shape) for one in parameters]
        ends = []
        for sign in (1, -1):
            for one, value, direction in zip(parameters, before, directions):
                one.set_value(value + sign * 1e-5 * direction)
            ends.append(loss().item())
        slope = sum((one.grad.numpy() * direction).sum() for one, direction in zip(parameters, directions))
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5)


def test_published_size() -> None:
    """Words' vectors of 100, others of 50, states of 500, here of 1,000 words, 16 types and 25 relations."""
    with core.LazyGuard():
        model = create_model("arnor", "relation_classification", 25, vocab_size=1000)
    lstms = 2 * (250 * 1000 + 250 * 1000 + 1000)
    count = 1000 * 100 + 2 * 121 * 50 + 16 * 50 + lstms + 500 + (500 * 25 + 25)
    assert sum(one.size for one in model.parameters()) == count


def test_a_sentence_without_words_has_no_part_in_its_batch() -> None:
    model, _ = small()
    with_none = [
        core.concat([one, core.full([1, 6], WORDS if place == 0 else 0, "int64")]) for place, one in enumerate(given())
    ]
    logits, shares = model(*with_none)
    alone = model(*given())
    np.testing.assert_allclose(logits.numpy()[:2], alone[0].numpy(), atol=1e-6)
    assert np.isfinite(logits.numpy()).all() and not shares.numpy()[2].any()
    tokens, pooled = model.encoder(given()[0])
    assert tokens.shape == [2, 6, 2 * UNITS] and pooled.shape == [2, 2 * UNITS]
