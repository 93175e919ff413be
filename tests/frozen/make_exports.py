"""Make the stored exported programs, by the code of the commit that wrote them.

The folders here are of format version 1, written by commit 5c1cd49, the last one whose operators chose kernels. They
are never made anew by later code, which they check. With that commit checked out in a folder of its own:

    cd FOLDER && OMP_NUM_THREADS=1 python HERE/tests/frozen/make_exports.py [ARCHIVE ...]

The framework comes from the working folder, the names below ``tests/frozen`` from this one. The archives are the same
bytes each time with the same libraries, processor and number of threads.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[:0] = [os.getcwd(), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402

import core  # noqa: E402
from tests.frozen.exported import (  # noqa: E402
    EXPORTS,
    SAME_AS,
    TABLE,
    WAYS,
    Arrays,
    Stored,
    gradients,
    kept,
    operators,
    quiet,
)
from tests.frozen.exported_cases.cases import Case  # noqa: E402
from tests.frozen.exported_cases.table import CASES  # noqa: E402
from tests.frozen.store import pack  # noqa: E402


def numbers(case: Case, program: Path) -> Arrays:
    """Return what a program is given and gives, for each call and each way to run it."""
    found: Arrays = {}
    for call in range(len(case.calls)):
        inputs = case.inputs(call)
        found.update({f"{call}.input.{number}": array for number, array in enumerate(inputs)})
        for way, run in WAYS.items():
            if way in SAME_AS or (way == "mixed" and not case.mixed):
                continue
            with quiet():
                results = run(program, inputs)
            for number, array in enumerate(results):
                if not case.random:
                    found[f"{call}.{way}.output.{number}"] = kept(array)
                found[f"{call}.{way}.shape.{number}"] = np.array(array.shape, np.int64)
        if case.learns:
            for name, array in gradients(program, inputs).items():
                found[f"{call}.learning.{name}"] = kept(array)
    return found


def make(archive: str) -> dict[str, dict[str, Any]]:
    """Make an archive; return what the table says of each of its programs."""
    table = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, case in CASES[archive].items():
            print(name, flush=True)
            core.seed(0)
            folder = Path(temporary) / name
            folder.mkdir()
            if case.write is None:
                core.jit.save(case.model(), folder / "program", list(case.specs))
            else:
                case.write(case, folder / "program")
            np.savez(folder / "numbers.npz", **numbers(case, folder / "program"))
            content = Stored(folder).content()
            assert content["version"] == 1, "later code must not make these"
            used = sorted(set(operators(content)))
            table[name] = {"learns": case.learns, "mixed": case.mixed, "random": case.random, "operators": used}
        pack(Path(temporary), EXPORTS / f"{archive}.tar.gz")
    return table


if __name__ == "__main__":
    found = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    for wish in sys.argv[1:] or CASES:
        print(f"== {wish}")
        found[wish] = make(wish)
        TABLE.parent.mkdir(exist_ok=True)
        rows = [
            f" {json.dumps(name)}: {{\n  "
            + ",\n  ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found[name].items())
            + "\n }"
            for name in CASES if name in found
        ]  # fmt: skip
        TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
