"""Count the official packages' models that run on core and give the real Paddle's numbers.

    python tests/parity/foreign/count.py                     # every package
    python tests/parity/foreign/count.py detection video     # some

A model counts when its outputs, eager, compiled and exported, and its gradients are right. What is not compiled or
exported says so where it is described (tests/parity/foreign/cases).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Optional, Union

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from cases import PACKAGES, Case, Training  # noqa: E402
from compare import check_outputs, check_training  # noqa: E402
from run import REFERENCES  # noqa: E402


def failure(name: str, case: Union[Case, Training], folder: Path) -> Optional[str]:
    """Return why a model does not count, in one line, or None."""
    error = folder / f"{name}.txt"
    if error.exists():
        return error.read_text(encoding="utf-8").strip().splitlines()[-1]
    if not (folder / f"{name}.npz").exists():
        return "the process ended"
    answers, reference = np.load(folder / f"{name}.npz"), np.load(REFERENCES / f"{name}.npz")
    try:
        if isinstance(case, Training):
            check_training(answers, reference)
        else:
            check_outputs(answers, reference, case)
    except AssertionError as error:
        return str(error).strip().splitlines()[0]
    return None


def count(package: str) -> None:
    """Run a package's models in one process, and print how many are right."""
    module = PACKAGES[package]
    for title, cases in (("models", module.CASES), ("trained for three steps", getattr(module, "TRAINED", {}))):
        if not cases:
            continue
        with tempfile.TemporaryDirectory() as work:
            command = [sys.executable, str(HERE / "run.py"), work, "core", *cases]
            done = subprocess.run(command, capture_output=True, text=True, cwd=work)
            failures = {name: failure(name, case, Path(work)) for name, case in cases.items()}
        wrong = {name: why for name, why in failures.items() if why}
        ways = ""
        if title == "models":
            compiled = [case for name, case in cases.items() if name not in wrong and case.compiles]
            exported = [case for case in compiled if case.exports]
            ways = f" ({len(compiled)} compiled too, {len(exported)} exported)"
        print(f"{package}: {len(cases) - len(wrong)} of {len(cases)} {title}{ways}", flush=True)
        for name, why in wrong.items():
            cause = getattr(cases[name], "differs", "")
            print(f"  {name}: {why}{cause and f' ({cause})'}")
        if done.returncode:
            print(f"  the process ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help=f"some of: {', '.join(PACKAGES)}")
    packages = parser.parse_args().packages or list(PACKAGES)
    if unknown := [package for package in packages if package not in PACKAGES]:
        parser.error(f"there is no package {unknown[0]!r}; there are {', '.join(PACKAGES)}")
    for package in packages:
        count(package)


if __name__ == "__main__":
    main()
