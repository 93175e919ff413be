"""English and French sentences of WMT 2014, a small part of them.

Paper: O. Bojar et al., "Findings of the 2014 Workshop on Statistical Machine Translation", 2014,
    http://www.statmt.org/wmt14.
"""

from __future__ import annotations

import itertools
from typing import Any, Optional

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.text.datasets.archive import members, named, text_lines
from core.text.datasets.sentence_pairs import SentencePairs

_UNKNOWN = 2
_LONGEST = 80


class WMT14(Dataset):
    """Pairs of sentences, as numbers of words.

    Sample i is (source, target, next): int64, each of its own length. The source is between ``<s>`` and ``<e>``,
    the target behind ``<s>``; ``next`` is the target followed by ``<e>``. Pairs with more than 80 words are left out.

    Args:
        data_file: the archive, a gzipped tar file; None: the published one.
        mode: "train", "test" or "gen".
        dict_size: how many words of each language have numbers, the first ones of its dictionary.
        download: whether the published file may be downloaded.
        maximum_bytes: how many bytes may be unpacked; None: 64 MB or 30 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: the given file is missing.
        ValueError: it is not such an archive or is damaged; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source("http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz", "0791583d57d5beb693b9414c5b36798c")

    def __init__(
        self,
        data_file: Optional[str] = None,
        mode: str = "train",
        dict_size: int = -1,
        download: bool = True,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        self.mode = choose_mode("WMT14", mode, ("train", "test", "gen"))
        if dict_size <= 0:
            raise ValueError(f"WMT14: dict_size must be positive, not {dict_size}: how many words have numbers")
        self.data_file = local_file("WMT14", "data_file", data_file, self.source, download)
        self.dict_size = dict_size
        with named("WMT14", self.data_file):
            self.src_dict, self.trg_dict = self._dictionaries(maximum_bytes)
            pairs = SentencePairs("WMT14", self.data_file)
            for member in members(self.data_file, maximum_bytes):
                if member.name.endswith(f"{self.mode}/{self.mode}"):
                    for source, target in pairs.read(member):
                        self._add(pairs, source.split(), target.split())
            pairs.finish(f"{self.mode}/{self.mode}")
        self.src_ids, self.trg_ids, self.trg_ids_next = pairs.source, pairs.target, pairs.following

    def _dictionaries(self, maximum_bytes: Optional[int]) -> list[dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for member in members(self.data_file, maximum_bytes):
            ending = member.name[-len("src.dict") :]
            if ending in ("src.dict", "trg.dict"):
                if ending in found:
                    raise ValueError(f"it holds more than one {ending}")
                lines = itertools.islice(text_lines(member.open(), f"{member.name}, "), self.dict_size)
                found[ending] = {word: number for number, word in enumerate(lines)}
        for ending in ("src.dict", "trg.dict"):
            if ending not in found:
                raise ValueError(f"it holds no {ending}; is it another data set's archive?")
        missing = [mark for mark in ("<s>", "<e>") if mark not in found["trg.dict"]]
        if missing:
            raise ValueError(f"{missing[0]} is not among the first {self.dict_size} words of trg.dict")
        return [found["src.dict"], found["trg.dict"]]

    def _add(self, pairs: SentencePairs, source: list[str], target: list[str]) -> None:
        if len(source) + 2 <= _LONGEST and len(target) <= _LONGEST:
            pairs.append(
                [self.src_dict.get(word, _UNKNOWN) for word in ["<s>", *source, "<e>"]],
                [self.trg_dict.get(word, _UNKNOWN) for word in target],
                self.trg_dict["<s>"],
                self.trg_dict["<e>"],
            )

    def __getitem__(self, index: int) -> tuple[Any, Any, Any]:
        return self.src_ids[index], self.trg_ids[index], self.trg_ids_next[index]

    def __len__(self) -> int:
        return len(self.src_ids)

    def get_dict(self, reverse: bool = False) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """Return the dictionaries of source and target.

        Args:
            reverse: whether they lead from numbers to words, not from words to numbers.
        """
        if reverse:
            return {number: word for word, number in self.src_dict.items()}, {
                number: word for word, number in self.trg_dict.items()
            }
        return self.src_dict, self.trg_dict
