"""Keys of earlier versions: moved to their new places, overrides above the file, mistakes at their old lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Optional

import pytest

from core.train.config.old_keys import Moved, OldKeys, expectations, move_old_keys
from core.train.config.schema import ConfigError, Section, load_config


class Network(Section):
    """A network."""

    name: str
    size: int = 1
    depth: int = 1


class Optimizer(Section):
    """An optimizer."""

    rate: float = 0.1
    decays: list[str] = []


class Config(Section):
    """A config whose keys have moved."""

    old_keys: ClassVar[OldKeys] = {
        "model.arguments": "network",
        "model": "network",
        "rate": "optimizer.rate",
        "task.decays": Moved("optimizer.decays", sorted),
    }

    network: Network
    optimizer: Optimizer = Optimizer()
    task: dict[str, Any] = {}


def loaded(tmp_path: Path, text: str, *overrides: str) -> Config:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return load_config(Config, file, overrides)


OLD = "model:\n  name: a\n  arguments: {size: 2}\nrate: 0.5\ntask: {decays: {b: 1, a: 2}}\n"


def test_an_old_config_is_read_with_one_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = loaded(tmp_path, OLD)
    assert config == Config(
        network=Network(name="a", size=2), optimizer=Optimizer(rate=0.5, decays=["a", "b"]), task={}
    )
    out, err = capsys.readouterr()
    output = "model.arguments -> network; model -> network; rate -> optimizer.rate; task.decays -> optimizer.decays"
    assert out == "" and err == f"warning: {tmp_path / 'config.yaml'}: old keys: {output}\n"
    assert load_config(Config, tmp_path / "config.yaml", quiet=True) == config and capsys.readouterr().err == ""


def test_a_new_config_is_read_without_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaded(tmp_path, "network: {name: a}\n", "network.size=3")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "override", "expected"),
    [
        ("network: {name: a, size: 2}\n", "model.name=b", Network(name="b", size=2)),
        ("network: {name: a, size: 2}\n", "model={name: b}", Network(name="b")),
        ("network: {name: a, size: 2}\n", "model.arguments={depth: 4}", Network(name="a", size=2, depth=4)),
        (OLD, "network.name=b", Network(name="b", size=2)),
        (OLD, "model.arguments.size=7", Network(name="a", size=7)),
    ],
)
def test_old_and_new_names_go_together(tmp_path: Path, text: str, override: str, expected: Network) -> None:
    assert loaded(tmp_path, text, override).network == expected


def test_mistakes_are_told_where_they_stand(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config.yaml:3: unknown key 'network.siz'; .* 'network.size'"):
        loaded(tmp_path, "model:\n  name: a\n  siz: 2\n")
    with pytest.raises(ConfigError, match=r"config.yaml:2: network.size must be a valid integer, not 'x'"):
        loaded(tmp_path, "model: {name: a,\n size: x}\n")
    with pytest.raises(ConfigError, match=r"^-o model.size=x: network.size must be a valid integer, not 'x'"):
        loaded(tmp_path, "model: {name: a}\n", "model.size=x")
    with pytest.raises(
        ConfigError, match=r"yaml:1: the key 'network.name' is already set at .*yaml:2, under its new name; remove one"
    ):
        loaded(tmp_path, "model: {name: a}\nnetwork: {name: b}\n")


@pytest.mark.parametrize("value", [None, 3, "x", [1]])
def test_sections_that_are_none_are_told_of(tmp_path: Path, value: Optional[object]) -> None:
    with pytest.raises(ConfigError, match=r"config.yaml:1: network must have the keys .*, not "):
        loaded(tmp_path, f"model: {'null' if value is None else value}\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"split": "test", "accuracy": 0.9}, {"split": "test", "at_least": {"accuracy": 0.9}}),
        ({"accuracy": 0.9, "tolerance": 0.1}, {"near": {"accuracy": {"value": 0.9, "tolerance": 0.1}}}),
        ({"accuracy": 0.9, "tolerance": None}, {"at_least": {"accuracy": 0.9}}),
        ({"metric": "mrr", "value": 0.5}, {"at_least": {"mrr": 0.5}}),
        ({"at_least": {"mrr": 0.5}, "value": 0.7}, {"at_least": {"mrr": 0.7}}),
        ({"at_least": {"mrr": 0.5}, "metric": "f1"}, {"at_least": {"f1": 0.5}}),
        ({"at_least": {"mrr": 0.5}, "tolerance": 0.2}, {"near": {"mrr": {"value": 0.5, "tolerance": 0.2}}}),
        (
            {"near": {"mrr": {"value": 0.5, "tolerance": 0.2}}, "accuracy": 0.9},
            {"near": {"accuracy": {"value": 0.9, "tolerance": 0.2}}},
        ),
        ({"at_least": {"mrr": 0.5}}, {"at_least": {"mrr": 0.5}}),
        ({"metric": ["x"], "value": 1}, {"metric": ["x"], "value": 1}),
        ({"tolerance": 0.1}, {"tolerance": 0.1}),
        (None, None),
    ],
)
def test_old_expectations(old: object, new: object) -> None:
    assert expectations(old)[0] == new


def test_the_rewritten_keys_are_reported() -> None:
    values = {"expect": {"split": "valid", "accuracy": 0.9, "tolerance": 0.1}}
    moved = move_old_keys(values, {}, {"expect": expectations})
    assert moved == ["expect.accuracy, expect.tolerance -> expect.near.accuracy"]
    assert values == {"expect": {"split": "valid", "near": {"accuracy": {"value": 0.9, "tolerance": 0.1}}}}
