"""Freed memory stays with the process, where the next step needs it again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import resource
from core.kernels.engine import engine
from core.kernels.dtypes import float32

def step():
    array = engine.empty((2**24,), float32)
    array[:] = 1
    array.wait_to_read()
    del array
    engine.wait_all()

for _ in range(5):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not hasattr(os, "confstr") or "CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="not glibc")
def test_a_step_does_not_fault_its_memory_in_again() -> None:
    def faults(keep: str) -> int:
        environment = {**os.environ, "CORE_KEEP_MEMORY": keep}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert 2 * faults("1") < faults("0")  # the latter: twenty times 64 MB, in pages
