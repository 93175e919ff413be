"""Continual pretraining: a run of all tasks, the same to the bit where it was continued, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import core
from PaddleNLP import eval as evaluate
from PaddleNLP import train
from PaddleNLP.data.pretraining.schedule import DOCUMENT_TASKS, PAIR_TASKS, TASKS
from PaddleNLP.models.registry import create_model
from tests.PaddleNLP.small import NETWORK

SENTENCES = ("Paddle runs on the River.", "the Boat is red", "We saw it in June.", "no wind", "Then Rain fell")


def experiment(folder: Path, pairs: bool = False, **changes: Any) -> Path:
    """Write documents, and perhaps pairs, and the config of an experiment with two stages; return the config's file."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = ["\n".join(SENTENCES[(number + place) % 5] for place in range(2 + number % 4)) for number in range(12)]
    (folder / "text.txt").write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    last = dict.fromkeys(TASKS if pairs else DOCUMENT_TASKS, 1)
    stages = [{"epochs": 1, "tasks": {"knowledge_masking": 1}}, {"tasks": last}]
    dataset: dict[str, Any] = {"name": "DocumentsDataset", "path": "text.txt"}
    if pairs:
        rows = [f"{SENTENCES[number % 5]}\t{SENTENCES[number % 3]}\t{'abc'[number % 3]}" for number in range(12)]
        (folder / "pairs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        columns = {"columns": ["text", "other", "kind"], "text_pair": "other", "label": "kind"}
        parts = dict.fromkeys(PAIR_TASKS, {"name": "TableDataset", "path": "pairs.tsv", **columns})
        dataset = {"name": "SeveralDatasets", "parts": {"documents": dataset, **parts}}
    split = {"dataset": dataset, "batch_size": 4, "batching": {"buckets": [24]}}
    config = {
        "output": str(folder / "run"),
        "task": {"name": "ContinualPretraining", "stages": stages},
        "tokenizer": {"name": "ErnieTokenizer", "learn": 120, "max_length": 24},
        "network": {**NETWORK, "use_task_id": True, "task_type_vocab_size": 7 if pairs else 5},
        "data": {"root": str(folder), "train": {**split, "shuffle": True}, "valid": split},
        "optimizer": {"name": "AdamW"},
        "schedule": {"name": "Constant", "learning_rate": 0.01},
        "train": {"epochs": 2, "tensorboard": False, "keep_checkpoints": 9, "compiled": False},
        **changes,
    }
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return file


def test_a_run_that_was_continued_is_the_same_to_the_bit(tmp_path: Path) -> None:
    assert train.main(["-c", str(experiment(tmp_path, pairs=True))]) == 0
    run = tmp_path / "run"
    first, last = sorted((run / "checkpoints").glob("step_*"))
    before = {file.name: file.read_bytes() for file in last.iterdir()}
    results_before = json.loads((run / "results.json").read_text())["results"]["valid"]
    shutil.rmtree(last)
    for name in ("best", "newest"):
        (run / "checkpoints" / name).unlink()
    (run / "results.json").unlink()
    assert train.main(["--resume", str(run)]) == 0  # from the end of the first stage
    for name in ("model.safetensors", "train.optimizer.safetensors"):
        assert (last / name).read_bytes() == before[name] != (first / name).read_bytes()
    results = json.loads((run / "results.json").read_text())["results"]["valid"]
    assert results == results_before
    assert {f"{name}_accuracy" for name in TASKS} <= set(results)
    assert results["loss"] == pytest.approx(sum(results[f"{name}_loss"] for name in TASKS))
    assert evaluate.main([str(run), "--split", "valid"]) == 0
    again = json.loads((run / "evaluation_valid" / "results.json").read_text())["valid"]
    assert again["loss"] == pytest.approx(results["loss"], rel=1e-5)


def test_the_loss_is_the_sum_of_the_tasks_that_have_labels() -> None:
    settings = {key: value for key, value in NETWORK.items() if key != "name"}
    network = create_model(
        "ernie", "continual_pretraining", 9, vocab_size=30, use_task_id=True, task_type_vocab_size=5, **settings
    )
    network.eval()
    ids = core.to_tensor([[1, 7, 8, 2], [1, 9, 2, 0]])
    tasks = core.to_tensor([[0] * 4, [4] * 4])
    places = core.to_tensor([1, 2])
    logits = [one.numpy() for one in network(ids, task_type_ids=tasks, masked_positions=places)]
    assert [one.shape for one in logits] == [(2, 30), (2, 4, 2), (2, 4, 2), (2, 9), (2, 3)]
    labels = [[7, -100], [[-100] * 4] * 2, [[-100, 1, 0, -100], [-100] * 4], [-100, -100], [-100, 2]]
    expected = 0.0
    for one, target in zip(logits, labels):
        flat, wanted = one.reshape(-1, one.shape[-1]).astype(np.float64), np.array(target).reshape(-1)
        there = wanted != -100
        shares = flat - np.log(np.exp(flat).sum(axis=1, keepdims=True))
        expected -= shares[there, wanted[there]].mean() if there.any() else 0.0
    tensors = network(ids, task_type_ids=tasks, masked_positions=places)
    found = network.loss(tensors, [core.to_tensor(target) for target in labels])
    assert float(found) == pytest.approx(expected, rel=1e-5)
    other = network(ids, task_type_ids=core.zeros_like(tasks), masked_positions=places)
    assert np.allclose(other[4].numpy()[0], logits[4][0]) and not np.allclose(other[4].numpy()[1], logits[4][1])


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"network": NETWORK}, r"ernie embeds 0 tasks, and there are 5: set network.use_task_id: true, network.task_"),
        (
            {"task": {"name": "ContinualPretraining", "stages": [{"tasks": {"sentence_distance": 1}}], "parts": 6}},
            r"task.parts must be from 1 to 5, not 6: there are 6! orders",
        ),
        (
            {"task": {"name": "ContinualPretraining", "stages": [{"tasks": {"sentence_distance": 1}}], "share": 1.0}},
            r"task.share must be between 0 and 1, not 1.0",
        ),
    ],
)
def test_mistakes(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(experiment(tmp_path, **changes))])


