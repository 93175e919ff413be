"""An encoder of BERT-base's size, batch 8 of 128 words: forward and training step, ours against other libraries.

    pip install torch
    python -m benchmarks.core.bert [--rounds 5] [--threads 2] [--peers PYTHON] [--dropout 0.1]
        [--rows pytorch,compile,paddle,inference,onnxruntime,openvino]

Every side has the same weights; the last column is how far what its forward pass gives is from ours. Each has a process
of its own; they take turns, and a ratio is the median of the rounds' ratios, above 1 where ours is faster. Libraries
that cannot be installed beside ours (Paddle, onnxruntime, OpenVINO) run in another interpreter: --peers names it. A
training step is the loss, its gradient and AdamW. All is float32.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

import numpy as np

from benchmarks.core import bert_sides as sides
from benchmarks.side import Side, compare, require

ROWS = ("pytorch", "compile", "paddle", "inference", "onnxruntime", "openvino")
PEERS = ("paddle", "inference", "onnxruntime", "openvino")
NEEDED = {**dict(zip(ROWS, ROWS)), "pytorch": "torch", "compile": "torch", "inference": "paddle"}
"""The package of each row's side."""


def main() -> None:
    """Print one row per comparison, in sequences per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--batch", type=int, default=8, help="sequences per step (default 8)")
    parser.add_argument("--length", type=int, default=128, help="words of a sequence (default 128)")
    parser.add_argument("--dropout", type=float, default=0.1, help="in training (default 0.1)")
    parser.add_argument("--rows", default="pytorch", help=f"which of {','.join(ROWS)} (default pytorch)")
    parser.add_argument("--peers", help="interpreter that has Paddle, onnxruntime and OpenVINO (default: this one)")
    options = parser.parse_args()
    peers = options.peers or sys.executable
    wanted = options.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    for row in wanted:
        require(NEEDED[row], python=peers if row in PEERS else sys.executable)
    file_wanted = bool({"onnxruntime", "openvino"} & set(wanted))
    if file_wanted:
        require("onnx")
    size, threads = (options.batch, options.length), options.threads
    print(f"{'':20} {'seq/s':>7}   {'against':30} {'seq/s':>7} {'ratio':>6} {'difference':>11}")

    with tempfile.TemporaryDirectory() as folder:
        dynamic = Side("ours", sides.ours, (*size, options.dropout), threads)
        exported = Side("exported", sides.exported, (*size, folder, file_wanted), threads)
        expected = dynamic.ask("forward, eager")

        def row(first: tuple[Side, str], second: tuple[Side, str]) -> None:
            mine, theirs, ratio = compare(first, second, options.rounds)
            label = "exported" if first[0] is exported else first[1]
            against = f"{second[0].name}: {second[1]}"
            forward = second[1].startswith("forward")
            difference = f"{np.abs(second[0].ask(second[1]) - expected).max():11.0e}" if forward else ""
            speeds = options.batch / mine, options.batch / theirs
            print(f"{label:20} {speeds[0]:7.2f}   {against:30} {speeds[1]:7.2f} {ratio:6.2f} {difference}", flush=True)

        row((exported, "forward"), (dynamic, "forward, compiled"))
        row((dynamic, "forward, compiled"), (dynamic, "forward, eager"))
        row((dynamic, "training, compiled"), (dynamic, "training, eager"))
        makers = {
            "pytorch": ("PyTorch", sides.pytorch, (*size, options.dropout, threads, False)),
            "compile": ("torch.compile", sides.pytorch, (*size, options.dropout, threads, True)),
            "paddle": ("Paddle", sides.paddle, (*size, options.dropout, threads)),
            "inference": ("Paddle with oneDNN", sides.paddle_inference, (*size, threads, folder)),
            "onnxruntime": ("onnxruntime", sides.onnxruntime, (*size, threads, folder)),
            "openvino": ("OpenVINO", sides.openvino, (*size, threads, folder)),
        }
        for kind in wanted:
            name, build, arguments = makers[kind]
            other = Side(name, build, arguments, threads, python=peers if kind in PEERS else sys.executable)
            row((exported, "forward"), (other, "forward"))
            if "training" in other.steps:
                for how in ("compiled", "eager"):
                    row((dynamic, f"forward, {how}"), (other, "forward"))
                for how in ("compiled", "eager"):
                    row((dynamic, f"training, {how}"), (other, "training"))
            other.close()
        exported.close()
        dynamic.close()


if __name__ == "__main__":
    main()
