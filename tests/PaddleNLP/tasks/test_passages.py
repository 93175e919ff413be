"""Answers in several passages: a run, its evaluation, its reader, and what does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import pytest

import PaddleNLP
from PaddleNLP import eval as evaluation
from PaddleNLP import train
from PaddleNLP.data.reading.dureader import DuReaderPassages
from PaddleNLP.metrics.dureader import dureader_result
from tests.PaddleNLP.small import experiment

Runs = Callable[[str], Path]


def test_answers_are_those_that_the_evaluation_scores(run_of: Runs) -> None:
    run = run_of("PassageReading")
    assert evaluation.main([str(run)]) == 0
    found = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]
    dataset, reader = DuReaderPassages(str(run.parent / "passages.json")), PaddleNLP.open_reader(run)
    questions = [dataset[number] for number in range(len(dataset))]
    answers = reader.predict([(one["question"], *one["passages"]) for one in questions])
    written = [json.loads(line) for line in (run / "evaluation_test" / "predictions.json").read_text().splitlines()]
    assert [line["answers"] for line in written] == [[answer.text] for answer in answers]
    truth = {one["id"]: one["references"] for one in questions}
    expected = dureader_result(truth, {one["id"]: answer.text for one, answer in zip(questions, answers)})
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["marked_rouge_l"] == pytest.approx(100) and found["share_of_marked"] == pytest.approx(found["rouge_l"])
    joined = (questions[1]["question"], "\t".join(questions[1]["passages"]))
    assert reader.predict(joined).record() == pytest.approx(answers[1].record(), abs=1e-6)
    assert reader.predict(("谁？", "", "")).describe() == "no answer"
    assert reader.predict(("", "李雷在上海。")).text in "李雷在上海。"  # a question without words
    with pytest.warns(UserWarning, match="a text of 60 tokens is cut to 48"):
        reader.predict(("谁？", "雨" * 60))
    for wrong in ("谁？", ("谁？",), ("谁？", 3)):
        with pytest.raises(TypeError, match="a tuple of a question and its passages, or these parted by tabs"):
            reader.predict([wrong])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.passages=6", "task.prior has 5 numbers, and task.passages is 6: give one for each"),
        (
            "data.train.dataset={name: DrawnReviews, split: test, count: 8}",
            "data.train has no passages; dataset.name: D",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(experiment("PassageReading", tmp_path)), "-o", change])
