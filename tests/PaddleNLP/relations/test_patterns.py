"""Trusted patterns of relations, where entities are in a sentence, and the drawn set whose labels are partly wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from PaddleNLP.data.drawn.distant import NEUTRAL, RELATIONS, write_distant
from PaddleNLP.relations.entity_pairs import pair_columns, pattern_of
from PaddleNLP.relations.patterns import confidence, frequent_patterns, grown, redistributed

PATTERNS = ["born in", "born in", "saw", "lived in", "works at", "saw", "left"]
LABELS = ["birth", "birth", "birth", "birth", "job", "job", "None"]


def test_the_most_frequent_patterns_of_each_relation_come_first() -> None:
    assert frequent_patterns(PATTERNS, LABELS, "None") == {"birth": ["born in"], "job": ["saw"]}
    assert frequent_patterns(PATTERNS, LABELS, "None", 0.5) == {"birth": ["born in", "lived in"], "job": ["saw"]}
    assert frequent_patterns(PATTERNS, LABELS, "None", 1.0, 2)["birth"] == ["born in", "lived in"]


def test_instances_without_a_trusted_pattern_have_no_relation() -> None:
    labels, matched = redistributed(PATTERNS, LABELS, "None", {"birth": ["born in"], "job": ["works at"]})
    assert labels == ["birth", "birth", "None", "None", "job", "None", "None"]
    assert matched.tolist() == [True, True, False, False, True, False, False]


def test_confidence_is_one_over_one_and_the_divergence() -> None:
    guide = np.array([1, 0, 1, 0])
    assert confidence(np.array([0.5, 0, 0.5, 0]), guide) == pytest.approx(1)
    divergence = 0.5 * np.log(0.5 / 0.4) + 0.5 * np.log(0.5 / 0.2)
    assert confidence(np.array([0.4, 0.3, 0.2, 0.1]), guide) == pytest.approx(1 / (1 + divergence))
    assert 0 < confidence(np.array([0, 1.0, 0, 0]), guide) < 0.03


def test_patterns_that_are_explained_join() -> None:
    confidences = np.array([0.9, 0.9, 0.4, 0.8, 0.6, 0.7, 0.99])
    found = grown({"birth": ["born in"]}, PATTERNS, LABELS, confidences, "None")
    assert found == {"birth": ["born in", "lived in"], "job": ["saw", "works at"]}
    assert grown({}, PATTERNS, LABELS, confidences, "None", added=1) == {"birth": ["born in"], "job": ["saw"]}
    assert grown({"job": []}, PATTERNS, LABELS, confidences, "None", 0.65)["job"] == ["saw"]


def test_places_types_and_the_guide_of_a_pair() -> None:
    sample = {"text": "Then Ann Lee moved to Rome .", "first": (5, 12), "second": (22, 26)}
    sample.update({"first_type": "PERSON", "second_type": "CITY"})
    offsets = [(0, 4), (5, 8), (9, 12), (13, 18), (19, 21), (22, 26), (27, 28)]
    found = pair_columns(sample, offsets, ["", "CITY", "PERSON"])
    assert found["first"] == [-1, 0, 0, 1, 2, 3, 4] and found["second"] == [-5, -4, -3, -2, -1, 0, 1]
    assert found["types"] == [0, 2, 2, 0, 0, 1, 0] and found["guide"] == [0, 1, 1, 1, 1, 1, 0]
    assert pattern_of(sample) == "moved to"
    turned = {**sample, "first": sample["second"], "second": sample["first"]}
    assert pattern_of(turned) == "< moved to"
    cut = pair_columns(sample, offsets[:4], [""])
    assert cut["second"] == [-3, -2, -1, 0] and cut["types"] == [0] * 4 and cut["guide"] == [0, 1, 1, 1]
    assert pair_columns(sample, [], [""]) == {"first": [], "second": [], "types": [], "guide": []}


def test_three_in_ten_drawn_labels_are_wrong_and_pairs_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("PaddleNLP.data.drawn.distant.COUNTS", {"train": 900, "dev_part": 500, "test_part": 500})
    assert write_distant(tmp_path) == ["train.json", "dev_part.json", "test_part.json"]
    rows = {file.stem: [json.loads(line) for line in file.read_text().splitlines()] for file in tmp_path.iterdir()}
    pairs = {}
    for part, own in rows.items():
        mentions = [row["relationMentions"][0] for row in own]
        pairs[part] = {(one["em1Text"], one["em2Text"]) for one in mentions if one["label"] != "None"}
        stated = [any(word in row["sentText"].split() for word in RELATIONS.get(one["label"], ("", "", ()))[2])
                  for row, one in zip(own, mentions)]  # fmt: skip
        wrong = [one["label"] != "None" and not right for one, right in zip(mentions, stated)]
        assert np.mean(wrong) == pytest.approx(0.3, abs=0.06)
        assert part == "train" or [one["is_noise"] for one in mentions] == wrong
        assert all(right or any(word in row["sentText"] for word in NEUTRAL) for row, right in zip(own, stated))
    assert not pairs["train"] & (pairs["dev_part"] | pairs["test_part"]) and not pairs["dev_part"] & pairs["test_part"]
    before = (tmp_path / "train.json").read_bytes()
    write_distant(tmp_path, shuffled=True)
    dealt = [
        json.loads(line)["relationMentions"][0]["label"] for line in (tmp_path / "train.json").read_text().splitlines()
    ]
    kept = [json.loads(line)["relationMentions"][0]["label"] for line in before.splitlines()]
    assert sorted(dealt) == sorted(kept) and dealt != kept
