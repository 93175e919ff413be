"""Recognisers from clips to logits, and training steps: ours against the libraries that one would pick instead.

    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    PADDLE/bin/pip install --no-deps ppvideo==2.3.1                      # and what importing it then asks for
    python3.11 -m venv PEERS; PEERS/bin/pip install torch onnxruntime openvino 'numpy<2'
    python -m benchmarks.PaddleVideo.recognisers --models tsn_r50,tsm_r50 --peers PEERS/bin/python
    [--paddle PADDLE/bin/python] [--rows TEXT] [--rounds 5] [--threads 2] [--processor]

One clip of 224 x 224 pixels, 8 frames, of SlowFast 32. Every side has the same weights and must give the same logits,
or the run ends: within a thousandth of the largest one, in bfloat16 a twentieth. Training is without dropout, and the
sides' first losses agree within a thousandth. onnxruntime and OpenVINO get our ONNX file for just this size, Paddle
PaddleVideo's own network; PyTorch a plain network of the same layers, whose shift is that of TSM's authors, or, of
"pytorch_by_parts", that of PaddlePaddle's release 1.5: frames are padded, cut in three parts and joined. "bfloat16" is
our export in it beside OpenVINO's. Each side runs in a process of its own with the same number of threads; the two of a
row take turns, and its ratio is the median of the rounds' ratios. Above 1: ours is faster. Memory is the most that a
side's process occupied, libraries and all. ``--shift`` compares TSN with TSM instead, both ours: what a shift costs.
``--processor`` compares the time that processors worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import tempfile

import numpy as np

from benchmarks.options import add_rows, add_sides, chosen_rows
from benchmarks.PaddleVideo import recogniser_sides as sides
from benchmarks.side import Side, compare, require

MODELS = "tsn_r50,tsm_r50,slowfast_r50,non_local_i3d_r50"
ROWS = {
    "onnxruntime": ["exported"],
    "openvino": ["exported", "bfloat16"],
    "paddle": ["exported"],
    "pytorch": ["exported", "training"],
    "pytorch_compiled": ["exported", "training"],
    "pytorch_by_parts": ["training"],
}
PACKAGES = {"onnxruntime": ["onnxruntime"], "openvino": ["openvino"], "paddle": ["paddle", "ppvideo"]}
ALONE = {"paddle": ("tsn_r50", "tsm_r50", "slowfast_r50"), "pytorch_by_parts": ("tsm_r50",)}
"""The networks that a peer has, where it has not all."""

TOLERANCE = {"exported": 1e-3, "bfloat16": 5e-2, "training": 1e-3}
"""Of the largest logit; of the first loss in training."""


def main() -> None:
    """Print one row for each comparison: milliseconds a clip, and megabytes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS, help="names, separated by commas")
    add_rows(parser, ROWS, only="training")
    parser.add_argument("--shift", action="store_true", help="compare TSN with TSM")
    add_sides(parser, rounds=5, peers="PyTorch and the run times", paddle="Paddle and PaddleVideo")
    options = parser.parse_args()
    wanted = chosen_rows(parser, options, ROWS)
    rows = [(peer, row) for peer in wanted for row in ROWS[peer] if row.startswith(options.only)]
    if not options.shift:
        for peer in dict(rows):
            require(*PACKAGES.get(peer, ["torch"]), python=options.paddle if peer == "paddle" else options.peers)
    print(f"{'milliseconds':18} {'step':10} {'ours':>8} {'MB':>6}   {'against':16} {'':>8} {'MB':>6} {'ratio':>6}")
    if options.shift:
        _compare_shift(options)
        return
    for model in options.models.split(","):
        with tempfile.TemporaryDirectory() as folder:
            given = [(peer, row) for peer, row in rows if model in ALONE.get(peer, (model,))]
            answer = _written(model, folder, bool({"onnxruntime", "openvino"} & set(dict(given))), options)
            for peer, row in given:
                _compare(model, folder, peer, row, answer, options)


def _written(model: str, folder: str, as_onnx: bool, options: argparse.Namespace) -> np.ndarray:
    """Write the files that sides load, by a process of its own, and return the network's logits."""
    writer = Side("ours", sides.written, (model, folder, as_onnx), options.threads)
    answer = np.asarray(writer.ask("answer"))
    writer.close()
    return answer


def _compare(model: str, folder: str, peer: str, row: str, expected: np.ndarray, options: argparse.Namespace) -> None:
    kind = {"processor": options.processor}
    mine = Side("ours", sides.ours, (model, folder, row), options.threads, **kind)
    python = options.paddle if peer == "paddle" else options.peers
    other = Side(
        peer, getattr(sides, peer), (model, options.threads, folder, row), options.threads, python=python, **kind
    )
    if row == "training":
        expected = mine.ask("answer")
    for side in (other,) if row == "training" else (mine, other):
        apart = float(np.abs(side.ask("answer") - expected).max() / np.abs(expected).max())
        if not apart < TOLERANCE[row]:
            raise SystemExit(f"{model}, {row}: {side.name} gives other numbers, {apart:.2g} of the largest one apart")
    _print_row(model, mine, other, row, options)


def _print_row(model: str, mine: Side, other: Side, row: str, options: argparse.Namespace) -> None:
    first, second, ratio = compare((mine, row), (other, row), options.rounds, case=model)
    left = f"{model:18} {row:10} {first * 1e3:8.1f} {mine.peak():6.0f}"
    print(f"{left}   {other.name:16} {second * 1e3:8.1f} {other.peak():6.0f} {ratio:6.2f}", flush=True)
    mine.close()
    other.close()


def _compare_shift(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        models = {"tsm_r50": one, "tsn_r50": two}
        for model, folder in models.items():
            _written(model, folder, False, options)
        for row in ("exported", "training"):
            if row.startswith(options.only):
                pair = [
                    Side(
                        f"{model}, ours", sides.ours, (model, folder, row), options.threads, processor=options.processor
                    )
                    for model, folder in models.items()
                ]
                _print_row("tsm_r50", *pair, row, options)


if __name__ == "__main__":
    main()
