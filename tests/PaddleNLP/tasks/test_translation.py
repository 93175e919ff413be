"""Translation: its loss, schedule, refusals; what readers and commands give; the two parts of the autoencoder."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import yaml

import core
import PaddleNLP
from core.train.config.schedules import SCHEDULES
from core.train.config.table import Component
from PaddleNLP import eval as evaluation
from PaddleNLP import export, infer, train
from PaddleNLP.config import TOOLKIT
from tests.PaddleNLP.small import experiment

Runs = Callable[[str], Path]


def task_of(folder: Path, *changes: str, name: str = "Translation") -> Any:
    """Return a small experiment's task with some changes."""
    return TOOLKIT.build_task(TOOLKIT.load(experiment(name, folder), list(changes)))


def test_the_loss_is_that_of_smoothed_tokens(tmp_path: Path) -> None:
    core.seed(3)
    for change, divisor in (("task.mean_over=tokens", None), ("task.mean_over=sentences", 3)):
        task = task_of(tmp_path, "task.smoothing=0.2", change)
        labels = np.array([[5, 6, 1], [7, 1, 0], [1, 0, 0]])
        scores = np.random.RandomState(0).normal(0, 2, (3, 3, 11)).astype("float32")
        logs = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
        wanted = 0.8 * np.eye(11)[labels] + 0.2 / 11
        losses = -(wanted * logs).sum(-1) * (labels != 0)
        loss, further = task.loss_of(core.to_tensor(scores), {"labels": core.to_tensor(labels)})
        assert float(loss) == pytest.approx(losses.sum() / (divisor or 6), rel=1e-5)
        plain = -(logs * np.eye(11)[labels]).sum(-1) * (labels != 0)
        assert float(further["token_loss"]) == pytest.approx(plain.sum() / 6, rel=1e-5)


