"""What is reported of translations that were cut off."""

from __future__ import annotations

import numpy as np
import pytest

import core
from PaddleNLP.evaluators.translation import TranslationEvaluator
from PaddleNLP.readers.translation import Translated


@pytest.mark.parametrize(("ended", "text"), [(True, "greedy"), (False, "greedy; 1 of 2 were cut off before an end")])
def test_translations_without_an_end_are_counted(ended: bool, text: str) -> None:
    evaluator = TranslationEvaluator(["a b c d", "e f g h"], "13a", "greedy")
    found = [Translated("a b c d", -0.1, True, 4), Translated("e f g h", -0.2, ended, 4)]
    evaluator.update((found, 8.0, 8), {"index": core.to_tensor(np.arange(2))})
    assert evaluator.lines()[-1] == text and evaluator.details()["without_end"] == int(not ended)
    assert evaluator.result() == {"bleu": pytest.approx(100.0), "perplexity": pytest.approx(np.e)}
    assert found[1].describe() == ("e f g h" if ended else "e f g h [no end within 4 tokens]")
