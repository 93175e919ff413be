"""Tokenisers of subwords on one core, in lines of text per second.

    python -m benchmarks.core.text_subwords FILE [--paddle PYTHON] [--rounds 10] [--lines 2000]

FILE is a text; its lines are what is tokenised, and the models are learned of them. The peers are sentencepiece itself,
given the texts as they are, and paddlenlp's tokenisers in Python: `--paddle` names a Python in which paddlepaddle
and paddlenlp are installed. Each side is a program of its own with one thread, and its processor time counts; the sides
of a row take turns, and the ratio is the median of the rounds' ratios. A ratio above 1 says that ours is faster. Caches
of words are emptied before each turn of both. Below the rows: what one line of 1 MB takes.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Optional

ROOT = Path(__file__).resolve().parents[2]
BATCH = 64
ROWS = (
    ("xlnet", "sentencepiece"),
    *((kind, "paddlenlp") for kind in ("xlnet", "albert", "tiny", "gpt", "roberta")),
)
STEPS = ("single", "batch")


def main() -> None:
    """Print one row per comparison, and what long lines take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a text, UTF-8")
    parser.add_argument("--paddle", metavar="PYTHON", help="compare with the paddlenlp of this Python")
    parser.add_argument("--rounds", type=int, default=10, help="rounds in which the sides take turns (default 10)")
    parser.add_argument("--lines", type=int, default=2000, help="lines per round (default 2000)")
    arguments = parser.parse_args()
    from benchmarks.side import compare, require

    if arguments.paddle:
        require("paddlenlp", python=arguments.paddle)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [line for line in Path(arguments.file).read_text(encoding="utf-8").splitlines() if line.strip()]
        lines = lines[: arguments.lines]
        write_models(lines, folder)
        print(f"{'':8} {'':7} {'ours, lines/s':>14} {'against':14} {'lines/s':>9} {'ratio':>6}")
        for kind, peer in ROWS:
            python = sys.executable if peer == "sentencepiece" else arguments.paddle
            if python is None:
                continue
            sides = Side("ours", kind, sys.executable, folder), Side(peer, kind, python, folder)
            for step in STEPS:
                mine, theirs, ratio = compare((sides[0], step), (sides[1], step), arguments.rounds)  # type: ignore[arg-type]
                speeds = f"{len(lines) / mine:14.0f} {peer:14} {len(lines) / theirs:9.0f}"
                print(f"{kind:8} {step:7} {speeds} {ratio:6.2f}", flush=True)
            for side in sides:
                side.close()
        print("\na line of 1 MB, ids alone and with offsets, seconds")
        for kind in dict.fromkeys(kind for kind, _ in ROWS):
            side = Side("ours", kind, sys.executable, folder)
            print(f"{kind:8} {side.seconds('long', 1):6.2f} {side.seconds('placed', 1):6.2f}", flush=True)
            side.close()


def write_models(lines: list[str], folder: Path) -> None:
    """Learn models of lines, in the official layouts."""
    import sentencepiece
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    target = io.BytesIO()
    names = ["<cls>", "<sep>", "<pad>", "<mask>", "<eop>", "<eod>", "[CLS]", "[SEP]", "[MASK]"]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=target, vocab_size=8000, hard_vocab_limit=False, num_threads=1,
        minloglevel=2, character_coverage=0.999, control_symbols=names,
    )  # fmt: skip
    model = sentencepiece.SentencePieceProcessor(model_proto=target.getvalue())
    counts = Counter(line[at : at + width] for line in lines for width in (2, 3, 4) for at in range(len(line) - width))
    words = {word for word, _ in counts.most_common(30_000)}
    tokens = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]", *map(model.id_to_piece, range(3, model.get_piece_size()))]
    (folder / "spm_cased_simp_sampled.model").write_bytes(target.getvalue())
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in dict.fromkeys(tokens)), encoding="utf-8")
    (folder / "dict.wordseg.pickle").write_bytes(pickle.dumps(words))
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer, pairs.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=8000, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    pairs.train_from_iterator(lines, trainer)
    pairs.model.save(str(folder))
    (folder / "lines.json").write_text(json.dumps(lines), encoding="utf-8")


