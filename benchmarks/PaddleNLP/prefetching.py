"""Training steps a second where cutting texts into tokens costs as much as computing, with and without reading ahead.

    python -m benchmarks.PaddleNLP.prefetching [--steps 20] [--rounds 5] [--batch 16] [--tokens 32] [--units 64]

Documents of drawn characters are cut into tokens when a batch of them is read (``core.text.TextCollate``), and a small
ERNIE learns to classify them. How long the documents are is chosen here, so that cutting a batch takes about as much
processor time as a training step. Three loaders take turns: one that reads a batch when it is asked for it, one that
reads ahead in a thread, as is the default, and one whose worker process does. Of each the median of the rounds is
printed, and the median of the rounds' ratios to the first. The network computes with one thread; give the program two
cores.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import core
from core.io import DataLoader
from core.text import ErnieTokenizer, TextCollate
from PaddleNLP import create_model

FIRST, VOCABULARY = 0x4E00, 8000
LOADERS: dict[str, dict[str, Any]] = {
    "when it is asked for": {"use_buffer_reader": False},
    "ahead, in a thread": {},
    "ahead, in a process": {"num_workers": 1, "persistent_workers": True},
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20, help="training steps of a turn (default 20)")
    parser.add_argument("--rounds", type=int, default=5, help="how often the loaders take turns (default 5)")
    parser.add_argument("--batch", type=int, default=16, help="documents of a step (default 16)")
    parser.add_argument("--tokens", type=int, default=32, help="tokens of a document that are kept (default 32)")
    parser.add_argument("--units", type=int, default=64, help="units of the network (default 64)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        collate = TextCollate(tokenizer(Path(folder)), arguments.tokens)
    step = training_step(arguments.units)
    batch = collate(documents(arguments.batch, 1000))
    tensors = {name: core.to_tensor(value) for name, value in batch.items()}
    length, computing, cutting = 1000, 1.0, 0.0
    for _ in range(8):
        drawn = documents(arguments.batch, length)
        computing, cutting = median(lambda: step(tensors), 10), median(lambda: collate(drawn), 10)  # noqa: B023
        if abs(computing / cutting - 1) < 0.1:
            break
        length = max(round(length * computing / cutting), arguments.tokens)
    drawn = documents(arguments.batch * arguments.steps, length)
    text = f"cutting {arguments.batch} texts of {length} characters {1000 * cutting:.1f} ms"
    print(f"processor time: a step {1000 * computing:.1f} ms, {text}", flush=True)
    loaders = {
        name: DataLoader(drawn, batch_size=arguments.batch, collate_fn=collate, **options)
        for name, options in LOADERS.items()
    }
    for loader in loaders.values():
        epoch(loader, step)
    rounds = [{name: epoch(loader, step) for name, loader in loaders.items()} for _ in range(arguments.rounds)]
    print(f"{'a batch is read':24} {'steps/s':>8} {'ratio':>6}")
    first = next(iter(LOADERS))
    for name in LOADERS:
        speed = statistics.median(len(loaders[name]) / each[name] for each in rounds)
        ratio = statistics.median(each[first] / each[name] for each in rounds)
        print(f"{name:24} {speed:8.1f} {ratio:6.2f}")


def tokenizer(folder: Path) -> ErnieTokenizer:
    """Return a tokeniser whose vocabulary has every second of the drawn characters."""
    tokens = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", *(chr(FIRST + 2 * n) for n in range(VOCABULARY // 2))]
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    return ErnieTokenizer(folder / "vocab.txt")


def documents(count: int, length: int) -> Any:
    """Return drawn texts with classes."""
    drawn = np.random.default_rng(0).integers(FIRST, FIRST + VOCABULARY, (count, length))
    return [{"text": "".join(map(chr, row)), "label": number % 2} for number, row in enumerate(drawn.tolist())]


def training_step(units: int) -> Callable[[Any], float]:
    """Return a function that takes a step on a batch, and returns its loss."""
    core.seed(0)
    size: dict[str, Any] = {"hidden_size": units, "num_hidden_layers": 2, "intermediate_size": 4 * units}
    network = create_model("ernie", vocab_size=VOCABULARY // 2 + 5, num_attention_heads=4, **size)
    optimizer = core.optimizer.AdamW(1e-4, parameters=network.parameters())

    @core.jit.to_static
    def loss_of(input_ids: Any, token_type_ids: Any, label: Any) -> Any:
        return core.nn.functional.cross_entropy(network(input_ids, token_type_ids), label)

    def step(batch: Any) -> float:
        loss = loss_of(batch["input_ids"], batch["token_type_ids"], batch["label"])
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return float(loss)

    return step


def epoch(loader: Any, step: Callable[[Any], float]) -> float:
    """Return the seconds that the steps of an epoch take."""
    began = time.perf_counter()
    for batch in loader:
        step(batch)
    return time.perf_counter() - began


def median(call: Callable[[], Any], count: int) -> float:
    """Return the median seconds of processor time of a call, the first one left out."""
    seconds = []
    for _ in range(count + 1):
        began = time.process_time()
        call()
        seconds.append(time.process_time() - began)
    return statistics.median(seconds[1:])


if __name__ == "__main__":
    main()
