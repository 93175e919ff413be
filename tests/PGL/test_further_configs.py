"""Configs beside those of tests/PGL/test_commands.py, on small sets that are learned in a second or two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.train import load_config
from PGL import export, infer, train
from PGL.config import TASKS, GraphConfig
from PGL.data import CitationWordsDataset, CiteseerDataset, CoraDataset
from tests.PGL.small_sets import NODES, TESTED, WORDS, write_blog_catalog, write_cora, write_triples

CONFIGS = Path(__file__).resolve().parents[2] / "PGL" / "configs"
LEFT_OUT = 4


def citeseer(folder: Path) -> Path:
    return write_cora(folder, name="citeseer", left_out=LEFT_OUT)


def trained(config: str, data: Path, output: Path, *changes: str) -> dict[str, float]:
    """Train a config, which must reach what it expects, and return the numbers of the test."""
    wanted = [f"output={output}", "train.tensorboard=false", *changes]
    words = ["-c", str(CONFIGS / f"{config}.yaml"), "--data", str(data)]
    assert train.main([*words, *(word for change in wanted for word in ("-o", change))]) == 0
    numbers: dict[str, float] = json.loads((output / "results.json").read_text())["results"]["test"]
    return numbers


SIXTY = "expect.at_least={accuracy: 0.6}"
F1 = "expect.at_least={macro_f1: 0.6}"
EMBEDDINGS = ("network.embedding_size=16", "train.evaluate_every=50", "train.epochs=50", F1)


@pytest.mark.parametrize(
    ("config", "write", "changes"),
    [
        ("citeseer_gcn", citeseer, ("train.epochs=4", SIXTY)),
        ("blogcatalog_line", write_blog_catalog, (*EMBEDDINGS, "task.batch_size=100", "schedule.learning_rate=0.2")),
        pytest.param(
            "cora_metapath2vec",
            write_cora,
            (*EMBEDDINGS, "task.batch_size=60", "network.walk_length=12"),
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            "umls_transe",
            write_triples,
            ("task.batch_size=28", "train.epochs=150", "train.evaluate_every=150", "expect.at_least={mrr: 0.4}"),
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_it_is_learnt(config: str, write: Callable[[Path], Path], changes: tuple[str, ...], tmp_path: Path) -> None:
    trained(config, write(tmp_path / "data"), tmp_path / "run", *changes)


UNIMP = ("train.epochs=6", "schedule.learning_rate=0.02", "network.hidden_size=8", SIXTY)


def test_masked_labels_are_learnt_and_exported(tmp_path: Path) -> None:
    data, run = write_cora(tmp_path / "data"), tmp_path / "run"
    trained("cora_unimp", data, run, *UNIMP)
    assert infer.main([str(run), "--picture", "none"]) == 0
    assert export.main([str(run)]) == 0
    rows = np.load(run / "embeddings" / "embeddings.npy")
    read = CoraDataset(root=str(data))
    arrays = [tensor.numpy() for rows in read.graph.tensor(inplace=False).connections() for tensor in rows]
    shown = np.isin(np.arange(NODES), read.train_index).astype(np.float32)
    predictor = core.jit.Predictor(run / "exported")
    logits = predictor.run([read.graph.node_feat["words"], *arrays, read.y, shown])
    np.testing.assert_allclose(logits, rows, rtol=1e-4, atol=1e-5)


def masked_task(tmp_path: Path, *changes: str) -> Any:
    overrides = [f"data.root={write_cora(tmp_path / 'data')}", "network.hidden_size=8", *changes]
    config = load_config(GraphConfig, CONFIGS / "cora_unimp.yaml", overrides)
    return TASKS.build(config.task, config=config)


def test_nodes_to_predict_do_not_show_their_labels(tmp_path: Path) -> None:
    task = masked_task(tmp_path)
    train_index = task.parts["train"]
    for nodes, shown, labels in (batch for batch in task.loader("train")):
        known = np.flatnonzero(shown.numpy())
        assert len(known) == int(0.3 * len(train_index)) and not np.isin(nodes.numpy(), known).any()
        np.testing.assert_array_equal(np.sort([*known, *nodes.numpy()]), train_index)
        np.testing.assert_array_equal(labels.numpy(), task.classes[nodes.numpy()])
    (batch,) = task.loader("test")
    np.testing.assert_array_equal(np.flatnonzero(batch[1].numpy()), train_index)
    task.eval_mode()
    before = task.predict(batch[0], batch[1])[0].numpy()
    hidden = np.setdiff1d(np.arange(NODES), train_index)
    changed = task.classes.copy()
    changed[hidden] = (changed[hidden] + 1) % 3
    task.known = core.to_tensor(changed)
    np.testing.assert_array_equal(task.predict(batch[0], batch[1])[0].numpy(), before)
    changed[train_index] = (changed[train_index] + 1) % 3
    task.known = core.to_tensor(changed)
    assert np.abs(task.predict(batch[0], batch[1])[0].numpy() - before).max() > 1e-3


def test_all_labels_shown_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="task.shown must be from 0 to below 1, not 1.0"):
        masked_task(tmp_path, "task.shown=1.0")


def test_nodes_that_the_files_of_citeseer_leave_out_have_no_words_and_are_not_judged(tmp_path: Path) -> None:
    read = CiteseerDataset(root=str(citeseer(tmp_path)))
    left_out = np.arange(NODES - TESTED, NODES - TESTED + LEFT_OUT)
    assert read.graph.num_nodes == NODES and not read.graph.node_feat["words"][left_out].any()
    assert not np.isin(read.test_index, left_out).any() and len(read.test_index) == TESTED - LEFT_OUT


def test_words_become_nodes(tmp_path: Path) -> None:
    papers = CoraDataset(symmetry_edges=True, self_loop=False, root=str(write_cora(tmp_path)))
    graph = CitationWordsDataset("cora", str(tmp_path)).graph
    words = papers.graph.node_feat["words"]
    assert graph.num_nodes == NODES + WORDS and graph.num_nodes_by_type("word") == WORDS
    np.testing.assert_array_equal(graph["cites"].edges, papers.graph.edges)
    for paper in (0, 17):
        np.testing.assert_array_equal(graph.successor("contains", [paper])[0] - NODES, np.flatnonzero(words[paper]))
    for word in (0, 5):
        np.testing.assert_array_equal(graph.successor("contained", [NODES + word])[0], np.flatnonzero(words[:, word]))