class Side:
    """A program that times its steps when its input says so."""

    def __init__(self, name: str, kind: str, python: str, folder: Path) -> None:
        self.name = name
        command = [python, str(Path(__file__).resolve()), "--side", json.dumps([name, kind, str(folder)])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, step: str, repeats: int = 1) -> float:
        """Return the mean seconds of processor time of some calls of a step."""
        assert self._process.stdin is not None and self._process.stdout is not None
        total = 0.0
        for _ in range(repeats):
            print(step, file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
            if not line:
                raise SystemExit(f"{self.name} ended; its message is above")
            total += float(line)
        return total / repeats

    def close(self) -> None:
        """End the program."""
        self._process.communicate()


# --- inside a side ---------------------------------------------------------------------------------------------------


def tokenizer_of(module: Any, kind: str, folder: Path) -> Any:
    """Return the tokeniser of a kind, which has the same name and files on both sides."""
    model, vocabulary = str(folder / "spm_cased_simp_sampled.model"), str(folder / "vocab.txt")
    pairs = str(folder / "vocab.json"), str(folder / "merges.txt")
    made: dict[str, Callable[[], Any]] = {
        "xlnet": lambda: module.XLNetTokenizer(model),
        "albert": lambda: module.AlbertTokenizer(None, model),
        "tiny": lambda: module.ErnieTinyTokenizer(vocabulary, model, str(folder / "dict.wordseg.pickle")),
        "gpt": lambda: module.GPTTokenizer(*pairs),
        "roberta": lambda: module.RobertaBPETokenizer(*pairs),
    }
    return made[kind]()


def build(name: str, kind: str, folder: Path) -> dict[str, tuple[Callable[[], Any], Optional[Callable[[], Any]]]]:
    """Return the steps of a side, each with what is to be done before it is timed."""
    lines = json.loads((folder / "lines.json").read_text(encoding="utf-8"))
    batches = [lines[start : start + BATCH] for start in range(0, len(lines), BATCH)]
    long = (" ".join(lines) * (1 + 1_000_000 // len(" ".join(lines))))[:1_000_000]
    if name == "sentencepiece":
        import sentencepiece

        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spm_cased_simp_sampled.model"))
        return {
            "single": (lambda: [model.encode(line) for line in lines], None),
            "batch": (lambda: [model.encode(batch, num_threads=1) for batch in batches], None),
        }
    sys.path.insert(0, str(ROOT))
    if name == "ours":
        import core.text

        ours = tokenizer_of(core.text, kind, folder)

        def forget() -> None:
            if hasattr(ours, "pairs"):
                ours.pairs.ids.clear()
                ours.pairs.placed.clear()

        return {
            "single": (lambda: [ours(line) for line in lines], forget),
            "batch": (lambda: [ours.batch(batch) for batch in batches], forget),
            "long": (lambda: ours(long), forget),
            "placed": (lambda: ours(long, return_offsets_mapping=True), forget),
        }
    from benchmarks.paddlenlp_import import let_import

    let_import()
    import paddlenlp.transformers

    theirs = tokenizer_of(paddlenlp.transformers, kind, folder)
    theirs.sanitize_special_tokens()
    forget_theirs = theirs.cache.clear if hasattr(theirs, "cache") else None
    return {
        "single": (lambda: [theirs(line) for line in lines], forget_theirs),
        "batch": (lambda: [theirs(batch) for batch in batches], forget_theirs),
    }


def serve(description: str) -> None:
    """Time the steps that come from the standard input."""
    name, kind, folder = json.loads(description)
    answers, sys.stdout = sys.stdout, sys.stderr
    steps = build(name, kind, Path(folder))
    for line in sys.stdin:
        step, before = steps[line.strip()]
        if before is not None:
            before()
        start = time.process_time()
        step()
        print(time.process_time() - start, file=answers, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        serve(sys.argv[2])
    else:
        main()
