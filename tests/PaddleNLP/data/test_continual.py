"""ERNIE 2.0's tasks: examples with values worked out by hand, and which tasks are learned when."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io.randomness import sample_scope
from PaddleNLP.data.encoded import Ragged
from PaddleNLP.data.pretraining.continual import (
    NONE,
    ContinualDataset,
    SpecialTokens,
    order_class,
    packs,
    reordering_classes,
)
from PaddleNLP.data.pretraining.documents import DocumentsDataset
from PaddleNLP.data.pretraining.pairs import LabelledPairs
from PaddleNLP.data.pretraining.schedule import DOCUMENT_TASKS, Schedule
from PaddleNLP.tasks.continual import capitals

DOCUMENTS = [[[11, 12], [13, 11], [14], [15, 16]], [[21], [22, 23]], [[31, 11]]]
"""Ids of the sentences of three documents."""


def dataset(task: str, max_length: int = 8, **settings: Any) -> ContinualDataset:
    rows = [sum(document, []) for document in DOCUMENTS]
    columns = {
        "input_ids": Ragged.of(rows),
        "segments": Ragged.of([[0] * len(row) for row in rows]),
        "capitals": Ragged.of([[number % 2 if number < 20 else NONE for number in row] for row in rows]),
        "sentence_ends": Ragged.of([np.cumsum([len(one) for one in document]).tolist() for document in DOCUMENTS]),
    }
    given = {"share": 0.5, "room": 6, "parts": 3, "drawn": True, **settings}
    schedule = Schedule([{"tasks": {task: 1}}])
    return ContinualDataset(columns, schedule, SpecialTokens(1, 2, 3), 50, max_length, **given)


def samples(task: str, index: int, count: int = 200, **settings: Any) -> list[dict[str, Any]]:
    found = dataset(task, **settings)
    drawn = []
    for seed in range(count):
        with sample_scope(seed, 0, index):
            drawn.append(found[index])
    return drawn


def test_documents_are_lines_between_blank_ones(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n\nOne. \nTwo.\n\n \nThree.\n\n", encoding="utf-8")
    found = DocumentsDataset(str(tmp_path / "text.txt"))
    assert [found[number]["sentences"] for number in range(len(found))] == [["One.", "Two."], ["Three."]]
    assert found.place(1).endswith("text.txt:7")
    (tmp_path / "empty.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(ValueError, match="empty.txt: there are no samples"):
        DocumentsDataset(str(tmp_path / "empty.txt"))


def test_sentences_are_packed_as_long_as_they_fit() -> None:
    assert packs([2, 2, 1, 2], 4) == [(0, 2), (2, 4)]
    assert packs([2, 2, 1, 2], 5) == [(0, 3), (3, 4)]
    assert packs([9, 1, 9], 4) == [(0, 1), (1, 2), (2, 3)]
    assert packs([], 4) == []


def test_orders_are_numbered_by_parts_and_then_as_in_a_dictionary() -> None:
    orders = [order for count in (1, 2, 3) for order in itertools.permutations(range(count))]
    assert [order_class(order) for order in orders] == list(range(9)) and reordering_classes(3) == 9
    assert order_class([0]) == 0 and order_class([1, 0]) == 2 and order_class([2, 0, 1]) == 3 + 4
    assert reordering_classes(4) == 33 and order_class([3, 2, 1, 0]) == 32


def test_a_word_has_a_capital_by_its_first_letter_as_it_was_written() -> None:
    # "Paddle" is cut into "pad" and "##dle"; digits, signs and Chinese have no case
    text = "On Paddle 2 runs 中 é"
    offsets = [(0, 2), (3, 6), (6, 9), (10, 11), (12, 16), (17, 18), (19, 20)]
    assert capitals(text, offsets, [False, False, True, False, False, False, False]) == [1, 1, 1, NONE, 0, NONE, 0]


def test_masked_words_are_told_and_nothing_else() -> None:
    (one, *_), ids = samples("knowledge_masking", 0), [1, 11, 12, 13, 11, 2]
    chosen = one["places"][one["labels"] != NONE]
    assert len(chosen) and one["labels"][: len(chosen)].tolist() == [ids[place] for place in chosen]
    untouched = [place for place in range(6) if place not in chosen]
    assert [one["input_ids"][place] for place in untouched] == [ids[place] for place in untouched]
    assert one["task_type_ids"].tolist() == [0] * 6 and not {0, 5} & set(chosen.tolist())
    for name in ("capital_labels", "document_labels", "order_label", "distance_label"):
        assert (np.asarray(one[name]) == NONE).all()


def test_capitals_are_labels_of_the_tokens() -> None:
    one = samples("capitalisation", 0, 1)[0]
    assert one["input_ids"].tolist() == [1, 11, 12, 13, 11, 2]
    assert one["capital_labels"].tolist() == [NONE, 1, 0, 1, 1, NONE]
    assert one["task_type_ids"].tolist() == [1] * 6 and (one["labels"] == NONE).all()
    assert samples("capitalisation", 2, 1)[0]["capital_labels"].tolist() == [NONE] * 5


def test_a_token_is_of_the_document_if_it_is_in_another_part_of_it() -> None:
    # the first document is cut behind its first sentence and so on: 11 is in the first two, 12 to 16 are once each
    found = [samples("token_document_relation", index, 1, max_length=6)[0] for index in range(7)]
    assert [one["input_ids"].tolist() for one in found[:3]] == [[1, 11, 12, 2], [1, 13, 11, 2], [1, 14, 2]]
    assert [one["document_labels"].tolist() for one in found[:3]] == [
        [NONE, 1, 0, NONE], [NONE, 0, 1, NONE], [NONE, 0, NONE]
    ]  # fmt: skip
    assert found[6]["input_ids"].tolist() == [1, 31, 11, 2] and found[6]["document_labels"].tolist()[1:3] == [0, 0]


def test_parts_of_a_paragraph_are_shuffled_and_the_class_is_their_order() -> None:
    # the last paragraph of the first document is [14] [15, 16]: one part, or two in either order
    found = samples("sentence_reordering", 1)
    kinds = {(*one["input_ids"].tolist(), int(one["order_label"])) for one in found}
    assert kinds == {(1, 14, 15, 16, 2, 0), (1, 14, 2, 15, 16, 2, 1), (1, 15, 16, 2, 14, 2, 2)}
    assert {one["task_type_ids"][0] for one in found} == {3}
    shares = [np.mean([one["order_label"] == label for one in found]) for label in range(3)]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=0.12)


def test_two_sentences_are_neighbours_of_one_document_or_of_two() -> None:
    found = samples("sentence_distance", 0)  # a first sentence from [11, 12] [13, 11]
    pairs: dict[int, set[tuple[int, ...]]] = {0: set(), 1: set(), 2: set()}
    for one in found:
        pairs[int(one["distance_label"])].add(tuple(one["input_ids"].tolist()))
        split = one["input_ids"].tolist().index(2) + 1
        assert one["token_type_ids"].tolist() == [0] * split + [1] * (len(one["input_ids"]) - split)
    assert pairs[0] == {(1, 11, 12, 2, 13, 11, 2), (1, 13, 11, 2, 14, 2)}
    assert pairs[1] == {(1, 11, 12, 2, 14, 2), (1, 11, 12, 2, 15, 16, 2), (1, 13, 11, 2, 15, 16, 2)}
    seconds = [(21,), (22, 23), (31, 11)]
    assert pairs[2] == {(1, *first, 2, *second, 2) for first in ((11, 12), (13, 11)) for second in seconds}
    shares = [np.mean([one["distance_label"] == label for one in found]) for label in range(3)]
    assert shares == pytest.approx([1 / 3] * 3, abs=0.12)
    # a document of one sentence has neither neighbours nor others: every pair is of two documents
    assert {int(one["distance_label"]) for one in samples("sentence_distance", 3, 20)} == {2}


def test_no_sample_is_longer_than_allowed() -> None:
    for task in DOCUMENT_TASKS:
        found = dataset(task, max_length=7)
        for index in range(len(found)):
            for seed in range(20):
                with sample_scope(seed, 0, index):
                    assert len(found[index]["input_ids"]) <= min(7, found.lengths[index])


def test_evaluation_takes_the_tasks_in_turn_and_the_same_examples_each_time() -> None:
    found = dataset("sentence_distance", drawn=False)
    last = dict.fromkeys(DOCUMENT_TASKS, 1)
    found.schedule = Schedule([{"epochs": 1, "tasks": {"knowledge_masking": 1}}, {"tasks": last}])
    assert [int(found[index]["task_type_ids"][0]) for index in range(len(found))] == [0, 1, 2, 3][: len(found)]
    for index in range(len(found)):
        first, second = found[index], found[index]
        assert all(np.array_equal(first[name], second[name]) for name in first)


def test_tasks_join_and_are_kept() -> None:
    schedule = Schedule(
        [
            {"epochs": 2, "tasks": {"knowledge_masking": 1}},
            {"epochs": 1, "tasks": {"knowledge_masking": 1, "capitalisation": 3}},
            {"tasks": {"sentence_distance": 2, "capitalisation": 1, "knowledge_masking": 1}},
        ]
    )
    assert schedule.shares(0) == schedule.shares(1) == {"knowledge_masking": 1.0}
    assert schedule.shares(2) == {"knowledge_masking": 0.25, "capitalisation": 0.75}
    last = {"knowledge_masking": 0.25, "capitalisation": 0.25, "sentence_distance": 0.5}
    assert schedule.shares(3) == schedule.shares(99) == last
    assert schedule.names == ["knowledge_masking", "capitalisation", "sentence_distance"]
    found = dataset("capitalisation")
    found.schedule = schedule
    drawn: dict[int, list[int]] = {0: [], 2: [], 3: []}
    for epoch, seed in itertools.product(drawn, range(300)):
        with sample_scope(seed, epoch, 0):
            drawn[epoch].append(int(found[0]["task_type_ids"][0]))
    shares = {epoch: np.bincount(tasks, minlength=5) / 300 for epoch, tasks in drawn.items()}
    assert shares[0].tolist() == [1, 0, 0, 0, 0]
    assert shares[2] == pytest.approx([0.25, 0.75, 0, 0, 0], abs=0.1)
    assert shares[3] == pytest.approx([0.25, 0.25, 0, 0, 0.5], abs=0.1)


@pytest.mark.parametrize(
    "stages, message",
    [
        ([], r"task.stages is empty: say which tasks are learned"),
        ([{"tasks": {"masking": 1}}], r"task.stages.0.tasks: unknown task 'masking'; there are knowledge_masking, "),
        ([{"task": {"knowledge_masking": 1}}], r"task.stages.0 must be \{epochs: N, tasks: \{NAME: WEIGHT, ...\}\}"),
        ([{"tasks": {"knowledge_masking": 0}}], r"task.stages.0.tasks: weights must be positive"),
        (
            [{"tasks": {"knowledge_masking": 1}}, {"tasks": {"knowledge_masking": 1}}],
            r"task.stages.0.epochs must be a positive integer, not None",
        ),
        (
            [{"epochs": 1, "tasks": {"knowledge_masking": 1}}, {"tasks": {"capitalisation": 1}}],
            r"task.stages.1.tasks gives up knowledge_masking, and what it taught would be forgotten: keep it",
        ),
    ],
)
def test_mistakes_of_schedules(stages: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Schedule(stages)


def test_pairs_fit_where_a_document_stood_and_are_cut_where_none_is_short_enough() -> None:
    lengths = [(1, 1), (2, 3), (4, 6)]
    first, second = (Ragged.of([[10 * row + side] * pair[side] for row, pair in enumerate(lengths)]) for side in (0, 1))
    pairs = LabelledPairs(first, second, np.array([2, 0, 1]))
    source = np.random.default_rng(0)
    drawn = [pairs.drawn(8, source) for _ in range(40)]
    assert {int(label) for _, _, label in drawn} == {2, 0}
    for one, other, label in drawn:
        row = [2, 0].index(int(label))
        assert (one.tolist(), other.tolist()) == ([10 * row] * lengths[row][0], [10 * row + 1] * lengths[row][1])
    assert {int(pairs.drawn(13, source)[2]) for _ in range(60)} == {0, 1, 2}
    one, other, label = pairs.drawn(4, source)
    assert (one.tolist(), other.tolist(), int(label)) == ([0], [], 2)


def test_a_sample_of_pairs_has_both_texts_and_one_label() -> None:
    found = dataset("sentence_distance")
    pairs = LabelledPairs(Ragged.of([[7, 8]]), Ragged.of([[9]]), np.array([1]))
    found.pairs = {"discourse_relation": pairs, "retrieval_relevance": pairs}
    found.schedule = Schedule([{"tasks": {"retrieval_relevance": 1}}])
    with sample_scope(0, 0, 0):
        sample = found[0]
    assert sample["input_ids"].tolist() == [1, 7, 8, 2, 9, 2]
    assert sample["token_type_ids"].tolist() == [0, 0, 0, 0, 1, 1] and set(sample["task_type_ids"].tolist()) == {6}
    assert sample["retrieval_relevance_label"] == 1
    labels = [sample[name] for name in ("discourse_relation_label", "order_label", "distance_label")]
    assert labels == [-100] * 3 and (sample["capital_labels"] == -100).all() and (sample["labels"] == -100).all()
