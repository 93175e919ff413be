"""Pretraining rows, and the statistics of what is masked."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from core.text.tokenizers.segmentation import LongestMatch
from PaddleNLP.data.pretraining.masked_words import PretrainingRows, join_words, mask_words, pretraining_row

ROW = "1 7 8 9 2 5 2;0 0 0 0 0 1 1;0 1 2 3 4 5 6;-1 0 1 0 -1 0 -1;1"


def test_rows_of_listed_files(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(f"{ROW}\n1 2;0 0;0 1;-1 -1;0\n".encode()))
    (tmp_path / "b.txt").write_text(ROW + "\n")
    (tmp_path / "list.txt").write_text("a.gz\t0.5\nb.txt\t1.0\n")
    dataset = PretrainingRows(str(tmp_path / "list.txt"), vocab_size=10)
    assert len(dataset) == 3 and dataset.lengths.tolist() == [7, 2, 7]
    sample = dataset[0]
    assert {name: np.asarray(value).tolist() for name, value in sample.items()} == {
        "input_ids": [1, 7, 8, 9, 2, 5, 2],
        "token_type_ids": [0, 0, 0, 0, 0, 1, 1],
        "position_ids": [0, 1, 2, 3, 4, 5, 6],
        "segments": [-1, 0, 1, 0, -1, 0, -1],
        "next_sentence": 1,
        "whole_words": 0.5,
    }
    assert dataset[1]["next_sentence"] == 0 and dataset[-1]["whole_words"] == 1.0
    alone = PretrainingRows(str(tmp_path / "b.txt"), whole_words=0.25)
    assert len(alone) == 1 and alone[0]["whole_words"] == 0.25


def test_a_row_is_written_as_it_is_read() -> None:
    assert pretraining_row([1, 7, 8, 9, 2, 5, 2], [0] * 5 + [1] * 2, [-1, 0, 1, 0, -1, 0, -1], 1) == ROW


@pytest.mark.parametrize(
    "row, message",
    [
        (ROW[:-2], r"rows.txt:2: a row has 5 parts between semicolons, not 4"),
        (ROW.replace("7 8", "7 x"), r"rows.txt:2: token_ids must be whole numbers between spaces, not '1 7 x"),
        (ROW.replace("7 8", "7"), r"rows.txt:2: 6 token_ids, but 7 sent_ids"),
        (ROW.replace("7 8", "7 10"), r"rows.txt:2: token_ids must be from 0 to 9, not 10"),
        (ROW.replace("-1 0 1", "-1 0 2"), r"rows.txt:2: seg_labels must be from -1 to 1, not 2"),
        (ROW[:-1] + "2", r"rows.txt:2: next_sentence must be 0 or 1, not '2'"),
        (";;;;0", r"rows.txt:2: a row has from 1 to 8 tokens \(max_length\), not 0"),
        (pretraining_row([1] * 9, [0] * 9, [0] * 9, 0), r"rows.txt:2: a row has from 1 to 8 tokens .*, not 9"),
    ],
)
def test_mistakes_of_rows(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "rows.txt").write_text(f"{ROW}\n{row}\n")
    with pytest.raises(ValueError, match=message):
        PretrainingRows(str(tmp_path / "rows.txt"), vocab_size=10, max_length=8)


@pytest.mark.parametrize("line", ["a.gz", "a.gz\t1.5", "a.gz\tnan", "\t0.5"])
def test_mistakes_of_lists(tmp_path: Path, line: str) -> None:
    (tmp_path / "list.txt").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"list.txt:1: a line must be a file, a tab, and a probability between"):
        PretrainingRows(str(tmp_path / "list.txt"))
    (tmp_path / "list.txt").write_text("nowhere.gz\t1\n")
    with pytest.raises(FileNotFoundError, match="nowhere.gz"):
        PretrainingRows(str(tmp_path / "list.txt"))


def test_tokens_of_a_word_of_the_dictionary_belong_together() -> None:
    # [CLS] 我 在 南 京 路 [SEP] 南 京 ##abc 路 [SEP]; the second text is "南京 abc路", whose "abc" is one piece inside
    segments = np.array([-1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, -1])
    offsets = [(0, 0), *((place, place + 1) for place in range(5)), (0, 0), (0, 1), (1, 2), (3, 6), (6, 7), (0, 0)]
    texts = ("我在南京路", "南京 abc路")
    join_words(segments, offsets, [0] * 7 + [1] * 5, texts, LongestMatch(["南京路", "南京", "京"]))
    assert segments.tolist() == [-1, 0, 0, 0, 1, 1, -1, 0, 1, 1, 0, -1]


def drawn_batch(source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return ids, (400, 100), and segments: words of one to four tokens, special tokens at both ends, padding."""
    segments = np.full((400, 100), -1)
    for row in segments:
        place = 1
        while place < 90:
            length = source.integers(1, 5)
            row[place : place + length] = [0, *[1] * (length - 1)]
            place += length + (source.random() < 0.05)
    return source.integers(10, 1000, segments.shape), segments



