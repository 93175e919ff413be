"""Write references/*.npz: what Paddle 2.6.2 answers to the table's cases, and the gradients of their inputs.

Run in the repository's root with a Python that has paddlepaddle==2.6.2::

    python -m tests.parity.operators.make_references [FAMILY ...]

What Paddle refuses, or what ends its process, is listed in references/refused.txt with the reason. A case to which it
has no answer for any type does not belong into the table, unless the case brings the expected values: it is an error.
"""

from __future__ import annotations

import sys
import zlib  # noqa: F401 - paddle needs it to be loaded first
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Union

import numpy as np

from tests.parity.operators import store
from tests.parity.operators.table import FAMILIES, Case, evaluate, family

Answer = Union[dict[str, np.ndarray], str]


def answer(name: str, case_name: str, dtype: str) -> Answer:
    """Return Paddle's answers to one case, or why it has none; runs in a process of its own."""
    import paddle

    try:
        return evaluate(paddle, family(name)[case_name], dtype)
    except Exception as error:  # noqa: BLE001 - what the original cannot do is listed
        if "kernel_factory.cc" in str(error):
            return "no CPU kernel"
        lines = [line.strip() for line in str(error).splitlines() if line.strip() and "(at /paddle" not in line]
        return f"{type(error).__name__}: {' '.join(lines[-1:])[:100]}"


class Original:
    """A process that runs Paddle, started anew when a case ends it."""

    def __init__(self) -> None:
        self.pool = ProcessPoolExecutor(1, get_context("spawn"))

    def ask(self, name: str, case: Case, dtype: str) -> Answer:
        """Return the answers to a case, or why there are none."""
        try:
            return self.pool.submit(answer, name, case.name, dtype).result()
        except BrokenProcessPool:
            self.pool = ProcessPoolExecutor(1, get_context("spawn"))
            return "ends the process"


def make(name: str, original: Original) -> bool:
    """Write the answers to a family's cases, and return whether each case has one."""
    found: dict[str, np.ndarray] = {}
    refused: list[str] = []
    complete = True
    for case in family(name).values():
        reasons: dict[str, list[str]] = {}
        for dtype in case.types:
            answers = original.ask(name, case, dtype)
            if isinstance(answers, str):
                reasons.setdefault(answers, []).append(dtype)
            else:
                found.update({f"{case.name}/{dtype}/{key}": array for key, array in answers.items()})
        refused += [f"{name} | {case.name} | {' '.join(types)} | {reason}" for reason, types in reasons.items()]
        if sum(map(len, reasons.values())) == len(case.types) and not case.expected:
            print(f"no answer: {refused[-1]}", file=sys.stderr)
            complete = False
    path = store.save(name, found)
    store.save_refused(name, refused)
    print(f"{name}: {len(found)} arrays, {path.stat().st_size / 1000:.0f} kB, {len(refused)} refused")
    return complete


if __name__ == "__main__":
    original = Original()
    results = [make(name, original) for name in sys.argv[1:] or FAMILIES]
    original.pool.shutdown()
    sys.exit(not all(results))
