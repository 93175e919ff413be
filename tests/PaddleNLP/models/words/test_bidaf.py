"""BiDAF: what NumPy computes, gradients by finite differences, the published size, empty passages and questions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import pytest

import core
from core.weights import write_pdparams
from PaddleNLP.models.registry import create_model
from tests.parity.recipe import uniform

WORDS, SIZE, UNITS = 12, 5, 3
QUESTIONS = [[1, 4, 2], [7]]
PASSAGES: list[list[list[int]]] = [[[3, 1, 4, 9], [], [5]], [[8, 8], [2, 6, 0, 10, 11], [7, 3]]]

Values = dict[str, np.ndarray]


def sigmoid(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = 1 / (1 + np.exp(-x))
    return result


def softmax(x: np.ndarray) -> np.ndarray:
    raised = np.exp(x - x.max())
    return raised / raised.sum()


def lstm(words: np.ndarray, gates: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Return the states of Fluid's LSTM without peepholes, whose gates are candidate, input, forget, output."""
    state = memory = np.zeros(UNITS)
    states = []
    for row in words @ gates:
        candidate, given, kept, shown = np.split(row + state @ weight + bias[0], 4)
        memory = sigmoid(kept) * memory + sigmoid(given) * np.tanh(candidate)
        state = sigmoid(shown) * np.tanh(memory)
        states.append(state)
    return np.array(states).reshape(-1, UNITS)


def both(words: np.ndarray, values: Values, layer: str) -> np.ndarray:
    ways = []
    for way, step in (("fw", 1), ("bw", -1)):
        names = (f"{layer}_{way}_gate_w", f"{layer}_{way}_lstm_w", f"{layer}_{way}_lstm_b")
        ways.append(lstm(words[::step], *(values[name] for name in names))[::step])
    return np.concatenate(ways, axis=1)


def pointer(words: np.ndarray, state: np.ndarray, values: Values, way: str) -> tuple[np.ndarray, np.ndarray]:
    def fc(x: np.ndarray, name: str) -> np.ndarray:
        whole = f"pn_decoder_{way}_custom_dynamic_rnn_static_rnn_{name}"
        return x @ values[f"{whole}_w"] + values[f"{whole}_b"]

    def points(state: np.ndarray) -> np.ndarray:
        return softmax(fc(np.tanh(fc(words, "context_fc") + fc(state, "m_prev0_fc")), "logits_fc")[:, 0])

    first = points(state)
    given = np.concatenate([state, first @ words])
    memory = sigmoid(fc(given, "lstm_f")) * state + sigmoid(fc(given, "lstm_i")) * np.tanh(fc(given, "lstm_c"))
    return first, points(sigmoid(fc(given, "lstm_o")) * np.tanh(memory))


def read(question: list[int], passages: list[list[int]], values: Values) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of beginning and end at all words of a question's passages."""
    table = values["embedding_para"]
    asked = both(table[question], values, "q_enc")
    parts = []
    for passage in passages:
        if passage:
            own = both(table[passage], values, "p_enc")
            match = own @ asked.T
            to_question = np.array([softmax(row) for row in match]) @ asked
            to_passage = softmax(match.max(1)) @ own
            flow = np.concatenate([own, to_question, own * to_question, own * to_passage], axis=1)
            parts.append(both(flow, values, "fusion"))
    words = np.concatenate(parts)
    row = values["create_parameter_0.w_0"] @ values["pn_decoder_random_attn_fc_w"]
    inner = np.tanh(asked @ values["pn_decoder_q_vec_fc_w"] + row + values["pn_decoder_random_attn_fc_b"])
    shares = softmax((inner @ values["pn_decoder_logits_fc_w"])[:, 0] + values["pn_decoder_logits_fc_b"])
    state = (shares @ asked) @ values["pn_decoder_init_state_fc_w"] + values["pn_decoder_init_state_fc_b"]
    (begins, ends), (ends_first, begins_last) = (pointer(words, state, values, way) for way in ("fw", "bw"))
    return (begins + begins_last) / 2, (ends + ends_first) / 2


