"""Devices and their memory."""

from __future__ import annotations

import sys
from typing import Callable

import pytest

import core


def resident() -> int:
    """Return how many bytes of memory the process occupies."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="reads the size of the process from /proc")
@pytest.mark.parametrize("empty_cache", [core.device.empty_cache, core.device.cuda.empty_cache])
def test_empty_cache_returns_what_was_freed(empty_cache: Callable[[], None]) -> None:
    tensors = [core.ones([1024, 1024]) for _ in range(64)]  # 256 MB
    assert float(tensors[-1].sum()) == 2**20
    full = resident()
    del tensors
    empty_cache()
    assert full - resident() > 150e6


def test_the_cpu_is_the_default_and_other_names_are_refused() -> None:
    assert core.get_device() == "cpu" and core.set_device("cpu") == "cpu"
    with pytest.raises(ValueError, match="set_device: 'tpu' is no device: use 'cpu', 'gpu' or 'gpu:N'"):
        core.set_device("tpu")
