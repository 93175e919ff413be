"""Reviews of films.

Paper: A. L. Maas et al., "Learning Word Vectors for Sentiment Analysis", 2011,
    https://ai.stanford.edu/~amaas/data/sentiment.
"""

from __future__ import annotations

import re
import string
from array import array
from typing import Any, Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.text.datasets.archive import CountedWords, Sequences, TextError, members, named

_REVIEW = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")
_PUNCTUATION = string.punctuation.encode()
_LONGEST_REVIEW = 1 << 24


class Imdb(Dataset):
    """25,000 English reviews of films to train and 25,000 to test, half of each positive.

    Sample i is (words, label): int64 of shapes (N,) and (1,), 0 for a positive review and 1 for a negative one.
    ``word_idx`` has the number of each word, which is bytes in lower case without punctuation; ``"<unk>"`` is the last.

    Args:
        data_file: the archive, a gzipped tar file; None: the published one.
        mode: "train" or "test".
        cutoff: a word has a number of its own if both parts together have it more often than so many times.
        download: whether the published file may be downloaded.
        maximum_bytes: how many bytes may be unpacked; None: 64 MB or 30 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: the given file is missing.
        ValueError: it is not such an archive or is damaged; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source("https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz", "7c2ac02c03563afcf9b574c7e56c153a")

    def __init__(
        self,
        data_file: Optional[str] = None,
        mode: str = "train",
        cutoff: int = 150,
        download: bool = True,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        self.mode = choose_mode("Imdb", mode, ("train", "test"))
        self.data_file = local_file("Imdb", "data_file", data_file, self.source, download)
        words = CountedWords()
        found = {"pos": Sequences(), "neg": Sequences()}
        with named("Imdb", self.data_file):
            for member in members(self.data_file, maximum_bytes):
                review = _REVIEW.match(member.name)
                if review is None:
                    continue
                if member.size > _LONGEST_REVIEW:
                    raise TextError(f"{member.name}: a review of {member.size:,} bytes is none")
                numbers = words.numbers(member.read().translate(None, _PUNCTUATION).lower().split())
                if review[1] == self.mode:
                    found[review[2]].append(numbers)
            if not found["pos"] and not found["neg"]:
                raise ValueError(f"it holds no aclImdb/{self.mode}/pos/*.txt; is it another data set's archive?")
        self.word_idx, table = words.ranked(cutoff)
        docs = [found[kind].mapped(table) for kind in ("pos", "neg")]
        self.labels = array("b", [0] * len(docs[0]) + [1] * len(docs[1]))
        docs[0].extend(docs[1])
        self.docs = docs[0]

    def __getitem__(self, index: int) -> tuple[Any, np.ndarray]:
        return self.docs[index], np.array([self.labels[index]], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.docs)
