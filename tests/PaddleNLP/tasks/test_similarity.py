"""Networks that learn from triples which text is nearer: data, what is measured, commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import PaddleNLP
from core.train import Component
from PaddleNLP import eval as evaluation
from PaddleNLP import export, infer, train
from PaddleNLP.data.registry import DATASETS
from PaddleNLP.evaluators.similarity import best_threshold
from tests.PaddleNLP.small import experiment


def test_triples_of_files_and_of_pairs(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("问\t对\t错\n问2\t对2\t错2\n", encoding="utf-8")
    found = DATASETS.build(Component(name="TriplesDataset", path=str(tmp_path / "a.tsv")))
    assert list(found) == [
        {"text": "问", "positive": "对", "negative": "错"}, {"text": "问2", "positive": "对2", "negative": "错2"}
    ]  # fmt: skip
    rows = ["甲\t甲1\t1", "甲\t甲0\t0", "甲\t甲2\t1", "乙\t乙1\t1", "丙\t丙0\t0"]
    (tmp_path / "b.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    pairs = {"name": "LCQMC", "path": str(tmp_path / "b.tsv")}
    found = list(DATASETS.build(Component(name="TriplesOfPairs", pairs=pairs)))
    assert [(one["text"], one["positive"]) for one in found] == [("甲", "甲1"), ("甲", "甲2"), ("乙", "乙1")]
    assert [one["negative"] for one in found[:2]] == ["甲0", "甲0"]
    assert found[2]["negative"] in {"甲0", "甲1", "甲2", "丙0"}


@pytest.mark.parametrize("line", ["问\t对", "问\t\t错", "问\t对\t错\t更"])
def test_a_line_that_is_no_triple(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(f"问\t对\t错\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a.tsv:2: a line must be a query, a text that fits and one that does not, "):
        DATASETS.build(Component(name="TriplesDataset", path=str(tmp_path / "a.tsv")))


def test_the_best_threshold_is_that_of_all_thresholds() -> None:
    draw = np.random.default_rng(0)
    for _ in range(20):
        scores, labels = draw.integers(0, 5, 9) / 4, draw.random(9) < 0.5
        every = [((scores >= edge) == labels).mean() for edge in (*scores, 2.0)]
        best, accuracy = best_threshold(scores, labels)
        assert accuracy == pytest.approx(max(every)) == pytest.approx(((scores >= best) == labels).mean())


def test_pairs_are_judged_by_the_cosines_that_the_reader_gives(run_of: Callable[[str], Path], tmp_path: Path) -> None:
    run = run_of("Similarity")
    rows = [line.split("\t") for line in (run.parent / "candidates.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    reader = PaddleNLP.open_reader(run)
    answers = reader.predict([(query, text) for _, query, text, _ in rows])
    labels = np.array([row[3] == "1" for row in rows])
    scores = np.array([answer.score for answer in answers])
    assert evaluation.main([str(run)]) == 0
    found = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    assert found["auc"] == pytest.approx(roc_auc_score(labels, scores), abs=1e-4)
    assert found["accuracy"] == pytest.approx(((scores >= 0.4) == labels).mean())
    assert [answer.alike for answer in answers] == (scores >= 0.4).tolist()
    assert export.main([str(run)]) == 0
    assert infer.main([str(run / "exported"), "\t".join(rows[0][1:3]), "--output", str(tmp_path / "out")]) == 0
    line = json.loads((tmp_path / "out" / "predictions.jsonl").read_text())
    assert line["score"] == pytest.approx(scores[0], abs=1e-5) and line["segmenter"] == "characters"
    strange = reader.predict([("", ""), ("\U0001f600\u200d", "  "), (rows[0][1], rows[0][2])])
    assert all(-1 <= one.score <= 1 for one in strange) and strange[2].score == pytest.approx(scores[0], abs=1e-5)
    with pytest.raises(TypeError, match="what is to be compared is a tuple of two texts"):
        reader.predict("一个")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("data.train.dataset={name: DBQA, path: candidates.tsv}", "data.train has no triples; dataset.name: Triples"),
        ("data.valid.dataset={name: DrawnReviews, count: 8}", "data.valid must have pairs of texts of two classes"),
        ("task.threshold=1.5", "task.threshold is a cosine, between -1 and 1, not 1.5"),
    ],
)
def test_what_does_not_fit_is_refused(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(experiment("Similarity", tmp_path)), "-o", change])
