"""Every comparison of speed with other libraries, as one table and as JSON.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch torchvision onnxruntime openvino transformers
    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    python -m benchmarks.all --peers PEERS/bin/python [--paddle PADDLE/bin/python] [--json FILE] [--rounds 5]
        [--threads 2] [--only TEXT] [--files core.loader=PHOTOGRAPHS]
    python -m benchmarks.all --quick --peers PEERS/bin/python            # one round of six rows
    python -m benchmarks.all --show FILE [FILE ...]                      # tables of several processors side by side

Each comparison is a program of its own, listed in docs/benchmarks.md, and can be run alone. What cannot run is said at
the start: packages that an interpreter lacks, with the command that installs them, and files that nobody named. A ratio
is the median of the rounds' ratios, above 1 where ours is faster; the spread is that of the rounds, from the first
quartile to the third. Rows below 1 end in "<". A comparison that fails does not end the others, only the exit code
tells.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import side
from benchmarks.comparisons import COMPARISONS, Comparison


def main() -> None:
    """Run the comparisons and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch and the run times")
    parser.add_argument("--paddle", default=sys.executable, help="the interpreter that has Paddle and its toolkits")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--only", default="", help="comparisons with this in their name")
    parser.add_argument("--files", action="append", default=[], metavar="NAME=PATH", help="what a comparison reads")
    parser.add_argument("--quick", action="store_true", help="one round of six rows")
    parser.add_argument("--json", type=Path, help="write what was measured to this file")
    parser.add_argument("--show", type=Path, nargs="+", metavar="FILE", help="print the tables of such files, and end")
    options = parser.parse_args()
    if options.show:
        print("\n".join(table([json.loads(file.read_text(encoding="utf-8")) for file in options.show])))
        return
    commands, notes = plan(options, dict(text.split("=", 1) for text in options.files))
    print("".join(f"{note}\n" for note in notes), end="", flush=True)
    report: dict[str, Any] = {**machine(options), "rows": []}
    failed = []
    for name, words in commands.items():
        rows, code = run(name, words)
        report["rows"] += rows
        if code:
            failed.append(name)
        if options.json:
            options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print("\n".join(table([report])))
    if failed:
        raise SystemExit(f"ended with an error, which is above: {', '.join(failed)}")


