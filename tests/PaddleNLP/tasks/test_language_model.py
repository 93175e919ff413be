"""A language model is trained as published: each step's rate, clipping, loss and carried states against NumPy."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleNLP
from core.train.callback import Callback
from core.train.trainer import Trainer
from PaddleNLP import export, infer
from PaddleNLP.config import TOOLKIT
from PaddleNLP.tasks.language_model import LanguageModel
from tests.PaddleNLP.small import trained

ROOT = Path(__file__).parents[3]
CONFIGS = ROOT / "PaddleNLP" / "configs" / "language_model"
PUBLISHED = {
    # hidden, steps, scale, dropout, clip, flat epochs, factor, epochs
    "ptb_lstm_small": (200, 20, 0.1, 0.0, 5.0, 3, 0.5, 13),
    "ptb_lstm_medium": (650, 35, 0.05, 0.5, 5.0, 5, 0.8, 39),
    "ptb_lstm_large": (1500, 35, 0.04, 0.65, 10.0, 13, 1 / 1.15, 55),
}


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


class Reference:
    """Two layers of LSTM in NumPy, with gradients written out by hand."""

    def __init__(self, values: Mapping[str, np.ndarray]) -> None:
        self.values = {name: value.astype(np.float64) for name, value in values.items()}

    def forward(self, ids: np.ndarray, labels: np.ndarray, states: list[np.ndarray]) -> tuple[float, list[Any]]:
        """Return the summed loss of a word in each step, averaged over rows; keep what the gradient needs."""
        v, (hidden, cell) = self.values, states
        x: list[Any] = [v["embedder.weight"][ids[:, step]] for step in range(ids.shape[1])]
        self.tape: list[list[Any]] = []
        left: list[list[Any]] = [[], []]
        for layer in range(2):
            w, u = (v[f"lstm.weight_{kind}_l{layer}"] for kind in ("ih", "hh"))
            bias = v[f"lstm.bias_ih_l{layer}"] + v[f"lstm.bias_hh_l{layer}"]
            h, c, steps = hidden[layer], cell[layer], []
            for step, one in enumerate(x):
                i, f, g, o = np.split(one @ w.T + h @ u.T + bias, 4, 1)
                i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
                new = f * c + i * g
                steps.append((one, h, c, i, f, g, o, new))
                h, c = o * np.tanh(new), new
                x[step] = h
            self.tape.append(steps)
            left[0].append(h)
            left[1].append(c)
        self.ids, self.labels, self.top = ids, labels, np.stack(x, 1)
        scores = self.top @ v["fc.weight"] + v["fc.bias"]
        scores -= scores.max(axis=2, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=2, keepdims=True))
        self.shares = np.exp(logs)
        loss = -np.take_along_axis(logs, labels[..., None], 2).sum() / len(ids)
        return float(loss), [np.stack(one) for one in left]

    def gradients(self) -> dict[str, np.ndarray]:
        """Return the gradient of the last loss by every parameter."""
        v, rows = self.values, len(self.ids)
        found = {name: np.zeros_like(value) for name, value in v.items()}
        wrong = self.shares.copy()
        np.put_along_axis(wrong, self.labels[..., None], np.take_along_axis(wrong, self.labels[..., None], 2) - 1, 2)
        wrong /= rows
        found["fc.weight"] = np.einsum("rsh,rsv->hv", self.top, wrong)
        found["fc.bias"] = wrong.sum(axis=(0, 1))
        above = [wrong[:, step] @ v["fc.weight"].T for step in range(wrong.shape[1])]
        for layer in (1, 0):
            w, u = (v[f"lstm.weight_{kind}_l{layer}"] for kind in ("ih", "hh"))
            dh = dc = np.zeros_like(above[0])
            for step in reversed(range(len(above))):
                x, h, c, i, f, g, o, new = self.tape[layer][step]
                dh = dh + above[step]
                dc = dc + dh * o * (1 - np.tanh(new) ** 2)
                gates = (
                    dc * g * i * (1 - i),
                    dc * c * f * (1 - f),
                    dc * i * (1 - g**2),
                    dh * np.tanh(new) * o * (1 - o),
                )
                d = np.concatenate(gates, 1)
                found[f"lstm.weight_ih_l{layer}"] += d.T @ x
                found[f"lstm.weight_hh_l{layer}"] += d.T @ h
                for kind in ("ih", "hh"):
                    found[f"lstm.bias_{kind}_l{layer}"] += d.sum(axis=0)
                above[step], dh, dc = d @ w, d @ u, dc * f
        for step, one in enumerate(above):
            np.add.at(found["embedder.weight"], self.ids[:, step], one)
        return found

    def learn(self, rate: float, clip: float) -> float:
        """Move against the gradient, clipped by its norm over all parameters; return the norm."""
        gradients = self.gradients()
        norm = math.sqrt(sum(float((one**2).sum()) for one in gradients.values()))
        for name, one in gradients.items():
            self.values[name] -= rate * min(1.0, clip / norm) * one
        return norm


class Follow(Callback):
    """Makes the reference's step beside each of the trainer's, and compares."""

    def __init__(self, task: LanguageModel, clip: float) -> None:
        self.task, self.clip = task, clip
        self.reference = Reference({name: one.numpy() for name, one in task.network.named_parameters()})
        self.windows = task.fields("train")
        self.states = [np.zeros((2, self.windows.rows, 8))] * 2
        self.rates: list[float] = []
        self.norms: list[float] = []

    def on_step_begin(self, trainer: Trainer) -> None:
        self.rates.append(float(trainer.phases[0].optimizer.get_lr()))

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        window = len(self.norms) % self.windows.windows
        part = [self.windows[window * self.windows.rows + row] for row in range(self.windows.rows)]
        ids, labels = (np.stack([one[name] for one in part]) for name in ("input_ids", "labels"))
        if window == 0:
            self.states = [np.zeros_like(one) for one in self.states]
        loss, self.states = self.reference.forward(ids, labels, self.states)
        assert values["loss"] == pytest.approx(loss, rel=1e-5)
        self.norms.append(self.reference.learn(self.rates[-1], self.clip))
        for number, state in enumerate(self.states):
            kept = self.task.networks["states"].state_dict()[f"state_{number}"].numpy()
            np.testing.assert_allclose(kept, state, atol=1e-4)


def test_every_step_is_the_recipes(tmp_path: Path) -> None:
    """The small recipe on a small net: rate 1, halved after the fourth epoch; clipping; states that go on."""
    text = " ".join
    lines = [text(["ab"[number % 2], "cde"[number % 3], "f"]) for number in range(30)]
    (tmp_path / "ptb.train.txt").write_text("\n".join(lines), encoding="utf-8")
    changes = [f"data.root={tmp_path}", "data.valid=null", "data.test=null", "network.hidden_size=8", "train.epochs=6"]
    changes += [
        "data.train.batch_size=3",
        "tokenizer.max_length=6",
        "network.init_scale=0.5",
        "optimizer.clip.norm=1.5",
    ]
    config = TOOLKIT.load(CONFIGS / "ptb_lstm_small.yaml", changes)
    core.seed(3)
    task = LanguageModel(config)
    follow = Follow(task, 1.5)
    trainer = Trainer(task, config.train, None, 0, callbacks=[follow], lag=0)
    trainer.fit()
    steps = follow.windows.windows
    assert steps == (120 // 3 - 1) // 6
    assert follow.rates == [0.5 ** max(epoch + 1 - 4, 0) for epoch in range(6) for _ in range(steps)]
    assert min(follow.norms) < 1.5 < max(follow.norms), "both clipped steps and others are compared"
    for name, tensor in task.network.named_parameters():
        np.testing.assert_allclose(tensor.numpy(), follow.reference.values[name], atol=1e-4, err_msg=name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_configs_are_the_published_recipes(name: str) -> None:
    size, steps, scale, dropout, clip, flat, factor, epochs = PUBLISHED[name]
    config = TOOLKIT.load(CONFIGS / f"{name}.yaml")
    network = {"hidden_size": size, "num_layers": 2, "init_scale": scale, "dropout": dropout}
    assert config.network.arguments == network
    assert (config.tokenizer.max_length, config.tokenizer.learn, config.data.train.batch_size) == (steps, 10_000, 20)
    assert config.optimizer.name == "SGD" and config.optimizer.clip.norm == clip
    given = config.schedule.arguments
    assert given["learning_rate"] == 1 and given["by_epoch"] and given["decay_epochs"] == 1
    assert (given["flat_epochs"], given["factor"]) == (flat, pytest.approx(factor, rel=1e-9))
    assert config.train.epochs == epochs


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run on drawn text."""
    return trained("LanguageModel", tmp_path_factory.mktemp("language_model"))


