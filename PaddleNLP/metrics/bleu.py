"""BLEU by sacrebleu, which makes figures comparable: its signature says how one came about.

Papers: Papineni et al. 2002, https://aclanthology.org/P02-1040; Post 2018, https://arxiv.org/abs/1804.08771.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from core.utils import try_import

MISSING = "BLEU is measured by sacrebleu, which is not installed: pip install sacrebleu"
Tokenize = Literal["13a", "intl", "zh", "char", "none"]


class Bleu(NamedTuple):
    """BLEU of texts.

    Attributes:
        score: from 0 to 100.
        signature: sacrebleu's.
        summary: the score with the precisions and the brevity penalty.
    """

    score: float
    signature: str
    summary: str


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str], tokenize: Tokenize = "13a") -> Bleu:
    """Return the BLEU of translations.

    Args:
        hypotheses: the translations.
        references: the right ones, in the same order.
        tokenize: how sacrebleu cuts texts into words: "13a" as mteval does; "none" where they are cut already.

    Raises:
        ValueError: there are not as many of both.
        PackageError: sacrebleu is not installed.
    """
    if len(hypotheses) != len(references):
        raise ValueError(f"BLEU: {len(hypotheses)} translations, and {len(references)} references")
    metric = try_import("sacrebleu.metrics", MISSING).BLEU(tokenize=tokenize)
    found = metric.corpus_score(list(hypotheses), [list(references)])
    return Bleu(float(found.score), str(metric.get_signature()), found.format(signature=""))
