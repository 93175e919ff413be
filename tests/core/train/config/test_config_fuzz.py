"""Damaged configs: each is read, or refused in lines that name the file; nothing crashes, nothing hangs."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.train.config.schema import ConfigError, Section, load_config, save_config
from PaddleClas.config import ClassificationConfig
from tests.fuzz import bounds, cases, mutated

CONFIGS = sorted((Path(__file__).resolve().parents[4] / "PaddleClas" / "configs").glob("*.yaml"))
TRAPS = b"""\
network: &m {name: ResNet18, class_num: !!int 10}
data: {train: *m, valid: [[[[{}]]]], test: !!binary abc}
optimizer: {name: Momentum, momentum: .nan, 1: 2, null: 3}
schedule: !!timestamp x
train: {epochs: 0b, <<: {compiled: yes}, keep: 1:30, date: 2001-99-99}
? [a, b]
: c
"""
BOMB = b"a: &a [1, 2, 3, 4, 5, 6, 7, 8]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b", ".join([b"*%c" % (name - 1)] * 8)) for name in b"bcdefghijklmnop"
)


def test_damaged_configs(tmp_path: Path) -> None:
    seeds = [*(path.read_bytes() for path in CONFIGS), TRAPS]
    file = tmp_path / "run.yaml"
    for path in CONFIGS:  # imports what the names in them stand for, which takes more memory than reading may
        load_config(ClassificationConfig, path)
    read, refused = 0, 0
    for number in cases(200):
        file.write_bytes(mutated(number, seeds))
        with bounds():
            try:
                config = load_config(ClassificationConfig, file)
            except ConfigError as error:
                refused += 1
                for line in str(error).splitlines():
                    assert line.startswith(str(file)) and len(line) < 2000, f"case {number}: {line!r}"
                continue
        read += 1
        save_config(config, tmp_path / "again.yaml")
        assert load_config(ClassificationConfig, tmp_path / "again.yaml") == config, f"case {number}"
    assert read > 6 and refused > 66


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a: &a\n  b: [*a]", "run.yaml:1: 'a.b.0' holds an alias of itself"),
        (BOMB, "run.yaml:1: a config has at most 20,000 entries, those of aliases included"),
        (b"a: " + b"[" * 5000, "run.yaml: not valid YAML: nested too deeply"),
        (b"a: \xff", "run.yaml: a config file is UTF-8 text, and this is not"),
        (b"a: \x00", "run.yaml: not valid YAML: unacceptable character #x0000: special characters are not allowed"),
        (b"a: !!int x", "run.yaml: a value does not fit its type: "),
        (b"a: !!timestamp x", "run.yaml: a value does not fit its type: "),
        (b"a: !!python/object:os.system x", "run.yaml:1: not valid YAML: could not determine a constructor"),
        (b"? [a]\n: 1", "run.yaml:1: a key must be a word"),
        (b"", "run.yaml: a config file is a mapping of keys to values"),
        (b"a: 1\n---\nb: 2", "run.yaml:2: not valid YAML: but found another document"),
    ],
)  # fmt: skip
def test_yaml_traps_are_named(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "run.yaml").write_bytes(text)
    with pytest.raises(ConfigError) as caught:
        load_config(ClassificationConfig, tmp_path / "run.yaml")
    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(message)


def test_an_alias_is_a_copy(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("a: &one {x: 1, y: [2]}\nb: *one\n")

    class Part(Section):
        x: int
        y: list[int]

    class Two(Section):
        a: Part
        b: Part

    config = load_config(Two, tmp_path / "run.yaml", ["b.x=5", "b.y.0=7"])
    assert config.model_dump() == {"a": {"x": 1, "y": [2]}, "b": {"x": 5, "y": [7]}}
    with pytest.raises(ConfigError, match="run.yaml:1: unknown key 'b.z'"):
        (tmp_path / "run.yaml").write_text("a: &one {x: 1, y: [2], z: 1}\nb: *one\n")
        load_config(Two, tmp_path / "run.yaml")


def test_numbers_that_are_none_and_long_values(tmp_path: Path) -> None:
    text = CONFIGS[0].read_text()
    (tmp_path / "run.yaml").write_text(text)
    for override, message in (
        ("train.epochs=010", "train.epochs must be a valid integer, not '010'"),
        ("train.epochs=1:30", "train.epochs must be a valid integer, not '1:30'"),
        ("train.ema=.nan", "train.ema must be "),
        (f"train.epochs={'x' * 5000}", f"train.epochs must be a valid integer, not '{'x' * 79} ... (5002 characters)"),
        ("schedule.learning_rate=.nan", "schedule: Cosine: learning_rate must be a finite number, not nan"),
        ("train.²=1", "unknown key 'train.²'"),
    ):
        with pytest.raises(ConfigError) as caught:
            load_config(ClassificationConfig, tmp_path / "run.yaml", [override])
        assert message in str(caught.value)


def test_half_a_character_is_refused_where_it_stands(tmp_path: Path) -> None:
    for number, text in enumerate(('seed: 0\noutput: "runs/\\ud800"\n', 'seed: 0\n"\\udfff": 1\n')):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text)
        with pytest.raises(ConfigError) as caught:
            load_config(ClassificationConfig, file)
        name = ("'runs/\\ud800'", "'\\udfff'")[number]
        assert str(caught.value) == (
            f"{file}:2: not valid YAML: the text {name} holds half of a surrogate pair, which is no character"
        )


def test_a_long_name_is_cut_in_the_message(tmp_path: Path) -> None:
    text = (CONFIGS[0]).read_text()
    for key, value in (("network.name", "x" * 5000), ("loss.name", "y" * 5000)):
        file = tmp_path / f"{key}.yaml"
        file.write_text(text)
        with pytest.raises(ConfigError) as caught:
            load_config(ClassificationConfig, file, [f"{key}={value}"])
        assert len(str(caught.value)) < 1000 and value[:70] in str(caught.value)
