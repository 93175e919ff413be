"""Store the ids that paddlenlp's own tokenisers give.

    REFERENCE_PYTHON tests/parity/text/make_tokenizers.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddlenlp 2.8.1. Of the 10,000 lines of the shared data sets there are
hashes of each hundred, of the nasty ones all ids, and the vocabulary, as learning it depends on the version of Unicode.
"""

from __future__ import annotations

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

import paddlenlp.transformers  # noqa: E402
import scipy  # noqa: E402, F401
import wordpiece_cases as cases  # noqa: E402

TARGET = PARITY / "text" / "wordpiece.json"


def answers(tokenizer: object) -> dict[str, object]:
    """Return what a tokeniser says of the short tables."""
    found: dict[str, object] = {}
    found["ids"] = [tokenizer(line)["input_ids"] for line in cases.NASTY]
    if type(tokenizer).__name__ == "DistilBertTokenizer":
        return found  # its call takes no lengths in Paddle
    found["pairs"] = [dict(tokenizer(text, pair, **settings)) for text, pair, settings in cases.PAIRS]
    found["words"] = [tokenizer(words, is_split_into_words=True)["input_ids"] for words in cases.WORDS]
    if not hasattr(tokenizer, "basic_tokenizer"):
        return found  # Paddle has no offsets then, and needs them for windows
    windows = []
    for texts, pairs, settings in cases.WINDOWS:
        rows = dict(tokenizer(texts, pairs, **settings))
        windows.append({key: rows[key] for key in ("input_ids", "offset_mapping", "overflow_to_sample")})
    found["windows"] = windows
    return found


def build(name: str, tokens: list[str], folder: str) -> object:
    """Return a tokeniser as users get it: from a folder, as special tokens stand apart in no other."""
    kind, _, settings = cases.CASES[name]
    path = cases.write(tokens, Path(folder) / "tokens.txt")
    made = getattr(paddlenlp.transformers, kind)
    saved = Path(folder) / name
    made(str(path), **settings).save_pretrained(str(saved))
    return made.from_pretrained(str(saved))


def main() -> None:
    """Write what each tokeniser says."""
    warnings.simplefilter("ignore")
    lines = cases.shared_lines()
    assert len(lines) == 10_000, "the shared data sets are needed"
    start = len(cases.SPECIAL["bert"])
    nasty = cases.learn(cases.NASTY, "bert")[start:]
    content: dict[str, object] = {"vocabulary": nasty, "short": {}, "long": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, layout, _) in cases.CASES.items():
            content["short"][name] = answers(build(name, [*cases.SPECIAL[layout], *nasty], folder))
        for name in cases.LONG_CASES:
            tokens = cases.learn(lines, cases.CASES[name][1])
            tokenizer = build(name, tokens, folder)
            rows = [tokenizer(line)["input_ids"] for line in lines]
            unknown = sum(row.count(tokenizer.unk_token_id) for row in rows)
            content["long"][name] = {
                "vocabulary": [len(tokens), cases.digest(tokens)],
                "tokens": [sum(map(len, rows)), unknown],
                "hashes": cases.hundreds(rows),
            }
    basic = paddlenlp.transformers.BasicTokenizer(do_lower_case=True)
    codes = cases.characters()
    content["characters"] = cases.hundreds([basic.tokenize(f"a{chr(code).lower()}b") for code in codes])
    TARGET.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
