"""bfloat16 and 8 bits: the bare products of tiles, and exported networks against their float32 and against OpenVINO.

    python3.11 -m venv PEERS; PEERS/bin/pip install openvino
    python -m benchmarks.core.narrow --peers PEERS/bin/python [--models NAMES] [--batch 8] [--rounds 5] [--threads 1]
    [--processor]

First, in thousand million operations a second, what one thread does with tiles of each form whose data are in the
cache. Then, for each network, milliseconds and the medians of the rounds' ratios; above 1: the first is faster.
``--processor`` compares the time that processors worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import os
import tempfile

from benchmarks.core.sides import narrow as sides
from benchmarks.options import add_sides
from benchmarks.side import Side, compare, require

MODELS = "ResNet50_vd,MobileNetV1,MobileNetV3_large_x1_0,EfficientNetB0,SE_ResNeXt50_32x4d,DarkNet53,BERT"
ROWS = [
    *[(kind, "ours", "float32") for kind in ("bfloat16", "int8")],
    *[(kind, "openvino", kind) for kind in ("float32", "bfloat16", "int8")],
]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS, help=f"names, separated by commas (default {MODELS})")
    parser.add_argument("--batch", type=int, default=8, help="samples per call (default 8)")
    add_sides(parser, rounds=5, threads=1, peers="OpenVINO")
    options = parser.parse_args()
    require("openvino", python=options.peers)
    require("onnx")
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    _tiles()
    print(f"{'milliseconds':24} {'ours':>8} {'':>9}   {'against':20} {'':>8} {'ratio':>6}")
    for model in options.models.split(","):
        _compare(model, options)


def _compare(model: str, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ours = Side("ours", sides.ours, (model, options.batch, folder), options.threads, processor=options.processor)
        given = (model, options.batch, options.threads, folder)
        other = Side(
            "openvino", sides.openvino, given, options.threads, python=options.peers, processor=options.processor
        )
        for mine, whose, theirs in ROWS:
            if mine not in ours.steps:
                continue
            against = ours if whose == "ours" else other
            first, second, ratio = compare((ours, mine), (against, theirs), options.rounds)
            print(
                f"{model:24} {first * 1e3:8.1f} {mine:>9}   {f'{whose}, {theirs}':20} {second * 1e3:8.1f} {ratio:6.2f}",
                flush=True,
            )
        ours.close()
        other.close()


def _tiles() -> None:
    """Print the speed of the products alone."""
    from benchmarks.core.narrow_tiles import FORMS, operations, seconds

    for name, form in FORMS.items():
        speed = operations(form) / min(seconds(form) for _ in range(20)) / 1e9
        print(f"tiles, {name:17} {speed:8.1f}")


if __name__ == "__main__":
    main()
