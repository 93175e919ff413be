"""What is compiled becomes machine code once, for the kernel that Python calls, whatever was called before."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from core.kernels.engine import code_library, kernel_compiler
from core.kernels.engine.compiled import serial, vectorized


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the kernels for which machine code is made."""
    names: list[str] = []
    make = code_library.KernelLibrary._make

    def noted(self: code_library.KernelLibrary, name: str) -> None:
        names.append(self.name)
        make(self, name)

    monkeypatch.setattr(code_library.KernelLibrary, "_make", noted)
    return names


class Kernels:
    """Three levels of kernels, compiled anew for each test and never kept on disk."""

    def __init__(self) -> None:
        def innermost(x: np.ndarray) -> Any:
            total = np.float32(0)
            for k in range(x.size):
                total += x[k] * x[k]
            return total

        self.innermost = innermost = self._unkept(vectorized(innermost))

        def middle(x: np.ndarray, i: int) -> Any:
            return innermost(x[i]) + 1

        self.middle = self._unkept(serial(middle))

    def _unkept(self, kernel: Any) -> Any:
        kernel._cache.disable()
        return kernel


def table() -> np.ndarray:
    return np.arange(12, dtype=np.float32).reshape(3, 4) / 8


def test_machine_code_is_made_for_what_python_calls(made: list[str]) -> None:
    kernels = Kernels()
    assert kernels.middle(table(), 1) == (16 + 25 + 36 + 49) / 64 + 1
    assert [name.split(".")[-1] for name in made] == ["middle"]
    assert len(kernels.innermost.overloads) == 1
    assert kernels.middle(table(), 2) == (64 + 81 + 100 + 121) / 64 + 1
    assert len(made) == 1
    assert kernels.innermost(table()[0]) == (0 + 1 + 4 + 9) / 64
    assert [name.split(".")[-1] for name in made] == ["middle", "innermost"]


def test_a_result_does_not_depend_on_what_was_called_before() -> None:
    x = np.random.default_rng(0).standard_normal((3, 1003)).astype(np.float32)
    kernels, others = Kernels(), Kernels()
    others.innermost(x[0])
    found = [one.middle(x, 2) for one in (kernels, others)]
    assert found[0] == found[1] == pytest.approx(1 + (x[2].astype(np.float64) ** 2).sum(), rel=1e-6)


def test_a_kernel_of_numba_may_call_ours() -> None:
    kernels = Kernels()
    inner = kernels.middle

    @numba.njit
    def foreign(x: np.ndarray) -> Any:
        return inner(x, 0) + inner(x, 1)

    assert foreign(table()) == inner(table(), 0) + inner(table(), 1)


def test_types_that_do_not_fit_are_numbas_error() -> None:
    with pytest.raises(numba.TypingError, match="innermost"):
        Kernels().middle(table(), "first")


def test_a_kernel_is_announced_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    kernels = Kernels()
    kernels.middle(table(), 1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(kernel_compiler, "_on_a_terminal", lambda: True)
    Kernels().middle(table(), 1)
    name = f"{__name__}.Kernels.__init__.<locals>.middle"
    assert capsys.readouterr().err == f"core: compiling {name} for this processor, once\n"
