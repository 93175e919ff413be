"""What counting gives, beside a small network: masked tokens by n-grams, and TF-IDF with logistic regression."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.runs import ROOT
from core.train import load_config
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.pretraining.masked_words import NONE
from PaddleNLP.metrics.chunks import ChunkMetric
from PaddleNLP.tasks.pretraining import Pretraining

STRENGTHS = (0.3, 1, 3, 10, 30)
"""Inverse strengths of regularisation, of which the dev part chooses."""

Context = tuple[str, int, int]
"""The kind of a context, and the tokens in it."""


def masked_by_counts(folder: Path) -> dict[str, float]:
    """Return which share of the masked tokens of a pretraining run's valid part counts of its training part tell.

    The likeliest token is always the same ("unigram"); that which most often follows the two tokens before ("trigram");
    or that which most often occurs between both neighbours ("around"). Where a context never occurred, as where it is
    masked itself, a shorter one counts.

    Args:
        folder: the run's.
    """
    changes = ["tokenizer.learn=null", f"tokenizer.vocab_file={folder / 'tokenizer/vocab.txt'}"]
    config = load_config(LanguageConfig, folder / "config.yaml", changes)
    task = Pretraining(config, **config.task.arguments)
    columns = task.fields("train").encoded.columns  # type: ignore[attr-defined]  # a MaskedDataset
    counts: dict[Context, collections.Counter[int]] = collections.defaultdict(collections.Counter)
    ids, segments = columns["input_ids"], columns["segments"]
    for number in range(len(ids)):
        row = [0, *ids[number].tolist(), 0]
        for place in np.flatnonzero(segments[number] >= 0).tolist():
            for kind in KINDS.values():
                for context in kind(row, place + 1):
                    counts[context][row[place + 1]] += 1
    best = {context: found.most_common(1)[0][0] for context, found in counts.items()}
    right, count = collections.Counter(), 0
    valid = task.fields("valid")
    for number in range(len(valid)):  # type: ignore[arg-type]  # it has a length
        sample = valid[number]
        row = [0, *sample["input_ids"].tolist(), 0]
        for place, label in zip(sample["places"].tolist(), sample["labels"].tolist()):
            if label == NONE:
                continue
            count += 1
            for name, kind in KINDS.items():
                found = next(best[context] for context in kind(row, place + 1) if context in best)
                right[name] += found == label
    return {**{name: right[name] / count for name in KINDS}, "tokens": count}


def _unigram(row: Sequence[int], place: int) -> list[Context]:
    return [("", 0, 0)]


def _trigram(row: Sequence[int], place: int) -> list[Context]:
    before = row[place - 1]
    return [("before", row[place - 2] if place > 1 else 0, before), ("before", -1, before), ("", 0, 0)]


def _around(row: Sequence[int], place: int) -> list[Context]:
    before, behind = row[place - 1], row[place + 1]
    return [("around", before, behind), ("before", -1, before), ("behind", -1, behind), ("", 0, 0)]


KINDS = {"unigram": _unigram, "trigram": _trigram, "around": _around}


def fitted(config: str, data: Path) -> dict[str, float]:
    """Return what logistic regression on TF-IDF of characters reaches on the dev and the test part of a config's data.

    Args:
        config: its name, such as "small_tnews_ernie".
        data: the folder of its files.
    """
    options = [f"data.root={str(data)!r}"]
    loaded = load_config(LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{config}.yaml", options)
    splits = {split: loaded.data.build_dataset(split) for split in ("train", "valid", "test")}
    samples = {split: [one[number] for number in range(len(one))] for split, one in splits.items()}
    if "tokens" in samples["train"][0]:
        return _tagged(samples, splits["train"].labels)
    labels = {split: np.array([sample["label"] for sample in part]) for split, part in samples.items()}
    features = _features(samples)
    scores = {}
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=1000).fit(features["train"], labels["train"])
        scores[strength] = {split: float(model.score(features[split], labels[split])) for split in ("valid", "test")}
    return max(scores.values(), key=lambda score: score["valid"])


def _features(samples: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return TF-IDF of character n-grams up to 3; of pairs the differences and the products of both texts'."""
    keys = [key for key in ("text", "text_pair") if key in samples["train"][0]]
    grams = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True, min_df=2)
    grams.fit([sample[key] for sample in samples["train"] for key in keys])
    found = {}
    for split, part in samples.items():
        sides = [grams.transform([sample[key] for sample in part]) for key in keys]
        found[split] = sides[0] if len(sides) == 1 else scipy.sparse.hstack(
            [abs(sides[0] - sides[1]), sides[0].multiply(sides[1])], format="csr"
        )
    return found


def _tagged(samples: dict[str, list[dict[str, Any]]], names: Sequence[str]) -> dict[str, float]:
    """Return F1 of chunks where each character's tag is predicted by TF-IDF of the characters around it."""
    grams = TfidfVectorizer(analyzer=lambda features: features, min_df=2)
    numbers = {name: number for number, name in enumerate(names)}
    windows = {split: [one for sample in part for one in _windows(sample["tokens"])] for split, part in samples.items()}
    tags = {split: [numbers[tag] for sample in part for tag in sample["tags"]] for split, part in samples.items()}
    grams.fit(windows["train"])
    scores = {}
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=1000).fit(grams.transform(windows["train"]), tags["train"])
        scores[strength] = {}
        for split in ("valid", "test"):
            metric, start = ChunkMetric(names), 0
            predicted = model.predict(grams.transform(windows[split]))
            for sample in samples[split]:
                end = start + len(sample["tokens"])
                row = np.array(tags[split][start:end])[None]
                metric.add(predicted[start:end][None], row, np.array([end - start]))
                start = end
            scores[strength][split] = float(metric.result()["f1"])
    return max(scores.values(), key=lambda score: score["valid"])


def _windows(tokens: Sequence[str]) -> list[list[str]]:
    """Return of each character what is around it: single ones with their places, and pairs."""
    padded = ["", "", *tokens, "", ""]
    return [
        [f"{offset}:{padded[place + offset]}" for offset in range(-2, 3)]
        + [f"{offset}{offset + 1}:{padded[place + offset]}{padded[place + offset + 1]}" for offset in range(-2, 2)]
        for place in range(2, len(padded) - 2)
    ]
