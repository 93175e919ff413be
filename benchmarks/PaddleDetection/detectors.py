"""Detectors from images to boxes: ours against the libraries that one would pick instead.

    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    PADDLE/bin/pip install --no-deps paddledet==2.6.0                    # and what importing it then asks for
    python3.11 -m venv PEERS; PEERS/bin/pip install torch torchvision onnxruntime openvino 'numpy<2'
    python -m benchmarks.PaddleDetection.detectors --models yolov3_darknet53-320 --peers PEERS/bin/python
    [--paddle PADDLE/bin/python] [--batch 1] [--rounds 10] [--threads 2] [--processor]

A model is a detector and the side of its square images, or their height and width, such as
``faster_rcnn_r50_fpn-800x1088``, whose peer in PyTorch is in region_detectors.py. Its predictors are drawn so that
about one prediction in a hundred passes the threshold, as in a trained detector. Every side has the same weights, and
finds as many boxes or the run ends. onnxruntime and OpenVINO get our ONNX file for just this size, Paddle
PaddleDetection's own export, without the pasting of masks; PyTorch a plain network of the same layers with
torchvision's suppression. Each side runs in a process of its own with the same number of threads; the two of a row take
turns, and its ratio is the median of the rounds' ratios. Above 1: ours is faster. ``--processor`` compares the time
that processors worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence

from benchmarks.options import add_rows, add_sides, chosen_rows
from benchmarks.PaddleDetection import detector_sides as sides
from benchmarks.side import Side, compare, require

MODELS = "yolov3_darknet53-320,yolov3_darknet53-608,yolov3_mobilenet_v1-320,ssd_mobilenet_v1_300-300,ppyoloe_crn_s-640"
EXPORTED, COMPILED, HALF = "exported", "compiled", "exported, bfloat16"
ROWS = {
    "onnxruntime": [(EXPORTED, "forward")],
    "openvino": [(EXPORTED, "forward"), (HALF, "forward, bfloat16")],
    "paddle": [(EXPORTED, "inference with oneDNN")],
    "pytorch": [(COMPILED, "forward, eager"), (EXPORTED, "forward, torch.compile")],
}
PACKAGES = {"onnxruntime": ["onnxruntime"], "openvino": ["openvino"], "paddle": ["paddle", "ppdet"]}
PACKAGES["pytorch"] = ["torch", "torchvision"]


def main() -> None:
    """Print one row for each comparison, in milliseconds a batch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=MODELS, help="names and sizes, separated by commas")
    add_rows(parser, ROWS, only="exported")
    parser.add_argument("--batch", type=int, default=1, help="images per step (default 1)")
    add_sides(parser, rounds=10, peers="PyTorch and the run times", paddle="Paddle and PaddleDetection")
    options = parser.parse_args()
    wanted = chosen_rows(parser, options, ROWS)
    for peer in wanted:
        require(*PACKAGES[peer], python=options.paddle if peer == "paddle" else options.peers)
    print(f"{'milliseconds':26} {'ours':20} {'':>8}   {'against':34} {'':>8} {'ratio':>6}")
    for model in options.models.split(","):
        _compare(model, wanted, options)


def _compare(model: str, peers: Sequence[str], options: argparse.Namespace) -> None:
    peers = [peer for peer in peers if peer != "pytorch" or model.startswith("yolov3")]
    rows = {peer: [row for row in ROWS[peer] if row[0].startswith(options.only)] for peer in peers}
    if not any(rows.values()):
        return
    name, size = model.rsplit("-", 1)
    with tempfile.TemporaryDirectory() as folder:
        sides_of_image = [int(side) for side in size.split("x")]
        given = (name, (sides_of_image[0], sides_of_image[-1]), options.batch)
        file_wanted, kind = bool({"onnxruntime", "openvino"} & set(peers)), {"processor": options.processor}
        Side("ours", sides.make, (*given, folder, True, file_wanted), options.threads).close()
        mine = Side("ours", sides.ours, (*given, folder), options.threads, **kind)
        counts = mine.ask("counts")
        for peer in [peer for peer in peers if rows[peer]]:
            python = options.paddle if peer == "paddle" else options.peers
            theirs = getattr(sides, peer), (*given, options.threads, folder), options.threads
            other = Side(peer, *theirs, python=python, **kind)
            found = other.ask("counts")
            if counts != found:
                raise SystemExit(f"{model}: ours finds {counts} boxes, {peer} {found}")
            for own, step in rows[peer]:
                if own in mine.steps and step in other.steps:
                    case = f"{model}, batch {options.batch}"
                    first, second, ratio = compare((mine, own), (other, step), options.rounds, case=case)
                    left = f"{model:26} {own:20} {first * 1e3:8.1f}"
                    print(f"{left}   {f'{peer}: {step}':34} {second * 1e3:8.1f} {ratio:6.2f}", flush=True)
            other.close()
        mine.close()


if __name__ == "__main__":
    main()
