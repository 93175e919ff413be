"""ELMo gives NumPy's numbers, from a file with the official names; the sampled loss is what its formula says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleNLP.models.language.elmo import ElmoModel, drawn_words, sampled_losses
from PaddleNLP.models.registry import create_model

WORDS, CELL, SIZE, CLIP = 13, 10, 6, 0.6
SETTINGS: dict[str, Any] = {"vocab_size": WORDS, "lstm_size": CELL, "projection_size": SIZE, "clip": CLIP}
LENGTHS = np.array([5, 3, 1])


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def official_file(mixed: bool) -> dict[str, np.ndarray]:
    """Draw a file as the official programs write it."""
    source = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"embedding_para": (WORDS, SIZE)}
    for number in range(4):
        shapes[f"{('fw', 'bw')[number // 2]}_layer{number % 2 + 1}_gate_w"] = (SIZE, 4 * CELL)
        shapes.update({f"lstmp_{number}.w_0": (SIZE, 4 * CELL), f"lstmp_{number}.w_1": (CELL, SIZE)})
        shapes[f"lstmp_{number}.b_0"] = (1, 4 * CELL)
    shapes.update({"softmax_weight": (WORDS, SIZE), "softmax_bias": (WORDS,)})
    shapes.update({"ELMo_w": (3,), "ELMo_gamma": (1,)} if mixed else {})
    return {name: source.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def run(values: dict[str, np.ndarray], number: int, gates: np.ndarray, clips: list[int]) -> np.ndarray:
    """Return the states of one layer for one sentence; gates in the order candidate, input, forget, output."""
    h, c, found = np.zeros(SIZE), np.zeros(CELL), []
    for row in gates:
        given = row + h @ values[f"lstmp_{number}.w_0"] + values[f"lstmp_{number}.b_0"][0]
        candidate, entry, keep, exit_ = np.split(given, 4)
        c = sigmoid(keep) * c + sigmoid(entry) * np.tanh(candidate)
        clips.append(int((np.abs(c) > CLIP).sum()))
        c = np.clip(c, -CLIP, CLIP)
        h = (sigmoid(exit_) * np.tanh(c)) @ values[f"lstmp_{number}.w_1"]
        clips.append(int((np.abs(h) > CLIP).sum()))
        h = np.clip(h, -CLIP, CLIP)
        found.append(h)
    return np.stack(found)


def expected(values: dict[str, np.ndarray], ids: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray], int]:
    """Return the layers that are mixed, (L, 2 SIZE) each, and each direction's last output, of one sentence."""
    values = {name: value.astype(np.float64) for name, value in values.items()}
    words = values["embedding_para"][ids]
    states, ends = [], []
    clips: list[int] = []
    for side, short in enumerate(("fw", "bw")):
        x = words[::-1] if side else words
        outputs = []
        for layer in range(2):
            out = run(values, 2 * side + layer, x @ values[f"{short}_layer{layer + 1}_gate_w"], clips)
            outputs.append(out[::-1] if side else out)
            x = out + x if layer else out
        states.append(outputs)
        ends.append(x[::-1] if side else x)
    layers = [np.concatenate([words, words], 1), *(np.concatenate(pair, 1) for pair in zip(*states))]
    return layers, ends, sum(clips)


@pytest.fixture
def ids() -> np.ndarray:
    found = np.random.default_rng(1).integers(0, WORDS, (3, 5))
    return np.where(np.arange(5) < LENGTHS[:, None], found, WORDS)


def saved(folder: Path, values: dict[str, np.ndarray]) -> Path:
    core.save({name: core.to_tensor(value) for name, value in values.items()}, str(folder / "elmo.pdparams"))
    return folder / "elmo.pdparams"


def test_features_of_an_official_file(tmp_path: Path, ids: np.ndarray) -> None:
    values = official_file(mixed=True)
    model = create_model("elmo", task="encoder", pretrained=saved(tmp_path, values), **SETTINGS)
    model.eval()
    mixed, pooled, layers = model(core.to_tensor(ids), output_hidden_states=True)
    weights = np.exp(values["ELMo_w"] + 1 / 3)
    weights /= weights.sum()
    clipped = 0
    for row, length in enumerate(LENGTHS):
        wanted, _, clips = expected(values, ids[row, :length])
        clipped += clips
        for layer, one in zip(layers, wanted):
            np.testing.assert_allclose(layer.numpy()[row, :length], one, atol=1e-5)
        total = sum(weight * one for weight, one in zip(weights, wanted)) * values["ELMo_gamma"]
        np.testing.assert_allclose(mixed.numpy()[row, :length], total, atol=1e-5)
        assert not mixed.numpy()[row, length:].any()
        np.testing.assert_allclose(pooled.numpy()[row], np.asarray(total).mean(axis=0), atol=1e-5)
    assert clipped > 20, "memories and states are clipped"


