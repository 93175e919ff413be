"""A student learns its teacher's answers and hidden states: the loss against NumPy, and a run with a teacher."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.io.batch import device_fields
from PaddleNLP import eval as evaluation
from PaddleNLP import train
from PaddleNLP.config import TOOLKIT
from tests.PaddleNLP.small import NETWORK, experiment

Runs = Callable[[str], Path]


def teacher(layers: int = 2, **settings: Any) -> str:
    """Return the override of a config that names a teacher of this many layers."""
    sizes = {**NETWORK, "hidden_size": 24, "num_hidden_layers": layers, **settings}
    return f"{{name: {sizes.pop('name')}, {', '.join(f'{key}: {value}' for key, value in sizes.items())}}}"


def soft(student: np.ndarray, answers: np.ndarray, temperature: float) -> np.ndarray:
    """Return the divergence of each answer."""
    logs = [row / temperature - np.log(np.exp(row / temperature).sum(-1, keepdims=True)) for row in (student, answers)]
    return np.asarray(temperature**2 * (np.exp(logs[1]) * (logs[1] - logs[0])).sum(-1))


@pytest.mark.parametrize("kind", ["Classification", "TokenClassification"])
def test_the_loss_is_of_labels_answers_and_hidden_states(kind: str, tmp_path: Path) -> None:
    changes = [f"teacher.network={teacher()}", "teacher.temperature=2.0", "teacher.hidden={0: 0, 1: 2}"]
    changes += ["teacher.labels=0.5", "teacher.weight=3.0", "teacher.hidden_weight=0.25"]
    task = TOOLKIT.build_task(TOOLKIT.load(experiment(kind, tmp_path), changes))
    (phase,) = task.phases(3, 2)
    assert set(task.networks) == {"model", "projections"}
    task.eval_mode()
    batch = next(iter(task.loader("train").batches()))
    (fields,) = device_fields(batch)
    found, numbers = phase.loss(fields)
    master = phase.loss.__self__.teacher
    given = {"attention_mask": fields["input_ids_mask"], "output_hidden_states": True}
    with core.no_grad():
        logits, own = task.network(fields["input_ids"], fields["token_type_ids"], **given)
        answers, states = master(fields["input_ids"], fields["token_type_ids"], **given)
        labels = float(task.loss_of(logits, fields)[0])
    assert answers.shape == logits.shape
    mask = fields["input_ids_mask"].numpy()
    each = soft(logits.numpy(), answers.numpy(), 2.0)
    answers_loss = each.mean() if each.ndim == 1 else each[mask].mean()
    distances = []
    for layer, (mine, other) in zip(task.networks["projections"], ((0, 0), (1, 2))):
        wide = own[mine].numpy() @ layer.weight.numpy() + layer.bias.numpy()
        distances.append(((wide - states[other].numpy()) ** 2).mean(-1)[mask].mean())
    expected = 0.5 * labels + 3.0 * answers_loss + 0.25 * np.mean(distances)
    assert float(found) == pytest.approx(expected, rel=1e-4) and float(numbers["label_loss"]) == pytest.approx(labels)
    found.backward()
    assert all(one.grad is None for one in master.parameters())
    assert all(float(one.grad.abs().sum()) > 0 for one in task.networks["projections"].parameters())


@pytest.mark.parametrize("kind", ["MultiLabel", "Regression", "RelationExtraction"])
def test_labels_and_numbers_are_learnt_from_a_teacher(kind: str, tmp_path: Path) -> None:
    changes = [f"teacher.network={teacher()}", "teacher.labels=0.0"]
    task = TOOLKIT.build_task(TOOLKIT.load(experiment(kind, tmp_path), changes))
    (phase,) = task.phases(3, 2)
    task.eval_mode()
    (fields,) = device_fields(next(iter(task.loader("train").batches())))
    given = (fields["input_ids"], fields["token_type_ids"])
    mask = {"attention_mask": fields["input_ids_mask"]}
    with core.no_grad():
        own, other = (one(*given, **mask).numpy() for one in (task.network, phase.loss.__self__.teacher))
    if kind == "Regression":
        expected = ((own - other) ** 2).mean()
    else:
        truth = 1 / (1 + np.exp(-other))
        each = -(truth * np.log(1 / (1 + np.exp(-own))) + (1 - truth) * np.log(1 / (1 + np.exp(own)))).mean(-1)
        expected = each.mean() if each.ndim == 1 else each[fields["input_ids_mask"].numpy()].mean()
    assert float(phase.loss(fields)[0]) == pytest.approx(expected, rel=1e-4)


def test_a_run_with_a_teacher_that_is_gone_when_it_is_evaluated(run_of: Runs, tmp_path: Path) -> None:
    before = run_of("Classification")
    weights = tmp_path / "teacher.safetensors"
    weights.write_bytes((before / "checkpoints" / "best" / "model.safetensors").read_bytes())
    tokenizer = f"tokenizer={{name: ErnieTokenizer, vocab_file: {before}/tokenizer/vocab.txt, max_length: 48}}"
    network = "{" + ", ".join(f"{key}: {value}" for key, value in {**NETWORK, "pretrained": weights}.items()) + "}"
    words = [tokenizer, f"teacher.network={network}", "teacher.hidden={1: 1}", "train.epochs=1"]
    config = experiment("Classification", tmp_path / "student")
    assert train.main(["-c", str(config), *(word for change in words for word in ("-o", change))]) == 0
    weights.unlink()
    assert evaluation.main([str(tmp_path / "student" / "run")]) == 0


@pytest.mark.parametrize(
    "task, changes, message",
    [
        ("Classification", ["teacher.hidden={0: 3}"], "teacher.hidden names layer 3 of the teacher, which has 2"),
        ("Classification", ["teacher.hidden={4: 0}"], "teacher.hidden names layer 4 of the student, which has 1"),
        ("Pretraining", [], "Pretraining has no teacher: leave out the section teacher"),
        ("PairClassification", [], "PairClassification has no teacher: leave out the section teacher"),
        (
            "Classification",
            ["network={name: bigru, hidden_size: 8}", "teacher.hidden={1: 1}"],
            "teacher.hidden names layer 1 of the student, which has 0",
        ),
        ("Classification", ["teacher.network.pretrained=none.safetensors"], "none.safetensors"),
    ],
)
def test_a_teacher_that_does_not_fit(task: str, changes: list[str], message: str, tmp_path: Path) -> None:
    config = TOOLKIT.load(experiment(task, tmp_path), [f"teacher.network={teacher()}", *changes])
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        TOOLKIT.build_task(config).phases(3, 2)
