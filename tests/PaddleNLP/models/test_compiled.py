"""Models as programs: one for all batches and lengths, padding that changes nothing, training steps, exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core.static import InputSpec
from PaddleNLP.models.registry import create_model
from tests.parity.PaddleNLP import model_cases as cases
from tests.sampling import sampled

FAMILIES = ("ernie", "bert", "roberta")
HEADS = ("sequence_classification", "token_classification", "question_answering", "masked_lm", "pretraining")
QUICK = (("ernie", "sequence_classification"), ("bert", "pretraining"))
OWN = [
    pytest.param(name, task, marks=() if (name, task) in QUICK else pytest.mark.zoo)
    for name in FAMILIES
    for task in HEADS
]
SIZES = ((2, 11), (3, 7), (1, 1))
FURTHER = [name for name in cases.FAMILIES if name not in FAMILIES]
SELDOM = [pytest.param(name, marks=() if name in ("electra", "xlnet") else pytest.mark.zoo) for name in FURTHER]
PROGRAMS = [
    pytest.param(name, task, marks=() if (name, task) == ("xlnet", "question_answering") else pytest.mark.zoo)
    for name in FURTHER
    for task in cases.FAMILIES[name].tasks
    if task != "multiple_choice"
]


def build(family: str, task: str, **settings: Any) -> Any:
    core.seed(3)
    model = create_model(family, task, cases.CLASSES, **{**cases.FAMILIES[family].settings, **settings})
    model.set_state_dict(cases.weights(family, {key: value.shape for key, value in model.state_dict().items()}))
    return model


def texts(rows: int, length: int) -> tuple[Any, Any]:
    """Return tokens and sentences, the last row with padding where there is room."""
    draw = np.random.RandomState(rows * 100 + length)
    tokens = draw.randint(1, 60, (rows, length))
    tokens[-1, max(1, length - 3) :] = 0
    return core.to_tensor(tokens), core.to_tensor(draw.randint(0, 2, (rows, length)))


def listed(outputs: Any) -> list[np.ndarray]:
    every = outputs if isinstance(outputs, tuple) else (outputs,)
    return [one.numpy() for one in every if one is not None]


@pytest.mark.parametrize(("family", "task"), [*OWN, *PROGRAMS])
def test_one_program_for_all_sizes(family: str, task: str, tmp_path: Path) -> None:
    model = build(family, task)
    model.eval()
    spec = [InputSpec([None, None], "int64", name, examples={1: (13, 17)}) for name in ("input_ids", "token_type_ids")]
    core.jit.save(model, str(tmp_path / "model"), spec)
    loaded = core.jit.load(str(tmp_path / "model"))
    compiled = core.jit.to_static(model.__call__, input_spec=spec)
    for rows, length in SIZES:
        given = texts(rows, length)
        wanted = listed(model(*given))
        for program in (loaded, compiled):
            for ours, eager in zip(listed(program(*given)), wanted):
                np.testing.assert_allclose(ours, eager, rtol=0, atol=1e-5 * max(1, np.abs(eager).max()))


@pytest.mark.zoo
@pytest.mark.parametrize(("task", "texts_each"), [("multiple_choice", None), ("pair_classification", 2)])
def test_one_program_for_texts_side_by_side(task: str, texts_each: Optional[int], tmp_path: Path) -> None:
    model = build("ernie", task)
    model.eval()
    examples = {2: (13, 17)} if texts_each else {1: (3, 4), 2: (13, 17)}
    names = ("input_ids", "token_type_ids")
    spec = [InputSpec([None, texts_each, None], "int64", name, examples=examples) for name in names]
    core.jit.save(model, str(tmp_path / "model"), spec)
    loaded = core.jit.load(str(tmp_path / "model"))
    for rows, choices, length in ((2, 3, 7), (1, 2, 9)):
        many = rows * (texts_each or choices)
        given = [one.reshape([rows, texts_each or choices, length]) for one in texts(many, length)]
        np.testing.assert_allclose(loaded(*given).numpy(), model(*given).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("family", [*FAMILIES, *SELDOM])
def test_padding_changes_nothing(family: str) -> None:
    encoder = build(family, "encoder")
    encoder.eval()
    tokens, sentences = (one.numpy() for one in texts(2, 9))
    tokens[tokens < 2] = 5  # padding of one family or another
    wanted = listed(encoder(core.to_tensor(tokens), core.to_tensor(sentences)))
    for more in (1, 8, 20):
        width = ((0, 0), (0, more))
        longer = (np.pad(tokens, width, constant_values=encoder.pad_token_id), np.pad(sentences, width))
        found = listed(encoder(*[core.to_tensor(one) for one in longer]))
        assert len(found) == len(wanted)
        for ours, alone in zip([found[0][:, :9], *found[1:]], wanted):
            assert np.abs(ours - alone).max() <= 1e-5


@pytest.mark.parametrize("family", [*sampled(FAMILIES, 1000, group=lambda family: None), *SELDOM])
def test_a_compiled_step_learns_what_the_eager_one_does(family: str) -> None:
    drops = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}
    drops = {"dropout": 0.1} if family == "xlnet" else drops
    losses = []
    for compiled in (False, True):
        model = build(family, "sequence_classification", **drops)
        model.train()
        optimizer = core.optimizer.SGD(0.05, parameters=model.parameters())

        def loss_of(tokens: Any, sentences: Any, labels: Any, model: Any = model) -> Any:
            return model.loss(model(tokens, sentences), labels)

        run = core.jit.to_static(loss_of) if compiled else loss_of
        found = []
        for _ in range(3):
            core.seed(1)  # the same numbers are dropped
            loss = run(*texts(3, 8), core.to_tensor([0, 2, 1]))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            found.append(float(loss))
        losses.append(found)
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)
    assert losses[0][2] < losses[0][0]


def test_pairs_are_encoded_apart() -> None:
    model = build("ernie", "pair_classification")
    model.eval()
    tokens = np.stack([texts(2, 6)[0].numpy(), texts(3, 6)[0].numpy()[1:]], 1)
    found = model(core.to_tensor(tokens)).numpy()
    sequence = model.ernie(core.to_tensor(tokens.reshape(4, 6)))[0].numpy().reshape(2, 2, 6, -1)
    kept = (tokens != 0)[..., None]
    means = (sequence * kept).sum(2) / kept.sum(2)
    features = np.concatenate([means[:, 0], means[:, 1], np.abs(means[:, 0] - means[:, 1])], -1)
    weight, bias = model.classifier.weight.numpy(), model.classifier.bias.numpy()
    np.testing.assert_allclose(found, features @ weight + bias, rtol=1e-4, atol=1e-5)


def test_some_positions_are_decoded() -> None:
    model = build("bert", "pretraining")
    model.eval()
    given, places = texts(2, 7), np.array([0, 3, 9])
    every, following = model(*given)
    some, same = model(*given, masked_positions=core.to_tensor(places))
    np.testing.assert_allclose(some.numpy(), every.numpy().reshape(14, -1)[places], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(same.numpy(), following.numpy())
    alone = build("bert", "next_sentence")
    alone.eval()
    np.testing.assert_allclose(alone(*given).numpy(), following.numpy(), rtol=1e-5, atol=1e-6)


def test_hidden_states_and_vectors_instead_of_tokens() -> None:
    model = build("ernie", "sequence_classification")
    model.eval()
    tokens, sentences = texts(2, 7)
    logits, states = model(tokens, sentences, output_hidden_states=True)
    sequence, pooled, again = model.ernie(tokens, sentences, output_hidden_states=True)
    assert len(states) == 3 and [one.shape for one in states] == [[2, 7, 24]] * 3
    np.testing.assert_array_equal(states[2].numpy(), sequence.numpy())
    vectors = model.ernie.word_embeddings(tokens).detach()
    vectors.stop_gradient = False
    mask = (tokens != 0).astype("int64")
    same = model(None, sentences, attention_mask=mask, inputs_embeds=vectors)
    np.testing.assert_allclose(same.numpy(), logits.numpy(), rtol=1e-5, atol=1e-6)
    same[:, 0].sum().backward()
    assert np.abs(vectors.grad.numpy()[:, 0]).max() > 0 and again[0].shape == [2, 7, 24]


def test_labels_of_several_kinds() -> None:
    model = build("bert", "sequence_classification")
    model.eval()
    logits = model(*texts(2, 5))
    several = core.to_tensor(np.array([[1, 0, 1], [0, 0, 1]], np.float32))
    x, y = logits.numpy().astype(np.float64), several.numpy()
    each = np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0) - x * y
    np.testing.assert_allclose(float(model.loss(logits, several)), each.mean(), rtol=1e-5)
    number = create_model("bert", "sequence_classification", 1, **cases.FAMILIES["bert"].settings)
    number.eval()
    value, wanted = number(*texts(2, 5)), np.array([0.5, 2.0], np.float32)
    squares = np.square(value.numpy()[:, 0] - wanted).mean()
    np.testing.assert_allclose(float(number.loss(value, core.to_tensor(wanted))), squares, rtol=1e-5)


def test_texts_beyond_the_positions() -> None:
    message = r"texts of 33 tokens, but the model knows 32 positions: cut them \(max_length=32\)"
    with pytest.raises(ValueError, match=message):
        build("ernie", "encoder")(*texts(1, 33))
