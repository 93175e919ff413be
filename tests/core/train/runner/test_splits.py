"""Splits of data: what an evaluation sees, where paths lead, ragged batches."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any, ClassVar

import numpy as np
import pytest

from core.io import Dataset, Pad, Stack
from core.train import load_config
from core.train.config.schema import Section
from core.train.config.table import Component, Named, Table
from core.train.runner import splits
from core.train.runner.splits import require_root
from tests.core.train.runner import toy


class Lists(Dataset):
    """Sample i is i numbers, read from a file."""

    def __init__(self, file: str, count: int = 6, transform: Any = None) -> None:
        self.file, self.lengths = file, np.arange(1, count + 1)

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return np.full(self.lengths[index], index, np.int64), index

    def __len__(self) -> int:
        return len(self.lengths)


LISTS = Table("data set", {"Lists": Lists}, provided=("transform",), paths=("file",))


class ListSplit(splits.RaggedSplitSection):
    datasets: ClassVar[Table] = LISTS
    transform_table: ClassVar[Table] = toy.TRANSFORMS
    dataset: Annotated[Component, Named(LISTS)]
    transforms: list[Annotated[Component, Named(toy.TRANSFORMS)]] = []


class ListConfig(Section):
    data: splits.Splits[ListSplit]


def config_of(tmp_path: Any, text: str) -> Any:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return load_config(ListConfig, file)


@pytest.mark.parametrize(
    ("root", "file", "expected"),
    [
        (None, "a.txt", "a.txt"),
        ("/data", "lists/../a.txt", "/data/a.txt"),
        ("/data", "/other/a.txt", "/other/a.txt"),
        ("https://example.org/sets/", "a.txt", "https://example.org/sets/a.txt"),
        ("/data", "https://example.org/a.txt", "https://example.org/a.txt"),
    ],
)
def test_paths_are_joined_to_the_root(tmp_path: Any, root: Any, file: str, expected: str) -> None:
    config = config_of(tmp_path, f"data: {{train: {{dataset: {{name: Lists, file: '{file}'}}, batch_size: 2}}}}\n")
    assert config.data.train.build_dataset(root).file == expected
    assert config.data.train.dataset.arguments["file"] == file  # the config itself stays


def test_an_evaluation_sees_the_train_split_in_order_and_unaugmented() -> None:
    changes = (
        "data.train.transforms=[{name: Pad, padding: 1}, {name: ToTensor}]", "data.train.drop_last=true",
    )  # fmt: skip
    config = toy.TOOLKIT.load("tests/core/train/runner/toy.yaml", changes)
    seen = config.evaluated("train").data.train
    assert (seen.shuffle, seen.drop_last, [part.name for part in seen.transforms]) == (False, False, ["ToTensor"])
    assert config.data.train.shuffle and len(config.data.train.transforms) == 2  # the config itself stays
    assert config.data.names == ["train", "test"]
    with pytest.raises(ValueError, match="the config has no data.valid; it has train, test"):
        config.data.split("valid")


def test_samples_of_several_sizes_are_padded_to_buckets(tmp_path: Any) -> None:
    text = (
        "data: {train: {dataset: {name: Lists, file: a}, batch_size: 2, batching: {buckets: [2, 4, 8], tokens: 8}}}\n"
    )
    section = config_of(tmp_path, text).data.train
    loader = section.build_loader(section.build_dataset(), seed=0, collate_fn=(Pad("length"), Stack()))
    batches = [[field.numpy() for field in batch] for batch in loader]
    shapes = sorted({batch[0].shape for batch in batches})
    assert all(rows * length <= 8 and length in (2, 4, 8) for rows, length in shapes)
    assert sorted(int(label) for batch in batches for label in batch[-1]) == [0, 1, 2, 3, 4, 5]


def test_a_root_that_is_no_folder_is_reported(tmp_path: Any) -> None:
    require_root(None)
    require_root("https://example.org/sets")
    require_root(str(tmp_path))
    with pytest.raises(NotADirectoryError, match="data.root: no folder '.*away'; say where the data is with --data"):
        require_root(str(tmp_path / "away"))


def test_processes_that_read_data_load_no_engine() -> None:
    runner = "core.train.runner.splits, core.train.runner.commands"
    data = "PaddleClas.data, PaddleGAN.data, PGL.data, PaddleVideo.data.pipeline"
    engine = {"mxnet", "numba", "core.kernels.engine.startup"}  # mxnet's parts are in no table of modules
    code = f"import sys, {runner}, {data}; assert not {engine} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
