"""Padded batches of what a tokeniser gives: by samples or by tokens, of texts of similar length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from core.io import Collate, DataLoader, Dataset, Keep, LengthBucketSampler, Pad
from core.io.ragged.fields import Field
from core.text.tokenizers.base import PretrainedTokenizer

LENGTH = "length"
"""The name of the size to which texts are padded."""


class EncodedTexts(Dataset):
    """Columns of a tokeniser, and others beside them such as labels, as a data set of rows.

    Args:
        columns: lists of one length by name, as :meth:`PretrainedTokenizer.batch` returns them.

    Raises:
        ValueError: columns differ in length, or there is no column ``input_ids``.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        counts = {name: len(column) for name, column in columns.items()}
        if "input_ids" not in counts:
            raise ValueError(f"EncodedTexts: no column input_ids among {', '.join(counts) or 'none'}")
        for name, count in counts.items():
            if count != counts["input_ids"]:
                raise ValueError(f"EncodedTexts: {counts['input_ids']} rows of input_ids, and {count} of {name}")
        self.columns = dict(columns)

    def __len__(self) -> int:
        return len(self.columns["input_ids"])

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {name: _value(name, column[index]) for name, column in self.columns.items()}

    def lengths(self) -> list[int]:
        """Return the number of tokens of each row."""
        return list(map(len, self.columns["input_ids"]))


def _value(name: str, value: Any) -> Any:
    return value if name in ("offset_mapping", "word_ids") else np.asarray(value)


def padding(tokenizer: PretrainedTokenizer, names: Sequence[str]) -> dict[str, Field]:
    """Return how :class:`core.io.Collate` batches the columns of a tokeniser.

    Args:
        tokenizer: knows what fills batches.
        names: the columns. Those of tokens are padded at the end, ``input_ids`` with a mask beside it
            (``input_ids_mask``, True for tokens); ``offset_mapping`` and ``word_ids`` are kept as they are.
    """
    fill = {
        "input_ids": tokenizer.pad_token_id,
        "token_type_ids": tokenizer.pad_token_type_id,
        "attention_mask": 0,
        "position_ids": 0,
        "special_tokens_mask": 1,
    }
    fields: dict[str, Field] = {
        name: Pad(LENGTH, value=fill[name], mask=name == "input_ids") for name in names if name in fill
    }
    return {**fields, **{name: Keep() for name in names if name in ("offset_mapping", "word_ids")}}


class TextCollate:
    """Cuts texts into tokens when a batch of them is read, for a loader's ``collate_fn``.

    For texts that are too many to be encoded before, or change from epoch to epoch. A worker process, or a thread, cuts
    the next batch while the network computes.

    Args:
        tokenizer: makes ids of texts.
        max_length: tokens of a text, or a pair, at most; longer ones are cut.
        fields: how further fields of samples are batched; those that are not named are stacked.
        sizes: lengths to which batches are padded, the next one that is long enough; None: that of the longest text.
        **options: of :meth:`PretrainedTokenizer.batch`.
    """

    def __init__(
        self,
        tokenizer: PretrainedTokenizer,
        max_length: Optional[int] = None,
        fields: Optional[Mapping[str, Field]] = None,
        sizes: Optional[Sequence[int]] = None,
        **options: Any,
    ) -> None:
        self.tokenizer = tokenizer
        self.max_length = max_length
        self.fields = dict(fields or {})
        self.sizes = None if sizes is None else {LENGTH: list(sizes)}
        self.options = options

    def __call__(self, samples: Sequence[Mapping[str, Any]]) -> Any:
        """Return the padded arrays of samples.

        Args:
            samples: mappings with "text", perhaps "text_pair", and further fields, which all of them have.

        Raises:
            ValueError: some samples have a second text and others have none.
        """
        paired = [sample.get("text_pair") is not None for sample in samples]
        if len(set(paired)) > 1:
            raise ValueError("TextCollate: texts and pairs of texts in one batch; give text_pair to all, or to none")
        texts = [sample["text"] for sample in samples]
        pairs = [sample["text_pair"] for sample in samples] if any(paired) else None
        columns = self.tokenizer.batch(texts, pairs, self.max_length, **self.options)
        rows = []
        for number, sample in enumerate(samples):
            further = {name: value for name, value in sample.items() if name not in ("text", "text_pair")}
            rows.append({**{name: _value(name, column[number]) for name, column in columns.items()}, **further})
        return Collate({**padding(self.tokenizer, list(columns)), **self.fields}, self.sizes)(rows)


def text_batches(
    columns: Mapping[str, Sequence[Any]],
    tokenizer: PretrainedTokenizer,
    batch_size: Optional[int] = None,
    max_tokens: Optional[int] = None,
    buckets: Union[int, Sequence[int]] = 10,
    longest: Optional[str] = None,
    shuffle: bool = False,
    drop_last: bool = False,
    seed: int = 0,
    fields: Optional[Mapping[str, Field]] = None,
    **options: Any,
) -> DataLoader:
    """Return a loader of padded batches of texts of similar length.

    Batches and their order depend on nothing but (seed, epoch), and not on how many workers read.

    Args:
        columns: what :meth:`PretrainedTokenizer.batch` returns, and further columns such as labels, which are stacked.
        tokenizer: knows what fills batches.
        batch_size: samples of a batch; give either this or ``max_tokens``.
        max_tokens: the most tokens of a batch, padding included.
        buckets: as :class:`core.io.LengthBucketSampler` takes them, as for ``longest``.
        longest: see there; given, batches are padded to the length of their bucket, so that they have few shapes.
        shuffle: visit samples and batches in random order.
        drop_last: leave out batches that are not full.
        seed: any non-negative integer.
        fields: how further columns are batched, such as ``{"labels": Pad("length", value=-100, mask=False)}``.
        **options: of :class:`core.io.DataLoader`, such as ``num_workers``.

    Raises:
        ValueError: columns do not go together; see :class:`core.io.LengthBucketSampler`, too.
    """
    dataset = EncodedTexts(columns)
    sampler = LengthBucketSampler(
        dataset.lengths(), batch_size, max_tokens, buckets, shuffle, drop_last, seed, longest=longest
    )
    sizes = None if longest is None else {LENGTH: [int(boundary) for boundary in sampler.boundaries]}
    cut = "truncate" if longest == "truncate" else "error"
    collate = Collate({**padding(tokenizer, list(columns)), **(fields or {})}, sizes, cut)
    return DataLoader(dataset, batch_sampler=sampler, collate_fn=collate, **options)
