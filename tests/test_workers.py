"""Which tests go to one worker: those of a file, and of all files that share the runs of a toolkit's conftest."""

from __future__ import annotations

import os
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