def test_the_network_sees_the_tokens_before_each_right_one(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    seen = task.target_inputs({"labels": core.to_tensor(np.array([[5, 6, 1], [7, 1, 0]]))})
    assert seen.numpy().tolist() == [[0, 5, 6], [0, 7, 1]]
    lengths = task.fields("train").lengths
    sample = task.fields("train")[3]
    assert lengths[3] == max(len(sample["input_ids"]), len(sample["labels"]))
    assert sample["input_ids"][-1] == sample["labels"][-1] == 1


def test_noam_rises_and_falls_as_the_paper_says() -> None:
    component = Component(name="Noam", learning_rate=2.0, d_model=512, warmup_steps=4)
    schedule = SCHEDULES.build(component, steps_per_epoch=10, epochs=1)
    for step in range(1, 12):
        assert float(schedule.get_lr()) == pytest.approx(2.0 * 512**-0.5 * min(step**-0.5, step * 4**-1.5))
        schedule.step()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.smoothing=1.0", "task.smoothing must be at least 0 and below 1, not 1.0"),
        ("task.max_length=0", "task.max_length is at least 1, got 0"),
        ("task.beam_size=0", "task.beam_size is at least 1, got 0"),
        ("task.beam_size=5000", "task.beam_size 5000 is wider than the vocabulary of .* tokens; lower it"),
        ("task.max_length=49", "task.max_length is 49, but the network knows 48 positions; raise network.max_length"),
        ("tokenizer.max_length=64", "tokenizer.max_length is 64, but the network knows 48 positions"),
        ("network.src_vocab_size=77", "network.src_vocab_size is 77, but the tokeniser has .*of another vocabulary"),
        ("network={name: bigru}", "network.name: bigru does not translate; transformer does, for one"),
        ("tokenizer={name: ErnieTokenizer, learn: 99}", "Translation takes SubwordTokenizer, not ErnieTokenizer"),
        (
            "data.train.dataset={name: DrawnReviews, split: train, count: 8}",
            "data.train: samples have no translations; ParallelDataset reads some",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        task = task_of(tmp_path, change)
        _ = task.network, task.fields("train")


def test_commands_agree_with_each_other(
    run_of: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of("Translation")
    assert evaluation.main([str(run)]) == 0
    output = capsys.readouterr().out
    shown = ("BLEU = ", "signature: nrefs:1|case:mixed|eff:no|tok:13a", "beam search, 2 wide")
    assert all(text in output for text in shown)
    results = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    assert results["bleu_signature"].startswith("nrefs:1|") and 0 <= results["bleu"] <= 100
    lines = (run / "evaluation_test" / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    reader = PaddleNLP.open_reader(run)
    again = [reader.predict("Li ist in Rom.") for _ in range(2)]
    assert again[0] == again[1] and again[0].text == first["translation"] and first["reference"] == "Li is in Rom."
    assert export.main([str(run), "--output", str(tmp_path / "exported")]) == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Li ist in Rom.\nMei ist in Oslo.\n")))
    capsys.readouterr()
    assert infer.main([str(tmp_path / "exported"), "-", "--output", str(tmp_path / "read")]) == 0
    records = [json.loads(line) for line in (tmp_path / "read" / "predictions.jsonl").read_text().splitlines()]
    assert [record["text"] for record in records] == ["Li ist in Rom.", "Mei ist in Oslo."]
    assert records[0]["translation"] == first["translation"]
    assert records[1]["translation"] == reader.predict("Mei ist in Oslo.").text


def test_a_sentence_without_an_end_is_cut_off_and_says_so(run_of: Runs) -> None:
    reader = PaddleNLP.open_reader(run_of("Translation"))
    cut = np.array([[[5, 6, 7, 8]]])
    reader.run = lambda arrays: [cut, np.array([[-2.0]]), np.array([[4]]), np.array([[False]])]
    found = reader.predict("Li")
    assert not found.ended and found.describe().endswith(" [no end within 4 tokens]")
    assert found.record() == {"translation": found.text, "score": -2.0, "ended": False}
    with pytest.raises(ValueError, match="a sentence to translate holds no TAB: 'a' and 'b'"):
        reader.predict(("a", "b"))


def test_nothing_but_the_end_token_has_no_chance(tmp_path: Path) -> None:
    """However improbable the end is, a search ends after task.max_length tokens."""
    task = task_of(tmp_path, "task.max_length=7")
    network = task.network
    network.eval()
    table = network.trg_word_embedding.word_embedding.weight
    table.set_value(
        np.where(np.arange(table.shape[0])[:, None] == 1, -1e3 * np.sign(table.numpy().mean(0)), table.numpy())
    )
    original = network.scores

    def without_end(output: Any) -> Any:
        scores = original(output)
        place = core.nn.functional.one_hot(core.full([1], 1, "int64"), scores.shape[-1])
        return core.where((place > 0).expand_as(scores), core.full_like(scores, float("-inf")), scores)

    network.scores = without_end
    with core.no_grad():
        found = network.generate(core.to_tensor(np.array([[5, 6, 1]])), task.search)
    assert not found.ended.numpy().any() and found.lengths.numpy().tolist() == [[7, 7]]


def small_autoencoder(folder: Path) -> Path:
    """Write a config of an autoencoder of sentences of one word again and again; return its file."""
    draw = np.random.RandomState(0)
    lines = [" ".join([f"w{draw.randint(6)}"] * draw.randint(3, 7)) for _ in range(1000)]
    (folder / "sentences.txt").write_text("\n".join(lines) + "\n")
    dataset = {"name": "ParallelDataset", "source": "sentences.txt", "target": "sentences.txt"}
    split = {"batch_size": 50, "batching": {"buckets": [8]}, "dataset": dataset}
    config = {
        "output": str(folder / "run"),
        "task": {"name": "VariationalGeneration", "kl_start": 0.0, "kl_steps": 100, "max_length": 8},
        "tokenizer": {"name": "SubwordTokenizer", "learn": 9, "words": "pieces", "max_length": 8},
        "network": {
            **{"name": "seq2seq_variational", "embed_dim": 16, "hidden_size": 32},
            **{"latent_size": 4, "dropout": 0.0, "init_scale": 0.3, "word_dropout": 0.8},
        },
        "data": {"root": str(folder), "train": {**split, "shuffle": True}, "test": {**split, "part": {"keep": [0]}}},
        "optimizer": {"name": "Adam", "clip": {"norm": 5.0}},
        "schedule": {"name": "Constant", "learning_rate": 0.01},
        "train": {"epochs": 8, "tensorboard": False},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return folder / "config.yaml"


def test_an_autoencoder_s_latent_vector_does_not_collapse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train.main(["-c", str(small_autoencoder(tmp_path))]) == 0
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    last = [row for row in rows if "kl_weight" in json.dumps(row)][-1]
    numbers = last.get("train", last)
    assert numbers["kl_weight"] == pytest.approx(1.0)  # the weight has risen for a hundred steps of 160
    assert numbers["kl"] > 1.0 and numbers["reconstruction"] > 0
    assert "kl" in capsys.readouterr().out
    found = json.loads((tmp_path / "run" / "results.json").read_text())["results"]["test"]
    assert found["kl"] > 1.0 and found["bound"] == pytest.approx(found["kl"] + found["reconstruction"])


def test_the_weight_of_the_divergence_rises_in_training_alone(tmp_path: Path) -> None:
    task = task_of(tmp_path, "task.kl_steps=4", "task.kl_start=0.2", name="VariationalGeneration")
    _ = task.network
    weight = task.networks["kl_weight"]
    assert [round(float(weight()), 6) for _ in range(6)] == [0.2, 0.4, 0.6, 0.8, 1.0, 1.0]
    weight.eval()
    assert [float(weight()) for _ in range(2)] == [1.0, 1.0] and float(weight.step) == 6
    for change, message in (
        ("task.kl_steps=0", "task.kl_start is from 0 to 1 and task.kl_steps at least 1, not 0.1 and 0"),
        ("network={name: seq2seq}", "seq2seq has no latent vector; seq2seq_variational has"),
    ):
        with pytest.raises(ValueError, match=message):
            _ = task_of(tmp_path, change, name="VariationalGeneration").network


def test_perplexity_is_that_of_the_right_tokens(run_of: Runs) -> None:
    run = run_of("Translation")
    results = json.loads((run / "results.json").read_text())["results"]["test"]
    assert results["perplexity"] > 1 and math.isfinite(results["perplexity"])
