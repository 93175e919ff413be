"""Every config from before the toolkits got one runner still loads, with the overrides that users typed."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.frozen.loading import OLD_KEYS_WARN, RENAMED, SCHEMAS, load, value
from tests.frozen.overrides import OVERRIDES
from tests.frozen.store import CONFIGS, unpack
from tests.sampling import sampled

ROOT = Path(__file__).resolve().parents[2]
CHANGED: frozenset[str] = frozenset()
"""Configs, as "PaddleClas/digits_lenet.yaml", that were given other values on purpose since then."""


def stored(toolkit: str) -> list[str]:
    """Return the names of a toolkit's stored configs."""
    with tarfile.open(CONFIGS / f"{toolkit}.tar.gz") as archive:
        return sorted(archive.getnames())


STORED = [(toolkit, name) for toolkit in SCHEMAS for name in stored(toolkit)]

IDS = [f"{toolkit} {name} {' '.join(overrides)}" for toolkit, name, overrides, _ in OVERRIDES]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stored configs, by toolkit."""
    folder = tmp_path_factory.mktemp("configs")
    for toolkit in SCHEMAS:
        unpack(CONFIGS / f"{toolkit}.tar.gz", folder / toolkit)
    return folder


def check_warnings(toolkit: str, expected_text: str) -> None:
    """Check what loading an old config printed: one line, with the old and the new key, where a key was renamed."""
    names = RENAMED[toolkit]
    if not OLD_KEYS_WARN[toolkit] or names is None:
        assert expected_text == ""
        return
    (line,) = expected_text.splitlines()
    assert "warning" in line and f"{names[0]} -> {names[1]}" in line


def test_all_are_there() -> None:
    assert {toolkit: len(stored(toolkit)) for toolkit in SCHEMAS} == {"PaddleClas": 141, "PGL": 14, "PaddleGAN": 19}


@pytest.mark.parametrize(("toolkit", "name"), sampled(STORED, 4))
def test_an_old_config_is_the_shipped_one(toolkit: str, name: str, old: Path, capfd: Any) -> None:
    loaded = load(toolkit, old / toolkit / name)
    check_warnings(toolkit, "".join(capfd.readouterr()))
    if f"{toolkit}/{name}" not in CHANGED:
        shipped = load(toolkit, ROOT / toolkit / "configs" / name)
        assert "".join(capfd.readouterr()) == ""
        assert loaded.model_dump() == shipped.model_dump()


@pytest.mark.parametrize("shipped", [False, True], ids=["old", "shipped"])
@pytest.mark.parametrize(("toolkit", "name", "overrides", "expected"), OVERRIDES, ids=IDS)
def test_old_overrides(
    toolkit: str, name: str, overrides: list[str], expected: dict[str, Any], shipped: bool, old: Path, capfd: Any
) -> None:
    file = ROOT / toolkit / "configs" / name if shipped else old / toolkit / name
    loaded = load(toolkit, file, overrides)
    output = "".join(capfd.readouterr())
    if not shipped:
        check_warnings(toolkit, output)
    assert {key: value(loaded, key) for key in expected} == expected
