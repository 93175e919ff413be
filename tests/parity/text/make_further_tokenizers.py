"""Store the ids of paddlenlp's GPTChineseTokenizer and of SKEP's byte pair encoding, and the words that jieba finds.

    REFERENCE_PYTHON tests/parity/text/make_further_tokenizers.py

REFERENCE_PYTHON has paddlepaddle 2.6.2, paddlenlp 2.8.1, jieba and sentencepiece. Writes ``text/further.json``: of the
nasty lines of ``text/subword_cases.py`` the ids, with the stored sentencepiece model and with merges learned of them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import types
from pathlib import Path

PARITY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PARITY / "text"))
sys.modules["aistudio_sdk"] = missing = types.ModuleType("aistudio_sdk")
sys.modules["aistudio_sdk.hub"] = missing.hub = types.ModuleType("aistudio_sdk.hub")  # type: ignore[attr-defined]
missing.hub.download = None
sys.modules.setdefault("pip", types.ModuleType("pip"))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import jieba  # noqa: E402
import paddlenlp.transformers as official  # noqa: E402
import scipy  # noqa: E402, F401
import subword_cases as subwords  # noqa: E402


def answers(tokenizer: object, specials: list[str]) -> dict[str, object]:
    """Return what a tokeniser says of the short tables."""
    tokenizer.sanitize_special_tokens()  # as from_pretrained does
    return {
        "ids": [tokenizer(line)["input_ids"] for line in subwords.NASTY],
        "specials": [tokenizer(line)["input_ids"] for line in specials],
        "pairs": [tokenizer(text, pair)["input_ids"] for text, pair in subwords.PAIRS],
        "texts": [tokenizer.convert_tokens_to_string(tokenizer.tokenize(line)) for line in subwords.NASTY[:8]],
    }


def main() -> None:
    """Write what each of them says."""
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in ("with", "without"):
            files = subwords.write_skep(folder / kind, kind == "with")
            settings = {"use_bpe_encoder": True, "need_token_type_id": False, "add_two_sep_token_inter": True}
            found[f"skep, {kind}"] = answers(official.SkepTokenizer(*files, **settings), subwords.SPECIALS)
        (folder / "sentencepiece.model").write_bytes(subwords.models(subwords.NASTY)["xlnet"])
        gpt = official.GPTChineseTokenizer(str(folder / "sentencepiece.model"))
        found["gpt"] = {**answers(gpt, subwords.DOCUMENTS), "texts": []}
        parts = {part for line in [*subwords.NASTY, *subwords.DOCUMENTS] for part in subwords.parted(line)}
        parts |= {part for pair in subwords.PAIRS for part in pair}
        found["jieba"] = {part: jieba.lcut(part) for part in sorted(parts)}
    text = json.dumps(found, ensure_ascii=True, separators=(",", ":"))
    (PARITY / "text" / "further.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
