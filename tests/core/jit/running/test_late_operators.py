"""A program's operators are found in a process that has imported nothing but core."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import importlib, pkgutil
import core.jit, core.operators
from core.jit.exported import check as program_check
from core.kernels.dispatch.operator import REGISTRY
program_check._is_declared("none of them")
known = set(REGISTRY)
for module in pkgutil.walk_packages(core.__path__, "core."):
    if module.name.startswith(("core.operators.", "core.vision.ops", "core.distribution.", "core.text", "core.nn.")):
        importlib.import_module(module.name)
print(sorted(name for name in set(REGISTRY) - known if "#" not in name))
"""


@pytest.mark.exhaustive
def test_every_module_that_declares_operators_is_known() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
