"""What only some families do: memories, two streams, ELECTRA's two networks, wide and narrow vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.combined.electra_pretraining import drawn_tokens
from PaddleNLP.models.registry import create_model
from tests.parity.PaddleNLP import further_cases
from tests.parity.PaddleNLP import model_cases as cases

ROUND = (("electra", "masked_lm"), ("xlnet", "language_model"), ("albert", "pretraining"), ("gpt", "language_model"))
"""Saved and read again always; the other models before a release."""


def build(name: str, task: str = "encoder", **settings: Any) -> Any:
    """Return a family's small model with seeded weights, in evaluation mode."""
    model = create_model(name, task, cases.CLASSES, **{**cases.FAMILIES[name].settings, **settings})
    model.set_state_dict(cases.weights(name, {key: list(one.shape) for key, one in model.state_dict().items()}))
    return model.eval() or model


def parts(name: str) -> Any:
    every = further_cases.parts(name)
    return tuple({key: core.to_tensor(value) for key, value in part.items()} for part in every)


def near(ours: Any, wanted: np.ndarray, share: float = 1e-4) -> bool:
    assert tuple(ours.shape) == wanted.shape
    return bool(np.abs(ours.numpy() - wanted).max() <= share * np.abs(wanted).max())


def test_xlnet_remembers_what_paddlenlp_s_remembers() -> None:
    stored, model = np.load(cases.FOLDER / "xlnet.npz"), build("xlnet")
    first, second = parts("xlnet")
    _, _, memory = model(**first, use_mems=True)
    for layer, one in enumerate(memory):
        assert near(one, stored[f"encoder memory {layer + 1}"])
    assert near(model(**second, mems=memory)[0], stored["encoder memory 0"])
    logits, further = build("xlnet", "language_model")(**first, use_mems=True)
    assert logits.shape == [cases.ROWS, 5, 60] and len(further) == 2


def test_xlnet_with_one_stream_reads_its_memory() -> None:
    """A text in parts, where no token sees a later one, is the text in one."""
    model = build("xlnet")
    whole = core.to_tensor(np.random.RandomState(1).randint(5, 60, (2, 9)))
    later = core.triu(core.ones([9, 9]), 1).unsqueeze(0).expand([2, -1, -1])
    wanted = model(whole, perm_mask=later)[0].numpy()
    first, _, memory = model(whole[:, :5], perm_mask=later[:, :5, :5], use_mems=True)
    second, _, memory = model(whole[:, 5:], mems=memory, perm_mask=later[:, 5:, 5:], use_mems=True)
    assert near(first, wanted[:, :5], 1e-5) and near(second, wanted[:, 5:], 1e-5)
    assert [one.shape for one in memory] == [[2, 9, 24]] * 2


def test_xlnet_s_memory_has_an_end() -> None:
    model = build("xlnet", mem_len=4, reuse_len=3, clamp_len=2)
    ids = core.to_tensor(np.random.RandomState(1).randint(5, 60, (2, 6)))
    memory = None
    for length in (3, 4, 4):
        _, _, memory = model(ids, mems=memory, use_mems=True)
        assert [one.shape for one in memory] == [[2, length, 24]] * 2
        assert all(one.stop_gradient for one in memory)


def test_gpt_writes_on_as_paddlenlp_s_does() -> None:
    stored, encoder, model = np.load(cases.FOLDER / "gpt.npz"), build("gpt"), build("gpt", "language_model")
    first, second = parts("gpt")
    _, _, past = encoder(**first, use_cache=True)
    sequence, _, present = encoder(**second, past=past, use_cache=True)
    assert near(sequence, stored["encoder memory 0"])
    for one, official in zip(past[-1], ("encoder memory 1", "encoder memory 2")):
        assert near(one, stored[official])
    assert present[0][0].shape == [cases.ROWS, 10, 3, 8]
    ids = core.concat([first["input_ids"], second["input_ids"]], axis=1)
    wanted, past = model(ids).numpy(), None
    for place in range(10):
        logits, past = model.step(ids[:, place : place + 1], past)
        assert near(logits[:, 0], wanted[:, place], 1e-5)


def test_gpt_behind_padding() -> None:
    """With a mask that hides padding before a text, and its positions, the text is as without."""
    model = build("gpt")
    ids = np.random.RandomState(1).randint(5, 60, (1, 6))
    wanted = [one.numpy() for one in model(core.to_tensor(ids))]
    padded = core.to_tensor(np.pad(ids, ((0, 0), (3, 0)), constant_values=9))
    mask = core.to_tensor(np.array([[0, 0, 0, 1, 1, 1, 1, 1, 1]]))
    places = core.to_tensor(np.array([[0, 0, 0, 0, 1, 2, 3, 4, 5]]))
    sequence, pooled = model(padded, position_ids=places, attention_mask=mask)
    assert near(sequence[:, 3:], wanted[0], 1e-5) and near(pooled, wanted[1], 1e-5)


