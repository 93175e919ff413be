"""The Penn Treebank as T. Mikolov prepared it for language models.

Paper: T. Mikolov et al., "Recurrent neural network based language model", 2010,
    http://www.fit.vutbr.cz/~imikolov/rnnlm.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.text.datasets.archive import CountedWords, Sequences, byte_lines, members, named

_PLACE = "simple-examples/data/ptb."


class Imikolov(Dataset):
    """Sentences of the Wall Street Journal: 42,068 to train and 3,761 to test.

    Sample i is, for "NGRAM", ``window_size`` numbers of words that follow one another, each int64 of shape (); for
    "SEQ", the numbers of a sentence's words behind ``<s>``, and the same followed by ``<e>``, each int64 of shape (N,).
    ``word_idx`` has the number of each word, which is bytes; ``"<s>"``, ``"<e>"`` and the last, ``"<unk>"``, are text.

    Args:
        data_file: the archive, a gzipped tar file; None: the published one.
        data_type: "NGRAM" or "SEQ".
        window_size: how many words a sample of "NGRAM" has; for "SEQ", the longest sentence with its mark, or -1.
        mode: "train" or "test".
        min_word_freq: a word has a number of its own if it occurs more often in the parts train and valid.
        download: whether the published file may be downloaded.
        maximum_bytes: how many bytes may be unpacked; None: 64 MB or 30 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: the given file is missing.
        ValueError: it is not such an archive or is damaged; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source("https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz", "30177ea32e27c525793142b6bf2c8e2d")

    def __init__(
        self,
        data_file: Optional[str] = None,
        data_type: str = "NGRAM",
        window_size: int = -1,
        mode: str = "train",
        min_word_freq: int = 50,
        download: bool = True,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        if not isinstance(data_type, str) or data_type.upper() not in ("NGRAM", "SEQ"):
            raise ValueError(f"Imikolov: data_type must be 'NGRAM' or 'SEQ', not {data_type!r}")
        self.data_type = data_type.upper()
        if self.data_type == "NGRAM" and window_size < 1:
            raise ValueError(f"Imikolov: n-grams need a window_size of at least 1, not {window_size}")
        self.mode = choose_mode("Imikolov", mode, ("train", "test"))
        self.window_size = window_size
        self.min_word_freq = min_word_freq
        self.data_file = local_file("Imikolov", "data_file", data_file, self.source, download)
        words = CountedWords()
        sentences: Optional[Sequences] = None
        missing = {"train", "valid", self.mode}
        with named("Imikolov", self.data_file):
            for member in members(self.data_file, maximum_bytes):
                part = member.name[len(_PLACE) : -len(".txt")]
                if member.name != f"{_PLACE}{part}.txt" or part not in missing:
                    continue
                missing.remove(part)
                read = Sequences()
                for line in byte_lines(member.open(), f"{member.name}, "):
                    read.append(words.numbers(["<s>", *line.split(), "<e>"], count=part in ("train", "valid")))
                if part == self.mode:
                    sentences = read
            if missing or sentences is None:
                raise ValueError(f"it holds no member {_PLACE}{min(missing)}.txt; is it another data set's archive?")
        self.word_idx, table = words.ranked(min_word_freq)
        sentences = sentences.mapped(table)
        self.data: Any = self._windows(sentences) if self.data_type == "NGRAM" else self._pairs(sentences)

    def _windows(self, sentences: Sequences) -> np.ndarray:
        width = self.window_size
        long_enough = (sentence.astype(np.int32) for sentence in sentences if len(sentence) >= width)
        windows = [np.lib.stride_tricks.sliding_window_view(sentence, width) for sentence in long_enough]
        return np.concatenate(windows) if windows else np.zeros((0, width), np.int32)

    def _pairs(self, sentences: Sequences) -> Sequences:
        if "<s>" not in self.word_idx:
            raise ValueError(
                f"Imikolov: {self.data_file!r} has too few sentences for min_word_freq={self.min_word_freq}: the marks "
                "<s> and <e> occur too seldom for numbers of their own"
            )
        kept = Sequences()
        for sentence in sentences:
            if self.window_size <= 0 or len(sentence) - 1 <= self.window_size:
                kept.append(sentence)
        return kept

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        numbers = self.data[index]
        if self.data_type == "SEQ":
            return numbers[:-1], numbers[1:]
        return tuple(np.array(number, dtype=np.int64) for number in numbers)

    def __len__(self) -> int:
        return len(self.data)
