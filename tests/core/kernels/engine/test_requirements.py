"""Packages of versions that do not work are named in one line, before they fail in their own way."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.kernels.engine import requirements

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    requirements.check.cache_clear()
    yield
    requirements.check.cache_clear()


@pytest.fixture
def too_new(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that finds a numpy of the future before the installed one."""
    folder = tmp_path / "numpy-9.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 9.1.0\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


EXPECTED = f"numpy 9.1.0 is installed, but numpy<2 is needed; run: {sys.executable} -m pip install 'numpy<2'"


@pytest.mark.parametrize("toolkit", ["PaddleClas", "PaddleGAN", "PGL"])
def test_a_command_says_it_in_one_line(toolkit: str, too_new: dict[str, str]) -> None:
    command = [sys.executable, str(ROOT / toolkit / "train.py"), "--keys"]
    result = subprocess.run(command, env=too_new, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"error: {EXPECTED}\n")


def test_the_engine_does_not_start(too_new: dict[str, str]) -> None:
    code = "import core\ntry:\n    core.ones([2])\nexcept ImportError as error:\n    print(error)"
    result = subprocess.run([sys.executable, "-c", code], env=too_new, cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (f"{EXPECTED}\n", "")


@pytest.mark.parametrize(
    ("name", "version", "constraint"),
    [
        ("mxnet", "1.8.0", "mxnet==1.9.1"),
        ("numpy", "2.0.2", "numpy<2"),
        ("opencv-python", "4.12.0.88", "opencv-python<4.12"),
        ("pydantic", "1.10.19", "pydantic>=2"),
        ("onnx", "1.14.1", "onnx>=1.15"),
        ("onnxruntime", "1.15.1", "onnxruntime>=1.16"),
    ],
)
def test_every_constraint_is_checked(name: str, version: str, constraint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda other: version if other == name else found(other))
    with pytest.raises(requirements.PackageError) as caught:
        requirements.check("onnx" if name.startswith("onnx") else "")
    command = f"{sys.executable} -m pip install {shlex.quote(constraint)}"
    assert str(caught.value) == f"{name} {version} is installed, but {constraint} is needed; run: {command}"


def test_several_are_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", {"numpy": "2.0", "opencv-python": "4.13"}.get)
    expected = "; opencv-python 4.13 .*install 'numpy<2' 'opencv-python<4.12'$"
    with pytest.raises(requirements.PackageError, match=expected):
        requirements.check()


def test_without_the_project_file_the_installed_metadata_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listed = ["numpy<2", "pyyaml", 'pyparsing<3.3; python_version < "3.0"', 'onnx>=1.15; extra == "onnx"']
    monkeypatch.setattr(requirements, "_PROJECT_FILE", tmp_path / "pyproject.toml")
    monkeypatch.setattr(importlib.metadata, "requires", {"paddle-on-mxnet": listed}.get)
    assert [str(found) for found in requirements.required()] == ["numpy<2", "pyyaml"]
    assert [found.name for found in requirements.required("onnx")] == ["onnx"]
    monkeypatch.setattr(importlib.metadata, "version", {"numpy": "2.0"}.get)
    with pytest.raises(requirements.PackageError, match="^numpy 2.0 is installed, but numpy<2 is needed; run: "):
        requirements.check()


def test_a_package_of_another_name_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)  # as with opencv-python-headless
    requirements.check()
