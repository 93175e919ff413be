"""The layers of pyproject.toml are whole: no module without a layer, no layer without a module, one table for both.

``lint-imports`` checks who imports whom; here is what keeps its contracts whole.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
NO_TOOLKITS = {"benchmarks", "core", "tests", "tools"}
SEVERAL = re.compile(r"\s*[|:]\s*")


@pytest.fixture(scope="module")
def linter() -> dict[str, Any]:
    from importlinter.api import read_configuration

    return read_configuration(str(ROOT / "pyproject.toml"))


def contract(linter: dict[str, Any], start: str) -> dict[str, Any]:
    (found,) = [options for options in linter["contracts_options"] if options["name"].startswith(start)]
    return found


def modules(folder: Path) -> set[str]:
    """Return the names of the modules and packages in a package, those without an ``__init__.py`` too."""
    files = {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}
    return files | {path.name for path in folder.iterdir() if path.is_dir() and any(path.rglob("*.py"))}


def test_the_layers_of_core_are_its_modules(linter: dict[str, Any]) -> None:
    layers = contract(linter, "Each layer of core")
    assert layers["containers"] == ["core"] and layers["exhaustive"] in (True, "True")
    named = [name for layer in layers["layers"] for name in SEVERAL.split(layer)]
    assert len(named) == len(set(named))
    assert modules(ROOT / "core") - set(named) == set(), "modules that are in no layer: see [tool.importlinter]"
    assert set(named) - modules(ROOT / "core") == set(), "layers that name no module: see [tool.importlinter]"


def test_every_toolkit_is_checked(linter: dict[str, Any]) -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    toolkits = packages - NO_TOOLKITS
    assert {"PaddleClas", "PaddleGAN", "PGL"} <= toolkits
    assert set(linter["session_options"]["root_packages"]) == toolkits | {"core"}
    assert contract(linter, "Toolkits stand on core")["layers"] == [" | ".join(sorted(toolkits, key=str.lower)), "core"]
    assert set(contract(linter, "Only the kernel layer")["source_modules"]) == toolkits | {"core"}
    assert set(contract(linter, "Toolkits reach the kernel layer")["source_modules"]) == toolkits


def test_siblings_are_independent(linter: dict[str, Any]) -> None:
    layers = [layer for options in linter["contracts_options"] for layer in options.get("layers", [])]
    assert [layer for layer in layers if ":" in layer or "(" in layer] == []


def test_the_page_shows_the_layers_as_they_are(linter: dict[str, Any]) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", text.split("## Layers")[1].split("\n## ")[0], re.MULTILINE)
    layers = [contract(linter, "Toolkits stand on core")["layers"][0]]
    layers += [f"core.{layer}" for layer in contract(linter, "Each layer of core")["layers"]]
    assert [re.findall(r"`(.*?)`", row) for row in rows] == [SEVERAL.split(layer) for layer in layers]
