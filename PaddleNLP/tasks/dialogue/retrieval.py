"""Which reply goes on with a conversation and fits facts: DuConv's retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core.io import Pad
from core.jit.input_spec import InputSpec
from core.train.runner.task import Program, Suggestion
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, Ragged
from PaddleNLP.evaluators.dialogue import SelectionEvaluator
from PaddleNLP.models.dialogue.retrieval import joined_ids
from PaddleNLP.tasks.ranking import Ranking


class KnowledgeSelection(Ranking):
    """Trains a network to distinguish replies that fit from others, by the conversation and by facts.

    Args:
        config: the experiment; dataset.variant says whether there are facts, network.knowledge_length how much of them
            is read.
        monitor: the number by which the best checkpoint is chosen.
        recall_at: for each number k, the share of right candidates among the k best of their group is given, too.
    """

    head = "reply_matching"
    reader = "knowledge_selection"

    def __init__(
        self, config: LanguageConfig, monitor: str = "recall_at_1", recall_at: Sequence[int] = (1, 2, 5)
    ) -> None:
        super().__init__(config, monitor, recall_at)
        self.numbers = [*self.numbers, "precision_at_1", "recall_2_at_1"]

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without facts for a network that reads some, besides what :class:`Ranking` refuses."""
        super().check_dataset(split, dataset)
        if self.steps and "knowledge" not in dataset.columns:
            message = "set network.knowledge_length: 0, or dataset.variant: match_kn"
            raise ValueError(f"data.{split} has no facts, but the network reads some; {message}")

    @property
    def steps(self) -> int:
        """How many tokens of goal and facts the network reads at most."""
        return int(self.config.network.arguments.get("knowledge_length", 0))

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids, segments, facts and labels of some replies."""
        samples = [dataset[number] for number in part]
        encode, length = self.tokenizer.encode_text, self.config.tokenizer.max_length
        pairs = [joined_ids(encode(one["text"]), encode(one["text_pair"]), length) for one in samples]
        found: dict[str, Column] = {
            "input_ids": Ragged.of([ids for ids, _ in pairs]),
            "token_type_ids": Ragged.of([segments for _, segments in pairs]),
            "label": self.labels([one["label"] for one in samples]),
        }
        if self.steps:
            found["knowledge_ids"] = Ragged.of([encode(one["knowledge"])[: self.steps] for one in samples])
        return found

    def padded(self) -> dict[str, Any]:
        """Return how fields are batched."""
        facts = Pad("knowledge", value=self.tokenizer.pad_token_id, mask=False)
        return {**super().padded(), "knowledge_ids": facts}

    def forward(self, fields: Mapping[str, Any]) -> Any:
        """Return the logits of a batch."""
        facts = (fields["knowledge_ids"],) if self.steps else ()
        return self.network(fields["input_ids"], fields["token_type_ids"], *facts)

    def evaluator(self, split: str) -> SelectionEvaluator:
        """Return an empty evaluator."""
        return SelectionEvaluator(self.class_names, self.groups(split, self.dataset(split)), self.recall_at)

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--file FILE", "choose replies: lines of DuConv with goal, history and candidate")]

    def program(self) -> Program:
        """Return the network from ids to logits, for any number and length of conversations."""
        names = ("input_ids", "token_type_ids", *(("knowledge_ids",) if self.steps else ()))
        specs = [InputSpec([None, None], "int64", name, examples={0: (2, 3), 1: (8, 12)}) for name in names]
        extra = {"preprocessing": self.stored(), "class_names": list(self.class_names)}
        text = f"{', '.join(str(spec.name) for spec in specs)} int64"
        return Program(core.jit.to_static(self.network), specs, text, extra)

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: how facts are read, and which marks stand for topics."""
        arguments = self.config.data.train.dataset.arguments
        return {
            "knowledge_length": self.steps,
            "generalized": arguments.get("variant", "match_kn") == "match_kn_gene",
            "by_characters": bool(arguments.get("characters", True)),
        }
