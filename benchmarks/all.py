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
import dataclasses
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

from benchmarks import side

CLASSIFIERS = "ResNet50,MobileNetV1,MobileNetV3_large_x1_0,EfficientNetB0,SE_ResNeXt50_32x4d,DarkNet53"
TORCH, ONNXRUNTIME, OPENVINO, PADDLE = "peers torch", "peers onnxruntime", "peers openvino", "paddle paddle"
RUN_TIMES = {"onnxruntime": ONNXRUNTIME, "openvino": OPENVINO}


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A program that compares, and what it needs.

    Attributes:
        words: of its command line, beside those that all have.
        rows: what ``--rows`` may name, each with the packages that it needs: "peers torch torchvision", "" for none;
            None: it has no such option.
        needs: packages of the whole program, likewise.
        files: what must be named for it with ``--files``; empty: nothing.
        lacks: which of the options that all have it does not know.
        quick: the words of its row of ``--quick``; None: it has none.
    """

    words: tuple[str, ...] = ()
    rows: Optional[Mapping[str, str]] = None
    needs: tuple[str, ...] = ()
    files: str = ""
    lacks: tuple[str, ...] = ()
    quick: Optional[tuple[str, ...]] = None


COMPARISONS = {
    "PaddleClas.classifiers": Comparison(
        words=("--models", CLASSIFIERS),
        rows={"ours": "", "pytorch": TORCH, "paddle": PADDLE, **RUN_TIMES},
        quick=("--models", "MobileNetV1", "--rows", "onnxruntime", "--only", "forward, exported"),
    ),
    "PaddleClas.resnet50": Comparison(rows={"gluon": "", "eager": ""}, lacks=("paddle",)),
    "core.bert": Comparison(
        rows={"ours": "", "pytorch": TORCH, "compile": TORCH, "paddle": PADDLE, "inference": PADDLE, **RUN_TIMES},
        quick=("--rows", "openvino", "--only", "exported"),
    ),
    "PaddleNLP.encoders": Comparison(
        rows={
            **{"paddle": f"{PADDLE} paddlenlp", **RUN_TIMES},
            **dict.fromkeys(("pytorch", "compile"), f"{TORCH} transformers"),
        },
        quick=("--sizes", "1x16", "--rows", "onnxruntime"),
    ),
    "PaddleNLP.word_speed": Comparison(needs=(TORCH,), files="a file of LAC's form", lacks=("paddle", "threads")),
    "PaddleNLP.translation": Comparison(needs=(f"{TORCH} ctranslate2",), lacks=("paddle",)),
    "PaddleDetection.detectors": Comparison(
        rows={**RUN_TIMES, "paddle": f"{PADDLE} ppdet", "pytorch": f"{TORCH} torchvision"},
        quick=("--models", "yolov3_mobilenet_v1-320", "--rows", "onnxruntime", "--only", "exported"),
    ),
    "PaddleDetection.detector_training": Comparison(
        rows={"unfused": "", "pytorch": f"{TORCH} torchvision", "paddle": f"{PADDLE} ppdet"}
    ),
    "PaddleDetection.region_detectors": Comparison(needs=(f"{TORCH} torchvision",), lacks=("paddle",)),
    "PaddleDetection.reader": Comparison(
        needs=(f"{PADDLE} ppdet",), files="a folder of photographs", lacks=("peers", "threads")
    ),
    "PaddleVideo.recognisers": Comparison(
        rows={
            **RUN_TIMES,
            "paddle": f"{PADDLE} ppvideo",
            **dict.fromkeys(("pytorch", "pytorch_compiled", "pytorch_by_parts"), TORCH),
        },
        quick=("--models", "tsn_r50", "--rows", "openvino"),
    ),
    "PaddleVideo.feature_steps": Comparison(
        rows={"composition": "", "pytorch": TORCH, "pytorch_compiled": TORCH, "paddle": f"{PADDLE} ppvideo"},
        words=("--videos", "64", "--frames", "100"),
    ),
    "PaddleVideo.answers": Comparison(
        rows={
            **dict.fromkeys(("pytorch", "pytorch_compiled"), f"{TORCH} av cv2"),
            **{name: f"{needed} av cv2" for name, needed in RUN_TIMES.items()},
        },
        files="a folder of videos",
        lacks=("paddle",),
    ),
    "PaddleVideo.volumes": Comparison(needs=(TORCH,), lacks=("paddle",)),
    "PaddleVideo.decoding": Comparison(needs=("peers av",), files="a folder of videos", lacks=("paddle",)),
    "PaddleGAN.adversarial": Comparison(
        rows={"pytorch": TORCH, "compile": TORCH, "paddle": PADDLE, "inference": PADDLE}
    ),
    "PGL.graph_messages": Comparison(needs=(f"{TORCH} dgl",), lacks=("paddle",)),
    "PGL.graph_sampling": Comparison(needs=(f"{TORCH} torch_geometric",), lacks=("paddle", "threads")),
    "PGL.graph_training": Comparison(
        needs=(f"{TORCH} torch_geometric", f"{PADDLE} pgl"), files="a folder of Planetoid's files"
    ),
    "core.recurrent": Comparison(
        needs=(TORCH,), lacks=("paddle",), words=("--clock",), quick=("--only", "LSTM,650,20,forward", "--clock")
    ),
    "core.invoke": Comparison(needs=(TORCH,), lacks=("paddle", "threads")),
    "core.language_model": Comparison(needs=(TORCH,), lacks=("paddle",)),
    "core.detection_operators": Comparison(needs=(f"{TORCH} torchvision",), lacks=("paddle",)),
    "core.narrow": Comparison(needs=(OPENVINO,), lacks=("paddle",)),
    "core.mixed_precision": Comparison(lacks=("peers", "paddle")),
    "core.exported": Comparison(lacks=("peers", "paddle")),
    "core.ragged_batches": Comparison(needs=(TORCH,), lacks=("paddle", "threads")),
    "core.text_tokenizers": Comparison(needs=(f"{PADDLE} paddlenlp",), files="a text", lacks=("peers", "threads")),
    "core.text_subwords": Comparison(needs=(f"{PADDLE} paddlenlp",), files="a text", lacks=("peers", "threads")),
    "core.loader": Comparison(needs=(PADDLE,), files="a folder of photographs", lacks=("peers", "threads")),
    "core.transforms": Comparison(needs=(PADDLE,), files="a folder of photographs", lacks=("peers", "threads")),
}
"""The programs, by module in ``benchmarks``."""

OURS_ALONE = {
    "PGL.graph_messages_gpu": "needs a GPU",
    "PGL.graph_scale": "needs 100 GB of disk",
    "PaddleClas.accuracy": "compares accuracies, for hours",
    "PaddleClas.end_to_end": "ours alone",
    "PaddleDetection.blood_cells": "compares accuracies, for hours",
    "PaddleNLP.elmo_features": "compares accuracies, for hours",
    "PaddleNLP.fine_tuning": "compares losses",
    "PaddleNLP.dialogue_memory": "compares memory",
    "PaddleNLP.distant_relations": "compares accuracies",
    "PaddleNLP.language_models": "compares perplexities",
    "PaddleNLP.mixed_pretraining": "compares losses",
    "PaddleNLP.single_sentences": "ours alone",
    "PaddleNLP.small_ernie": "compares accuracies, for hours",
    "PaddleNLP.tasks": "compares accuracies, for hours",
    "PaddleVideo.fight_clips": "compares accuracies, for hours",
    "core.checkouts": "compares two checkouts",
    "core.cold_start": "ours alone",
    "core.first_call": "ours alone",
    "core.memory": "ours alone",
    "core.optimizer_update": "ours alone",
    "core.thread_waiting": "ours alone",
    "core.winograd_rounding": "compares errors",
}
"""Programs that docs/benchmarks.md lists and that compare no speed with another library, with the reason."""


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
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    wide = [flag for flag in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16") if flag in flags]
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
    processor = f"{models[0] if models else platform.processor()}, {', '.join(wide)}"
    return {"processor": processor, "threads": options.threads, "versions": versions}


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
