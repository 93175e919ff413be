"""What a single sentence costs beyond the run of its program: tokens, arrays, and the result.

    python -m benchmarks.PaddleNLP.single_sentences [--sentences 1000] [--characters 30] [--layers 12]
        [--processor]

A reader of two classes, on an ERNIE of 768 units, is exported and opened with ``open_reader``; it is asked for one
sentence after the other. The program alone is given the same arrays in turn. Printed are the median and the 99th
percentile, in milliseconds of wall time, of the whole, of the program, and of all but the program: a reader whose
program answers at once. Other work on the machine shows in all of them; with ``--processor`` and
``OMP_NUM_THREADS=1`` it is the processor time of the one thread, which other work shows less in.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

import core
from core.jit.input_spec import InputSpec
from core.text import ErnieTokenizer
from PaddleNLP import create_model, open_reader
from PaddleNLP.tokenizing import stored

FIRST, VOCABULARY = 0x4E00, 18000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--characters", type=int, default=30, help="of a sentence on average (default 30)")
    parser.add_argument("--layers", type=int, default=12, help="of the network (default 12)")
    parser.add_argument("--processor", action="store_true", help="of the thread, instead of wall time")
    arguments = parser.parse_args()
    clock = time.thread_time if arguments.processor else time.perf_counter
    drawn = np.random.default_rng(0)
    lengths = drawn.integers(arguments.characters // 2, arguments.characters * 3 // 2, arguments.sentences)
    texts = ["".join(map(chr, drawn.integers(FIRST, FIRST + VOCABULARY - 5, length).tolist())) for length in lengths]
    with tempfile.TemporaryDirectory() as folder:
        export(Path(folder), arguments.layers)
        reader = open_reader(Path(folder) / "exported")
        whole, alone, rest = [], [], []
        arrays = [reader.batch(reader.encode([text])) for text in texts]
        for given in {each["input_ids"].shape[1]: each for each in arrays}.values():
            reader.run(given)  # each length is compiled once
        for text, given in zip(texts, arrays):
            whole.append(seconds(clock, reader.predict, text))
            alone.append(seconds(clock, reader.run, given))
        results = reader.run(arrays[0])
        reader.run = lambda given: results
        for text in texts:
            rest.append(seconds(clock, reader.predict, text))
    print(f"{'milliseconds':30} {'p50':>8} {'p99':>8}")
    for name, values in (("a sentence", whole), ("the program alone", alone), ("all but the program", rest)):
        print(f"{name:30} {1000 * np.percentile(values, 50):8.3f} {1000 * np.percentile(values, 99):8.3f}")


def export(folder: Path, layers: int) -> None:
    """Write an exported classifier with fresh weights and a tokeniser of a drawn vocabulary."""
    tokens = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", *(chr(FIRST + n) for n in range(VOCABULARY - 5)), "[UNK]"]
    file = folder / "vocab.txt"
    file.write_text("\n".join(tokens) + "\n", encoding="utf-8")
    core.seed(0)
    network = create_model("ernie", num_classes=2, vocab_size=VOCABULARY, num_hidden_layers=layers)
    network.eval()
    examples = {0: (2, 3), 1: (8, 12)}
    names = ("input_ids", "token_type_ids")
    specs = [InputSpec([None, None], "int64", name, examples=examples) for name in names]
    record = {"reader": "classification", "max_length": 128, "tokenizer": stored(ErnieTokenizer(str(file)))}
    core.jit.save(
        core.jit.to_static(network), str(folder / "exported"), specs, preprocessing=record, class_names=["a", "b"]
    )


def seconds(clock: Callable[[], float], call: Any, given: Any) -> float:
    """Return how long a call takes by a clock."""
    begun = clock()
    call(given)
    return clock() - begun


if __name__ == "__main__":
    main()
