"""Texts, vocabularies and tokenisers that Paddle's and ours are compared on; nothing but the standard library."""

from __future__ import annotations

import collections
import gzip
import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
"""The data sets, which not every checkout has beside it."""

SPECIAL = {
    "bert": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "ernie": ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"],
}

PARTS = (
    ("chnsenticorp-sample/train.tsv", 1500),
    ("tnews-sample/dev.tsv", 1500),
    ("lcqmc-dev/dev.txt", 1000),
    ("weibo-ner/train.all.bmes", 1000),
    ("sst/SST2/train.tsv", 1500),
    ("mrpc/msr_paraphrase_train.txt", 1500),
    ("sick/SICK_train.txt", 500),
    ("multi30k-en-de/train.de.gz", 1500),
)
"""Files and how many of their first lines count: 10,000 in all, half of them Chinese."""

NASTY = [
    "",
    " ",
    "\t\n\r \u3000\xa0\u2009",
    "a",
    "你",
    "你好world",
    "Café CAFÉ cafe\u0301 Cafe\u0301s",
    "naïve façade Zoë Ångström ﬁne ﬂow Straße STRASSE ẞ",
    "İstanbul ISPARTA ı ŞIŞLI",
    "ΑΣ ΟΔΟΣ Σίσυφος ΣΑΣ σς",
    "a\u0300\u0316\u0301b \u0316\u0300 \u0301",
    "e\u20ddx \u0903क\u093f हिन्दी தமிழ் ภาษาไทย العَرَبِيَّة עִבְרִית",
    "\u302e\u302f가\u302e\U0001d165\U0001d16d\U0001d15e a\U0001d16d\U0001d165b \U0001d165\u034f\U0001d16d",
    "한국어 한 힣 ㄱ",
    "日本語のテキスト ｶﾞｷﾞ ガギ が ゝ 々 〇 ㈱ ℃ № ㍿",
    "𠀀𪜀𫝀𫠠豈更丽 a𠀀b 㐀䶵鿯",
    "😀 a😀b 👩‍👩‍👧 ❤️ 🇨🇳 ☺︎ 5️⃣",
    "€ £100 ± × ÷ ° © ® ™ µ ² ³ º ª Ø ŋ Ʊ ¼ \u00ad soft\u00adhyphen",
    "a\x00b\x01c\x7fd\x80e\ufffdf\ufeffg\u200bh\u200di\u2060j\u00adk",
    "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei\x1fj",
    "\ue000private \uf8ff \U000f0000 \U0010ffff \ufdd0 \u0378",
    "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "。，、；：？！“”‘’（）【】《》—…·￥＄％＆＠",
    "don't it's U.S.A. 3.14 1,000 a_b a-b a/b C++ #tag @user http://a.b/c?d=e",
    "x" * 99,
    "x" * 100,
    "x" * 101,
    "é" * 100 + " " + "é" * 101 + " " + "e\u0301" * 101,
    "你" * 101,
    "ab" * 50 + "!" + "ab" * 51,
    "un unun ununun unX aun ##un un## # #un",
    "[MASK]",
    "a[MASK]b [CLS][SEP] [PAD] [UNK][UNK]",
    "[mask] [Mask] [MASK ] [ MASK] [[MASK]] [MAS[MASK]K]",
    "[CL\x00S] [\u200bMASK] [MASK\u0301] [ＭＡＳＫ]",
    "   leading and trailing   ",
    "two  spaces\tand\ttabs\nand lines\r\nand\rreturns",
    "ＡＢＣ１２３ ａｂｃ ①②③ Ⅷ ⅷ ꜱ 𝐀𝐛 𝟙",
    "ǅ ǆ Ǆ ŉ ǰ ΐ ᾳ ὒ ﬀ և K Å Ω ſ",
    "\u1fef \u037e \u0387 \u2000 \u2001 \u2126 \u212a \u212b \u2f00 \u2e80",
    "a\u0338= ≠ ≮ \u226e ấ ậ ǖ ṩ \u1e69",
    "م\u06dd \u070f \U000110bd \u0600",
    "你\u0301好 \u3099か\u3099 你\u200b好 你\u3000好",
    "ქართული ᲥᲐᲠᲗᲣᲚᲘ ᏣᎳᎩ ꮳꮃꭹ հայերեն ՀԱՅԵՐԵՆ",
    "\u180e mongolian\u180e ᠮᠣᠩᠭᠣᠯ \u1680 ogham",
]
"""Lines with what is easily got wrong. Characters that Unicode took in after version 11 are not among them."""

PAIRS = [
    ("你好 world", "café", {}),
    ("un un un un un un un", "a b c", {"max_length": 9}),
    ("a b c", "un un un un un un un", {"max_length": 9}),
    ("a b c d e f g", "h i j k l m n", {"max_length": 10}),
    ("a b c d e f g", "h i j k l m n", {"max_length": 11}),
    ("a b c d e f g h i", "h i j k l m n", {"max_length": 8}),
    ("a b c d e f g", "h i j k l m n", {"max_length": 12, "truncation": "only_second"}),
    ("a b c d e f g", "h i j k l m n", {"max_length": 12, "truncation": "only_first"}),
    ("a b c d e f g", "h i j k l m n", {"truncation": False}),
    ("a b c d e f g", None, {"max_length": 5}),
    ("a b c d e f g", None, {"max_length": 9}),
]
"""Pairs and how they are cut."""

