"""Graphs and triples of one's own by the commands: what is learned, whose each row is, and early refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PGL import export, infer, train
from tests.PGL.small_sets import write_airports, write_own_graph, write_triples

CONFIGS = Path(__file__).resolve().parents[2] / "PGL" / "configs"


def words(config: str, data: Path, output: Path, *changes: str) -> list[str]:
    wanted = [f"output={output}", "train.tensorboard=false", *changes]
    given = ["-c", str(CONFIGS / f"{config}.yaml"), "--data", str(data)]
    return [*given, *(word for change in wanted for word in ("-o", change))]


def table(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text().splitlines()]


def test_a_graph_of_ones_own(tmp_path: Path) -> None:
    data, run = write_own_graph(tmp_path / "data"), tmp_path / "run"
    changes = ("train.epochs=4", "task.passes_per_epoch=10", "expect.at_least={accuracy: 0.8}")
    assert train.main(words("own_graph_gcn", data, run, *changes)) == 0
    assert infer.main([str(run), "--near", "107", "--top", "2", "--picture", "none"]) == 0
    rows, classes = (np.load(run / "embeddings" / f"{name}.npy") for name in ("embeddings", "classes"))
    listed = table(run / "embeddings" / "nodes.tsv")
    assert listed[0] == ["row", "id", "class"] and listed[2][:2] == ["1", "107"] and len(listed) == len(rows) + 1
    assert [row[2] for row in listed[1:]] == [f"kind{number}" for number in classes]
    with pytest.raises(ValueError, match="there is no node '5' among 90; the nearest id is"):
        infer.main([str(run), "--near", "5"])
    assert export.main([str(run)]) == 0
    assert [row[:2] for row in listed] == table(run / "exported" / "nodes.tsv")
    assert core.jit.Predictor(run / "exported").class_names == ["kind0", "kind1", "kind2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("features.csv", "100,1\n107,nan\n", "features.csv', line 2: column 2 must be a finite number, not 'nan'"),
        ("splits.csv", "100,train\n100,test\n", "splits.csv': node 100 is in train and test"),
        ("splits.csv", "100,train\n5,test\n", "splits.csv': node 5 of test does not exist: there are 90"),
        ("labels.csv", "100,a\n100,b\n", "labels.csv', line 2: node 100 is 'b', and was 'a' before"),
        ("edges.csv", "100,x\n", "edges.csv', line 1: target must be a whole number"),
    ],
)
def test_mistakes_leave_no_run_behind(name: str, content: str, message: str, tmp_path: Path) -> None:
    data = write_own_graph(tmp_path / "data")
    (data / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        train.main(words("own_graph_gcn", data, tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            ("data.dataset.labels=null", "data.dataset.splits=null"),
            "data: EdgeListDataset has no labels of its nodes; give",
        ),
        (("data.dataset.several_labels=true",), "nodes of EdgeListDataset are in several classes each, which SkipGram"),
        (("data.dataset.features=null",), "the graph must have one kind of node features, not none"),
    ],
)
def test_what_node_classification_needs(changes: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(words("own_graph_gcn", write_own_graph(tmp_path / "data"), tmp_path / "run", *changes))


@pytest.mark.exhaustive
def test_airports_are_embedded_and_classified_by_one_command(tmp_path: Path) -> None:
    data, run = write_airports(tmp_path / "data"), tmp_path / "run"
    changes = ("train.epochs=20", "task.batch_size=60", "network.embedding_size=16", "schedule.learning_rate=0.05")
    assert train.main(words("airports_node2vec", data, run, *changes, "expect.at_least={macro_f1: 0.6}")) == 0
    assert infer.main([str(run), "--near", "10013", "--picture", "none"]) == 0
    listed = table(run / "embeddings" / "nodes.tsv")
    assert (
        listed[0] == ["row", "id", "class"] and listed[1][1] == "10000" and {row[2] for row in listed[1:]} <= set("012")
    )
    assert np.load(run / "embeddings" / "classes.npy").shape == (60,)


@pytest.mark.exhaustive
def test_triples_of_ones_own(tmp_path: Path) -> None:
    data, run = write_triples(tmp_path / "data"), tmp_path / "run"
    changes = ("train.epochs=20", "task.batch_size=14", "network.embedding_size=8", "train.evaluate_every=20")
    assert train.main(words("own_triples_rotate", data, run, *changes)) == 0
    assert infer.main([str(run), "--near", "h3", "--picture", "none"]) == 0 and export.main([str(run)]) == 0
    for folder in ("embeddings", "exported"):
        entities, relations = (table(run / folder / f"{name}.tsv") for name in ("nodes", "relations"))
        assert sorted(row[1] for row in entities[1:]) == sorted(f"h{hour}" for hour in range(12))
        assert sorted(row[1] for row in relations[1:]) == ["before", "next", "opposite"]
    assert len(np.load(run / "embeddings" / "relations.npy")) == 3
