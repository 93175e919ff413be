"""DuConv's retrieval: its formulas in NumPy, gradients, published sizes, how history and reply are joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import erf

import core
from PaddleNLP.models.dialogue.retrieval import joined_ids
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.models.dialogue.oracle import (
    Values,
    both_ways,
    check_loss_gradients,
    count,
    drawn,
    linear,
    norm,
    softmax,
)

SMALL: Any = {"vocab_size": 12, "hidden_size": 6, "layers": 2, "attention_heads": 2, "max_length": 7, "fact_units": 3}
TEXTS = [([3, 9, 1, 7, 2], [0, 0, 0, 1, 1]), ([4, 8, 8], [0, 1, 1])]
FACTS = [[5, 11, 2, 7], [6]]


def padded(rows: list[list[int]], length: int, fill: int) -> Any:
    return core.to_tensor(np.array([row + [fill] * (length - len(row)) for row in rows], np.int64))


def inputs() -> tuple[Any, Any, Any]:
    return (
        padded([ids for ids, _ in TEXTS], 6, 12),
        padded([segments for _, segments in TEXTS], 6, 0),
        padded(FACTS, 5, 12),
    )


def attended(x: np.ndarray, values: Values, name: str, heads: int = 2) -> np.ndarray:
    parts = [linear(x, values, f"{name}.{kind}_proj").reshape(len(x), heads, -1) for kind in "qkv"]
    scores = np.einsum("qhd,khd->hqk", parts[0], parts[1]) / np.sqrt(parts[0].shape[2])
    found = np.einsum("hqk,khd->qhd", softmax(scores), parts[2]).reshape(len(x), -1)
    return linear(found, values, f"{name}.out_proj")


def expected(place: int, values: Values, facts: bool) -> np.ndarray:
    own = {name.replace("retrieval.", ""): value for name, value in values.items()}
    ids, segments = TEXTS[place]
    x = own["word_embeddings.weight"][ids] + own["position_embeddings.weight"][: len(ids)]
    x = norm(x + own["segment_embeddings.weight"][segments], own, "norm_first")
    for i in range(2):
        layer = f"layers.{i}"
        y = norm(x, own, f"{layer}.before_attention")
        y = norm(x + attended(y, own, f"{layer}.attention"), own, f"{layer}.behind_attention")
        inner = linear(norm(y, own, f"{layer}.before_ffn"), own, f"{layer}.fc0")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(y + linear(inner, own, f"{layer}.fc1"), own, f"{layer}.behind_ffn")
    context = np.tanh(linear(norm(x, own, "norm_last")[0], own, "pooler"))
    if facts:
        words = own["facts.word_embeddings.weight"][FACTS[place]]
        memory, _ = both_ways(words, own, "facts.both", False, lambda x: np.maximum(x, 0))
        scores = np.tanh(memory @ own["fact_keys.weight"] + context) @ own["fact_scores.weight"]
        context = np.concatenate([context, softmax(scores[:, 0]) @ memory])
    return linear(context, own, "classifier")


@pytest.mark.parametrize("facts", [False, True])
def test_it_computes_the_formulas(facts: bool) -> None:
    model = create_model("duconv_retrieval", "reply_matching", knowledge_length=5 if facts else 0, **SMALL)
    values = drawn(model)
    given = inputs() if facts else inputs()[:2]
    found = model(*given)
    np.testing.assert_allclose(found.numpy(), [expected(i, values, facts) for i in range(2)], atol=1e-5)
    labels = core.to_tensor([1, 0])
    shares = [softmax(expected(i, values, facts))[label] for i, label in enumerate((1, 0))]
    assert model.loss(found, labels).item() == pytest.approx(-np.log(shares).mean(), abs=1e-5)


def test_gradients() -> None:
    model = create_model("duconv_retrieval", "reply_matching", knowledge_length=5, **SMALL)
    drawn(model, seed=1)  # at which no relu of the GRU bends near by
    labels = core.to_tensor([1, 0])
    check_loss_gradients(model, lambda: model.loss(model(*inputs()), labels))


def test_published_sizes() -> None:
    norms, layer = 2 * 256, 4 * (256 * 256 + 256) + (256 * 1024 + 1024) + (1024 * 256 + 256) + 4 * 2 * 256
    words = 14373 * 256
    plain = words + (256 + 2) * 256 + 2 * norms + 4 * layer + (256 * 256 + 256) + (256 * 2 + 2)
    gru = 2 * (256 * 384 + 128 * 384 + 384)
    facts = words + gru + 256 * 256 + 256 + 256 * 2
    with core.LazyGuard():
        assert count(create_model("duconv_retrieval", "reply_matching")) == plain == 6_976_002
        model = create_model("duconv_retrieval", "reply_matching", knowledge_length=256)
    assert count(model) == plain + facts


def test_history_loses_its_beginning_and_a_reply_its_end() -> None:
    ids, segments = joined_ids([1, 5, 6, 7, 2], [8, 9, 2], 7)
    assert ids == [1, 6, 7, 2, 8, 9, 2] and segments == [0, 0, 0, 0, 1, 1, 1]
    ids, segments = joined_ids([1, 5, 2], [*range(100, 160), 2], 256)
    assert ids == [1, 5, 2, *range(100, 150), 2] and segments == [0] * 3 + [1] * 51