def test_texts_without_documents_are_refused(tmp_path: Path) -> None:
    file = experiment(tmp_path)
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    config["data"]["valid"] = None
    config["data"]["train"]["dataset"] = {"name": "TableDataset", "path": "text.txt", "columns": ["text"]}
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.raises(ValueError, match=r"data.train has no documents, of which the tasks are made: name a Documents"):
        train.main(["-c", str(file)])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"parts": {"discourse_relation": None}}, "data.train has no pairs of discourse_relation, which task.sta"),
        ({"parts": {"documents": None}}, "data.train has no documents, of which the tasks are made"),
        ({"parts": {"more": {}}}, "data.train has the part 'more'; there are documents, discourse_relation, retr"),
        ({"pair": {"text_pair": None}}, "data.train: discourse_relation must have pairs of texts with a class each"),
    ],
)
def test_mistakes_of_pairs(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    file = experiment(tmp_path, pairs=True)
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    parts = config["data"]["train"]["dataset"]["parts"]
    for name, part in change.get("parts", {}).items():
        parts.update({name: dict(parts["retrieval_relevance"])})
        if part is None:
            del parts[name]
    parts.get("discourse_relation", {}).update(change.get("pair", {}))
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(file)])


def test_a_class_of_pairs_that_is_not_learnt_is_refused(tmp_path: Path) -> None:
    file = experiment(tmp_path, pairs=True)
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    (tmp_path / "other.tsv").write_text("a\tb\td\n", encoding="utf-8")
    config["data"]["valid"]["dataset"] = json.loads(json.dumps(config["data"]["valid"]["dataset"]))
    config["data"]["valid"]["dataset"]["parts"]["retrieval_relevance"]["path"] = "other.tsv"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    with pytest.raises(ValueError, match="data.valid: retrieval_relevance has the class 'd'; data.train has a, b, c"):
        train.main(["-c", str(file)])
