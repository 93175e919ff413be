"""Intel's matrix extensions: asked for where the processor has them, and no trace of it in the environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from core.kernels.engine import matrix_extensions
from core.kernels.engine.processors import instructions

HAS_THEM = instructions() >= {"amx_tile", "amx_bf16", "avx512_bf16"}


def test_other_processors_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_extensions, "instructions", lambda: frozenset({"avx512f", "avx512_bf16"}))
    assert not matrix_extensions.granted()


def test_the_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DNNL_MAX_CPU_ISA", raising=False)
    monkeypatch.setattr(matrix_extensions, "granted", lambda: True)
    with matrix_extensions.offered_to_onednn():
        assert os.environ["DNNL_MAX_CPU_ISA"] == "AVX512_CORE_AMX"
    assert "DNNL_MAX_CPU_ISA" not in os.environ
    monkeypatch.setenv("DNNL_MAX_CPU_ISA", "AVX2")
    with matrix_extensions.offered_to_onednn():
        assert os.environ["DNNL_MAX_CPU_ISA"] == "AVX2"
    assert os.environ["DNNL_MAX_CPU_ISA"] == "AVX2"


@pytest.mark.skipif(not HAS_THEM, reason="the processor has no matrix extensions")
def test_convolutions_in_bfloat16_use_them() -> None:
    code = (
        "import os, core; assert 'DNNL_MAX_CPU_ISA' not in os.environ; x = core.ones([1, 64, 8, 8], 'bfloat16');"
        " y = core.nn.functional.conv2d(x, core.ones([64, 64, 3, 3], 'bfloat16'), padding=1);"
        " print(y.astype('float32')[0, 0, 1, 1].item(), y.astype('float32')[0, 0, 0, 0].item())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "DNNL_MAX_CPU_ISA"}
    environment["DNNL_VERBOSE"] = "1"
    lines = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).splitlines()
    assert lines[-1] == "576.0 256.0"
    assert any("convolution" in line and "amx" in line for line in lines)
