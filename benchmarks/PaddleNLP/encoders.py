"""ERNIE 1.0's base size with a classifier, exported for any number and length of texts, against what one would pick.

    python3.10 -m venv PADDLE; PADDLE/bin/pip install paddlepaddle==2.6.2 numpy==1.23.5 'protobuf<=3.20.3'
    PADDLE/bin/pip install --no-deps paddlenlp==2.8.1                     # and what importing it then asks for
    python3.11 -m venv PEERS; PEERS/bin/pip install torch transformers onnxruntime openvino
    python -m benchmarks.PaddleNLP.encoders [--sizes 8x128,1x16,1x128,32x128] [--rows NAMES] [--peers PEERS/bin/python]
    [--paddle PADDLE/bin/python] [--rounds 7] [--threads 2] [--processor] [--lengths DEV.tsv]

Every side has the same weights and ids; "difference" is how far its logits are from ours. onnxruntime and OpenVINO get
our ONNX file for any size, Paddle's inference library (with oneDNN) paddlenlp's network, PyTorch that of transformers.
Each side is a process of its own; the two of a row take turns, and its ratio is the median of the rounds' ratios, above
1 where ours is faster. All is float32. With ``--processor`` it is the time that processors worked for a side, which
other work on the machine shows less in.

``--lengths`` takes a file of pairs as LCQMC's: our reader answers its first 512 pairs, 32 at a time, in the order of
the file. What it reads a second, tokens without padding, is compared with 8 texts of 128 tokens.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.PaddleNLP.sides import encoders as sides
from benchmarks.side import Side, compare, require

SIZES = "8x128,1x16,1x128,32x128"
ROWS = ("paddle", "onnxruntime", "openvino", "pytorch", "compile")
NEEDED = {
    "paddle": ["paddle", "paddlenlp"], "onnxruntime": ["onnxruntime"], "openvino": ["openvino"],
    "pytorch": ["torch", "transformers"], "compile": ["torch", "transformers"],
}  # fmt: skip


def main() -> None:
    """Print one row for each comparison, in milliseconds a call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=SIZES, help=f"texts x tokens, separated by commas (default {SIZES})")
    parser.add_argument("--rows", default=",".join(ROWS), help="against whom, separated by commas (default all)")
    parser.add_argument("--peers", default=sys.executable, help="the interpreter that has PyTorch and the run times")
    parser.add_argument("--paddle", default=sys.executable, help="the interpreter that has Paddle and paddlenlp")
    parser.add_argument("--rounds", type=int, default=7, help="rounds in which the sides take turns (default 7)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--processor", action="store_true", help="processor time, for machines that are busy otherwise")
    parser.add_argument("--lengths", metavar="FILE", help="compare lengths instead: pairs, a line each, by TABs")
    options = parser.parse_args()
    if options.lengths:
        _lengths(options)
        return
    wanted = options.rows.split(",")
    if set(wanted) - set(ROWS):
        parser.error(f"--rows takes {', '.join(ROWS)}")
    for name in wanted:
        require(*NEEDED[name], python=_python(name, options))
    sizes = [tuple(map(int, size.split("x"))) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        files = bool({"onnxruntime", "openvino"} & set(wanted))
        ours = Side("ours", sides.ours, (sizes, folder, files), options.threads, processor=options.processor)
        print(f"{'texts x tokens':14} {'ours, ms':>9}   {'against':14} {'ms':>8} {'ratio':>6} {'difference':>11}")
        for name in wanted:
            arguments = (sizes, folder, options.threads)
            given = {"python": _python(name, options), "processor": options.processor}
            other = Side(name, getattr(sides, name), arguments, options.threads, **given)
            for size in other.steps:
                mine, its, ratio = compare((ours, size), (other, size), options.rounds)
                difference = np.abs(other.ask(size) - ours.ask(size)).max()
                row = f"{size:14} {mine * 1e3:9.1f}   {name:14} {its * 1e3:8.1f} {ratio:6.2f} {difference:11.0e}"
                print(row, flush=True)
            other.close()
        ours.close()


def _python(name: str, options: argparse.Namespace) -> str:
    return str(options.paddle if name == "paddle" else options.peers)


def _lengths(options: argparse.Namespace) -> None:
    lines = Path(options.lengths).read_text(encoding="utf-8").splitlines()
    pairs = [tuple(line.split("\t")[:2]) for line in lines if line.count("\t") >= 2][:512]
    with tempfile.TemporaryDirectory() as folder:
        side = Side("ours", sides.lengths, (pairs, folder), options.threads, processor=options.processor)
        tokens = side.ask("tokens of pairs")
        full, ragged, _ = compare((side, "full"), (side, "pairs"), options.rounds)
        rates = sides.FULL[0] * sides.FULL[1] / full, tokens / ragged
        print(f"{'x'.join(map(str, sides.FULL))}: {rates[0]:.0f} tokens/s")
        text = f"{len(pairs)} pairs of {tokens / len(pairs):.1f} tokens"
        print(f"{text}: {rates[1]:.0f} tokens/s, {rates[1] / rates[0]:.2f} of that")
        side.close()


if __name__ == "__main__":
    main()
