"""Which response goes on with a conversation (DAM, ADE's first stage), and how good one is (ADE's second)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.dialogue.conversations import Keep, cut_ids, fitted, said_and_reply
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.evaluators.dialogue import SelectionEvaluator
from PaddleNLP.evaluators.numbers import RegressionEvaluator
from PaddleNLP.tasks.choices import StackedTask
from PaddleNLP.tasks.classification import Regression, SequenceTask
from PaddleNLP.tasks.ranking import Ranking


class ConversationTask(StackedTask, SequenceTask):
    """A task whose network reads the turns of a conversation and a response one by one, (N, turns + 1, L)."""

    keep: Keep = "last"
    turns = 1

    def set_sizes(self, turns: int, keep: Keep) -> None:
        """Take how many turns are read, and which are kept where there are more.

        Raises:
            ValueError: there is no turn.
        """
        if turns < 1:
            raise ValueError(f"task.turns must be at least 1, not {turns}")
        self.turns, self.keep = turns, keep
        self.inputs = (None, turns + 1, None)

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without responses, besides what other tasks refuse."""
        super().check_dataset(split, dataset)
        if "text_pair" not in dataset.columns:
            message = "dataset.name: ContextResponseRows, MatchingPickle and DialogueMatchDataset read some"
            raise ValueError(f"data.{split} has no responses to conversations; {message}")

    def rows(self, samples: Sequence[Mapping[str, Any]]) -> tuple[list[str], Optional[list[str]], list[int]]:
        """Return the turns of each conversation, and the response."""
        found: list[str] = []
        for sample in samples:
            turns, response = said_and_reply(sample)
            found += [*fitted(turns, self.turns, self.keep), response]
        return found, None, [self.turns + 1] * len(samples)

    def tokens(self, texts: Sequence[Any], pairs: Optional[Sequence[Any]] = None, **options: Any) -> dict[str, Any]:
        """Return the ids of texts without special tokens; of longer ones the first or the last."""
        columns = cut_ids(self.tokenizer, texts, self.config.tokenizer.max_length, self.keep)
        return {"input_ids": Ragged.of(columns["input_ids"])}

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids and labels of some conversations."""
        samples = [dataset[number] for number in part]
        if "label" not in samples[0]:
            raise ValueError(f"data.{split} has no labels: infer.py predicts them")
        return {**self.stacked_ids(samples), "label": self.labels([sample["label"] for sample in samples])}

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: how many turns are read, and which are kept."""
        return {**super().reader_settings(), "turns": self.turns, "keep": self.keep}


class ResponseSelection(ConversationTask, Ranking):
    """Trains a network to distinguish responses that fit from others; it is judged by their order among candidates.

    Args:
        config: the experiment.
        turns: of a conversation that are read: 9 in DAM's programs; 1: the conversation is one text, as in ADE's.
        keep: which turns, and tokens, of longer ones are kept: DAM's programs keep the last, ADE's the first.
        monitor: the number by which the best checkpoint is chosen.
        recall_at: for each number k, the share of right candidates among the k best of their group is given, too.
    """

    head = "response_matching"
    reader = "selection"

    def __init__(
        self,
        config: LanguageConfig,
        turns: int = 9,
        keep: Keep = "last",
        monitor: str = "recall_at_1",
        recall_at: Sequence[int] = (1, 2, 5),
    ) -> None:
        Ranking.__init__(self, config, monitor, recall_at)
        self.numbers = [*self.numbers, "precision_at_1", "recall_2_at_1"]
        self.set_sizes(turns, keep)

    def evaluator(self, split: str) -> SelectionEvaluator:
        """Return an empty evaluator."""
        return SelectionEvaluator(self.class_names, self.groups(split, self.dataset(split)), self.recall_at)


class ResponseQuality(ConversationTask, Regression):
    """Trains a network to give the number that people would give a response, from 0 to 2.

    Args:
        config: the experiment.
        turns: as in :class:`ResponseSelection`, as is ``keep``.
        keep: see there.
    """

    head = "response_quality"
    reader = "quality"
    monitor = "spearman"

    def __init__(self, config: LanguageConfig, turns: int = 1, keep: Keep = "first") -> None:
        Regression.__init__(self, config)
        self.set_sizes(turns, keep)

    def evaluator(self, split: str) -> RegressionEvaluator:
        """Return an empty evaluator."""
        return RegressionEvaluator()
