"""Chunks, answers and spans against stored answers of paddlenlp and seqeval, and against counting by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PaddleNLP.answers.spans import best_answers, chosen_answer, window_spans
from PaddleNLP.data.tagging.schemes import chunks, parsed
from PaddleNLP.metrics.chunks import ChunkMetric, ChunkScheme
from PaddleNLP.metrics.reading import (
    best_threshold,
    cmrc_result,
    cmrc_segments,
    squad_result,
    token_f1,
    treebank_words,
)

PARITY = Path(__file__).resolve().parents[2] / "parity" / "PaddleNLP"


@pytest.fixture(scope="module")
def cases() -> Any:
    sys.path.insert(0, str(PARITY))
    try:
        import metric_cases
    finally:
        sys.path.remove(str(PARITY))
    return metric_cases


@pytest.fixture(scope="module")
def stored() -> Any:
    return json.loads((PARITY / "references" / "metrics.json").read_text("utf-8"))


@pytest.mark.parametrize("scheme", ["BIO", "BIOES", "suffix"])
def test_chunks_are_counted_as_by_paddlenlp_and_seqeval(scheme: str, cases: Any, stored: Any) -> None:
    metric = ChunkMetric(cases.SCHEMES[scheme])
    assert metric.scheme.suffix is (scheme == "suffix")
    truth, predicted, lengths = cases.tag_rows(scheme)
    for start in range(0, 60, 25):
        part = slice(start, start + 25)
        metric.add(predicted[part], truth[part], lengths[part])
    wanted = stored["chunks"][scheme]
    assert list(metric.result().values()) == pytest.approx(wanted["scores"], abs=1e-12)
    found = {kind: list(scores.values()) for kind, scores in metric.of_kinds().items()}
    assert list(found) == list(wanted["kinds"])
    for kind, scores in wanted["kinds"].items():
        assert found[kind] == pytest.approx(scores, abs=1e-12)


def test_both_ways_of_finding_chunks_agree(cases: Any) -> None:
    for scheme, labels in cases.SCHEMES.items():
        found = ChunkScheme(labels)
        truth, _, lengths = cases.tag_rows(scheme)
        rows = np.where(np.arange(12) < lengths[:, None], truth, -1)
        by_hand = [
            [row, found.kinds.index(kind), start, end]
            for row, tags in enumerate(truth)
            for kind, start, end in chunks([parsed(labels[tag], found.suffix) for tag in tags[: lengths[row]]])
        ]
        assert found.chunks(rows).tolist() == by_hand


def test_bmes_and_kinds_without_names() -> None:
    scheme = ChunkScheme(["O", "B-A", "M-A", "E-A", "S-A"])
    assert scheme.chunks(np.array([[1, 2, 3, 4, 0, 1, 3, 3]])).tolist() == [
        [0, 0, 0, 3],
        [0, 0, 3, 4],
        [0, 0, 5, 7],
        [0, 0, 7, 8],
    ]
    assert ChunkScheme(["B", "I"]).chunks(np.array([[0, 1, 0, -1]])).tolist() == [[0, 0, 0, 2], [0, 0, 2, 3]]
    assert ChunkMetric(["O", "B-A"]).result() == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    with pytest.raises(ValueError, match="the tag 'NOUN' does not say where a chunk begins, as B-NOUN or NOUN-B do"):
        ChunkScheme(["NOUN", "VERB"])


def test_answers_are_scored_as_by_squad(cases: Any, stored: Any) -> None:
    references = {str(number): right for number, (right, _, _) in enumerate(cases.ANSWERS)}
    predictions = {str(number): given for number, (_, given, _) in enumerate(cases.ANSWERS)}
    null = {str(number): score for number, (_, _, score) in enumerate(cases.ANSWERS)}
    found = squad_result(references, predictions, True, null, 0.6)
    wanted = {name: value for name, value in stored["squad"].items() if not name.endswith("total")}
    assert found == pytest.approx(wanted, rel=1e-14)  # Python 3.12 adds up floats with less rounding


def test_squad_1_1_counts_questions_without_prediction_and_empty_answers_as_wrong() -> None:
    references = {"a": ["The cat"], "b": ["the"], "c": ["two dogs", "three dogs"], "d": ["x"]}
    predictions = {"a": "cat", "b": "a", "c": "dogs three four"}
    assert squad_result(references, predictions) == {"exact": 50.0, "f1": 100 * (1 + 0 + 0.8) / 4}
    with pytest.raises(ValueError, match="there are no questions to be scored"):
        squad_result({}, {})


def test_the_best_threshold_is_the_best_of_all() -> None:
    source = np.random.default_rng(0)
    names = [str(number) for number in range(40)]
    scores = dict(zip(names, source.uniform(size=40).tolist()))
    null = dict(zip(names, source.normal(size=40).tolist()))
    answerable = dict(zip(names, (source.uniform(size=40) < 0.6).tolist()))
    predictions = {name: "" if source.uniform() < 0.1 else "x" for name in names}

    def reached(threshold: float) -> float:
        kept = [name for name in names if null[name] <= threshold]
        gained = sum(scores[name] if answerable[name] else float(not predictions[name]) for name in kept)
        return 100 * (gained + sum(not answerable[name] for name in names if null[name] > threshold)) / 40

    best, place = best_threshold(scores, predictions, null, answerable)
    assert best == pytest.approx(max(reached(value) for value in (-9.0, *null.values())))
    assert reached(place) == pytest.approx(best)


def test_f1_of_words() -> None:
    assert token_f1("a b c", "b c d") == 0.8
    assert token_f1("", "the") == 1.0 and token_f1("x", "") == 0.0


CMRC = [
    (["北京市"], "北京", 0.0, 2 * 1 * (2 / 3) / (1 + 2 / 3)),
    (["“北京市”"], "北京市。", 1.0, 1.0),
    (["1999年5月", "5月"], "1999年", 0.0, 2 / 3),
    (["ABC公司"], "abc 公司", 0.0, 1.0),
    (["上海和北京"], "北京和上海", 0.0, 0.4),
    (["大约50%的人"], "50%", 0.0, 2 * 1 * (2 / 6) / (1 + 2 / 6)),
    (["南"], "北", 0.0, 0.0),
    (["，"], "。", 1.0, 0.0),
]
"""Answers of CMRC, exact match and F1; the last one's segments are none."""


