"""What the engine keeps of sizes that it has seen."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MANY_SIZES = """
import core
import core.nn.functional as F

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def run(sizes):
    for size in sizes:
        F.conv2d(core.ones([1, 32, 3 + size // 30, 3 + size % 30]), weight, padding=1)
    core.device.empty_cache()

weight = core.ones([32, 32, 3, 3])
run(range(1300))  # oneDNN's own cache is full from here on
before = resident()
run(range(1300, 2300))
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the size of the process from /proc")
def test_kernels_of_sizes_that_are_gone_are_forgotten() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "MXNET_MKLDNN_CACHE_NUM"}
    grown = subprocess.run(
        [sys.executable, "-c", MANY_SIZES], capture_output=True, text=True, check=True, env=environment
    )
    assert int(grown.stdout) < 25e6, "46 MB in 1,000 sizes where the engine forgets none"
