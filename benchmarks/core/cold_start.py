"""What compiling custom kernels adds to a program that runs for the first time on a machine, and to the second run.

    python -m benchmarks.core.cold_start [FOLDER] [--programs encoder,mlp,gcn] [--rounds 3]

Each program of ``tests/core/kernels/engine/cached_program.py`` runs in a process of its own, first with an empty folder
for compiled kernels, then with what that left; with a FOLDER, another checkout of this project, also there, in turns. A
row shows medians of seconds: of processor time, which other processes change less than the clock, and of the clock.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path("tests", "core", "kernels", "engine", "cached_program.py")


def run(checkout: Path, program: str, kept: str) -> tuple[float, float]:
    """Return the seconds that a program takes: of processors, and of the clock.

    Args:
        checkout: Folder of the project.
        program: Its name.
        kept: Folder for compiled kernels.
    """
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": kept}
    command = [sys.executable, "-W", "ignore", str(checkout / PROGRAM), program]
    subprocess.run(command, env=environment, cwd=checkout, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - began


def main() -> None:
    """Print a row for each program and checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", nargs="?", type=Path, help="another checkout to run beside this one")
    parser.add_argument("--programs", default="encoder,mlp,gcn", help="names, separated by commas")
    parser.add_argument("--rounds", type=int, default=3, help="how often each runs (default 3)")
    options = parser.parse_args()
    checkouts = {"this": Path(__file__).resolve().parents[2]}
    if options.other is not None:
        checkouts["other"] = options.other.resolve()
    print(f"{'seconds':10} {'checkout':9} {'cold, CPU':>10} {'cold':>7} {'warm, CPU':>10} {'warm':>7}")
    for program in options.programs.split(","):
        rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in checkouts}
        for _ in range(options.rounds):
            for name, checkout in checkouts.items():
                with tempfile.TemporaryDirectory() as kept:
                    rows[name].append((*run(checkout, program, kept), *run(checkout, program, kept)))
        for name, measured in rows.items():
            cold_cpu, cold, warm_cpu, warm = (statistics.median(column) for column in zip(*measured))
            print(f"{program:10} {name:9} {cold_cpu:10.1f} {cold:7.1f} {warm_cpu:10.1f} {warm:7.1f}", flush=True)


if __name__ == "__main__":
    main()