@pytest.mark.parametrize("right, given, exact, f1", CMRC)
def test_answers_are_scored_as_by_cmrc(right: list[str], given: str, exact: float, f1: float) -> None:
    found = cmrc_result({"q": right}, {"q": given})
    assert found == {
        "exact": 100 * exact,
        "f1": pytest.approx(100 * f1),
        "average": pytest.approx(50 * (exact + f1)),
    }


def test_segments_of_mixed_answers() -> None:
    assert cmrc_segments(" 《红楼梦》120回，about 3.5 hours") == [*"红楼梦", "120", "回", "about", "3.5", "hours"]
    assert treebank_words("it's 5,000 dollars, i can't (really).") == [
        *("it", "'s", "5,000", "dollars", ",", "i", "ca", "n't", "(", "really", ")", ".")
    ]


def test_common_part_is_the_longest_by_dynamic_programming() -> None:
    source = np.random.default_rng(1)
    for _ in range(50):
        true, found = ("".join(source.choice(list("甲乙丙"), size)) for size in source.integers(1, 12, 2))
        lengths = np.zeros((len(true) + 1, len(found) + 1), int)
        for row, first in enumerate(true):
            for column, second in enumerate(found):
                lengths[row + 1, column + 1] = (lengths[row, column] + 1) * (first == second)
        wanted = 200 * lengths.max() / (len(true) + len(found))
        assert cmrc_result({"q": [true]}, {"q": found})["f1"] == pytest.approx(wanted)


@pytest.mark.parametrize("may_be_none, name", [(False, "spans"), (True, "spans_or_none")])
def test_spans_are_those_of_paddlenlp(may_be_none: bool, name: str, cases: Any, stored: Any) -> None:
    wanted = stored[name]
    chosen, differences = [], []
    for question, best in zip(cases.windows(), wanted["n_best"]):
        parts = question["windows"]
        inside = np.array([[place is not None for place in part["offsets"]] for part in parts])
        offsets = [np.array([place or (-1, -1) for place in part["offsets"]]) for part in parts]
        start, end = (np.stack([part[side] for part in parts]) for side in ("start", "end"))
        spans = window_spans(start, end, inside, n_best=5, longest=8)
        answers, difference = best_answers(question["context"], spans, offsets, 5, may_be_none)
        assert [answer.text for answer in answers] == [text for text, _ in best]
        assert [answer.probability for answer in answers] == pytest.approx([share for _, share in best], abs=2e-6)
        assert all(question["context"][answer.start : answer.end] == answer.text for answer in answers)
        chosen.append(chosen_answer(answers, difference, 0.5 if may_be_none else np.inf))
        differences.append(difference)
    assert chosen == wanted["chosen"]
    if may_be_none:
        assert differences == pytest.approx(wanted["differences"], abs=1e-5)


def test_spans_are_the_best_of_all_pairs() -> None:
    source = np.random.default_rng(3)
    start, end = source.normal(size=(2, 4, 30)).astype(np.float32)
    inside = np.zeros((4, 30), bool)
    inside[:3, 5:25] = True
    may_start = inside & (np.arange(30) % 2 == 1)
    spans = window_spans(start, end, inside, n_best=30, longest=6, may_start=may_start)
    for window in range(4):
        pairs = sorted(
            (
                (-float(start[window, first] + end[window, last]), first, last)
                for first in range(30)
                for last in range(first, min(first + 6, 30))
                if may_start[window, first] and inside[window, last]
            ),
        )[:30]
        count = len(pairs)
        assert spans.scores[window, :count] == pytest.approx([-score for score, _, _ in pairs])
        assert spans.starts[window, :count].tolist() == [first for _, first, _ in pairs]
        assert spans.ends[window, :count].tolist() == [last for _, _, last in pairs]
        assert np.isneginf(spans.scores[window, count:]).all()
    assert spans.null == pytest.approx(start[:, 0] + end[:, 0])


def test_a_text_without_any_span_has_no_answer() -> None:
    logits = np.zeros((1, 8), np.float32)
    spans = window_spans(logits, logits, np.zeros((1, 8), bool))
    offsets = [np.zeros((8, 2), int)]
    assert best_answers("text", spans, offsets) == ([], -np.inf)
    answers, difference = best_answers("text", spans, offsets, may_be_none=True)
    assert [answer.text for answer in answers] == [""] and difference == np.inf
    assert chosen_answer([], -np.inf) == "" and chosen_answer(answers, difference) == ""
