"""Tokenisers of subwords on one core, in lines of text per second.

    python -m benchmarks.core.text_subwords FILE [--paddle PYTHON] [--rounds 10] [--lines 2000]

FILE is a text; its lines are what is tokenised, and the models are learned of them. The peers are sentencepiece itself,
given the texts as they are, and paddlenlp's tokenisers in Python: `--paddle` names a Python in which paddlepaddle
and paddlenlp are installed. Each side is a process of its own with one thread, and its processor time counts; the sides
of a row take turns, and the ratio is the median of the rounds' ratios. A ratio above 1 says that ours is faster. Caches
of words are emptied before each turn of both. Below the rows: what one line of 1 MB takes.
"""

from __future__ import annotations

import argparse
import io
import json
import pickle
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Optional

from benchmarks.core.text_tokenizers import ONE_THREAD, compare
from benchmarks.paddlenlp_import import let_import
from benchmarks.side import Side, Steps, require

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
            sides = side("ours", kind, folder), side(peer, kind, folder, python)
            for step in STEPS:
                mine, theirs, ratio = compare(*sides, step, arguments.rounds, kind)
                speeds = f"{len(lines) / mine:14.0f} {peer:14} {len(lines) / theirs:9.0f}"
                print(f"{kind:8} {step:7} {speeds} {ratio:6.2f}", flush=True)
            for each in sides:
                each.close()
        print("\na line of 1 MB, ids alone and with offsets, seconds")
        for kind in dict.fromkeys(kind for kind, _ in ROWS):
            mine = side("ours", kind, folder)
            print(f"{kind:8} {mine.ask('long'):6.2f} {mine.ask('placed'):6.2f}", flush=True)
            mine.close()


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


def side(name: str, kind: str, folder: Path, python: str = sys.executable) -> Side:
    """Return a side, whose steps say how long they took."""
    return Side(name, build, (name, kind, folder), 1, ONE_THREAD, python)


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


def timed(work: Callable[[], Any], before: Optional[Callable[[], Any]] = None) -> Callable[[], float]:
    """Return a step that returns the seconds of processor time of its work, without those of what comes before."""

    def step() -> float:
        if before is not None:
            before()
        began = time.process_time()
        work()
        return time.process_time() - began

    return step


def build(name: str, kind: str, folder: Path) -> Steps:
    """Return the steps of a side."""
    lines = json.loads((folder / "lines.json").read_text(encoding="utf-8"))
    batches = [lines[start : start + BATCH] for start in range(0, len(lines), BATCH)]
    long = (" ".join(lines) * (1 + 1_000_000 // len(" ".join(lines))))[:1_000_000]
    if name == "sentencepiece":
        import sentencepiece

        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spm_cased_simp_sampled.model"))
        return {
            "single": timed(lambda: [model.encode(line) for line in lines]),
            "batch": timed(lambda: [model.encode(batch, num_threads=1) for batch in batches]),
        }
    if name == "ours":
        import core.text

        ours = tokenizer_of(core.text, kind, folder)

        def forget() -> None:
            if hasattr(ours, "pairs"):
                ours.pairs.ids.clear()
                ours.pairs.placed.clear()

        return {
            "single": timed(lambda: [ours(line) for line in lines], forget),
            "batch": timed(lambda: [ours.batch(batch) for batch in batches], forget),
            "long": timed(lambda: ours(long), forget),
            "placed": timed(lambda: ours(long, return_offsets_mapping=True), forget),
        }
    let_import()
    import paddlenlp.transformers

    theirs = tokenizer_of(paddlenlp.transformers, kind, folder)
    theirs.sanitize_special_tokens()
    forget_theirs = theirs.cache.clear if hasattr(theirs, "cache") else None
    return {
        "single": timed(lambda: [theirs(line) for line in lines], forget_theirs),
        "batch": timed(lambda: [theirs(batch) for batch in batches], forget_theirs),
    }


if __name__ == "__main__":
    main()
