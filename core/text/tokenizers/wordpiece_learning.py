"""Vocabularies of characters and word pieces, learned from texts, in the layouts of BERT's and ERNIE's files."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import WordPieceTrainer

from core.text.tokenizers.basic import BasicTokenizer
from core.text.vocabulary import Vocab

FIRST = {
    "bert": ["[PAD]", *(f"[unused{number}]" for number in range(1, 100)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "ernie": ["[PAD]", "[CLS]", "[SEP]", "[MASK]"],
}
"""The first tokens of each layout; ERNIE's unknown token is the last of its file."""

_LONGEST_WORD = 100


def learn_wordpiece(
    texts: Iterable[str],
    size: int,
    layout: str = "ernie",
    do_lower_case: bool = True,
    min_frequency: int = 2,
    words: bool = True,
) -> Vocab:
    """Return a vocabulary of texts: characters from frequent to rare, alone and inside words, then longer pieces.

    The same texts make the same vocabulary. ``vocab.save_vocabulary("vocab.txt")`` writes the file that
    :class:`BertTokenizer` and :class:`ErnieTokenizer` read.

    Args:
        texts: the texts; they are counted as they come, and need not fit into memory.
        size: how many tokens there are at most, special ones included.
        layout: "ernie" ([PAD] 0, [CLS] 1, [SEP] 2, [MASK] 3, [UNK] last) or "bert" ([PAD] 0, [UNK] 100, [CLS] 101,
            [SEP] 102, [MASK] 103).
        do_lower_case: as the tokeniser will have it.
        min_frequency: how often a pair of pieces must occur to become one.
        words: learn pieces of several characters, too.

    Raises:
        ValueError: there is no such layout, no text, or ``size`` is less than the special tokens and one character.
    """
    if layout not in FIRST:
        raise ValueError(f"learn_wordpiece: layout {layout!r} is none of {', '.join(FIRST)}")
    special = FIRST[layout] if "[UNK]" in FIRST[layout] else [*FIRST[layout], "[UNK]"]
    if size <= len(special):
        raise ValueError(f"learn_wordpiece: size {size} has no room beside {len(special)} special tokens of {layout}")
    basic = BasicTokenizer(do_lower_case, final_sigma=False)
    counts: collections.Counter[str] = collections.Counter()
    for text in texts:
        counts.update(basic.tokenize(text))
    pieces = _characters(counts, size - len(special))
    if not pieces:
        raise ValueError("learn_wordpiece: the texts have no characters")
    known = set(pieces)
    # In this order, and not in that of the trainer's hash table, ids and what follows from them are always the same.
    tokens = [*special, *pieces]
    if words:
        trainer = WordPieceTrainer(
            vocab_size=size, min_frequency=min_frequency, show_progress=False, special_tokens=tokens
        )
        tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
        tokenizer.pre_tokenizer = WhitespaceSplit()
        whole = (word for word in sorted(counts) if len(word) > 1 and known.issuperset(_single(word)))
        tokenizer.train_from_iterator(
            (
                " ".join([word] * min(1000, counts[word] - start))
                for word in whole
                for start in range(0, counts[word], 1000)
            ),
            trainer,
        )
        ids = tokenizer.get_vocab()
        tokens = sorted(ids, key=lambda token: ids[token])[:size]
    if layout == "ernie":
        tokens.append(tokens.pop(len(FIRST[layout])))
    return Vocab.from_dict({token: index for index, token in enumerate(tokens)}, unk_token="[UNK]", pad_token="[PAD]")


def _single(word: str) -> list[str]:
    return [word[0], *(f"##{character}" for character in word[1:])]


def _characters(counts: Mapping[str, int], room: int) -> list[str]:
    """Return characters at the beginning of words and, with ``##`` before them, inside; frequent ones first."""
    found: collections.Counter[str] = collections.Counter()
    for word, count in counts.items():
        if len(word) <= _LONGEST_WORD:
            for piece in _single(word):
                found[piece] += count
    return sorted(found, key=lambda piece: (-found[piece], piece))[:room]
