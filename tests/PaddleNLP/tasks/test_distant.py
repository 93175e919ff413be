"""Relations from labels that may be wrong: a run, its evaluation and reader, how it goes on, what does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import numpy as np
import pytest

import PaddleNLP
from core.train import load_config
from PaddleNLP import eval as evaluation
from PaddleNLP import train
from PaddleNLP.config import TOOLKIT, LanguageConfig
from PaddleNLP.data.distant import DistantRelations
from PaddleNLP.evaluators.distant import RelationLabelEvaluator
from PaddleNLP.tasks.distant import Bootstrap
from tests.PaddleNLP.small import experiment

Runs = Callable[[str], Path]


def test_relations_are_those_that_the_evaluation_scores(run_of: Runs) -> None:
    run = run_of("DistantRelation")
    assert evaluation.main([str(run)]) == 0
    found = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    dataset, reader = DistantRelations(str(run.parent / "pairs_of_entities.json")), PaddleNLP.open_reader(run)
    samples = [dataset[number] for number in range(len(dataset))]
    texts = []
    for one in samples:
        names = (one["text"][slice(*one[side])] for side in ("first", "second"))
        texts.append((one["text"], *names, one["first_type"], one["second_type"]))
    answers = reader.predict(texts)
    message, true = [answer.label for answer in answers], [one["label"] for one in samples]
    right = sum(one == other != "None" for one, other in zip(message, true))
    given, wanted = (sum(one != "None" for one in labels) for labels in (message, true))
    assert found["precision"] == pytest.approx(right / max(given, 1)) and found["recall"] == right / wanted
    assert found["f1"] == pytest.approx(2 * right / (given + wanted))
    words, shares = zip(*answers[0].words)
    assert " ".join(words) == samples[0]["text"] and sum(shares) == pytest.approx(1, abs=1e-5)
    assert reader.predict(("Ann was born in Rome", "Ann\tRome")).label in ("/born", "/lives", "None")
    assert reader.predict([]) == []
    with pytest.raises(ValueError, match="'Ann' and 'Oslo' are not both in the sentence 'Ann was born in Rome'"):
        reader.predict(("Ann was born in Rome", "Ann", "Oslo"))
    for wrong in ("Ann was born in Rome", ("Ann was born in Rome", "Ann"), ("a", "b", 3)):
        with pytest.raises(TypeError, match="a tuple of a sentence and two entities in it, perhaps with their types"):
            reader.predict([wrong])


def test_the_evaluation_counts_relations_alone() -> None:
    evaluator = RelationLabelEvaluator(["None", "a", "b"], "None")
    assert evaluator.result() == {}

    class Batch:
        def __init__(self, values: list[int]) -> None:
            self.values = values

        def numpy(self) -> np.ndarray:
            return np.array(self.values)

    predicted, true = [1, 1, 0, 2, 0], [1, 0, 1, 1, 0]
    evaluator.update([np.eye(3)[predicted] * 9], {"label": Batch(true), "index": Batch([0, 1, 2, 3, 4])})
    found = evaluator.result()
    assert (found["precision"], found["recall"], found["f1"]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_labels_follow_the_trusted_patterns_and_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    config = load_config(LanguageConfig, experiment("DistantRelation", tmp_path), [])
    task = TOOLKIT.build_task(config)
    bootstrap = Bootstrap(task)
    assert bootstrap.trusted == {"/born": ["was born in"], "/lives": ["now lives in"]}
    bootstrap.trusted = {"/born": ["was born in"]}
    bootstrap._apply()
    columns = task.fields("train").columns
    names = [task.class_names[number] for number in columns["label"]]
    assert set(names) == {"/born", "None"} and columns["trusted"].tolist() == [int(name == "/born") for name in names]
    confidences = bootstrap.confidences()
    assert confidences.shape == (24,) and ((confidences > 0) & (confidences <= 1)).all()
    state = bootstrap.state_dict()
    other = Bootstrap(task)
    assert other.trusted != bootstrap.trusted
    other.set_state_dict(state)
    assert other.trusted == bootstrap.trusted
    assert [task.class_names[number] for number in task.fields("train").columns["label"]] == names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("data.num_workers=1", "task.denoise changes labels while it trains, in this process: set data.num_workers: 0"),
        ("task.none=NA", "data.train has no 'NA'; task.none names the label of no relation"),
        ("network.types=2", "the data has 3 types of entities, but arnor has 2 rows for them; set network.types"),
        (
            "data.train.dataset={name: DrawnReviews, split: test, count: 8}",
            "data.train has no pairs of entities; datas",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(experiment("DistantRelation", tmp_path)), "-o", change])