def test_whole_words_are_masked_in_the_shares_of_the_papers() -> None:
    source = np.random.default_rng(0)
    ids, segments = drawn_batch(source)
    before = ids.copy()
    masked = mask_words(ids, segments, np.ones(400), 3, 1000, source, first_id=10)
    assert (ids == before).all() and (masked.ids[~masked.chosen] == ids[~masked.chosen]).all()
    assert not masked.chosen[segments == -1].any()
    words, chosen = int((segments == 0).sum()), masked.chosen & (segments == 0)
    assert chosen.sum() / words == pytest.approx(0.15, abs=4 * (0.15 * 0.85 / words) ** 0.5)
    # all tokens of a word share its fate
    starts = np.maximum.accumulate(np.where(segments == 0, np.arange(100), 0), axis=1)
    inside = segments == 1
    assert (masked.chosen == np.take_along_axis(masked.chosen, starts, axis=1))[inside].all()
    is_mask = masked.ids == 3
    assert (is_mask == np.take_along_axis(is_mask, starts, axis=1))[inside].all()
    count = int(chosen.sum())
    error = 4 * (0.25 / count) ** 0.5
    assert is_mask[chosen].mean() == pytest.approx(0.8, abs=error)
    assert (masked.ids == ids)[chosen].mean() == pytest.approx(0.1, abs=error)
    others = masked.ids[masked.chosen & ~is_mask & (masked.ids != ids)]
    assert others.min() >= 10 and others.max() < 1000 and abs(others.mean() - 505) < 40


def test_single_tokens_are_masked_independently() -> None:
    source = np.random.default_rng(1)
    ids, segments = drawn_batch(source)
    whole = np.repeat([0.0, 1.0], 200)
    chosen = mask_words(ids, segments, whole, 3, 1000, source).chosen
    following = segments[:, 1:] == 1
    both, first = chosen[:, 1:] & chosen[:, :-1] & following, chosen[:, :-1] & following
    assert both[200:].sum() == first[200:].sum()
    assert both[:200].sum() / first[:200].sum() == pytest.approx(0.15, abs=0.04)
    half = mask_words(ids, segments, np.full(400, 0.5), 3, 1000, source).chosen
    agreeing = [(half[row, 1:] == half[row, :-1])[following[row]].all() for row in range(400)]
    assert 140 < sum(agreeing) < 260


def test_something_is_masked_always_and_nothing_where_there_are_no_words() -> None:
    source = np.random.default_rng(2)
    for _ in range(50):
        masked = mask_words(np.array([[1, 7, 2]]), np.array([[-1, 0, -1]]), np.ones(1), 3, 10, source)
        assert masked.chosen.tolist() == [[False, True, False]]
    nothing = mask_words(np.array([[1, 2]]), np.array([[-1, -1]]), np.ones(1), 3, 10, source)
    assert nothing.ids.tolist() == [[1, 2]] and not nothing.chosen.any()


def test_the_same_seed_masks_the_same() -> None:
    ids, segments = drawn_batch(np.random.default_rng(3))
    first, second = (mask_words(ids, segments, np.ones(400), 3, 1000, np.random.default_rng(4)) for _ in range(2))
    assert (first.ids == second.ids).all() and (first.chosen == second.chosen).all()
