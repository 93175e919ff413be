"""Where the time of an exported network goes that runs with channels last: its kinds of steps, each run by itself.

    python -m benchmarks.core.channels_last [--models MobileNetV1,EfficientNetB0] [--batch 1] [--threads 1] [--each]

For each kind of step: how many there are, the sum of their best times of several rounds, and what they compute in that
time, with the channels that fill vectors up; ``winograd`` counts what a plain convolution would compute. A step that is
run again finds its data in the cache. ``small`` are products on images of one pixel: squeeze-and-excitation, and the
scores. ``--each`` prints every step.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.core.sides.exported import exported


def main() -> None:
    """Print one table for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--models", default="EfficientNetB0", help="names, separated by commas (default EfficientNetB0)"
    )
    parser.add_argument("--batch", type=int, default=1, help="images per call (default 1)")
    parser.add_argument("--rounds", type=int, default=8, help="of which the best counts (default 8)")
    parser.add_argument("--threads", type=int, default=1, help="threads (default 1)")
    parser.add_argument("--each", action="store_true", help="print every step")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    for model in options.models.split(","):
        _profile(model, options)


def _profile(model: str, options: argparse.Namespace) -> None:
    import numpy as np

    from core.jit.exported.reader import read_program
    from core.jit.passes.fusion import optimized
    from core.kernels.channels_last.plan import Plan
    from core.kernels.channels_last.run import run
    from core.kernels.channels_last.vectors import LANES

    with tempfile.TemporaryDirectory() as folder:
        shape = exported(model, f"{folder}/model")
        program = optimized(read_program(f"{folder}/model"))
    node = next((node for node in program.nodes if node.operator == "channels_last"), None)
    if node is None:
        raise SystemExit(f"{model} does not run with channels last")
    network = program.networks[node.attributes["network"]]
    weights = _aligned(program.weights[node.inputs[1]].array, LANES)
    images = np.random.default_rng(0).standard_normal((options.batch, *shape), dtype=np.float32)
    plan = Plan(network.layers, images.shape, [place for place, _ in network.outputs])
    memory = _aligned(np.zeros(plan.scratch + options.threads * plan.room, np.float32), LANES)

    def seconds(steps: slice) -> float:
        began = time.perf_counter()
        given = (plan.table[steps], plan.numbers[steps], plan.places, plan.scratch, plan.room)
        run(images.reshape(-1), memory, weights, *given)
        return time.perf_counter() - began

    everything = slice(None)
    seconds(everything)
    whole, best = [], [float("inf")] * len(plan.table)
    for _ in range(options.rounds):
        whole.append(seconds(everything))
        best = [min(b, seconds(slice(i, i + 1))) for i, b in enumerate(best)]
    print(f"{model}, batch {options.batch}, threads {options.threads}: {min(whole) * 1000:.2f} ms")
    _table(plan, best, options.each)


def _aligned(array: Any, lanes: int) -> Any:
    import numpy as np

    room = np.empty(array.size + lanes, np.float32)
    room = room[-room.ctypes.data // 4 % lanes :][: array.size]
    room[:] = array
    return room


def _table(plan: Any, best: Sequence[float], each: bool) -> None:
    from core.kernels.channels_last import table as t
    from core.kernels.channels_last.vectors import LANES

    kinds_of_steps = ("PRODUCT", "WINOGRAD", "ROW", "PLAIN", "SUM", "MEAN", "MAXIMUM", "COMBINE", "JOIN")
    names = {getattr(t, name): name.lower() for name in kinds_of_steps}
    kinds: dict[str, list[float]] = {}
    for step, took in zip(plan.table, best):
        kind, operations = names[step[t.KIND]], 0
        if kind == "product":
            units = step[t.WORK] // (step[t.BLOCKS] * step[t.CHUNKS])
            pixels, depth = step[t.ROWS] * units, step[t.DEPTH]
            vectors = [plan.places[step[t.PANELS] + 4 * panel] for panel in range(step[t.OUT_PANELS])]
            channels = sum(vectors) * LANES
            operations = 2 * pixels * depth * channels
            what = f"{pixels} pixels, {depth} to {channels} channels"
            kind = "small" if step[t.PIXELS_OF_IMAGE] == 1 else kind
        elif kind == "winograd":
            tiles = step[t.ROWS] * step[t.WORK] // (step[t.BLOCKS] * step[t.CHUNKS])
            vectors = [plan.places[step[t.PANELS] + 4 * panel] for panel in range(step[t.OUT_PANELS])]
            pixels, channels = tiles * step[t.SIDE] ** 2, sum(vectors) * LANES
            operations = 18 * pixels * step[t.DEPTH] * channels
            what = f"{pixels} pixels in tiles of {step[t.SIDE]}, {step[t.DEPTH]} to {channels} channels"
        elif kind == "row":
            images = step[t.WORK] // step[t.BLOCKS]
            pixels, taps = step[t.ROWS] * step[t.WIDTH] * images, step[t.KERNEL_ROWS] ** 2 * step[t.NEIGHBOURS]
            operations = 2 * pixels * step[t.CHANNELS] * taps
            what = f"{pixels} pixels, {step[t.CHANNELS]} channels, {taps} taps"
        else:
            what = ""
        found = kinds.setdefault(kind, [0, 0.0, 0.0])
        found[:] = [found[0] + 1, found[1] + took, found[2] + operations]
        if each:
            print(f"    {kind:8} {took * 1e6:8.0f} us {operations / took / 1e9:7.1f} GFLOP/s  {what}")
    for kind, (count, took, operations) in kinds.items():
        print(f"  {kind:8} {count:4.0f} {took * 1000:8.2f} ms {operations / took / 1e9:7.1f} GFLOP/s")


if __name__ == "__main__":
    main()
