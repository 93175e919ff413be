"""The Transformer that translates beside paddlenlp's: scores, losses, gradients, beams; sizes; messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F
from core.text.generation import Generation
from PaddleNLP.models.registry import create_model
from PaddleNLP.models.translation.infer_transformer import InferTransformerModel
from PaddleNLP.models.translation.transformer import TransformerModel, position_encoding_init
from tests.parity.PaddleNLP import translation_cases as cases
from tests.parity.stored import stored_arrays

T = core.to_tensor


@pytest.fixture(scope="module")
def stored() -> Any:
    return stored_arrays(cases.FILE)


def build(case: str, kind: Any = TransformerModel, **further: Any) -> Any:
    """Return a small network with seeded weights, in evaluation mode."""
    network = kind(**cases.settings(case), **further)
    state = network.state_dict()
    network.set_state_dict({**state, **cases.weights(case, {name: one.shape for name, one in state.items()})})
    network.eval()
    return network


def near(ours: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(np.asarray(ours), wanted, rtol=0, atol=1e-4 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("case", cases.CASES)
def test_scores_losses_and_gradients_are_paddlenlp_s(case: str, stored: Any) -> None:
    network = build(case)
    assert sorted(network.state_dict()) == stored[f"{case} names"].tolist()
    source, target, labels = (T(rows) for rows in cases.sentences(case))
    scores = network(source, target)
    near(scores.numpy(), stored[f"{case} scores"])
    plain = F.cross_entropy(scores.reshape([-1, scores.shape[-1]]), labels.flatten(), ignore_index=network.pad_id)
    near(float(plain), stored[f"{case} loss None"][1])
    kept = (labels != network.pad_id).astype("float32")
    soft = F.label_smooth(F.one_hot(labels, scores.shape[-1]), epsilon=0.1)
    smoothed = (F.cross_entropy(scores, soft, reduction="none", soft_label=True).squeeze(-1) * kept).sum() / kept.sum()
    near(float(smoothed), stored[f"{case} loss 0.1"][1])
    smoothed.backward()
    gradients = {name: one.grad for name, one in network.named_parameters() if one.grad is not None}
    wanted = {name.split(" ")[2]: value for name, value in stored.items() if name.startswith(f"{case} gradient ")}
    assert set(gradients) == set(wanted)
    for name, value in wanted.items():
        near(gradients[name].numpy(), value)


@pytest.mark.parametrize("case", cases.CASES)
def test_beams_are_paddlenlp_s(case: str, stored: Any) -> None:
    source = T(cases.sentences(case)[0])
    options = {"beam_size": cases.BEAMS, "max_out_len": cases.LONGEST}
    with core.no_grad():
        first = build(case, InferTransformerModel, **options)(source).numpy()
        second = build(case, InferTransformerModel, beam_search_version="v2", **options)(source).numpy()
    assert first.tolist() == stored[f"{case} beams v1"].tolist()
    wanted = stored[f"{case} beams v2"]
    for ours, theirs in zip(second[:, :, 0], wanted[:, :, 0]):
        shared = min(len(ours), len(theirs))  # ours has room for the longest; behind the end both repeat the end token
        assert ours[:shared].tolist() == theirs[:shared].tolist()


@pytest.mark.parametrize("case", cases.CASES)
def test_generated_scores_are_those_of_reading_the_whole(case: str) -> None:
    network = build(case)
    source = T(cases.sentences(case)[0])
    with core.no_grad():
        found = network.generate(source, Generation(0, 1, 8, "beam", 3, pad_token=0))
        for row in range(3):
            count = int(found.lengths.numpy()[row, 0])
            tokens = found.tokens.numpy()[row, 0, :count]
            logs = F.log_softmax(network(source[row : row + 1], T(np.array([[0, *tokens[:-1]]]))), -1).numpy()[0]
            np.testing.assert_allclose(found.scores.numpy()[row, 0], logs[np.arange(count), tokens].sum(), rtol=1e-4)


def test_positions_are_sines_and_then_cosines() -> None:
    table = position_encoding_init(5, 7)
    assert table.shape == (5, 7) and (table[:, 6] == 0).all()
    for column, rate in enumerate((1.0, 0.01, 0.0001)):
        np.testing.assert_allclose(table[:, column], np.sin(np.arange(5) * rate), atol=1e-6)
        np.testing.assert_allclose(table[:, 3 + column], np.cos(np.arange(5) * rate), atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        # tables and scores, encoder, decoder, two last normalisations
        ({}, 32000 * 512 + 6 * 3_152_384 + 6 * 4_204_032 + 2 * 1024),
        (
            {"d_model": 1024, "d_inner_hid": 4096, "n_head": 16},
            32000 * 1024 + 6 * 12_596_224 + 6 * 16_796_672 + 2 * 2048,
        ),
    ],
    ids=["base", "big"],
)
def test_sizes_are_the_published_ones(settings: dict[str, int], count: int) -> None:
    with core.LazyGuard():
        network = create_model("transformer", "encoder", **settings)
    assert sum(int(np.prod(one.shape)) for one in network.parameters() if not one.stop_gradient) == count


def test_messages() -> None:
    with pytest.raises(ValueError, match="weight_sharing: src_vocab_size 23 and trg_vocab_size 19 must be equal"):
        TransformerModel(23, 19)
    network = build("shared")
    with pytest.raises(ValueError, match="a sentence of 17 tokens, but the network knows 16 positions"):
        network(T(np.ones((1, 17), "int64")), T(np.ones((1, 2), "int64")))
    with pytest.raises(ValueError, match="beam_search_version is 'v1' or 'v2', not 'v3'"):
        build("shared", InferTransformerModel, beam_search_version="v3")
    with pytest.raises(ValueError, match="trg_word goes with beam_search_version='v2'"):
        build("shared", InferTransformerModel)(T(cases.SOURCE), T(cases.TARGET))
