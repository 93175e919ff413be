"""Drawn reviews: their labels, found by reading them once more; what the parts share; what n-grams make of them."""

from __future__ import annotations

import hashlib
import pickle

import pytest

from PaddleNLP.data.dataset import shuffled_labels
from PaddleNLP.data.drawn.reviews import FORMS, SET_ASIDE_FIRST, SET_ASIDE_LAST, TOPICS, DrawnReviews, combinations

FIRST_COUNTS = ("虽然", "尽管", "哪怕别人都说", "并不像网上说的")
"""Where these stand inside of a review, what is before them counts."""


def label_by_reading(text: str) -> str:
    """Judge a review as its reader would: which part counts, and is what it says of the aspect negated?"""
    for word in FIRST_COUNTS:
        before, found, _ = text.partition("，" + word)
        if found and any(aspect in before for aspects, _ in TOPICS for aspect in aspects):
            text = before
            break
    pairs = [pair for _, pairs in TOPICS for pair in pairs]
    words = [(text.rfind(word), len(word), praise) for pair in pairs for praise, word in enumerate(pair)]
    place, _, praise = max(words)
    before = text[:place]
    negations = sum(before.endswith(form.split("{}")[0]) for form in FORMS[1])
    twice = any(before.endswith(form.split("{}")[0]) for form in FORMS[2])
    return ("negative", "positive")[praise ^ (negations > 0 and not twice)]


@pytest.mark.parametrize("split, count", [("train", 4000), ("valid", 500), ("test", 1000)])
def test_a_reader_finds_every_label(split: str, count: int) -> None:
    reviews = DrawnReviews(split)
    assert len(reviews) == count and reviews.labels == ["negative", "positive"]
    samples = list(reviews)
    assert all(sample["label"] == label_by_reading(sample["text"]) for sample in samples)
    assert sum(sample["label"] == "positive" for sample in samples) == count // 2
    assert len({sample["text"] for sample in samples}) == count


def test_parts_share_aspects_words_and_constructions_but_no_combination() -> None:
    parts = {split: set(combinations(split)) for split in ("train", "valid", "test")}
    assert sum(map(len, parts.values())) == len(set().union(*parts.values())) == 4 * 5 * 5 * 2 * 9
    for place in [(0, 1), (0, 2, 3), (4,), (5,)]:
        kinds = [{tuple(row[axis] for axis in place) for row in part} for part in parts.values()]
        assert kinds[1] <= kinds[0] and kinds[2] <= kinds[0]
    texts = {split: {sample["text"] for sample in DrawnReviews(split)} for split in parts}
    assert not texts["train"] & texts["test"] and not texts["train"] & texts["valid"]


def test_both_orders_of_contrast_occur() -> None:
    texts = [sample["text"] for sample in DrawnReviews("test")]
    for frame in (*SET_ASIDE_FIRST, *SET_ASIDE_LAST):
        middle = frame.replace("{main}", "{aside}").split("{aside}")[1]
        assert sum(middle in text for text in texts) > 20


def test_reviews_are_the_same_always() -> None:
    text = "\n".join(f"{sample['text']}\t{sample['label']}" for sample in DrawnReviews("train"))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "952646cf645122b9"
    assert DrawnReviews("train", seed=1)[0] != DrawnReviews("train")[0]
    again = pickle.loads(pickle.dumps(DrawnReviews("valid")))
    assert list(again) == list(DrawnReviews("valid"))


def test_ngrams_tell_little() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    linear = pytest.importorskip("sklearn.linear_model")
    train, test = (list(DrawnReviews(split)) for split in ("train", "test"))
    features = text.TfidfVectorizer(analyzer="char", ngram_range=(1, 2))
    seen = features.fit_transform([sample["text"] for sample in train])
    model = linear.LogisticRegression(C=10, solver="liblinear").fit(seen, [sample["label"] for sample in train])
    unseen = features.transform([sample["text"] for sample in test])
    assert model.score(unseen, [sample["label"] for sample in test]) < 0.7


def test_a_wrong_argument_is_named() -> None:
    with pytest.raises(ValueError, match="split must be one of train, valid, test, not 'dev'"):
        DrawnReviews("dev")
    with pytest.raises(ValueError, match="count must be from 1 to 100,000, not 0"):
        DrawnReviews(count=0)


def test_shuffled_labels_are_the_same_labels_of_other_samples() -> None:
    reviews = DrawnReviews("test")
    dealt = shuffled_labels(reviews, seed=3)
    assert [sample["text"] for sample in dealt] == [sample["text"] for sample in reviews]
    before, after = ([sample["label"] for sample in found] for found in (reviews, dealt))
    assert sorted(before) == sorted(after)
    assert 400 < sum(first == second for first, second in zip(before, after)) < 600