@pytest.mark.parametrize("way", further_cases.ELECTRA)
def test_electra_s_two_networks(way: str) -> None:
    stored, arrays = np.load(cases.FOLDER / "electra_pretraining.npz"), further_cases.electra_inputs()
    task = "pretraining" if way == "electra" else "health_pretraining"
    model = create_model("electra", task, **further_cases.ELECTRA[way][1])
    model.set_state_dict(cases.weights(way, {key: list(one.shape) for key, one in model.state_dict().items()}))
    model.eval()
    model.sample = False
    assert sorted(f"{key} {list(one.shape)}" for key, one in model.state_dict().items()) == list(stored[f"{way} keys"])
    labels = core.to_tensor(arrays["generator_labels"])
    results = model(core.to_tensor(arrays["input_ids"]), core.to_tensor(arrays["token_type_ids"]), labels=labels)
    if way == "electra":
        kept, scores = arrays["raw_input_ids"] != 0, cases.sample(results[0].numpy())
        assert np.abs(scores - stored["scores"]).max() <= 1e-4 * np.abs(stored["scores"]).max()
        assert np.abs(results[1].numpy() - stored["logits"])[kept].max() <= 1e-4 * np.abs(stored["logits"]).max()
        assert np.array_equal(results[2].numpy(), np.where(kept, stored["replaced"], -100))
    loss = model.loss(results, labels)
    np.testing.assert_allclose(float(loss), stored[f"{way} loss"], rtol=1e-4)
    loss.backward()
    gradients = {key: one.grad.numpy() for key, one in model.named_parameters() if one.grad is not None}
    assert sorted(gradients) == list(stored[f"{way} names"])
    ours = np.concatenate([cases.sample(gradients[key]) for key in sorted(gradients)])
    assert np.abs(ours - stored[f"{way} gradients"]).max() <= 1e-4 * np.abs(stored[f"{way} gradients"]).max()


def test_electra_s_drawn_tokens_follow_the_generator() -> None:
    model = build("electra", "pretraining")
    scores = core.to_tensor(np.log(np.array([0.5, 0.3, 0.2], np.float32))).expand([1, 4000, 3])
    core.seed(4)
    shares = np.bincount(drawn_tokens(scores, sample=True).numpy()[0], minlength=3) / 4000
    assert np.abs(shares - [0.5, 0.3, 0.2]).max() < 0.03
    small = build("electra", hidden_size=12, num_attention_heads=2, intermediate_size=16)
    assert type(model)(model.encoder, generator=small)(
        core.ones([1, 3], "int64"), labels=core.full([1, 3], -100, "int64")
    )[1].shape == [1, 3]


EVERY = [
    pytest.param(name, task, marks=() if (name, task) in ROUND else pytest.mark.zoo)
    for name, family in cases.FAMILIES.items()
    for task in family.tasks
]


@pytest.mark.parametrize(("name", "task"), EVERY)
def test_weights_that_were_saved_come_back(name: str, task: str, tmp_path: Path) -> None:
    model, path = build(name, task), tmp_path / "weights.pdparams"
    core.save(model.state_dict(), str(path))
    again = create_model(name, task, cases.CLASSES, pretrained=path, **cases.FAMILIES[name].settings)
    ours, theirs = model.state_dict(), again.state_dict()
    assert ours.keys() == theirs.keys()
    for key, value in ours.items():
        np.testing.assert_array_equal(theirs[key].numpy(), value.numpy(), err_msg=key)


@pytest.mark.parametrize("family", cases.FAMILIES)
def test_what_a_tokeniser_must_fit(family: str) -> None:
    settings = cases.FAMILIES[family].settings
    with core.LazyGuard():
        encoder = create_model(family, "encoder", **settings)
    assert encoder.vocab_size == 60
    assert getattr(encoder, "max_position_embeddings", None) == settings.get("max_position_embeddings")


def test_nezha_knows_no_longest_text() -> None:
    model = build("nezha")
    ids = core.to_tensor(np.random.RandomState(1).randint(5, 60, (1, 600)))
    assert np.isfinite(model(ids)[0].numpy()).all()
    assert not [key for key in model.state_dict() if "position" in key]


def test_tinybert_s_hidden_states_in_the_teacher_s_size() -> None:
    model = build("tinybert")
    states = model(core.ones([2, 3], "int64"), output_hidden_states=True)[2]
    fitted = model.fitted(states)
    assert [one.shape for one in fitted] == [[2, 3, 10]] * 3
    weight, bias = model.fit_denses[1].weight.numpy(), model.fit_denses[1].bias.numpy()
    np.testing.assert_allclose(fitted[1].numpy(), states[1].numpy() @ weight + bias, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("family", ["albert", "nezha", "gpt", "xlnet"])
def test_heads_divide_the_vector(family: str) -> None:
    settings = {"n_head": 5} if family == "xlnet" else {"num_attention_heads": 5}
    with pytest.raises(ValueError, match="=24 must be divisible by .*=5"):
        build(family, **settings)


def test_what_has_no_vector_of_a_text() -> None:
    with pytest.raises(ValueError, match="DistilBertModel has no vector of a whole text, which MultipleChoice reads"):
        build("distilbert", "multiple_choice")
    for family, task in (("ernie_gram", "encoder"), ("electra", "health_pretraining")):
        with pytest.raises(ValueError, match="embedding_size=16 must be hidden_size=24"):
            build(family, task, embedding_size=16)
