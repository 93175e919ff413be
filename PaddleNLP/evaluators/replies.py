"""What an evaluation gathers of replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator
from PaddleNLP.metrics.replies import character_f1, distinct, reply_bleu
from PaddleNLP.readers.dialogue.replies import Replied


class ReplyEvaluator(Evaluator):
    """BLEU, DISTINCT and F1 of the first reply to each sample, and how many different ones there are.

    Args:
        dataset: its samples have "target", and perhaps "facts".
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._found: dict[int, Replied] = {}
        self._losses: list[float] = []

    def update(self, outputs: Any, batch: Any) -> None:
        """Take in the replies to a batch's samples, and its loss."""
        replies, loss = outputs
        self._found.update(zip(batch["index"].numpy().tolist(), replies))
        self._losses.append(loss)

    def result(self) -> dict[str, float]:
        """Return "f1", "bleu_1", "bleu_2", "distinct_1", "distinct_2", "exact" and "loss".

        Of data with facts also "right_fact": of samples whose right reply names what a fact says (its last word), how
        many replies name it. Of networks with several replies also "different", how many there are of one sample,
        "exact_of_all", of how many samples the right one is among them, "distinct_1_of_all" and "distinct_2_of_all".
        """
        if not self._found:
            return {}
        numbers = sorted(self._found)
        samples = [self._dataset[number] for number in numbers]
        first, right = [self._found[number].texts[0] for number in numbers], [one["target"] for one in samples]
        bleu = reply_bleu(first, right)
        found = {
            "f1": character_f1(first, right),
            "bleu_1": bleu[0],
            "bleu_2": bleu[1],
            "distinct_1": distinct(first, 1),
            "distinct_2": distinct(first, 2),
            "exact": float(np.mean([own.split() == other.split() for own, other in zip(first, right)])),
            "loss": float(np.mean(self._losses)),
        }
        if "facts" in samples[0]:
            wanted = [_named(one["target"], one["facts"]) for one in samples]
            hits = [names <= set(own.split()) for names, own in zip(wanted, first) if names]
            found["right_fact"] = float(np.mean(hits)) if hits else 0.0
        every = [text for number in numbers for text in self._found[number].texts]
        if len(every) > len(numbers):
            among = [one["target"].split() in _words(self._found[number]) for number, one in zip(numbers, samples)]
            found["exact_of_all"] = float(np.mean(among))
            found["different"] = float(np.mean([len(set(self._found[number].texts)) for number in numbers]))
            found.update({f"distinct_{count}_of_all": distinct(every, count) for count in (1, 2)})
        return found

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each sample its number, the right reply, and those that were found."""
        file = ResultFile("predictions.jsonl")
        for number, found in sorted(self._found.items()):
            file.append({"index": number, "target": self._dataset[number]["target"], **found.record()})
        return [file.write(folder)]


def _words(found: Replied) -> list[list[str]]:
    """Return the words of each reply."""
    return [text.split() for text in found.texts]


def _named(reply: str, facts: list[str]) -> set[str]:
    """Return the last words of facts that a reply names."""
    words = set(reply.split())
    return {fact.split()[-1] for fact in facts if fact.split()} & words
