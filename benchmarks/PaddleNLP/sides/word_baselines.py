"""What counting gives beside networks on words: TF-IDF of words and of pairs of words, with logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.PaddleNLP.sides.small_ernie_baselines import STRENGTHS
from benchmarks.runs import ROOT
from core.train import load_config
from PaddleNLP.config import LanguageConfig


def fitted(config: str, data: Path, changes: Sequence[str]) -> dict[str, float]:
    """Return what logistic regression reaches on the dev and the test part of a config's data; the dev part chooses.

    Args:
        config: its name, such as "senta/chnsenticorp_bow".
        data: the folder of its files.
        changes: of the config.
    """
    options = [*changes, f"data.root={str(data)!r}"]
    loaded = load_config(LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{config}.yaml", options)
    segmenter = loaded.tokenizer.arguments.get("segmenter", "spaces")
    splits = {split: loaded.data.build_dataset(split) for split in ("train", "valid", "test")}
    samples = {split: [one[number] for number in range(len(one))] for split, one in splits.items()}
    keys = [key for key in ("text", "text_pair") if key in samples["train"][0]]
    cut: Any = str.split if segmenter == "spaces" else list
    grams = TfidfVectorizer(tokenizer=cut, token_pattern=None, lowercase=False, ngram_range=(1, 2), sublinear_tf=True)
    grams.fit([sample[key] for sample in samples["train"] for key in keys])
    features, labels = {}, {}
    for split, part in samples.items():
        sides = [grams.transform([sample[key] for sample in part]) for key in keys]
        both = [abs(sides[0] - sides[-1]), sides[0].multiply(sides[-1])]
        features[split] = sides[0] if len(sides) == 1 else scipy.sparse.hstack(both, format="csr")
        labels[split] = np.array([sample["label"] for sample in part])
    best: dict[str, float] = {"valid": -1.0}
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=1000).fit(features["train"], labels["train"])
        found = {split: float(model.score(features[split], labels[split])) for split in ("valid", "test")}
        if len(model.classes_) == 2:
            found["test auc"] = float(roc_auc_score(labels["test"], model.predict_proba(features["test"])[:, 1]))
        best = max(best, found, key=lambda one: one["valid"])
    return best
