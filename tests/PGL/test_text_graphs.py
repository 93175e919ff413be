"""Graphs of texts: what their files hold, and ERNIESage by the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.text import ErnieTokenizer
from PGL import eval as eval_command
from PGL import export, infer, train
from PGL.data import DrawnTextGraph, TextGraphDataset
from PGL.models import create_model
from PGL.tasks.text_links import PairEvaluator, neighborhood

CONFIGS = Path(__file__).resolve().parents[2] / "PGL" / "configs"
FILES = {
    "graph": "how far is the sea\ttwo miles\nwho sings\tthe bird sings\n",
    "train": "how far is the sea\ttwo miles\nwhere is the sea\ttwo miles\n",
    "valid": "who sings\ttwo birds sing\n",
    "test": "who sings\tthe bird sings\n",
}


def write(folder: Path, **changes: Any) -> Path:
    for name, content in {**FILES, **changes}.items():
        (folder / f"{name}.tsv").write_text(content)
    return folder


def test_what_the_files_hold(tmp_path: Path) -> None:
    data = TextGraphDataset(root=str(write(tmp_path)), max_seqlen=6)
    assert data.node_names == [
        "how far is the sea", "two miles", "who sings", "the bird sings", "where is the sea", "two birds sing",
    ]  # fmt: skip
    assert data.graph.edges.tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]
    assert [data.train.tolist(), data.valid.tolist(), data.test.tolist()] == [[[0, 1], [4, 1]], [[2, 5]], [[2, 3]]]
    assert data.found.tolist() == [1, 3, 5]
    for row, text in zip(data.term_ids, data.node_names):
        tokens = [data.tokens[number] for number in row if number]
        assert tokens[-1] == "[SEP]" and "".join(tokens[:-1]).replace("##", "") == text.replace(" ", "")[: len(
            "".join(tokens[:-1]).replace("##", ""))]  # fmt: skip
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[CLS]", "[SEP]", "[MASK]", "two", "miles", "[UNK]"]))
    given = TextGraphDataset(root=str(tmp_path), vocab_file="vocab.txt", max_seqlen=4)
    assert given.term_ids[1].tolist() == [4, 5, 2, 0] and given.term_ids[0].tolist() == [6, 6, 6, 2]
    assert isinstance(ErnieTokenizer(str(tmp_path / "vocab.txt")), ErnieTokenizer)


@pytest.mark.parametrize(
    ("changes", "arguments", "message"),
    [
        ({"graph": "one\n"}, {}, "graph.tsv', line 1: 1 columns where two texts belong"),
        ({"train": "a\tb\tc\n"}, {}, "train.tsv', line 1: 3 columns where two texts belong"),
        ({"train": "a\t \n"}, {}, "train.tsv', line 1: 2 columns where two texts belong"),
        ({"train": "\n"}, {}, "train.tsv' has no pairs for training"),
        ({"test": FILES["train"]}, {}, r"test.tsv': the pair \(how far is the sea, two miles\) is in train too"),
        ({}, {"max_seqlen": 1}, "max_seqlen must be 2 and learn 10 at least, not 1 and 8000"),
        ({}, {"root": None}, "TextGraphDataset: give root, the folder of 'graph.tsv' and 'train.tsv'"),
    ],
)
def test_mistakes_are_named(changes: Any, arguments: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        TextGraphDataset(**{"root": str(write(tmp_path, **changes)), **arguments})


def test_drawn_texts_of_a_pair_have_no_word_in_common_and_are_of_one_topic() -> None:
    data = DrawnTextGraph(4, 5, seed=1)
    pairs = np.concatenate([data.train, data.valid, data.test])
    words = [set(text.split()) for text in data.node_names]
    assert all(not words[asked] & words[found] for asked, found in pairs)
    assert len(pairs) + len(data.graph.edges) // 2 <= 4 * 25 and len(np.unique(pairs, axis=0)) == len(pairs)
    np.testing.assert_array_equal(DrawnTextGraph(4, 5, seed=1).term_ids, data.term_ids)
    with pytest.raises(ValueError, match="topics must be from 2 to 200 and texts from 3 to 200, not 1 and 5"):
        DrawnTextGraph(1, 5)


def test_ranks_among_the_texts_that_may_be_found() -> None:
    known = np.array([[0, 2], [0, 4], [1, 3]])
    evaluator = PairEvaluator(np.array([2, 3, 4]), known)
    rows = np.array([[1, 0], [0, 1], [0.5, 0], [0.2, 0.1], [0.9, 0]], np.float32)
    evaluator.update([rows], [core.to_tensor(known)])
    assert evaluator.ranks == [1, 1, 1]  # of 0: 4 before 2, which does not count; of 1: 3 alone has a second number
    rows[3] = [0.7, 0]
    evaluator.ranks.clear()
    evaluator.update([rows], [core.to_tensor(known)])
    assert evaluator.ranks == [2, 1, 2]


def test_a_neighbourhood_is_of_edges_that_there_are() -> None:
    data = DrawnTextGraph(3, 6)
    nodes = np.array([7, 0, 3])
    everyone, edges = neighborhood(data.graph.incoming, nodes, 2, 2, 5)
    assert everyone[:3].tolist() == [7, 0, 3] and len(set(everyone.tolist())) == len(everyone)
    there = set(map(tuple, data.graph.edges.tolist()))
    assert {(everyone[source], everyone[target]) for source, target in edges} <= there
    assert np.bincount(edges[:, 1]).max() <= 2


@pytest.mark.exhaustive
def test_erniesage_by_all_commands(tmp_path: Path) -> None:
    run = tmp_path / "run"
    wanted = [
        f"output={run}", "train.tensorboard=false", "train.epochs=1", "data.dataset.topics=2", "data.dataset.texts=4",
        "expect=null", "network.hidden_size=8", "task.batch_size=8",
    ]  # fmt: skip
    words = ["-c", str(CONFIGS / "drawn_texts_erniesage.yaml"), *(word for one in wanted for word in ("-o", one))]
    assert train.main(words) == 0 and eval_command.main([str(run)]) == 0
    data = DrawnTextGraph(2, 4)
    assert infer.main([str(run), "--near", data.node_names[1], "--top", "2", "--picture", "none"]) == 0
    rows = np.load(run / "embeddings" / "embeddings.npy")
    listed = (run / "embeddings" / "nodes.tsv").read_text().splitlines()
    assert listed[2] == f"1\t{data.node_names[1]}" and len(listed) == len(rows) + 1
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    assert export.main([str(run)]) == 0
    nodes, edges = neighborhood(data.graph.incoming, np.arange(len(rows)), 3, 1, 0)
    found = core.jit.Predictor(run / "exported").run([data.term_ids[nodes], edges])
    np.testing.assert_allclose(found, rows, rtol=1e-4, atol=1e-5)
    assert (run / "exported" / "vocab.txt").read_text().split("\n")[:-1] == data.tokens
    assert (run / "exported" / "nodes.tsv").read_text().splitlines() == listed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_layers": 0}, "ErnieSageV2: num_layers must be positive, not 0"),
        ({"max_seqlen": 20}, "ErnieSageV2: it reads 41 tokens at once, and the encoder knows 32 positions"),
        ({"encoder": {"name": "distilbert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                      "intermediate_size": 8}}, "encoder.name: distilbert has no vector of a whole text"),
        ({"encoder": {"name": "ernie", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1,
                      "num_attention_heads": 2, "intermediate_size": 8}}, "knows 9 tokens, and the vocabulary has 30"),
    ],
)  # fmt: skip
def test_encoders_that_do_not_fit(settings: Any, message: str) -> None:
    small = {"name": "ernie", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
             "intermediate_size": 8, "max_position_embeddings": 32}  # fmt: skip
    with pytest.raises(ValueError, match=message):
        create_model("ErnieSageV2", **{"vocab_size": 30, "max_seqlen": 8, "encoder": small, **settings})