def test_a_reader_tells_the_probability_of_a_sentence_in_any_batch(run: Path) -> None:
    """By the network's own scores, word by word; windows are shorter than the long text."""
    reader = PaddleNLP.open_reader(run)
    sentence = PaddleNLP.open_reader(run).tokenizer.vocab.idx_to_token[1]
    texts = [f"{sentence} " * 60, "", f"{sentence} nosuchword"]
    found = reader.predict(texts)
    task = LanguageModel(TOOLKIT.load(run / "config.yaml"))
    network = task.network
    network.set_state_dict(core.load(str(run / "checkpoints" / "best" / "model.safetensors")))
    network.eval()
    for text, message in zip(texts, found):
        ids = [task.end, *task.tokenizer.encode_text(text), task.end]
        with core.no_grad():
            scores = network(core.to_tensor(np.array([ids[:-1]])))[0].numpy()[0].astype(np.float64)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        expected = float(logs[np.arange(len(ids) - 1), ids[1:]].sum())
        assert message.log_probability == pytest.approx(expected, rel=1e-5)
        assert message.words == len(ids) - 1
    assert [message.unknown for message in found] == [0, 0, 1]
    assert reader.predict(texts[0]).log_probability == pytest.approx(found[0].log_probability, rel=1e-6)
    with pytest.raises(TypeError, match="a language model takes no pairs"):
        reader.predict(("a", "b"))


