"""From video files to the probabilities of their actions: ours against another decoder and another library after it.

    python3.11 -m venv PEERS; PEERS/bin/pip install torch onnxruntime openvino av opencv-python-headless 'numpy<2'
    python -m benchmarks.PaddleVideo.answers FOLDER --peers PEERS/bin/python [--model tsm_r50] [--decoder pyav]
    [--rows TEXT] [--every 1] [--rounds 3] [--threads 2] [--processor]

A side opens a file, decodes the middle frames of eight segments, resizes, crops and normalises them to 224 pixels with
OpenCV, and gives probabilities of 400 classes; ours is an exported folder opened by ``open_recogniser``. Others decode
with ``--decoder``: decord, pyav or torchcodec. All have the same weights, and must give probabilities that are within a
hundredth of the largest one, or the run ends: decoders round colours in their own ways. Sides take turns, each in a
process of its own; the ratio is the median of the rounds' ratios, and above 1 says that ours is faster. Memory is the
most that a side's process occupied, libraries and all. ``--processor`` compares the time that processors worked.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np

from benchmarks.options import add_rows, add_sides, chosen_rows
from benchmarks.PaddleVideo import recogniser_sides
from benchmarks.PaddleVideo.decoding import PACKAGES, READERS
from benchmarks.side import Side, compare, require

Steps = Mapping[str, Callable[[], Any]]
ROWS = {"pytorch": "torch", "pytorch_compiled": "torch", "onnxruntime": "onnxruntime", "openvino": "openvino"}
FRAMES, SHORT, SIZE = 8, 256, 224
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
TOLERANCE = 1e-2


def main() -> None:
    """Print one row for each library: milliseconds a file, and megabytes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with videos, also in folders below it")
    parser.add_argument("--model", default="tsm_r50", help="tsn_r50 or tsm_r50 (default)")
    parser.add_argument("--decoder", default="pyav", choices=READERS, help="of the others (default pyav)")
    add_rows(parser, ROWS)
    parser.add_argument("--every", type=int, default=1, help="take one video of so many (default 1)")
    add_sides(parser, rounds=3, peers="the others")
    options = parser.parse_args()
    wanted = chosen_rows(parser, options, ROWS)
    require(PACKAGES[options.decoder], *(ROWS[name] for name in wanted), "cv2", python=options.peers)
    files = [str(path) for path in sorted(options.folder.rglob("*.mp4"))[:: options.every]]
    kind = {"threads": options.threads, "processor": options.processor}
    print(f"{'milliseconds a file':20} {'ours':>8} {'MB':>6}   {'against':24} {'':>8} {'MB':>6} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        Side("ours", written, (options.model, folder), options.threads).close()
        mine = Side("ours", ours, (folder, files, options.threads), **kind)
        expected = mine.ask("answer")
        for name in wanted:
            given = (name, options.model, folder, files, options.decoder, options.threads)
            other = Side(f"{options.decoder}, {name}", peer, given, python=options.peers, **kind)
            apart = float(np.abs(other.ask("answer") - expected).max() / expected.max())
            if not apart < TOLERANCE:
                raise SystemExit(f"{name} gives other probabilities, {apart:.2g} of the largest one apart")
            first, second, ratio = compare((mine, "files"), (other, "files"), options.rounds, case=options.model)
            first, second = (seconds / len(files) * 1e3 for seconds in (first, second))
            left = f"{options.model:20} {first:8.1f} {mine.peak():6.0f}   {other.name:24}"
            print(f"{left} {second:8.1f} {other.peak():6.0f} {ratio:6.2f}", flush=True)
            other.close()
        mine.close()


# --- inside a side ---------------------------------------------------------------------------------------------------


def written(model: str, folder: str) -> Steps:
    """Write weights, an ONNX file and an exported folder."""
    import core
    from core.train.config.table import Component
    from PaddleVideo.exporting import recogniser_program

    recogniser_sides.written(model, folder, as_onnx=True)
    network = recogniser_sides.network_of(model)
    network.eval()
    transforms = [
        Component(name="SampleSegments", num_seg=FRAMES),
        Component(name="ResizeShort", size=SHORT),
        Component(name="CenterCrop", size=SIZE),
        Component(name="ToTensor"),
        Component(name="Normalize", mean=MEAN, std=DEVIATION),
    ]
    names = [str(number) for number in range(recogniser_sides.CLASSES)]
    program = recogniser_program(network, transforms, names)
    core.jit.save(program.network, f"{folder}/recogniser", program.inputs, **program.extra)
    return {}


def ours(folder: str, files: Sequence[str], threads: int) -> Steps:
    """Return the probabilities of all files, (files, classes), and the step that finds them."""
    import cv2

    from PaddleVideo.recogniser import frames_of, open_recogniser

    cv2.setNumThreads(threads)
    recogniser = open_recogniser(f"{folder}/recogniser")

    def found() -> np.ndarray:
        return np.stack([recogniser.probabilities(frames_of(file)) for file in files])

    return {"answer": found, "files": lambda: found() is None}


def peer(library: str, model: str, folder: str, files: Sequence[str], decoder: str, threads: int) -> Steps:
    """Return the same of a decoder and a library."""
    read = READERS[decoder](threads)
    network = LIBRARIES[library](model, threads, folder)

    def found() -> np.ndarray:
        logits = np.concatenate([network(prepared(read(file, middles))) for file in files])
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    return {"answer": found, "files": lambda: found() is None}


def middles(count: int) -> list[int]:
    """Return the middle frames of segments of a file."""
    length = count // FRAMES
    return [segment * length + (length - 1) // 2 for segment in range(FRAMES)]


def prepared(frames: np.ndarray) -> np.ndarray:
    """Return frames, uint8 (T, H, W, 3), as a clip, float32 (1, T, 3, SIZE, SIZE)."""
    import cv2

    height, width = frames.shape[1:3]
    scale = SHORT / min(height, width)
    size = (SHORT, round(height * scale)) if width < height else (round(width * scale), SHORT)
    left, top = ((side - SIZE) // 2 for side in size)
    small = np.stack([cv2.resize(frame, size) for frame in frames])[:, top : top + SIZE, left : left + SIZE]
    scaled = (small.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(DEVIATION)
    return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2)[None])


def pytorch(model: str, threads: int, folder: str, compiled: bool = False) -> Callable[[np.ndarray], np.ndarray]:
    """Return a plain network in PyTorch, from a clip to logits."""
    import torch

    from benchmarks.PaddleClas.accuracy_sides import _load
    from benchmarks.PaddleVideo.networks_torch import network as of_name

    torch.set_num_threads(threads)
    network = of_name(model, recogniser_sides.CLASSES).eval()
    _load(network, dict(np.load(f"{folder}/weights.npz")))
    call = torch.compile(network) if compiled else network

    def run(clip: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return call(torch.from_numpy(clip)).numpy()

    return run


def onnxruntime(model: str, threads: int, folder: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return our ONNX file in onnxruntime."""
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda clip: session.run(None, {name: clip})[0]


def openvino(model: str, threads: int, folder: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return it in OpenVINO, in float32."""
    import openvino as library

    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = library.Core().compile_model(f"{folder}/model.onnx", "CPU", settings).create_infer_request()
    return lambda clip: np.array(next(iter(request.infer([clip]).values())))


LIBRARIES: Mapping[str, Callable[[str, int, str], Callable[[np.ndarray], np.ndarray]]] = {
    "pytorch": pytorch,
    "pytorch_compiled": lambda *given: pytorch(*given, compiled=True),
    "onnxruntime": onnxruntime,
    "openvino": openvino,
}


if __name__ == "__main__":
    main()
