"""Sentences of a file, drawn text with a known entropy, and windows of both."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from PaddleNLP.data.drawn.markov import Chain, DrawnMarkovText
from PaddleNLP.data.sentences import SentencesDataset
from PaddleNLP.data.windows import NONE, WindowDataset


def test_windows_of_training_are_those_of_the_recipe() -> None:
    """Zaremba's: rows of equal length, and (length - 1) // steps windows."""
    windows = WindowDataset(np.arange(23), 2, 3, training=True)
    assert len(windows) == 2 * ((11 - 1) // 3)
    rows = np.arange(22).reshape(2, 11)
    for number in range(len(windows)):
        window, row = divmod(number, 2)
        sample = windows[number]
        np.testing.assert_array_equal(sample["input_ids"], rows[row, 3 * window : 3 * window + 3])
        np.testing.assert_array_equal(sample["labels"], rows[row, 3 * window + 1 : 3 * window + 4])
        assert sample["carried"] == (window > 0)
    with pytest.raises(IndexError, match="there are 6 windows, no number 6"):
        windows[6]


@pytest.mark.parametrize(("count", "rows", "steps"), [(23, 2, 3), (22, 4, 5), (2, 3, 4), (12, 1, 4)])
def test_windows_of_an_evaluation_tell_every_word_once(count: int, rows: int, steps: int) -> None:
    windows = WindowDataset(np.arange(count), rows, steps, training=False)
    samples = [windows[number] for number in range(len(windows))]
    labels = np.concatenate([sample["labels"] for sample in samples])
    assert sorted(labels[labels != NONE].tolist()) == list(range(1, count))
    for sample in samples:
        there = sample["labels"] != NONE
        np.testing.assert_array_equal(sample["labels"][there], sample["input_ids"][there] + 1)


def test_a_text_that_is_too_short() -> None:
    with pytest.raises(ValueError, match="8 words do not fill 2 rows with windows of 4 words; lower batch_size"):
        WindowDataset(np.arange(8), 2, 4, training=True)


def test_sentences_of_a_share(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text(" one two \n\n three\nfour\r\nfive\n", encoding="utf-8")
    whole = SentencesDataset(str(file))
    assert [whole[number]["text"] for number in range(4)] == ["one two", "three", "four", "five"]
    part = SentencesDataset(str(file), [0.5, 1.0])
    assert [part[number]["text"] for number in range(2)] == ["four", "five"]
    assert part.place(0) == f"{file}:4"
    with pytest.raises(ValueError, match=r"share must be two numbers such as \[0.8, 0.9\], not \[0.9, 0.8\]"):
        SentencesDataset(str(file), [0.9, 0.8])
    with pytest.raises(ValueError, match=r"text.txt: there are no samples"):
        SentencesDataset(str(file), [0.0, 0.01])
    (tmp_path / "bytes.txt").write_bytes(b"one\n\xff\n")
    with pytest.raises(ValueError, match=r"bytes.txt:2: byte 1 is not UTF-8"):
        SentencesDataset(str(tmp_path / "bytes.txt"))


def test_drawn_text_has_the_entropy_of_its_chain() -> None:
    """The chain's own probabilities tell a long text with that entropy; a model of single words cannot."""
    text = DrawnMarkovText("train", count=3000)
    chain = Chain(12, 0)
    np.testing.assert_allclose(chain.follows.sum(axis=2), 1.0)
    numbers = {name: number for number, name in enumerate(chain.names)}
    losses = []
    for row in range(len(text)):
        pair = (0, 0)
        for number in [*(numbers[word] for word in text[row]["text"].split()), 0]:
            losses.append(-math.log(chain.follows[pair][number]))
            pair = (pair[1], number)
    error = np.std(losses) / len(losses) ** 0.5
    assert abs(np.mean(losses) - text.entropy) < 3 * error and error < 0.01
    assert np.exp(text.entropy) < 3.5


def test_drawn_text_is_the_same_always_and_other_parts_are_others() -> None:
    one, other = DrawnMarkovText("valid", 5), DrawnMarkovText("valid", 9)
    assert [one[row] for row in range(5)] == [other[row] for row in range(5)]
    assert one[0] != DrawnMarkovText("test", 5)[0]
    for settings, message in (
        ({"split": "dev"}, "split must be one of train, valid, test, not 'dev'"),
        ({"count": 0}, "count must be from 1 to 1,000,000, not 0"),
        ({"words": 101}, "words must be from 4 to 100, not 101"),
    ):
        with pytest.raises(ValueError, match=message):
            DrawnMarkovText(**settings)
