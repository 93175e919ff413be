"""Kernels that are compiled before they are called: which programs are run, for how long, and what is said of failures.

That a second process then compiles nothing is tested in tests/core/kernels/engine/test_kernel_cache.py.
"""

from __future__ import annotations

import sys

import pytest

from tools.compile_kernels import PROGRAMS, compile_kernels, main


def test_what_has_no_time_is_named() -> None:
    assert compile_kernels(["mlp", "encoder"], 0.0) == ["mlp", "encoder"]


def test_a_program_that_fails_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="the program 'transformer' failed; its message is above"):
        compile_kernels(["transformer"], 60.0)
    assert "KeyError: 'transformer'" in capfd.readouterr().err


def test_the_command_knows_its_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["compile_kernels.py", "encoder", "transformer"])
    with pytest.raises(SystemExit):
        main()
    assert f"no program 'transformer'; there are {', '.join(PROGRAMS)}" in capsys.readouterr().err


def test_programs_are_stopped_when_time_is_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["compile_kernels.py", "--seconds", "0"])
    main()
    assert f"compiled what 0 programs use in 0 s; not in time: {', '.join(PROGRAMS)}\n" == capsys.readouterr().out
