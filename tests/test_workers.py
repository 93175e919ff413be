"""Which tests go to one worker: those of a file, and of all files that share the runs of a toolkit's conftest."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


def scheduler(dist: str) -> Any:
    config: Any = SimpleNamespace(getoption=lambda name: dist, getvalue=lambda name: ["3*popen"])
    return conftest.pytest_xdist_make_scheduler(config, None)


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        ("tests/PaddleGAN/test_infer.py::test_a", "tests/PaddleGAN"),
        ("tests/PaddleGAN/test_export.py::test_b[c/d.py::e]", "tests/PaddleGAN"),
        ("tests/PaddleGAN/tasks/test_noise.py::test_a", "tests/PaddleGAN/tasks/test_noise.py"),
        ("tests/core/test_device.py::test_a", "tests/core/test_device.py"),
        ("tests/test_house.py::test_a", "tests/test_house.py"),
    ],
)
def test_files_of_a_toolkit_s_folder_go_together(test: str, scope: str) -> None:
    assert scheduler("loadfile")._split_scope(test) == scope


def test_other_ways_to_share_tests_are_xdists_own() -> None:
    assert scheduler("load") is None


def test_no_test_waits_for_the_disk(tmp_path: Any) -> None:
    os.fsync(-1)  # which is no file


@pytest.mark.parametrize(("worker", "found"), [("gw0", ["test_a", "test_c"]), ("gw1", ["test_b"])])
def test_each_worker_first_imports_files_of_its_own(
    worker: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("shared").mkdir()
    for name in ("test_a", "test_b", "test_c"):
        tmp_path.joinpath("shared", f"{name}.py").write_text("")
    tmp_path.joinpath("shared", "test_d.py").write_text("raise ValueError")  # which is said when it is collected
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    config: Any = SimpleNamespace(
        workerinput={"workerid": worker, "workercount": 2}, args=["shared"], rootpath=tmp_path
    )
    conftest._import_a_share(config)
    imported = sorted(name for name in sys.modules if name.partition(".")[0] == "shared")
    for name in imported:
        del sys.modules[name]
    assert imported == ["shared", *(f"shared.{name}" for name in found)]