def test_losses_of_an_official_file(tmp_path: Path, ids: np.ndarray) -> None:
    values = official_file(mixed=False)
    model = create_model("elmo", task="language_model", pretrained=saved(tmp_path, values), **SETTINGS)
    model.eval()
    kept = (ids != WORDS).astype(np.float32)
    after, before = (one.numpy() for one in model.compute_losses(core.to_tensor(ids), core.to_tensor(kept)))
    for row, length in enumerate(LENGTHS):
        _, (forwards, backwards), _ = expected(values, ids[row, :length])
        for found, states, labels in (
            (after, forwards[:-1], ids[row, 1:length]),
            (before, backwards[1:], ids[row, : length - 1]),
        ):
            scores = states @ values["softmax_weight"].T + values["softmax_bias"]
            logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
            np.testing.assert_allclose(found[row, : length - 1], -logs[np.arange(length - 1), labels], atol=1e-5)
            assert not found[row, length - 1 :].any()


def test_the_official_size() -> None:
    with core.LazyGuard():
        model = create_model("elmo", task="language_model")
    count = sum(int(np.prod(tensor.shape)) for tensor in model.parameters())
    layer = 512 * 4 * 4096 * 2 + 4096 * 512 + 4 * 4096
    assert count == 2 * 52_445 * 512 + 52_445 + 4 * layer + 4 == 129_319_137


def test_a_task_moves_the_mix_and_what_is_above_it() -> None:
    core.seed(0)
    ids = core.to_tensor(np.array([[1, 2, 3]]))
    for finetune in (False, True):
        model = create_model("elmo", task="token_classification", num_classes=3, finetune=finetune, **SETTINGS)
        model.loss(model(ids), core.to_tensor(np.array([[0, 1, 2]]))).backward()
        moved = {name for name, tensor in model.named_parameters() if tensor.grad is not None}
        below = {name for name in moved if name.startswith("elmo.") and "mix" not in name}
        assert {"elmo.mix_weight", "elmo.mix_scale", "classifier.weight"} <= moved
        assert bool(below) is finetune


def test_drawn_words_follow_the_logarithm() -> None:
    core.seed(0)
    found = np.bincount(drawn_words(200_000, 20).numpy(), minlength=20) / 200_000
    wanted = np.log(np.arange(2, 22) / np.arange(1, 21)) / np.log(21)
    np.testing.assert_allclose(found, wanted, atol=0.004)


def test_sampled_losses_by_hand_and_their_gradient() -> None:
    source = np.random.default_rng(2)
    states, weight, bias = (source.standard_normal(shape).astype(np.float32) for shape in ((4, 5), (9, 5), (9,)))
    labels, samples = np.array([0, 3, 8, 2]), np.array([3, 1, 1, 0, 6])
    often = 5 * np.log((np.arange(9) + 2) / (np.arange(9) + 1)) / np.log(10)
    adjusted = (states @ weight.T + bias - np.log(often)).astype(np.float64)
    wanted = []
    for row, label in enumerate(labels):
        others = [adjusted[row, word] for word in samples if word != label]
        wanted.append(np.log(np.exp([adjusted[row, label], *others]).sum()) - adjusted[row, label])
    table = core.to_tensor(weight, stop_gradient=False)
    given = core.to_tensor(states), table, core.to_tensor(bias)
    found = sampled_losses(*given, core.to_tensor(labels), core.to_tensor(samples))
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)
    found.sum().backward()
    untouched = sorted(set(range(9)) - {*labels.tolist(), *samples.tolist()})
    assert not table.grad.numpy()[untouched].any() and table.grad.numpy()[6].any()


def test_a_training_step_lowers_the_loss() -> None:
    core.seed(0)
    model = create_model("elmo", task="language_model", **{**SETTINGS, "hidden_dropout_prob": 0.0, "clip": 3.0})
    optimizer = core.optimizer.Adagrad(0.2, parameters=model.parameters())
    ids = core.to_tensor(np.array([[0, 1, 2, 3, 0], [0, 3, 2, 1, 0]]))
    kept = core.ones([2, 5])
    losses = []
    for _ in range(12):
        loss = sum(one.mean() for one in model.compute_losses(ids, kept, core.to_tensor(np.arange(WORDS))))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.5 * losses[0]
    assert isinstance(model.encoder, ElmoModel)
