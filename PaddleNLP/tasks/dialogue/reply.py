"""What to reply: DuConv's generation with facts, and MMPMS's several replies to a post."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

import core
from core import nn
from core.io import Pad
from core.jit.input_spec import InputSpec
from core.text.generation import Generation
from core.train.runner.task import Program, Suggestion
from PaddleNLP.config import LanguageConfig
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged, texts_of
from PaddleNLP.data.stacked import stacked
from PaddleNLP.evaluators.replies import ReplyEvaluator
from PaddleNLP.models.registry import MODELS
from PaddleNLP.readers.dialogue.replies import Replied, replied
from PaddleNLP.tasks.base import LanguageTask
from PaddleNLP.tasks.beams import check_beams
from PaddleNLP.tokenizing import build_tokenizer

START, END = "<bos>", "<eos>"
"""Words that stand around a reply; official vocabularies have them."""


class Replier(nn.Layer):
    """A network with how it searches: from texts' ids to replies.

    Args:
        network: has ``generate``.
        settings: how it searches.
    """

    def __init__(self, network: Any, settings: Generation) -> None:
        super().__init__()
        self.network, self.settings = network, settings

    def forward(self, input_ids: Any, fact_ids: Any = None) -> tuple[Any, ...]:
        """Return tokens, int64 (N, S, max_length), scores, lengths and whether they ended, (N, S).

        Args:
            input_ids: int64 (N, L).
            fact_ids: int64 (N, K, F), of a network that takes facts.
        """
        given = (input_ids,) if fact_ids is None else (input_ids, fact_ids)
        return tuple(self.network.generate(*given, self.settings))


class Reply(LanguageTask):
    """Trains a network that writes a reply.

    Args:
        config: the experiment.
        stage: "all": by the whole loss; "bow": DuConv's first stage, by the words of the reply in any order alone,
            which is followed by a run of stage "all" that begins with its weights.
        beam_size: sequences that a search follows; 1: the best token each time.
        length_penalty: the power of (5 + length) / 6 that scores are divided by (Wu et al. 2016).
        max_length: tokens of a reply at most, the end included.
        min_length: tokens before the end at least.
        temperature: above 0: replies are drawn, from scores that are divided by it; 0: they are searched for.
        monitor: the number by which the best checkpoint is chosen.
    """

    numbers = (
        *("f1", "bleu_1", "bleu_2", "distinct_1", "distinct_2", "exact", "loss", "right_fact", "exact_of_all"),
        *("different", "distinct_1_of_all", "distinct_2_of_all"),
    )
    head = "encoder"
    reader = "reply"
    labelled = False

    def __init__(
        self,
        config: LanguageConfig,
        stage: Literal["all", "bow"] = "all",
        beam_size: int = 1,
        length_penalty: float = 0.0,
        max_length: int = 30,
        min_length: int = 0,
        temperature: float = 0.0,
        monitor: str = "f1",
    ) -> None:
        super().__init__(config)
        if stage not in ("all", "bow"):
            raise ValueError(f"task.stage is all or bow, not {stage!r}")
        if stage == "bow" and not self.takes_facts:
            raise ValueError(f"task.stage: {config.network.name} has no stage bow; leave it out")
        if temperature < 0:
            raise ValueError(f"task.temperature must be at least 0, not {temperature}")
        self.stage, self.monitor = stage, monitor
        self.how: dict[str, Any] = {
            "max_length": max_length,
            "min_length": min_length,
            "strategy": "sampling" if temperature else "greedy" if beam_size == 1 else "beam",
            "beam_size": beam_size,
            "temperature": temperature or 1.0,
            "length_penalty": length_penalty,
        }
        try:
            Generation(0, 1, **self.how)
        except ValueError as error:
            raise ValueError(f"task.{str(error).split(': ', 1)[1]}") from None

    @property
    def takes_facts(self) -> bool:
        """Whether the network reads facts."""
        kind = MODELS.resolve(self.config.network.name)
        if not hasattr(kind, "takes_facts"):
            raise ValueError(f"network.name: {self.config.network.name} does not reply; duconv_generation and mmpms do")
        return bool(kind.takes_facts)

    @functools.cached_property
    def tokenizer(self) -> Any:
        """What makes ids of texts; a vocabulary that is learned has the words around replies, too."""
        if self._folder is not None or self.config.tokenizer.learn is None:
            return super().tokenizer
        texts = texts_of(self.dataset("train"))
        marks = f"{START} {END} " * 100_000  # the most frequent words are kept
        return build_tokenizer(self.config.tokenizer, self.config.data.root, lambda: [marks, *texts])

    @functools.cached_property
    def search(self) -> Generation:
        """How replies are found."""
        start, end = (self._mark(word) for word in (START, END))
        return Generation(start, end, **self.how)

    def _mark(self, word: str) -> int:
        found = self.tokenizer.vocab.token_to_idx.get(word)
        if found is None:
            raise ValueError(f"tokenizer: the vocabulary has no {word}, which encloses replies; add it as a word")
        return int(found)

    @functools.cached_property
    def network(self) -> Any:
        """The network that is trained."""
        check_beams(self.search.rows, len(self.tokenizer))
        return self.built_network("encoder")

    # data

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without replies, or without the facts that the network reads."""
        needed = ("source", "target", *(["facts"] if self.takes_facts else []))
        missing = [name for name in needed if name not in getattr(dataset, "columns", ())]
        if missing:
            text = "DuConvReplies reads some" if self.takes_facts else "PostReplies reads some"
            raise ValueError(f"data.{split} has no {missing[0]}; dataset.name: {text}")

    def encode(self, split: str, dataset: Any, part: range) -> Mapping[str, Column]:
        """Return ids of some sources, of their facts, and of the replies, with start and end token."""
        samples = [dataset[number] for number in part]
        encode, most = self.tokenizer.encode_text, self.config.tokenizer.max_length
        start, end = self.search.start_token, self.search.end_token
        replies = [[start, *encode(one["target"])[: self.search.max_length - 1], end] for one in samples]
        found: dict[str, Column] = {
            "input_ids": Ragged.of([encode(one["source"])[-most:] for one in samples]),
            "reply": Ragged.of(replies),
        }
        if self.takes_facts:
            facts = [[encode(fact)[:most] for fact in one["facts"]] or [[]] for one in samples]
            rows = Ragged.of([row or [self.tokenizer.pad_token_id] for one in facts for row in one])
            fills = {"fact_ids": self.tokenizer.pad_token_id}
            packed = stacked({"fact_ids": rows}, [len(one) for one in facts], fills)
            found.update({"fact_ids": packed["fact_ids"], "fact_rows": packed["rows"]})
        return found

    def fields(self, split: str) -> Any:
        """Return the samples of a split as ids, facts with an axis of their own."""
        return _Conversations(super().fields(split))

    def padded(self) -> dict[str, Any]:
        """Return how fields are batched."""
        pad = self.tokenizer.pad_token_id
        return {
            "input_ids": Pad("length", value=pad, mask=False),
            "reply": Pad("reply", value=pad, mask=False),
            "fact_ids": Pad("facts", "fact", value=pad, mask=False),
        }

    # training and prediction

    def given(self, fields: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return what the network reads of a batch."""
        return (fields["input_ids"], fields["fact_ids"]) if self.takes_facts else (fields["input_ids"],)

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the loss of a batch, and its terms."""
        options = {"bow_alone": True} if self.stage == "bow" else {}
        terms = self.network.losses(*self.given(fields), fields["reply"], self.search.end_token, **options)
        return sum(terms.values()), terms

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return replies, and the loss of the batch."""
        loss, _ = self.loss(fields)
        return [*self.network.generate(*self.given(fields), self.search), loss]

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> tuple[list[Replied], float]:
        """Return the replies to each sample, and the loss."""
        tokens, scores, lengths, ended, loss = outputs
        rows = zip(tokens, scores, lengths, ended)
        return [replied(self.tokenizer, self.search.end_token, *row) for row in rows], float(loss)

    def evaluator(self, split: str) -> ReplyEvaluator:
        """Return an empty evaluator."""
        return ReplyEvaluator(self.dataset(split))

    # use

    @functools.cached_property
    def reading_network(self) -> Any:
        """What a reader runs: the network with its search."""
        return core.jit.to_static(Replier(self.network, self.search))

    def suggestions(self) -> list[Suggestion]:
        """Return what to try with the trained run."""
        return [Suggestion("infer", "--chat", "talk to it, a line each")]

    def program(self) -> Program:
        """Return the network with its search, for any number and length of texts, with the tokeniser."""
        specs = [InputSpec([None, None], "int64", "input_ids", examples={0: (2, 3), 1: (8, 12)})]
        if self.takes_facts:
            sizes = {0: (2, 3), 1: (3, 4), 2: (5, 6)}
            specs.append(InputSpec([None, None, None], "int64", "fact_ids", examples=sizes))
        text = f"{' and '.join(str(spec.name) for spec in specs)} int64 to tokens, scores, lengths and whether they end"
        return Program(self.reading_network, specs, text, {"preprocessing": self.stored()})

    def reader_settings(self) -> dict[str, Any]:
        """Return what a reader needs: the end token, and whether there are facts."""
        generalized = bool(self.config.data.train.dataset.arguments.get("generalized", False))
        return {"end_token": self.search.end_token, "facts": self.takes_facts, "generalized": generalized}


class _Conversations(core.io.Dataset):
    """Samples whose facts have an axis more."""

    def __init__(self, encoded: EncodedDataset) -> None:
        self.encoded, self.columns, self.lengths = encoded, encoded.columns, encoded.lengths

    def __len__(self) -> int:
        return len(self.encoded)

    def __getitem__(self, index: int) -> dict[str, Any]:
        sample = self.encoded[index]
        if "fact_rows" in sample:
            rows = int(sample.pop("fact_rows"))
            sample["fact_ids"] = sample["fact_ids"].reshape(rows, -1)
        return sample
