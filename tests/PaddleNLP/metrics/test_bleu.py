"""BLEU: a hand computation, sacrebleu's signature, and what does not fit."""

from __future__ import annotations

import math
import sys

import pytest

from core.kernels.engine.requirements import PackageError
from PaddleNLP.metrics import bleu


def test_bleu_is_the_one_computed_by_hand() -> None:
    found = bleu.corpus_bleu(["a b c d e f", "x y"], ["a b c d e g h", "x y"], "none")
    shares = (7 / 8, 5 / 6, 3 / 4, 2 / 3)  # of words in rows of one to four; of 8 words, and 9 in the references
    wanted = 100 * math.exp(sum(map(math.log, shares)) / 4) * math.exp(1 - 9 / 8)
    assert found.score == pytest.approx(wanted)
    assert found.signature.startswith("nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:")
    assert found.summary.startswith(f"BLEU = {wanted:.2f} 87.5/83.3/75.0/66.7")


def test_punctuation_is_cut_off_as_mteval_does() -> None:
    assert bleu.corpus_bleu(["Ein Mann, allein."], ["Ein Mann , allein ."]).score == pytest.approx(100)


def test_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="BLEU: 1 translations, and 2 references"):
        bleu.corpus_bleu(["a"], ["a", "b"])

    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(PackageError, match="BLEU is measured by sacrebleu, which is not installed: pip"):
        bleu.corpus_bleu(["a"], ["a"])
