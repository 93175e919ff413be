from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.io import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Squares(Dataset):
    def __init__(self, length: int) -> None:
        self.length = length

    def __getitem__(self, index: int) -> int:
        return index**2

    def __len__(self) -> int:
        return self.length


class Stream(IterableDataset):
    def __init__(self, *items: int) -> None:
        self.items = items

    def __iter__(self) -> Iterator[int]:
        return iter(self.items)


def test_tensor_dataset_cuts_along_the_first_axis() -> None:
    images, labels = np.arange(12).reshape(3, 4), np.array([5, 6, 7])
    dataset = TensorDataset([images, labels])
    assert len(dataset) == 3
    np.testing.assert_array_equal(dataset[1][0], [4, 5, 6, 7])
    assert dataset[1][1] == 6
    with pytest.raises(ValueError, match=r"first dimensions differ: \[3, 2\]"):
        TensorDataset([images, labels[:2]])
    with pytest.raises(ValueError, match="at least one tensor"):
        TensorDataset([])
    with pytest.raises(ValueError, match="tensor 1 is 0-D"):
        TensorDataset([labels, np.array(1)])


def test_compose_joins_fields() -> None:
    dataset = ComposeDataset([TensorDataset([np.arange(3), np.arange(3) + 10]), Squares(3)])
    assert dataset[2] == (2, 12, 4)
    assert len(dataset) == 3
    with pytest.raises(ValueError, match=r"different lengths: \[3, 2\]"):
        ComposeDataset([Squares(3), Squares(2)])
    with pytest.raises(TypeError, match="data set 1 is an IterableDataset"):
        ComposeDataset([Squares(3), Stream(1)])


def test_chain_reads_streams_in_order() -> None:
    assert list(ChainDataset([Stream(1, 2), Stream(), Stream(3)])) == [1, 2, 3]
    with pytest.raises(TypeError, match="data set 0 is a Squares, not an IterableDataset"):
        ChainDataset([Squares(2)])  # type: ignore[list-item]


def test_concat_finds_the_part() -> None:
    dataset = ConcatDataset([Squares(2), Squares(0), Squares(3)])
    assert [dataset[i] for i in range(len(dataset))] == [0, 1, 0, 1, 4]
    assert dataset[-1] == 4
    with pytest.raises(IndexError, match="sample 5 is outside a ConcatDataset of 5 samples"):
        dataset[5]
    with pytest.raises(ValueError, match="at least one data set"):
        ConcatDataset([])


def test_subset_and_base_classes() -> None:
    assert [Subset(Squares(9), [4, 2])[i] for i in range(2)] == [16, 4]
    with pytest.raises(NotImplementedError, match="must define __getitem__"):
        Dataset()[0]
    with pytest.raises(RuntimeError, match="Stream is an IterableDataset: its length is not known"):
        len(Stream(1))
    with pytest.raises(RuntimeError, match="without a sample number 0"):
        Stream(1)[0]


def test_random_split_is_a_partition() -> None:
    parts = random_split(Squares(10), [7, 3], generator=np.random.RandomState(0))
    again = random_split(Squares(10), [7, 3], generator=np.random.RandomState(0))
    assert [len(part) for part in parts] == [7, 3]
    assert sorted(index for part in parts for index in part.indices) == list(range(10))
    assert [part.indices for part in parts] == [part.indices for part in again]
    assert [len(part) for part in random_split(Squares(10), [0.55, 0.45])] == [6, 4]
    with pytest.raises(ValueError, match=r"lengths \[7, 2\] sum to 9; the data set has 10 samples"):
        random_split(Squares(10), [7, 2])
