"""Tensors travel between processes."""

from __future__ import annotations

import multiprocessing
from queue import Empty

import numpy as np
import pytest

import core
from core.incubate import multiprocessing as tensors


def double(received, sent) -> None:
    """Send back what comes, doubled."""
    tensor = received.get(timeout=60)
    sent.put(tensor * 2)


def test_tensors_come_back_from_another_process() -> None:
    there, back = tensors.Queue(), tensors.Queue()
    process = tensors.Process(target=double, args=(there, back))
    process.start()
    x = core.to_tensor(np.arange(6.0).reshape(2, 3), stop_gradient=False)
    there.put(x)
    try:
        result = back.get(timeout=60)
    except Empty:
        process.terminate()
        raise
    process.join(60)
    assert process.exitcode == 0
    assert result.dtype == core.float64 and result.tolist() == (2 * np.arange(6.0)).reshape(2, 3).tolist()


def test_names_are_those_of_python() -> None:
    assert isinstance(tensors.Event(), type(multiprocessing.get_context("spawn").Event()))
    assert tensors.get_context().get_start_method() == "spawn"
    assert tensors.get_context("forkserver").get_start_method() == "forkserver"
    with pytest.raises(AttributeError, match="core.incubate.multiprocessing has no attribute 'Nothing'"):
        tensors.Nothing  # noqa: B018
