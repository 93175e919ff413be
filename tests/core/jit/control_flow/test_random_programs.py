"""Programs written by chance, nested branches and loops with every kind of exit: compiled equals eager."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import numpy as np
import pytest

from tests.core.jit.control_flow.control_flow_check import check
from tests.sampling import sampled

NAMES = ("a", "b", "c", "d")


class Writer:
    """Writes the source of one function of four 0-D tensors."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.left = 18
        self.counters = 0

    def expression(self, depth: int = 0) -> str:
        kind = self.chance.random()
        if depth > 2 or kind < 0.35:
            return self.chance.choice(NAMES)
        if kind < 0.5:
            return str(round(self.chance.uniform(-2, 2), 2))
        first, second = self.expression(depth + 1), self.expression(depth + 1)
        if kind < 0.9:
            return f"({first} {self.chance.choice('+-*')} {second})"
        return f"(core.tanh(x.sum() * 0 + {first}) if {self.condition(depth + 1)} else x.sum() * 0 + {second})"

    def condition(self, depth: int = 0) -> str:
        name, kind = self.chance.choice(NAMES), self.chance.random()
        if kind < 0.5 or depth > 2:
            return f"{name} {self.chance.choice(['<', '>', '<=', '>='])} {round(self.chance.uniform(-2, 2), 2)}"
        if kind < 0.6:
            return f"not ({self.condition(depth + 1)})"
        if kind < 0.75:
            return f"{round(self.chance.uniform(-3, 0), 2)} < {name} < {round(self.chance.uniform(0, 3), 2)}"
        if kind < 0.82:
            return "flag"
        return f"({self.condition(depth + 1)} {self.chance.choice(['and', 'or'])} {self.condition(depth + 1)})"

    def block(self, depth: int, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance.randint(1, 3)):
            if self.left > 0:
                self.left -= 1
                lines += self.statement(depth, in_loop)
        return [f"    {line}" for line in lines or ["pass"]]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        kind = self.chance.random()
        if kind < 0.4 or depth > 3:
            return [f"{self.chance.choice(NAMES)} = core.clip(x.sum() * 0 + {self.expression()}, -9.0, 9.0)"]
        if kind < 0.62:
            lines = [f"if {self.condition()}:", *self.block(depth + 1, in_loop)]
            if self.chance.random() < 0.3:
                lines += [f"elif {self.condition()}:", *self.block(depth + 1, in_loop)]
            return lines + (["else:", *self.block(depth + 1, in_loop)] if self.chance.random() < 0.5 else [])
        if kind < 0.85:
            if kind < 0.72:
                self.counters += 1
                counter = f"k{self.counters}"
                test = f"while {counter} < {self.chance.randint(1, 4)} and {self.condition()}:"
                lines = [f"{counter} = 0", test, f"    {counter} += 1"]
            else:
                lines = [f"for item in {self.chance.choice(['range(3)', 'x', 'range(m)'])}:"]
            lines += self.block(depth + 1, True)
            return lines + (["else:", *self.block(depth + 1, in_loop)] if self.chance.random() < 0.25 else [])
        if kind < 0.93 and in_loop:
            return [f"if {self.condition()}:", f"    {self.chance.choice(['break', 'continue'])}"]
        if kind < 0.96:
            return [f"if {self.condition()}:", f"    return {self.chance.choice(NAMES)} * 1.0, b * 1.0"]
        if kind < 0.97:
            return ["with core.no_grad():", *self.block(depth + 1, in_loop)]
        return ["try:", *self.block(depth + 1, in_loop), "finally:", "    d = d * 1.0"]

    def source(self) -> str:
        head = ["import core", "", "", "def function(x, m, flag):", "    a, b, c, d = x[0], x[1], x[2], x.sum()"]
        return "\n".join([*head, *self.block(0, False), "    return a + c * d, b * 1.0", ""])


@pytest.mark.parametrize("seed", sampled(range(12), 1000, group=lambda seed: min(seed, 3)))
def test_a_random_program(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"random_program_{seed}.py").write_text(Writer(seed).source(), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    function = importlib.import_module(f"random_program_{seed}").function
    numbers = np.random.default_rng(seed)
    cases = [
        (numbers.uniform(-2.5, 2.5, 3).astype("float32"), numbers.integers(0, 4), flag)
        for flag in (True, False)
        for _ in range(3)
    ]
    check(function, *[(x, np.array(m), flag) for x, m, flag in cases], programs=2, tolerance=1e-5)