def plan(options: argparse.Namespace, files: Mapping[str, str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the words of each comparison that can run, and a line for each thing that cannot.

    Args:
        options: of the command line.
        files: what comparisons read, by their names.

    Raises:
        SystemExit: a file is named for no comparison.
    """
    if set(files) - set(COMPARISONS):
        raise SystemExit(f"--files knows {', '.join(name for name, one in COMPARISONS.items() if one.files)}")
    missing: dict[str, str] = {}
    commands, notes = {}, []

    def lacks(needed: str) -> str:
        if needed and needed not in missing:
            who, *packages = needed.split()
            missing[needed] = side.lacking(*packages, python=getattr(options, who))
        return missing.get(needed, "")

    for name, one in COMPARISONS.items():
        if options.only not in name or (options.quick and one.quick is None):
            continue
        if one.files and name not in files:
            notes.append(f"{name}: left out; name {one.files} with --files {name}=PATH")
            continue
        asked = _asked(one, options.quick)
        gaps = {row: line for row, line in ((row, lacks(needed)) for row, needed in asked.items()) if line}
        notes += [f"{name}{f', {row}' if row else ''}: left out; {line}" for row, line in gaps.items()]
        rows = [row for row in asked if row not in gaps]
        if rows and not (one.rows is None and gaps):
            commands[name] = _words(name, one, rows, options, files)
    return commands, notes


def _asked(one: Comparison, quick: bool) -> Mapping[str, str]:
    """Return what a comparison is asked for, with the packages that it needs; "" for a program without such rows."""
    if one.rows is None:
        return dict(zip(("", *map(str, range(1, len(one.needs)))), one.needs or ("",)))
    if quick and one.quick is not None:
        row = one.quick[one.quick.index("--rows") + 1]
        return {row: one.rows[row]}
    return one.rows


def _words(
    name: str, one: Comparison, rows: Sequence[str], options: argparse.Namespace, files: Mapping[str, str]
) -> list[str]:
    words = [files[name]] if one.files else []
    words += one.quick if options.quick and one.quick is not None else one.words
    for option in ("peers", "paddle", "threads"):
        if option not in one.lacks:
            words += [f"--{option}", str(getattr(options, option))]
    if one.rows is not None and "--rows" not in words:
        words += ["--rows", ",".join(rows)]
    return [*words, "--rounds", "1" if options.quick else str(options.rounds)]


def run(name: str, words: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    """Run a comparison; return its rows and its exit code.

    Args:
        name: its module in ``benchmarks``.
        words: of its command line.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        print(f"\npython -m benchmarks.{name} {' '.join(words)}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", *words]
        code = subprocess.run(command, env={**os.environ, side.ROWS: str(file)}).returncode
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [{"comparison": name, **json.loads(line)} for line in lines], code


def machine(options: argparse.Namespace) -> dict[str, Any]:
    """Return what rows were measured on: the processor, and the versions of the packages.

    Args:
        options: of the command line.
    """
    code = (
        "import importlib.metadata as m, json, sys\n"
        "names = {d.metadata['Name'].lower() for d in m.distributions()}\n"
        "print(json.dumps({n: m.version(n) for n in sys.argv[1:] if n in names}))"
    )
    asked = (
        (sys.executable, ("numpy", "numba", "mxnet")),
        (options.peers, ("torch", "torchvision", "onnxruntime", "openvino", "transformers")),
        (options.paddle, ("paddlepaddle", "paddlenlp", "paddledet", "ppvideo", "pgl")),
    )
    versions: dict[str, str] = {"python": platform.python_version()}
    for python, names in asked:
        versions.update(json.loads(subprocess.check_output([python, "-c", code, *names], text=True)))
    file = Path("/proc/cpuinfo")
    found = processor(file.read_text(encoding="utf-8")) if file.exists() else platform.processor()
    return {"processor": found, "threads": options.threads, "versions": versions}


def processor(text: str) -> str:
    """Return the name of a processor, its family and model, as hosts of virtual machines hide the rest of the name, and
    which wide instructions it has.

    Args:
        text: what Linux says of it in ``/proc/cpuinfo``.
    """
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    flags = fields.get("flags", "").split()
    wide = [flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16") if flag in flags]
    family = [f"{kind.split()[-1]} {fields[kind]}" for kind in ("cpu family", "model") if kind in fields]
    return ", ".join([fields.get("model name", platform.machine()), *family, *wide])


def table(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a table in Markdown: a row for each comparison, two columns for each report.

    Args:
        reports: what ``--json`` wrote, one for each processor.
    """
    lines = []
    for number, report in enumerate(reports, 1):
        versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
        lines.append(f"{number}: {report['processor']}; {report['threads']} threads; {versions}")
    heads = "".join(f" {number}: ratio | spread |" for number in range(1, len(reports) + 1))
    lines += ["", f"| comparison | of | ours | against |{heads}", "|---|---|---|---|" + "--:|---|" * len(reports)]
    found: dict[tuple[str, ...], dict[int, str]] = {}
    for number, report in enumerate(reports):
        for row in report["rows"]:
            against = row["against"] if row["step"] == row["ours"] else f"{row['against']}: {row['step']}"
            key = row["comparison"], row["case"], row["ours"], against
            low, ratio, high = np.percentile(row["ratios"], (25, 50, 75))
            found.setdefault(key, {})[number] = f" {ratio:.2f}{' <' if ratio < 1 else ''} | {low:.2f}–{high:.2f} |"
    for key, cells in found.items():
        lines.append(f"| {' | '.join(key)} |" + "".join(cells.get(i, "  |  |") for i in range(len(reports))))
    return lines


if __name__ == "__main__":
    main()
