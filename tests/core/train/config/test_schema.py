# ruff: noqa: E501 -- a table of mistakes reads best with one per line
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Optional, Union

import pydantic
import pytest

from core.train.config.schema import (
    ConfigError,
    Section,
    describe_schema,
    differences,
    load_config,
    save_config,
)
from core.train.config.table import Component, Table


def resize(size: Union[int, Sequence[int]], interpolation: str = "bilinear") -> Any:
    return size, interpolation


def normalize(mean: float, std: float = 1.0) -> Any:
    return mean, std


TRANSFORMS = Table("transform", {"Resize": resize, "Normalize": normalize, "Join": "os.path:join"})
Transform = Annotated[Component, pydantic.AfterValidator(TRANSFORMS.check)]


class Train(Section):
    epochs: pydantic.PositiveInt = pydantic.Field(description="how often the data is visited")
    learning_rate: float = 0.1
    compiled: bool = True


class Config(Section):
    seed: int = 0
    note: Optional[str] = None
    train: Train
    transforms: list[Transform] = []
    views: Annotated[list[int], pydantic.Field(min_length=1)] = [1]


GOOD = """\
# an experiment
seed: 3
train:
  epochs: 4
  learning_rate: 1e-3
transforms:
  - {name: Resize, size: [4, 5]}
  - name: Normalize
    mean: 0.5
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "run.yaml"
    path.write_text(text)
    return path


def message(folder: Path, text: str, *overrides: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(Config, written(folder, text), overrides)
    return str(caught.value).replace(str(folder) + "/", "")


def test_values_defaults_and_numbers(tmp_path: Path) -> None:
    config = load_config(Config, written(tmp_path, GOOD))
    assert (config.seed, config.note, config.train.epochs, config.train.compiled) == (3, None, 4, True)
    assert config.train.learning_rate == 1e-3
    built = [TRANSFORMS.build(component) for component in config.transforms]
    assert built == [([4, 5], "bilinear"), (0.5, 1.0)]


def test_yes_and_no_are_words(tmp_path: Path) -> None:
    assert load_config(Config, written(tmp_path, GOOD + "note: no\n")).note == "no"


def test_resolved_config_reads_back(tmp_path: Path) -> None:
    config = load_config(Config, written(tmp_path, GOOD))
    save_config(config, tmp_path / "resolved.yaml")
    again = load_config(Config, tmp_path / "resolved.yaml")
    assert again == config
    assert "compiled: true" in (tmp_path / "resolved.yaml").read_text()
    assert differences(config, again) == []


def test_overrides(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    config = load_config(
        Config,
        path,
        ["train.epochs=9", "train.compiled=false", "note=a=b", "transforms.0.size=7", "train.learning_rate=2"],
    )
    assert (config.train.epochs, config.train.compiled, config.note) == (9, False, "a=b")
    assert config.transforms[0].arguments == {"size": 7}
    assert differences(load_config(Config, path), config)[:2] == ["note: None -> 'a=b'", "train.epochs: 4 -> 9"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sed: 1\ntrain: {epochs: 1}", "run.yaml:1: unknown key 'sed'; the nearest valid key is 'seed'"),
        ("train:\n  epochs: 1\n  learnign_rate: 1", "run.yaml:3: unknown key 'train.learnign_rate'; the nearest valid key is 'train.learning_rate'"),
        ("epochs: 3\ntrain: {epochs: 1}", "run.yaml:1: unknown key 'epochs'; the nearest valid key is 'train.epochs'"),
        ("train:\n  epochs: ten", "run.yaml:2: train.epochs must be a valid integer, not 'ten'"),
        ("train:\n  epochs: 0", "run.yaml:2: train.epochs must be greater than 0, not 0"),
        ("train:\n  epochs: 2\n  compiled: 1", "run.yaml:3: train.compiled must be a valid boolean, not 1"),
        ("train:\n  compiled: true", "run.yaml:1: the key 'train.epochs' is missing"),
        ("seed: 1", "run.yaml: the key 'train' is missing"),
        ("train: {epochs: 1}\nviews: []", "run.yaml:2: views must have at least 1 item, not []"),
        ("train: 5", "run.yaml:1: train must have the keys epochs, learning_rate, compiled, not 5"),
        ("train: {epochs: 1}\ntransforms:\n  - name: Resise\n    size: 1", "run.yaml:3: transforms.0: unknown transform 'Resise'; the nearest is 'Resize', of: Resize, Normalize, Join"),
        ("train: {epochs: 1}\ntransforms:\n  - name: Resize\n    sise: 1", "run.yaml:4: unknown key 'transforms.0.sise'; the nearest valid key is 'transforms.0.size' (valid here: name, size, interpolation)"),
        ("train: {epochs: 1}\ntransforms:\n  - name: Resize\n    size: big", "run.yaml:4: transforms.0: Resize: size must be integer or list of integer, not 'big'"),
        ("train: {epochs: 1}\ntransforms:\n  - name: Normalize", "run.yaml:3: transforms.0: Normalize needs the argument 'mean'"),
        ("seed: 1\nseed: 2", "run.yaml:2: the key 'seed' is already set at run.yaml:1; remove one"),
        ("seed: [1", "run.yaml:1: not valid YAML"),
        ("train: {epochs: " + "9" * 5000 + "}", "run.yaml:1: not valid YAML: a whole number of 5,000 characters; 1,000 are the most"),
        ("- 1", "run.yaml: a config file is a mapping of keys to values"),
    ],
)  # fmt: skip
def test_mistakes_name_key_file_line_and_mend(tmp_path: Path, text: str, expected: str) -> None:
    assert message(tmp_path, text).replace("run.yaml:2: not", "run.yaml:1: not").startswith(expected)


def test_every_mistake_is_listed(tmp_path: Path) -> None:
    assert len(message(tmp_path, "sed: 1\nnot: 2\ntrain: {epochs: x}").splitlines()) == 3


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("train.epoch=5", "-o train.epoch=5: unknown key 'train.epoch'; the nearest valid key is 'train.epochs'"),
        ("train.epochs=five", "-o train.epochs=five: train.epochs must be a valid integer, not 'five'"),
        ("trian.epochs=5", "-o trian.epochs=5: unknown key 'trian'; the nearest valid key is 'train'"),
        ("train.epochs", "-o train.epochs: an override is written key=value"),
        ("transforms.5.size=1", "-o transforms.5.size=1: 'transforms' is a list with items 0 ... 1"),
        ("seed.x=1", "-o seed.x=1: 'seed' is 3, which has no keys"),
        ("seed=[1", "-o seed: '[1' is not valid YAML"),
        ("train.epochs=" + "9" * 5000, f"-o train.epochs: '{'9' * 79} ... (5002 characters) is not valid YAML: a whole number of 5,000 characters; 1,000 are the most"),
        ("train.epochs=0x" + "f" * 5000, f"-o train.epochs: '0x{'f' * 77} ... (5004 characters) is not valid YAML: a whole number of 5,002 characters"),
    ],
)
def test_mistakes_in_overrides(tmp_path: Path, override: str, expected: str) -> None:
    assert message(tmp_path, GOOD, override).startswith(expected)


def test_missing_file() -> None:
    with pytest.raises(FileNotFoundError, match="no config file 'missing.yaml'"):
        load_config(Config, "missing.yaml")


def test_schema_describes_itself() -> None:
    assert describe_schema(Config) == [
        "seed (integer; default 0)",
        "note (text or null; default None)",
        "train.epochs (integer; required): how often the data is visited",
        "train.learning_rate (number; default 0.1)",
        "train.compiled (true or false; default True)",
        "transforms (list of a name with its arguments; default [])",
        "views (list of integer; default [1])",
    ]


def test_table_imports_late_and_keeps_provided_arguments_to_itself() -> None:
    assert TRANSFORMS.resolve("Join")("a", "b") == "a/b"
    table = Table("transform", {"Resize": resize}, provided=["size"])
    assert table.build(table.check(Component(name="Resize")), size=3) == (3, "bilinear")
    with pytest.raises(ValueError, match="size"):
        table.check(Component(name="Resize", size=3))  # type: ignore[call-arg]


def test_table_describes_its_entries() -> None:
    assert TRANSFORMS.describe("Normalize") == "{name: Normalize, mean: number, std: 1.0}"
    provided = Table("transform", {"Resize": resize}, provided=["size"])
    assert provided.describe("Resize") == '{name: Resize, interpolation: "bilinear"}'
