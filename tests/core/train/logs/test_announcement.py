"""What a run says before it begins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.io import DataLoader, Dataset
from core.train.config.options import TrainOptions
from core.train.logs.announcement import announcement


class Samples(Dataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __getitem__(self, index: int) -> int:
        return index

    def __len__(self) -> int:
        return self.count


@pytest.mark.parametrize(("count", "expected_text"), [(1, []), (2, ["batch size 1"])])
def test_a_set_of_one_sample_such_as_a_whole_graph_has_no_batch_size(count: int, expected_text: list[str]) -> None:
    trainer: Any = SimpleNamespace(
        options=TrainOptions(epochs=1), phases=[], loader=DataLoader(Samples(count), batch_size=1), steps_per_epoch=1,
        progress=SimpleNamespace(threads=2), precision=None, average=None, folder=None,
    )  # fmt: skip
    assert [line for line in announcement(trainer) if line.startswith("batch size")] == expected_text
