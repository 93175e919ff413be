"""What an evaluation gathers of translations: BLEU, and how surprising the right ones are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator
from PaddleNLP.metrics.bleu import Bleu, Tokenize, corpus_bleu
from PaddleNLP.readers.translation import Translated


class TranslationEvaluator(Evaluator):
    """BLEU of translations, and the perplexity of the right ones' tokens.

    Args:
        references: the right translations, by a sample's number.
        tokenize: how texts are cut into words for BLEU.
        text: how translations were found, in words.
    """

    def __init__(self, references: Sequence[str], tokenize: Tokenize, text: str) -> None:
        self._references = references
        self._tokenize: Tokenize = tokenize
        self._told = text
        self._found: dict[int, Translated] = {}
        self._loss = 0.0
        self._tokens = 0
        self._bleu: Optional[Bleu] = None

    def update(self, outputs: Any, batch: Any) -> None:
        """Take in the translations of a batch, and the sum and number of its tokens' losses."""
        translations, loss, tokens = outputs
        self._found.update(zip(batch["index"].numpy().tolist(), translations))
        self._loss += loss
        self._tokens += tokens
        self._bleu = None

    @property
    def bleu(self) -> Bleu:
        """BLEU of what was taken in."""
        if self._bleu is None:
            pairs = [(found.text, self._references[number]) for number, found in sorted(self._found.items())]
            self._bleu = corpus_bleu([one for one, _ in pairs], [other for _, other in pairs], self._tokenize)
        return self._bleu

    def result(self) -> dict[str, float]:
        """Return "bleu", from 0 to 100, and "perplexity" of the tokens of right translations."""
        if not self._found:
            return {}
        return {"bleu": self.bleu.score, "perplexity": math.exp(min(self._loss / self._tokens, 700.0))}

    def details(self) -> dict[str, Any]:
        """Return sacrebleu's signature, and how many translations have no end."""
        return {} if not self._found else {"bleu_signature": self.bleu.signature, "without_end": self._without_end()}

    def lines(self) -> list[str]:
        """Return BLEU with its parts and its signature, and how translations were found."""
        if not self._found:
            return []
        cut = self._without_end()
        endless = f"; {cut:,} of {len(self._found):,} were cut off before an end" if cut else ""
        return [self.bleu.summary, f"signature: {self.bleu.signature}", f"{self._told}{endless}"]

    def _without_end(self) -> int:
        return sum(not found.ended for found in self._found.values())

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each sample its number, the right translation and the one that was found."""
        file = ResultFile("predictions.jsonl")
        for number, found in sorted(self._found.items()):
            file.append({"index": number, "reference": self._references[number], **found.record()})
        return [file.write(folder)]


class VariationalEvaluator(TranslationEvaluator):
    """The same of an autoencoder's sentences, and the two parts of the bound on their surprise.

    Args are those of :class:`TranslationEvaluator`.
    """

    def __init__(self, references: Sequence[str], tokenize: Tokenize, text: str) -> None:
        super().__init__(references, tokenize, text)
        self._divergence = 0.0

    def update(self, outputs: Any, batch: Any) -> None:
        """Take in a batch: beside a translation's outputs the sum of the divergences."""
        super().update(outputs[:3], batch)
        self._divergence += outputs[3]

    def result(self) -> dict[str, float]:
        """Return besides "kl" and "reconstruction", nats of a sentence, and "bound", their sum."""
        if not self._found:
            return {}
        kl, reconstruction = (total / len(self._found) for total in (self._divergence, self._loss))
        return {**super().result(), "kl": kl, "reconstruction": reconstruction, "bound": kl + reconstruction}
