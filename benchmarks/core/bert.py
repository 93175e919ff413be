"""An encoder of BERT-base's size, batch 8 of 128 words: forward and training step, ours against other libraries.

    python -m benchmarks.core.bert --peers PYTHON [--paddle PYTHON] [--rounds 5] [--threads 2] [--processor]
        [--rows ours,pytorch,compile,paddle,inference,onnxruntime,openvino] [--only exported] [--dropout 0.1]

Every side has the same weights; the last column is how far what its forward pass gives is from ours. Each has a process
of its own; they take turns, and a ratio is the median of the rounds' ratios, above 1 where ours is faster. Other
libraries run in other interpreters: --peers names one that has PyTorch, onnxruntime and OpenVINO, --paddle one with
Paddle. A training step is the loss, its gradient and AdamW. All is float32. ``--processor`` compares the time that
processors worked.
"""

from __future__ import annotations

import argparse
import tempfile

import numpy as np

from benchmarks.core.sides import bert as sides
from benchmarks.options import add_sides
from benchmarks.side import Side, compare, require

ROWS = ("ours", "pytorch", "compile", "paddle", "inference", "onnxruntime", "openvino")
OF_PADDLE = ("paddle", "inference")
NEEDED = {**dict(zip(ROWS, ROWS)), "pytorch": "torch", "compile": "torch", "inference": "paddle"}
"""The package of each row's side."""


def main() -> None:
    """Print one row per comparison, in sequences per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=8, help="sequences per step (default 8)")
    parser.add_argument("--length", type=int, default=128, help="words of a sequence (default 128)")
    parser.add_argument("--dropout", type=float, default=0.1, help="in training (default 0.1)")
    parser.add_argument("--rows", default="ours,pytorch", help=f"which of {','.join(ROWS)} (default the first two)")
    parser.add_argument("--only", default="", help="only rows whose name starts so, such as exported")
    add_sides(parser, rounds=5, peers="PyTorch and the run times", paddle="Paddle")
    options = parser.parse_args()
    wanted = options.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    for peer in [peer for peer in wanted if peer != "ours"]:
        require(NEEDED[peer], python=_python(peer, options))
    file_wanted = bool({"onnxruntime", "openvino"} & set(wanted))
    if file_wanted:
        require("onnx")
    size, threads = (options.batch, options.length), options.threads
    common = {"threads": threads, "processor": options.processor}
    print(f"{'':20} {'seq/s':>7}   {'against':30} {'seq/s':>7} {'ratio':>6} {'difference':>11}")

    with tempfile.TemporaryDirectory() as folder:
        dynamic = Side("ours", sides.ours, (*size, options.dropout), **common)
        exported = Side("exported", sides.exported, (*size, folder, file_wanted), **common)
        expected = dynamic.ask("forward, eager")

        def row(first: tuple[Side, str], second: tuple[Side, str]) -> None:
            label = "exported" if first[0] is exported else first[1]
            if not label.startswith(options.only):
                return
            case = f"{first[0].name}, {options.batch}x{options.length}"
            mine, theirs, ratio = compare(first, second, options.rounds, case=case)
            against = f"{second[0].name}: {second[1]}"
            forward = second[1].startswith("forward")
            difference = f"{np.abs(second[0].ask(second[1]) - expected).max():11.0e}" if forward else ""
            speeds = options.batch / mine, options.batch / theirs
            print(f"{label:20} {speeds[0]:7.2f}   {against:30} {speeds[1]:7.2f} {ratio:6.2f} {difference}", flush=True)

        if "ours" in wanted:
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
        for kind in [kind for kind in wanted if kind != "ours"]:
            name, build, arguments = makers[kind]
            other = Side(name, build, arguments, python=_python(kind, options), **common)
            row((exported, "forward"), (other, "forward"))
            if "training" in other.steps:
                for how in ("compiled", "eager"):
                    row((dynamic, f"forward, {how}"), (other, "forward"))
                for how in ("compiled", "eager"):
                    row((dynamic, f"training, {how}"), (other, "training"))
            other.close()
        exported.close()
        dynamic.close()


def _python(peer: str, options: argparse.Namespace) -> str:
    return str(options.paddle if peer in OF_PADDLE else options.peers)


if __name__ == "__main__":
    main()
