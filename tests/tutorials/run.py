"""Run the tutorial programs and write down what they print.

    python tests/tutorials/run.py paddle [NAME ...]    # with the real Paddle: writes references.json
    python tests/tutorials/run.py core [NAME ...]      # with core as paddle: prints
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import sys
import tempfile
import time
import zlib  # noqa: F401  # after paddle it crashes
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
REFERENCES = HERE / "references.json"
SKIPPED = "save checkpoint at "  # Paddle's ModelCheckpoint says where: a folder with another name each time


def printed(name: str, folder: str) -> list[str]:
    """Run a program as the main one, inside a folder, and return the lines that it prints."""
    stream, before = io.StringIO(), os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(stream):
            runpy.run_path(str(HERE / "programs" / f"{name}.py"), run_name="__main__")
    finally:
        os.chdir(before)
    return [line for line in stream.getvalue().splitlines() if not line.startswith(SKIPPED)]


def main(implementation: str, names: list[str]) -> None:
    """Run programs; with the real Paddle keep what they print."""
    if implementation == "core":
        sys.path.insert(0, str(HERE.parents[1]))
        import core

        core.install_as_paddle()
    for name in names or PROGRAMS:
        begin = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            lines = printed(name, folder)
        print(f"--- {name}: {time.perf_counter() - begin:.1f} s", *lines, sep="\n", flush=True)
        if implementation == "paddle":
            known = json.loads(REFERENCES.read_text()) if REFERENCES.exists() else {}
            known[name] = lines
            REFERENCES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
