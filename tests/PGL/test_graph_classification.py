"""Classes of graphs: drawn ones, of which the answer is known, and TU Dortmund's files, by the commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import core
import PGL
from core import nn
from PGL import cross_validate, export, infer, train
from PGL import eval as eval_command
from PGL.data import DrawnGraphs, TUDataset
from PGL.data.drawn_graphs import KINDS
from PGL.nn.pooling.sag_pool import best_nodes
from tests.PGL.small_sets import write_graphs

CONFIGS = Path(__file__).resolve().parents[2] / "PGL" / "configs"


def words(config: str, output: Path, *changes: str) -> list[str]:
    wanted = [f"output={output}", "train.tensorboard=false", "network.hidden_size=8", "expect=null", *changes]
    return ["-c", str(CONFIGS / f"{config}.yaml"), *(word for change in wanted for word in ("-o", change))]


def graph_of(data: DrawnGraphs, number: int) -> tuple[list[tuple[int, int]], list[str]]:
    """Return one graph's edges and the kinds of its nodes, from what a batch of it alone says."""
    features, edges, sizes = data.batch([number])
    assert sizes.tolist() == [len(features)] and (features.sum(axis=1) == 1).all()
    return [tuple(edge) for edge in edges.tolist()], [KINDS[kind] for kind in features.argmax(axis=1)]


def test_drawn_graphs_have_the_known_answer_and_no_count_tells_it() -> None:
    data = DrawnGraphs(60, seed=3)
    assert data.y is not None and data.y.tolist() == [0, 1] * 30
    for first in range(0, 60, 2):
        counts = []
        for number in (first, first + 1):
            edges, kinds = graph_of(data, number)
            bonded = any({kinds[a], kinds[b]} == {"N", "O"} for a, b in edges)
            assert bonded == bool(number % 2) and set(edges) == {(b, a) for a, b in edges}
            assert len(set(edges)) == len(edges)
            degrees = [sum(a == node for a, _ in edges) for node in range(len(kinds))]
            counts.append((len(edges), sorted(zip(degrees, kinds))))
        assert counts[0] == counts[1]
    parts = [data.train_index, data.val_index, data.test_index]
    assert [len(part) for part in parts] == [36, 12, 12]
    assert all(set(part) == {one ^ 1 for one in part} for part in parts)
    again = DrawnGraphs(60, seed=3)
    np.testing.assert_array_equal(data.edges, again.edges)
    assert len(DrawnGraphs(60, seed=4).edges) != len(data.edges)


def test_a_batch_is_its_graphs_in_order() -> None:
    data = DrawnGraphs(20)
    features, edges, sizes = data.batch([4, 0, 4])
    begin = 0
    for number, size in zip((4, 0, 4), sizes):
        own, ends, _ = data.batch([number])
        np.testing.assert_array_equal(features[begin : begin + size], own)
        within = (edges[:, 0] >= begin) & (edges[:, 0] < begin + size)
        np.testing.assert_array_equal(edges[within] - begin, ends)
        begin += size
    assert begin == len(features)


def test_the_best_nodes_are_those_of_a_sort() -> None:
    generator = np.random.default_rng(0)
    sizes = [5, 1, 8, 2]
    graph = PGL.Graph.batch([PGL.Graph(np.zeros((0, 2), int), size) for size in sizes]).tensor()
    scores = generator.permutation(sum(sizes)).astype(np.float32)
    for ratio in (0.5, 0.3, 1.0, 2):
        expected = np.zeros(sum(sizes), bool)
        for start, size in zip(np.cumsum([0, *sizes]), sizes):
            count = min(ratio, size) if isinstance(ratio, int) else int(np.ceil(ratio * size))
            expected[start + np.argsort(-scores[start : start + size])[:count]] = True
        kept = best_nodes(graph, core.to_tensor(scores), ratio).numpy()
        np.testing.assert_array_equal(kept, expected)


