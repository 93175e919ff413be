"""Recognisers from clips to logits, and training steps: ours against the libraries that one would pick instead.

    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    PADDLE/bin/pip install --no-deps ppvideo==2.3.1                      # and what importing it then asks for
    python3.11 -m venv PEERS; PEERS/bin/pip install torch onnxruntime openvino 'numpy<2'
    python -m benchmarks.PaddleVideo.recognisers --models tsn_r50,tsm_r50 --peers PEERS/bin/python
    [--paddle PADDLE/bin/python] [--rows TEXT] [--rounds 5] [--threads 2] [--processor]

One clip of 224 x 224 pixels, 8 frames, of SlowFast 32. Every side has the same weights and must give the same logits,
or the run ends. onnxruntime and OpenVINO get our ONNX file for just this size, Paddle PaddleVideo's own network;
PyTorch a plain network of the same layers. Each side runs in a process of its own with the same number of threads; the
two of a row take turns, and its ratio is the median of the rounds' ratios. Above 1: ours is faster. ``--shift``
compares TSN with TSM instead, both ours: what a shift costs. ``--processor`` compares the time that processors worked,
for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

import numpy as np

from benchmarks.PaddleVideo import recogniser_sides as sides
from benchmarks.side import Side, compare, require

MODELS = "tsn_r50,tsm_r50,slowfast_r50,non_local_i3d_r50"
ROWS = {
    "onnxruntime": ["exported"],
    "openvino": ["exported"],
    "paddle": ["exported"],
    "pytorch": ["exported", "training"],
    "pytorch_compiled": ["exported"],
}
PACKAGES = {"onnxruntime": ["onnxruntime"], "openvino": ["openvino"], "paddle": ["paddle", "ppvideo"]}
OF_PADDLE = ("tsn_r50", "tsm_r50")
TOLERANCE = 1e-3
"""Of the largest logit."""


def main() -> None:
    """Print one row for each comparison, in milliseconds a clip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS, help="names, separated by commas")
    parser.add_argument("--rows", default=",".join(ROWS), help="against whom, separated by commas (default all)")
    parser.add_argument("--only", default="", help="only rows whose name starts so, such as training")
    parser.add_argument("--shift", action="store_true", help="compare TSN with TSM")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch and the run times")
    parser.add_argument("--paddle", default=sys.executable, help="the interpreter that has Paddle and PaddleVideo")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--processor", action="store_true", help="compare the time that processors worked")
    options = parser.parse_args()
    wanted = options.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    print(f"{'milliseconds':20} {'step':10} {'ours':>8}   {'against':20} {'':>8} {'ratio':>6}")
    if options.shift:
        _compare_shift(options)
        return
    for peer in wanted:
        require(*PACKAGES.get(peer, ["torch"]), python=options.paddle if peer == "paddle" else options.peers)
    for model in options.models.split(","):
        for peer in wanted:
            if peer != "paddle" or model in OF_PADDLE:
                _compare(model, peer, options)


def _compare(model: str, peer: str, options: argparse.Namespace) -> None:
    rows = [row for row in ROWS[peer] if row.startswith(options.only)]
    if not rows:
        return
    with tempfile.TemporaryDirectory() as folder:
        file_wanted, kind = peer in ("onnxruntime", "openvino"), {"processor": options.processor}
        mine = Side("ours", sides.ours, (model, folder, file_wanted), options.threads, **kind)
        python = options.paddle if peer == "paddle" else options.peers
        given = (model, options.threads, folder)
        other = Side(peer, getattr(sides, peer), given, options.threads, python=python, **kind)
        answers = [side.ask("answer") for side in (mine, other)]
        apart = float(np.abs(answers[0] - answers[1]).max() / np.abs(answers[0]).max())
        if not apart < TOLERANCE:
            raise SystemExit(f"{model}: {peer} gives other logits, {apart:.2g} of the largest one apart")
        for row in rows:
            first, second, ratio = compare((mine, row), (other, row), options.rounds, case=model)
            left = f"{model:20} {row:10} {first * 1e3:8.1f}"
            print(f"{left}   {peer:20} {second * 1e3:8.1f} {ratio:6.2f}", flush=True)
        mine.close()
        other.close()


def _compare_shift(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        kind = {"processor": options.processor}
        pair = [
            Side(name, sides.ours, (name, folder, False), options.threads, **kind)
            for name, folder in (("tsm_r50", one), ("tsn_r50", other))
        ]
        for row in ("exported", "training"):
            if row.startswith(options.only):
                shifted, plain, ratio = compare((pair[0], row), (pair[1], row), options.rounds, case="tsm_r50")
                left = f"{'tsm_r50':20} {row:10} {shifted * 1e3:8.1f}"
                print(f"{left}   {'tsn_r50, ours':20} {plain * 1e3:8.1f} {ratio:6.2f}", flush=True)
        for side in pair:
            side.close()


if __name__ == "__main__":
    main()
