"""Image classifiers, forward pass and training step: ours against the libraries that one would pick instead.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch onnxruntime openvino
    python3.11 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==3.3.1 'numpy<2' six setuptools
    python -m benchmarks.PaddleClas.classifiers --models ResNet50 --peers PEERS/bin/python [--paddle PADDLE/bin/python]
    [--batch 8] [--rounds 10] [--threads 2] [--processor]

Each side runs in a process of its own with the same number of threads; the two sides of a row take turns, and its ratio
is the median of the rounds' ratios. A ratio above 1: ours is faster. ``--processor`` compares the time that processors
worked, for machines that are busy otherwise. Processors without AVX-512 have no rows in bfloat16.
"""

from __future__ import annotations

import argparse
import tempfile

from benchmarks.options import add_rows, add_sides, chosen_rows
from benchmarks.PaddleClas import classifier_sides as sides
from benchmarks.side import Side, compare, require

TRAINING, FORWARD = "training, compiled", "forward, compiled"
EXPORTED, FORWARD_16, TRAINING_16 = "forward, exported", "forward, compiled, bfloat16", "training, compiled, bfloat16"
ROWS = {
    "ours": [(FORWARD, "forward, eager"), (EXPORTED, FORWARD), (FORWARD_16, FORWARD), (TRAINING, "training, eager")]
    + [(TRAINING_16, TRAINING)],
    "pytorch": [
        *((FORWARD, "forward, eager"), ("forward, eager", "forward, eager"), (EXPORTED, "forward, torch.compile")),
        *((FORWARD, "forward, torch.compile"), (FORWARD_16, "forward, eager, bfloat16")),
        *((TRAINING, "training, eager"), ("training, eager", "training, eager")),
        *((TRAINING, "training, torch.compile"), (TRAINING_16, "training, eager, bfloat16")),
    ],
    "paddle": [
        *((FORWARD, "forward, dynamic"), (EXPORTED, "forward, inference with oneDNN"), (TRAINING, "training, dynamic")),
    ],
    "onnxruntime": [(EXPORTED, "forward")],
    "openvino": [(EXPORTED, "forward"), (FORWARD_16, "forward, bfloat16")],
}

PACKAGES = {"pytorch": "torch", "paddle": "paddle", "onnxruntime": "onnxruntime", "openvino": "openvino"}


def main() -> None:
    """Print one row for each comparison, in images per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="ResNet50", help="names, separated by commas (default ResNet50)")
    add_rows(parser, ROWS, only="training")
    parser.add_argument("--batch", type=int, default=8, help="images per step (default 8)")
    add_sides(parser, rounds=10, peers="PyTorch and the run times", paddle="Paddle")
    options = parser.parse_args()
    wanted = chosen_rows(parser, options, ROWS)
    for peer, package in PACKAGES.items():
        if peer in wanted:
            require(package, python=_python(peer, options))
    if {"onnxruntime", "openvino"} & set(wanted):
        require("onnx")
    print(f"{'images/s':15} {'ours':30} {'':>7}   {'against':42} {'':>7} {'ratio':>6}")
    for model in options.models.split(","):
        for peer in wanted:
            _compare(model, peer, options)


def _python(peer: str, options: argparse.Namespace) -> str:
    return str(options.paddle if peer == "paddle" else options.peers)


def _compare(model: str, peer: str, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file_wanted = peer in ("onnxruntime", "openvino")
        given = (model, options.batch, folder, file_wanted)
        ours = Side("ours", sides.ours, given, options.threads, processor=options.processor)
        other = ours
        if peer != "ours":
            arguments = (model, options.batch, options.threads, *([folder] if peer != "pytorch" else []))
            build = getattr(sides, peer)
            python = _python(peer, options)
            other = Side(peer, build, arguments, options.threads, python=python, processor=options.processor)
        for mine, theirs in ROWS[peer]:
            if mine.startswith(options.only) and mine in ours.steps:
                case = f"{model}, batch {options.batch}"
                seconds, against, ratio = compare((ours, mine), (other, theirs), options.rounds, case=case)
                print(
                    f"{model:15} {mine:30} {options.batch / seconds:7.1f}   {f'{peer}: {theirs}':42}"
                    f" {options.batch / against:7.1f} {ratio:6.2f}",
                    flush=True,
                )
        ours.close()
        if other is not ours:
            other.close()


if __name__ == "__main__":
    main()