def test_rings_and_stars_are_told_apart_by_all_commands(tmp_path: Path) -> None:
    data, run = write_graphs(tmp_path / "data", count=100), tmp_path / "run"
    changes = (
        "train.epochs=12", "task.batch_size=12", "data.dataset.folds=5", "network.num_layers=2", "network.dropout=0.0",
        "network.pool_type=mean", "data.dataset.features=degrees", "expect.at_least={accuracy: 0.8}",
    )  # fmt: skip
    assert train.main([*words("own_graphs_gin", run, *changes), "--data", str(data)]) == 0
    assert eval_command.main([str(run), "--split", "valid"]) == 0
    new = write_graphs(tmp_path / "new", count=20, labels=False)
    assert infer.main([str(run), "--data", str(new), "--picture", "none", "--output", str(tmp_path / "found")]) == 0
    rows = [line.split("\t") for line in (tmp_path / "found" / "graphs.tsv").read_text().splitlines()]
    assert rows[0] == ["row", "id", "class"] and len(rows) == 21 and {row[2] for row in rows[1:]} <= {"-1", "1"}
    right = np.mean([row[2] == ("1" if number % 2 else "-1") for number, row in enumerate(rows[1:])])
    assert right > 0.8
    assert export.main([str(run)]) == 0
    predictor = core.jit.Predictor(run / "exported")
    graphs = TUDataset(root=str(data), features="degrees", folds=5)
    assert infer.main([str(run), "--picture", "none"]) == 0
    expected = np.load(run / "embeddings" / "embeddings.npy")
    for chosen in (np.arange(7), np.array([9, 2])):
        np.testing.assert_allclose(predictor.run(graphs.batch(chosen)), expected[chosen], rtol=1e-4, atol=1e-5)
    assert predictor.class_names == ["-1", "1"] and predictor.preprocessing["degrees"] == 6
    with pytest.raises(ValueError, match="there is nothing to train on"):
        train.main([*words("own_graphs_gin", tmp_path / "none"), "--data", str(new)])


@pytest.mark.exhaustive
def test_the_epoch_that_is_best_over_all_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, output = write_graphs(tmp_path / "data", count=24), tmp_path / "folds"
    command = words("own_graphs_gin", output, "train.epochs=3", "network.num_layers=1")
    command += ["--data", str(data), "--folds", "3"]
    assert cross_validate.main(command) == 0
    found = json.loads((output / "folds.json").read_text())
    assert len(found["folds"]) == 3 and 1 <= found["epoch"] <= 3
    np.testing.assert_allclose([np.mean(found["folds"]), np.std(found["folds"])],
                               [found["accuracy"], found["standard_deviation"]])  # fmt: skip
    assert f"epoch {found['epoch']} is best on average" in capsys.readouterr().out
    assert cross_validate.main(command) == 0 and "trained" not in capsys.readouterr().out
    held_out = [set(TUDataset(root=str(data), folds=3, fold=fold, paper_protocol=True).test_index) for fold in range(3)]
    assert set().union(*held_out) == set(range(24)) and sum(map(len, held_out)) == 24
    with pytest.raises(ValueError, match="data.dataset: DrawnGraphs has no folds; TUDataset has"):
        cross_validate.main(words("drawn_graphs_gin", output))


@pytest.mark.exhaustive
def test_sagpool_trains_and_exports(tmp_path: Path) -> None:
    small = ("data.dataset.count=40", "train.epochs=1")
    assert train.main(words("drawn_graphs_sagpool", tmp_path / "run", *small)) == 0
    assert infer.main([str(tmp_path / "run"), "--picture", "none"]) == 0
    assert export.main([str(tmp_path / "run")]) == 0
    rows = np.load(tmp_path / "run" / "embeddings" / "embeddings.npy")
    chosen = np.array([7, 3, 30])
    logits = core.jit.Predictor(tmp_path / "run" / "exported").run(DrawnGraphs(40).batch(chosen))
    np.testing.assert_allclose(logits, rows[chosen], rtol=1e-4, atol=1e-5)


def test_a_data_set_of_one_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n")
    with pytest.raises(ValueError, match="EdgeListDataset is one graph; GraphClassification takes TUDataset or"):
        changed = words("drawn_graphs_gin", tmp_path / "run", "data.dataset={name: EdgeListDataset}")
        train.main([*changed, "--data", str(tmp_path)])
    with pytest.raises(ValueError, match="task.batch_size must be positive, not 0"):
        train.main(words("drawn_graphs_gin", tmp_path / "run", "task.batch_size=0", "data.dataset.count=20"))


def test_layers_count_only_the_nodes_of_their_graph() -> None:
    """Logits of a graph do not depend on what else is in the batch."""
    core.seed(3)
    data = DrawnGraphs(20)
    from PGL.tasks.graph_classification import OnGraphs

    for network in (PGL.models.GIN(4, 2, 2, 8), PGL.models.SAGPool(4, 2, 8)):
        layer: nn.Layer = OnGraphs(network)
        layer.eval()
        together = layer(*map(core.to_tensor, data.batch([3, 8, 11]))).numpy()
        alone = [layer(*map(core.to_tensor, data.batch([number]))).numpy()[0] for number in (3, 8, 11)]
        np.testing.assert_allclose(together, alone, rtol=1e-4, atol=1e-5)