def model_and_values(pretrained: Optional[str] = None) -> tuple[Any, Values]:
    model = create_model("bidaf", "passage_reading", vocab_size=WORDS, emb_dim=SIZE, units=UNITS)
    names = model.encoder.official_names()
    state = {name.replace("bidaf.", "", 1): value for name, value in model.state_dict().items()}
    assert sorted(names.values()) == sorted(state)
    values = {name: uniform(f"bidaf {name}", list(state[new].shape), -0.8, 0.8) for name, new in names.items()}
    renamed = model.encoder.renamed(values)
    model.set_state_dict({name: renamed[name.replace("bidaf.", "", 1)] for name in model.state_dict()})
    return model.eval() or model, values


def ids(length: int = 6) -> tuple[Any, Any]:
    questions = np.full((2, 4), WORDS, np.int64)
    passages = np.full((2, 3, length), WORDS, np.int64)
    for row, question in enumerate(QUESTIONS):
        questions[row, : len(question)] = question
        for place, passage in enumerate(PASSAGES[row]):
            passages[row, place, : len(passage)] = passage
    return core.to_tensor(questions), core.to_tensor(passages)


def test_it_computes_what_numpy_computes() -> None:
    model, values = model_and_values()
    for found in (model(*ids()), core.jit.to_static(model)(*ids(7))):
        for row, passages in enumerate(PASSAGES):
            wanted = read(QUESTIONS[row], passages, values)
            for shares, expected in zip(found, wanted):
                own = shares.numpy()[row]
                joined = np.concatenate([own[place, : len(words)] for place, words in enumerate(passages)])
                np.testing.assert_allclose(joined, expected, atol=1e-5)
                assert own.sum() == pytest.approx(1, abs=1e-5)  # nothing is left for padding
    places = [core.to_tensor(np.array(place)) for place in ([[0, 1], [-1, -1]], [[0, 3], [-1, -1]])]
    begins, ends = read(QUESTIONS[0], PASSAGES[0], values)
    expected = -(np.log(begins[1]) + np.log(ends[3])) / 2  # the second question has no answer
    assert model.loss(model(*ids()), places).item() == pytest.approx(expected, rel=1e-5)


def test_gradients_are_those_of_finite_differences() -> None:
    model, _ = model_and_values()
    model.to(dtype="float64")
    given = ids()
    places = [core.to_tensor(np.array(place)) for place in ([[0, 1], [1, 4]], [[2, 0], [2, 1]])]
    model.loss(model(*given), places).backward()
    parameters = model.parameters()
    before = [one.numpy() for one in parameters]
    source = np.random.default_rng(0)
    for _ in range(3):  # all numbers of all parameters move at once
        directions = [source.standard_normal(one.shape) for one in parameters]
        ends = []
        for sign in (1, -1):
            for one, value, direction in zip(parameters, before, directions):
                one.set_value(value + sign * 1e-5 * direction)
            ends.append(model.loss(model(*given), places).item())
        slope = sum((one.grad.numpy() * direction).sum() for one, direction in zip(parameters, directions))
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-6)


def test_published_size() -> None:
    """Of 1,000 words: vectors of 300, states of 150, as in args.py."""
    with core.LazyGuard():
        model = create_model("bidaf", "passage_reading", vocab_size=1000)
    lstms = sum(2 * (inputs * 600 + 150 * 600 + 600) for inputs in (300, 300, 1200))
    pointer = (300 * 150 + 150) + (150 * 150 + 150) + (150 + 1) + 4 * (450 * 150 + 150)
    rest = 150 + (150 * 150 + 150) + 300 * 150 + (150 + 1) + (300 * 150 + 150)
    assert sum(one.size for one in model.parameters()) == 1000 * 300 + lstms + 2 * pointer + rest


def test_official_files_load(tmp_path: Any) -> None:
    model, values = model_and_values()
    write_pdparams(values, tmp_path / "official.pdparams")
    size = {"vocab_size": WORDS, "emb_dim": SIZE, "units": UNITS}
    loaded = create_model("bidaf", "passage_reading", pretrained=str(tmp_path / "official.pdparams"), **size)
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(loaded.state_dict()[name].numpy(), value.numpy())


def test_a_question_or_passages_without_words_give_numbers() -> None:
    model, _ = model_and_values()
    questions, passages = ids()
    nothing = core.full_like(passages, WORDS)
    begins, ends = model(core.full_like(questions, WORDS), passages)
    assert np.isfinite(begins.numpy()).all() and ends.numpy().sum(axis=(1, 2)) == pytest.approx(1)
    begins, ends = model(questions, nothing)
    assert not begins.numpy().any() and not ends.numpy().any()
