"""Multi30K, the English and German descriptions of pictures of WMT 2016.

Paper: D. Elliott et al., "Multi30K: Multilingual English-German Image Descriptions", 2016,
    http://www.statmt.org/wmt16/multimodal-task.html.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Optional

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.text.datasets.archive import members, named
from core.text.datasets.sentence_pairs import SentencePairs

_MARKS = ("<s>", "<e>", "<unk>")


class WMT16(Dataset):
    """Pairs of sentences, as numbers of words: 29,000 to train, 1,000 to test, 1,014 to validate.

    Sample i is (source, target, next): int64, each of its own length. The source is between ``<s>`` and ``<e>``,
    the target behind ``<s>``; ``next`` is the target followed by ``<e>``. Each language's dictionary is made of its own
    words; Paddle 2.6 makes both of the source's, so that it knows few words of the target.

    Args:
        data_file: the archive, a gzipped tar file; None: the published one.
        mode: "train", "test" or "val".
        src_dict_size: how many words of the source have numbers, the most frequent ones and three marks.
        trg_dict_size: the same for the target.
        lang: "en" or "de", the language of the source.
        download: whether the published file may be downloaded.
        maximum_bytes: how many bytes may be unpacked; None: 64 MB or 30 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: the given file is missing.
        ValueError: it is not such an archive or is damaged; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source("http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz", "0c38be43600334966403524a40dcd81e")

    def __init__(
        self,
        data_file: Optional[str] = None,
        mode: str = "train",
        src_dict_size: int = -1,
        trg_dict_size: int = -1,
        lang: str = "en",
        download: bool = True,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        self.mode = choose_mode("WMT16", mode, ("train", "test", "val"))
        for name, size in (("src_dict_size", src_dict_size), ("trg_dict_size", trg_dict_size)):
            if size < len(_MARKS):
                raise ValueError(f"WMT16: {name} must be at least 3, not {size}: how many words have numbers")
        if lang not in ("en", "de"):
            raise ValueError(f"WMT16: lang must be 'en' or 'de', not {lang!r}")
        self.data_file = local_file("WMT16", "data_file", data_file, self.source, download)
        self.lang = lang
        self.src_dict_size, self.trg_dict_size = src_dict_size, trg_dict_size
        turn = 1 if lang == "en" else -1
        with named("WMT16", self.data_file):
            counts = self._counts(maximum_bytes)[::turn]
            self.src_dict = _dictionary(counts[0], src_dict_size)
            self.trg_dict = _dictionary(counts[1], trg_dict_size)
            start, end, unknown = (self.src_dict[mark] for mark in _MARKS)
            pairs = SentencePairs("WMT16", self.data_file)
            for member in members(self.data_file, maximum_bytes):
                if member.name == f"wmt16/{self.mode}":
                    for pair in pairs.read(member):
                        source, target = (sentence.split() for sentence in pair[::turn])
                        pairs.append(
                            [start, *(self.src_dict.get(word, unknown) for word in source), end],
                            [self.trg_dict.get(word, unknown) for word in target],
                            start,
                            end,
                        )
            pairs.finish(f"wmt16/{self.mode}")
        self.src_ids, self.trg_ids, self.trg_ids_next = pairs.source, pairs.target, pairs.following

    def _counts(self, maximum_bytes: Optional[int]) -> list[Counter[str]]:
        """Return how often each word occurs in the training part, in English and in German."""
        counts: list[Counter[str]] = [Counter(), Counter()]
        pairs = SentencePairs("WMT16", self.data_file)
        for member in members(self.data_file, maximum_bytes):
            if member.name == "wmt16/train":
                for pair in pairs.read(member):
                    for count, sentence in zip(counts, pair):
                        count.update(sentence.split())
        pairs.finish("wmt16/train", warn=False)
        return counts

    def __getitem__(self, index: int) -> tuple[Any, Any, Any]:
        return self.src_ids[index], self.trg_ids[index], self.trg_ids_next[index]

    def __len__(self) -> int:
        return len(self.src_ids)

    def get_dict(self, lang: str, reverse: bool = False) -> dict[Any, Any]:
        """Return the dictionary of a language.

        Args:
            lang: "en" or "de".
            reverse: whether it leads from numbers to words, not from words to numbers.

        Raises:
            ValueError: the language is another one.
        """
        if lang not in ("en", "de"):
            raise ValueError(f"WMT16: lang must be 'en' or 'de', not {lang!r}")
        words = self.src_dict if lang == self.lang else self.trg_dict
        return {number: word for word, number in words.items()} if reverse else words


def _dictionary(counts: Counter[str], size: int) -> dict[str, int]:
    words = [*_MARKS, *(word for word, _ in counts.most_common(size - len(_MARKS)))]
    return {word: number for number, word in enumerate(words)}
