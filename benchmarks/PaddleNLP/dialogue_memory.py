"""Memory of DAM at its published size, beyond the weights: with buffers used again and without, beside PyTorch.

    python -m benchmarks.PaddleNLP.dialogue_memory [--batch 16] [--vocabulary 434513] [--peers PEERS/bin/python]

Every row is a process of its own that takes two steps, after one of a single sample; counted are the megabytes that its
peak adds to what it occupied before: weights, and in training their gradients, are there by then.

Prediction runs an exported folder. "planned" is how the engine runs it: a result's memory is used again when the last
operation that reads it is through. "unplanned" switches that off (NNVM_EXEC_MATCH_RANGE=0), but for operations that
write over their own input. "every result kept" is the same forward pass with a record for a gradient that is never
asked for. Training is a loss and its backward pass: "planned" is the compiled program that the trainer runs,
"recomputed" the same with ``network.recompute``, whose backward pass computes the blocks again, "eager" has no plan.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable

import numpy as np

from benchmarks.core.memory import reset_peak, resident, status

ROWS = {"prediction": ("planned", "unplanned", "eager"), "training": ("planned", "recomputed", "unplanned", "eager")}
"""Ways of running."""

REUSED = ("planned", "recomputed")
"""Those that are compared with the others."""


def inputs(batch: int, vocabulary: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ids of conversations with a response, int64 (batch, 10, 50), and which fit."""
    ids = np.random.default_rng(0).integers(1, vocabulary, (batch, 10, 50))
    return ids.astype(np.int64), np.arange(batch, dtype=np.int64) % 2


def peak(step: Callable[[int], Any], batch: int) -> float:
    """Return the megabytes that two steps of a batch add at their peak, after a step of one sample."""
    import core

    step(1)
    gc.collect()
    core.device.empty_cache()  # freed memory that is kept would hide what the steps take
    start = resident()
    reset_peak()
    for _ in range(2):
        step(batch)
    return status("VmHWM") - start


def predicting(way: str, batch: int, vocabulary: int) -> Callable[[int], Any]:
    """Return a step of prediction."""
    import core
    from core.jit.input_spec import InputSpec
    from PaddleNLP.models.registry import create_model

    model: Any = create_model("dam", "response_matching", vocab_size=vocabulary, pad_token_id=0)
    model.eval()
    ids, _ = inputs(batch, vocabulary)
    if way == "eager":
        kept: list[Any] = []

        def forward(count: int) -> None:
            kept.clear()
            kept.append(model(core.to_tensor(ids[:count])))
            kept[0].numpy()

        return forward
    with tempfile.TemporaryDirectory() as folder:
        spec = InputSpec([None, 10, 50], "int64", "input_ids", examples={0: (2, 3)})
        core.jit.save(core.jit.to_static(model), folder + "/dam", input_spec=[spec])
        predictor = core.jit.Predictor(folder + "/dam")
    return lambda count: predictor.run([ids[:count]])


def training(way: str, batch: int, vocabulary: int) -> Callable[[int], Any]:
    """Return a step of training without the update."""
    import core
    from PaddleNLP.models.registry import create_model

    settings = {"vocab_size": vocabulary, "pad_token_id": 0, "recompute": way == "recomputed"}
    model: Any = create_model("dam", "response_matching", **settings)
    loss = lambda ids, labels: model.loss(model(ids), labels)  # noqa: E731
    compiled = loss if way == "eager" else core.jit.to_static(loss)
    ids, labels = inputs(batch, vocabulary)

    def step(count: int) -> None:
        found = compiled(core.to_tensor(ids[:count]), core.to_tensor(labels[:count]))
        found.backward()
        float(found)
        model.clear_gradients()

    return step


def measured(kind: str, way: str, options: argparse.Namespace) -> float:
    """Return the megabytes of a row, from a process of its own."""
    words = [kind, way, str(options.batch), str(options.vocabulary)]
    if way == "PyTorch":
        command = [options.peers, str(Path(__file__).with_name("sides") / "dialogue_memory_torch.py"), *words]
    else:
        command = [sys.executable, "-m", "benchmarks.PaddleNLP.dialogue_memory", "--row", *words]
    environment = {**os.environ, **({"NNVM_EXEC_MATCH_RANGE": "0"} if way == "unplanned" else {})}
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    if found.returncode:
        raise SystemExit(f"{kind}, {way}: {(found.stderr.splitlines() or ['it said nothing'])[-1]}")
    return float(json.loads(found.stdout.splitlines()[-1]))


def main() -> None:
    """Print a line for each way of running."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=16, help="conversations per step (default 16)")
    parser.add_argument("--vocabulary", type=int, default=434513, help="rows of the table of words (default: Ubuntu's)")
    parser.add_argument("--peers", metavar="PYTHON", help="of an environment with torch")
    parser.add_argument("--row", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        kind, way, batch, vocabulary = options.row
        make = predicting if kind == "prediction" else training
        print(json.dumps(peak(make(way, int(batch), int(vocabulary)), int(batch))))
        return
    names = {"eager": "every result kept"}
    for kind in ("prediction", "training"):
        numbers = {}
        for way in (*ROWS[kind], *(["PyTorch"] if options.peers else [])):
            numbers[way] = measured(kind, way, options)
            name = names.get(way, way) if kind == "prediction" else way
            print(f"{kind}, {name:<20}{numbers[way]:>8.0f} MB", flush=True)
        for ours, way in itertools.product(REUSED, ROWS[kind]):
            if ours in numbers and way not in REUSED:
                name = names.get(way, way) if kind == "prediction" else way
                print(f"{kind}: {ours} / {name}: {numbers[ours] / numbers[way]:.2f}", flush=True)


if __name__ == "__main__":
    main()
