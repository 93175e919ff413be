"""Padded batches of texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.io import DataLoader, Dataset, Pad
from core.text import EncodedTexts, ErnieTokenizer, TextCollate, text_batches

LENGTHS = [3, 1, 7, 2, 5, 4, 6, 1, 2, 3, 8, 1]


@pytest.fixture
def ernie(vocabulary: Callable[..., Path]) -> ErnieTokenizer:
    return ErnieTokenizer(vocabulary("a", "b"))


def columns(ernie: ErnieTokenizer) -> dict[str, list[Any]]:
    rows = ernie.batch(["a " * length for length in LENGTHS], return_offsets_mapping=True)
    return {**rows, "labels": list(range(len(LENGTHS))), "tags": [[9] * len(ids) for ids in rows["input_ids"]]}


def read(loader: Any) -> list[dict[str, Any]]:
    return [
        {name: field.numpy() if hasattr(field, "numpy") else list(field) for name, field in batch.items()}
        for batch in loader
    ]


TAGS = {"tags": Pad("length", value=-100, mask=False)}


def test_each_batch_is_padded_and_masked(ernie: ErnieTokenizer) -> None:
    batches = read(text_batches(columns(ernie), ernie, batch_size=3, buckets=[5, 10], fields=TAGS))
    seen: list[int] = []
    for batch in batches:
        lengths = [LENGTHS[label] + 2 for label in batch["labels"].tolist()]
        seen += batch["labels"].tolist()
        assert batch["input_ids"].shape == (len(lengths), max(lengths))
        for row, length in enumerate(lengths):
            assert batch["input_ids"][row].tolist() == [1, *[5] * (length - 2), 2, *[0] * (max(lengths) - length)]
            assert batch["input_ids_mask"][row].tolist() == [True] * length + [False] * (max(lengths) - length)
            assert batch["tags"][row].tolist() == [9] * length + [-100] * (max(lengths) - length)
            assert not batch["token_type_ids"][row].any() and len(batch["offset_mapping"][row]) == length
        assert len({length <= 5 for length in lengths}) == 1
    assert sorted(seen) == list(range(len(LENGTHS)))


def test_batches_hold_as_many_tokens_as_allowed(ernie: ErnieTokenizer) -> None:
    batches = read(text_batches(columns(ernie), ernie, max_tokens=20, buckets=[4, 10], longest="error", fields=TAGS))
    assert {batch["input_ids"].shape[1] for batch in batches} == {4, 10}
    assert all(batch["input_ids"].size <= 20 for batch in batches)
    assert sum(len(batch["labels"]) for batch in batches) == len(LENGTHS)


def test_workers_and_epochs_do_not_change_what_a_batch_is(ernie: ErnieTokenizer) -> None:
    def epochs(workers: int) -> list[dict[str, Any]]:
        loader = text_batches(
            columns(ernie), ernie, batch_size=4, buckets=3, shuffle=True, seed=5, fields=TAGS, num_workers=workers
        )
        found = read(loader)
        loader.batch_sampler.set_epoch(1)
        return found + read(loader)

    alone, helped = epochs(0), epochs(2)
    assert len(alone) == len(helped) > 6
    for ours, theirs in zip(alone, helped):
        assert ours.keys() == theirs.keys()
        for name, value in ours.items():
            np.testing.assert_array_equal(value, theirs[name]) if name != "offset_mapping" else None
            assert name != "offset_mapping" or value == theirs[name]
    half = len(alone) // 2
    assert [b["labels"].tolist() for b in alone[:half]] != [b["labels"].tolist() for b in alone[half:]]


def test_columns_that_do_not_go_together(ernie: ErnieTokenizer) -> None:
    with pytest.raises(ValueError, match="EncodedTexts: 2 rows of input_ids, and 1 of labels"):
        EncodedTexts({"input_ids": [[1], [2]], "labels": [0]})
    with pytest.raises(ValueError, match="EncodedTexts: no column input_ids among labels"):
        EncodedTexts({"labels": [0]})
    with pytest.raises(ValueError, match="needs either batch_size or max_tokens"):
        text_batches(columns(ernie), ernie)


class Counted(Dataset):
    def __len__(self) -> int:
        return len(LENGTHS)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"text": "a " * LENGTHS[index], "text_pair": "b", "label": index}


@pytest.mark.parametrize("workers", [0, 1])
def test_texts_are_cut_into_tokens_when_they_are_read(workers: int, ernie: ErnieTokenizer) -> None:
    loader = DataLoader(Counted(), batch_size=4, collate_fn=TextCollate(ernie, 8, sizes=[8, 16]), num_workers=workers)
    batches = read(loader)
    rows = [[1, *[5] * min(length, 4), 2, 6, 2] for length in LENGTHS]
    assert [label for batch in batches for label in batch["label"].tolist()] == list(range(len(LENGTHS)))
    assert {batch["input_ids"].shape for batch in batches} == {(4, 8)}
    for name, wanted in (("input_ids", rows), ("token_type_ids", [[0] * (len(row) - 2) + [1, 1] for row in rows])):
        found = [row[kept].tolist() for batch in batches for row, kept in zip(batch[name], batch["input_ids_mask"])]
        assert found == wanted


def test_pairs_and_single_texts_are_not_mixed(ernie: ErnieTokenizer) -> None:
    with pytest.raises(ValueError, match="TextCollate: texts and pairs of texts in one batch; give text_pair to all"):
        TextCollate(ernie)([{"text": "a"}, {"text": "a", "text_pair": "b"}])