WINDOWS = [
    (["a b", "你好", "x"], ["c d e f g h i j k l", "m n", "世界 o p q r s t"], {"max_length": 10, "stride": 3}),
    (["a b", "你好"], ["c d e f g h i j k l", "m n o p q r s t u v w x y z"], {"max_length": 8, "stride": 128}),
    (["a"], ["b c d e f g h i j k"], {"max_length": 8, "stride": 1}),
]
"""Batches of pairs whose second texts are cut into windows."""

WORDS = [["你", "好", "world", "café!", "  ", "un un"], ["a", "\u200b", "[MASK]", "b" * 101]]
"""Texts that come as words."""

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("BertTokenizer", "bert", {}),
    "bert cased": ("BertTokenizer", "bert", {"do_lower_case": False}),
    "bert cased, no accents": ("BertTokenizer", "bert", {"do_lower_case": False, "strip_accents": True}),
    "bert uncased, accents": ("BertTokenizer", "bert", {"strip_accents": False}),
    "bert, Chinese in words": ("BertTokenizer", "bert", {"tokenize_chinese_chars": False}),
    "bert, spaces alone": ("BertTokenizer", "bert", {"do_basic_tokenize": False}),
    "bert cased, spaces alone": ("BertTokenizer", "bert", {"do_basic_tokenize": False, "do_lower_case": False}),
    "ernie": ("ErnieTokenizer", "ernie", {}),
    "ernie cased": ("ErnieTokenizer", "ernie", {"do_lower_case": False}),
    "ernie gram": ("ErnieGramTokenizer", "ernie", {}),
    "skep": ("SkepTokenizer", "ernie", {}),
    "electra": ("ElectraTokenizer", "bert", {}),
    "roberta": ("RobertaChineseTokenizer", "bert", {}),
    "nezha": ("NeZhaTokenizer", "bert", {}),
    "tiny bert": ("TinyBertTokenizer", "bert", {}),
    "distil bert": ("DistilBertTokenizer", "bert", {}),
}
"""Class, layout of the vocabulary and settings."""

LONG_CASES = ("bert", "bert cased", "bert uncased, accents", "ernie")
"""Those that are compared on the shared lines, too."""


def shared_lines() -> list[str]:
    """Return the 10,000 lines; none where the data sets are not there."""
    if not all((SHARED / name).is_file() for name, _ in PARTS):
        return []
    lines = []
    for name, count in PARTS:
        opened = gzip.open if name.endswith(".gz") else open
        with opened(SHARED / name, "rb") as stream:
            text = stream.read().decode("utf-8")
        lines += [line for line in text.split("\n") if line.strip()][:count]
    return lines


def learn(lines: Iterable[str], layout: str, words: int = 4000) -> list[str]:
    """Return a vocabulary of texts: characters, alone and inside words; frequent words, their beginnings and ends."""
    counts: collections.Counter[str] = collections.Counter()
    characters: set[str] = set()
    for line in lines:
        cased = (line, line.lower())
        for text in (*cased, *(unicodedata.normalize("NFD", text) for text in cased)):
            characters.update(text)
            counts.update(text.split())
    alone = sorted(c for c in characters if c.strip() and unicodedata.category(c)[0] != "C")
    dropped = {c for index, c in enumerate(alone) if index % 17 == 5}  # some are unknown
    tokens = [*alone, *(f"##{c}" for index, c in enumerate(alone) if index % 13 != 3)]
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:words]
    for word in frequent:
        tokens += [word, word[:3], f"##{word[-3:]}", f"##{word[1:]}"]
    kept = (token for token in tokens if token not in dropped and _whole(token))
    return list(dict.fromkeys([*SPECIAL[layout], *kept]))


def _whole(token: str) -> bool:
    """Tell whether a token can be a line of a file."""
    return 0 < len(token) < 50 and not any(c.isspace() or unicodedata.category(c)[0] == "C" for c in token)


def write(tokens: Sequence[str], path: Path, numbered: bool = False) -> Path:
    """Write a vocabulary as one token a line, or as ``token<TAB>id``."""
    lines = (f"{token}\t{index}\n" if numbered else f"{token}\n" for index, token in enumerate(tokens))
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def digest(values: Any) -> str:
    """Return a short hash of what prints alike in any Python."""
    return hashlib.sha256(repr(values).encode("utf-8", "backslashreplace")).hexdigest()[:10]


def hundreds(rows: Sequence[Any]) -> list[str]:
    """Return the hash of each hundred rows."""
    return [digest(list(rows[start : start + 100])) for start in range(0, len(rows), 100)]


def characters() -> list[int]:
    """Return the characters that Unicode has had since version 3.2, without most of the CJK ones and syllables."""
    old = unicodedata.ucd_3_2_0
    syllables, surrogates, private = (0xAD00, 0xD700), (0xD800, 0xF8FF), (0xF0000, 0x110000)
    many = ((0x3500, 0x4D00), (0x4F00, 0x9F00), (0x20100, 0x2A600), syllables, surrogates, private)
    return [
        code
        for code in range(0x110000)
        if old.category(chr(code)) != "Cn"
        and code != 0x1734  # no accent since version 14
        and not any(first <= code < last for first, last in many)
    ]