def test_an_export_reads_and_draws_as_the_run_does(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export.main([str(run)]) == 0
    words = PaddleNLP.open_reader(run).tokenizer.vocab
    text = " ".join([word for word in words.token_to_idx if word.isalpha()][:2])
    records = []
    for folder in (run, run / "exported"):
        output = run.parent / folder.name
        for seed in ("1", "1", "2"):
            options = ["--continue", "12", "--seed", seed, "--temperature", "2.0"]
            assert infer.main([str(folder), text, *options, "--output", str(output / seed)]) == 0
            records.append(json.loads((output / seed / "predictions.jsonl").read_text(encoding="utf-8")))
    drawn = [record["continuation"] for record in records]
    assert drawn[0] == drawn[1] == drawn[3] == drawn[4] and drawn[2] == drawn[5] != drawn[0]
    assert all(word in words.token_to_idx for word in drawn[0].split()) and len(drawn[0].split()) <= 12
    assert records[0]["log_probability"] == pytest.approx(records[3]["log_probability"], rel=1e-5)
    assert "goes on: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["data.train.shuffle=true"], "data.train.shuffle: a language model reads its text in order; leave it out"),
        (
            ["network={name: bigru, hidden_size: 8}"],
            "network.name: bigru carries no states over; a LanguageModel takes rnn_lm",
        ),
        (["data.train.batch_size=2000"], r"data.train: \d+ words do not fill 2000 rows with windows of 20 words"),
    ],
)
def test_what_does_not_go_together_is_refused(changes: list[str], message: str) -> None:
    counts = [f"data.{split}.dataset.count=40" for split in ("train", "valid", "test")]
    config = TOOLKIT.load(ROOT / "PaddleNLP" / "configs" / "drawn_markov_lstm.yaml", [*counts, *changes])
    with pytest.raises(ValueError, match=message):
        task = LanguageModel(config)
        _ = task.network, task.fields("train")


def test_the_end_of_a_sentence_is_a_word_of_the_vocabulary(tmp_path: Path) -> None:
    counts = [f"data.{split}.dataset.count=40" for split in ("train", "valid", "test")]
    file = ROOT / "PaddleNLP" / "configs" / "drawn_markov_lstm.yaml"
    task = LanguageModel(TOOLKIT.load(file, [*counts, "tokenizer.segmenter=characters"]))
    assert task.end == len(task.tokenizer) - 1 and len(task.tokenizer.encode_text("ba de")) == 4
    (tmp_path / "vocab.txt").write_text("ba\nde\n", encoding="utf-8")
    known = f"tokenizer={{name: WordLevelTokenizer, vocab_file: {tmp_path / 'vocab.txt'}, max_length: 20}}"
    with pytest.raises(
        ValueError, match="the vocabulary has no word '<eos>', which ends sentences; add it to the file"
    ):
        _ = LanguageModel(TOOLKIT.load(file, [*counts, known])).tokenizer


def test_only_a_language_model_goes_on(tmp_path: Path) -> None:
    run = trained("Regression", tmp_path)
    with pytest.raises(ValueError, match="--continue: '.*run' is of another task than LanguageModel"):
        infer.main([str(run), "a\tb", "--continue", "3"])
