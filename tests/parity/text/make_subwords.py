"""Store the ids that paddlenlp's tokenisers of subwords give, and the pieces of subword-nmt and jieba.

    REFERENCE_PYTHON tests/parity/text/make_subwords.py

REFERENCE_PYTHON has paddlepaddle 2.6.2, paddlenlp 2.8.1, subword-nmt 0.3.8 and jieba 0.42.1. Models are learned from
the texts by the same code in the tests. Of the 10,000 lines of the shared data sets there are hashes of each hundred,
of the nasty ones all ids.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import types
import warnings
from pathlib import Path

PARITY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PARITY / "text"))
sys.modules["aistudio_sdk"] = missing = types.ModuleType("aistudio_sdk")
sys.modules["aistudio_sdk.hub"] = missing.hub = types.ModuleType("aistudio_sdk.hub")  # type: ignore[attr-defined]
missing.hub.download = None

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import jieba  # noqa: E402
import paddlenlp.transformers as official  # noqa: E402
import scipy  # noqa: E402, F401
import subword_cases as subwords  # noqa: E402
import wordpiece_cases as cases  # noqa: E402
from subword_nmt import apply_bpe, learn_bpe  # noqa: E402

TARGET = PARITY / "text" / "subwords.json"


def answers(tokenizer: object, specials: bool = True) -> dict[str, object]:
    """Return what a tokeniser says of the short tables."""
    tokenizer.sanitize_special_tokens()  # as from_pretrained does
    lines = subwords.NASTY if specials else [line for line in subwords.NASTY if subwords.no_special(line)]
    return {
        "ids": [tokenizer(line)["input_ids"] for line in lines],
        "specials": [tokenizer(line)["input_ids"] for line in subwords.SPECIALS] if specials else [],
        "pairs": [dict(tokenizer(text, pair)) for text, pair in subwords.PAIRS],
    }


def of_lines(tokenizer: object, lines: list[str]) -> dict[str, object]:
    """Return what a tokeniser says of the shared lines."""
    tokenizer.sanitize_special_tokens()
    rows = [tokenizer(line)["input_ids"] for line in lines]
    return {"tokens": sum(map(len, rows)), "hashes": cases.hundreds(rows)}


def neural(lines: list[str], symbols: int) -> tuple[str, list[str], list[str]]:
    """Return what subword-nmt learns of lines, and how it cuts them, without and with a vocabulary."""
    target = io.StringIO()
    learn_bpe.learn_bpe(lines, target, symbols)
    plain = [apply_bpe.BPE(target).segment(line) for line in lines]
    vocabulary = subwords.frequent_pieces(plain)
    kept = apply_bpe.BPE(target, merges=symbols - symbols // 5, vocab=vocabulary, separator="@@")
    return target.getvalue(), plain, [kept.segment(line) for line in lines]


def main() -> None:
    """Write what each of them says."""
    warnings.simplefilter("ignore")
    lines = cases.shared_lines()
    assert len(lines) == 10_000, "the shared data sets are needed"
    content: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size, texts in (("short", subwords.NASTY), ("long", lines)):
            say = answers if size == "short" else lambda tokenizer, specials=True: of_lines(tokenizer, lines)
            found = content[size] = {}
            models = subwords.models(texts)
            if size == "short":
                subwords.store_models(models)
            found["models"] = {kind: cases.digest(model) for kind, model in models.items()}
            for kind in ("xlnet", "albert", "bpe"):
                (folder / f"{kind}.model").write_bytes(models[kind])
            found["xlnet"] = say(official.XLNetTokenizer(str(folder / "xlnet.model")))
            found["xlnet, bpe"] = say(official.XLNetTokenizer(str(folder / "bpe.model"), do_lower_case=True))
            found["xlnet, accents"] = say(
                official.XLNetTokenizer(str(folder / "xlnet.model"), remove_space=False, keep_accents=True)
            )
            found["albert"] = say(official.AlbertTokenizer(None, str(folder / "albert.model")), False)
            files = subwords.write_tiny(folder / "tiny", models["tiny"], texts)
            found["tiny"] = say(official.ErnieTinyTokenizer(**files))
            found["tiny, cased"] = say(official.ErnieTinyTokenizer(**files, do_lower_case=False))
            for kind, ordered in (("ordered", True), ("any", False)):
                tokens, merges = subwords.learn_byte_pairs(texts, ordered=ordered)
                found[f"merges, {kind}"] = [len(merges), cases.digest(merges)]
                subwords.write_byte_pairs(folder / kind, tokens, merges, ["<|endoftext|>"])
                paths = [str(folder / kind / file) for file in ("vocab.json", "merges.txt")]
                found[f"gpt, {kind}"] = say(official.GPTTokenizer(*paths))
                if kind == "ordered":
                    found["gpt, spaces"] = say(official.GPTTokenizer(*paths, add_prefix_space=True))
                    subwords.write_byte_pairs(folder / kind, tokens, merges, subwords.ROBERTA)
                    found["roberta"] = say(official.RobertaBPETokenizer(*paths))
                    found["roberta, spaces"] = say(official.RobertaBPETokenizer(*paths, add_prefix_space=True))
            codes, plain, kept = neural(texts if size == "short" else lines[5000:], 300 if size == "short" else 1000)
            found["subword-nmt"] = [codes, plain, kept] if size == "short" else [
                cases.digest(codes), cases.hundreds(plain), cases.hundreds(kept)
            ]
            segmenter = jieba.Tokenizer()
            dictionary = subwords.write_frequencies(folder / "words", texts)
            segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(dictionary.open("rb"))
            segmenter.initialized = True
            words = [segmenter.lcut(line, HMM=False) for line in texts]
            found["jieba"] = words if size == "short" else cases.hundreds(words)
    TARGET.write_text(json.dumps(content, ensure_ascii=True, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
