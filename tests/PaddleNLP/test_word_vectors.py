"""Words in the same places of drawn sentences get vectors of one direction; windows are word2vec's; files are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from PaddleNLP.tools import word_vectors as command
from PaddleNLP.word_vectors import Settings, read_vectors, windows, word_vectors
from tests.PaddleNLP.small import experiment

KINDS = (("cat", "dog", "fox"), ("eats", "sees", "finds"), ("bread", "fish", "meat"), ("today", "here", "slowly"))


def sentences(count: int) -> list[list[str]]:
    """Draw sentences of which each place has words of one kind; three fillers stand anywhere."""
    source = np.random.default_rng(0)
    found = []
    for _ in range(count):
        words = [kind[source.integers(3)] for kind in KINDS]
        words.insert(source.integers(5), ("oh", "well", "so")[source.integers(3)])
        found.append(words)
    return found


def test_windows_are_those_of_each_sentence() -> None:
    class Farthest:
        def integers(self, low: int, high: int, count: int) -> np.ndarray:
            return np.full(count, high - 1)

    rows = [np.array([4, 5, 6]), np.array([], np.int64), np.array([7, 8])]
    centers, starts, contexts = windows(rows, 2, Farthest())  # type: ignore[arg-type]  # draws the largest number
    near = [contexts[first:last].tolist() for first, last in zip(starts[:-1], starts[1:])]
    assert centers.tolist() == [4, 5, 6, 7, 8] and near == [[5, 6], [4, 6], [4, 5], [8], [7]]


def test_how_far_a_window_reaches_is_drawn_evenly() -> None:
    rows = [np.zeros(20_000, np.int64)]
    _, starts, _ = windows(rows, 4, np.random.default_rng(0))
    counts = np.bincount(np.diff(starts)[10:-10], minlength=9) / (20_000 - 20)
    np.testing.assert_allclose(counts[[2, 4, 6, 8]], 0.25, atol=0.02)


def test_words_of_a_kind_are_neighbours() -> None:
    losses: list[float] = []
    settings = Settings(size=16, window=1, frequent=0.0, epochs=10, learning_rate=0.05)
    found = word_vectors(sentences(800), settings, lambda epoch, loss: losses.append(loss))
    assert len(found.words) == 15 and losses[-1] < losses[0]
    for kind in KINDS:
        for word in kind:
            assert {other for other, _ in found.nearest(word, 2)} == set(kind) - {word}, word


def test_the_same_sentences_give_the_same_vectors() -> None:
    settings = Settings(size=16, window=1, frequent=0.0, epochs=2, learning_rate=0.05)
    one, two = (word_vectors(sentences(200), settings) for _ in range(2))
    np.testing.assert_array_equal(one.vectors, two.vectors)


def test_the_command_writes_vectors_and_shows_neighbours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, output = tmp_path / "text.txt", tmp_path / "vectors.txt"
    text.write_text("\n".join(" ".join(words) for words in sentences(200)), encoding="utf-8")
    options = ["--size", "4", "--epochs", "1", "--near", "cat"]
    assert command.main([str(text), str(output), *options]) == 0
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "15 4" and len(lines) == 16 and len(lines[1].split()) == 5
    printed = capsys.readouterr().out
    assert "epoch 1/1: loss of a pair 4." in printed and "cat: " in printed
    with pytest.raises(ValueError, match="the word 'horse' has no vector: it is too rare, or not in the text"):
        command.main([str(text), str(output), "--near", "horse"])
    with pytest.raises(ValueError, match="0 words occur 500 times or more: give more text, or lower --least"):
        command.main([str(text), str(output), "--least", "500"])


def test_the_command_takes_characters_and_the_texts_of_a_config(tmp_path: Path) -> None:
    config, output = experiment("LexicalAnalysis", tmp_path), tmp_path / "vectors.txt"
    options = ["--size", "4", "--epochs", "1", "--least", "1", "--segmenter", "characters"]
    assert command.main([str(config), str(output), *options]) == 0
    text = (tmp_path / "names.txt").read_text(encoding="utf-8")
    words = [line.split(" ")[0] for line in output.read_text(encoding="utf-8").splitlines()[1:]]
    assert len(words) == 20 and all(len(word) == 1 and word in text for word in words)


def test_vectors_of_known_words_are_read(tmp_path: Path) -> None:
    rows = ["3 2", "b 1 -2.5 ", "x 9 9", "b 0 0", "a 3e-1 4", "New York 5 6"]
    for name, lines in (("counted", rows), ("bare", rows[1:])):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
        numbers, vectors = read_vectors(str(tmp_path / name), {"a": 0, "b": 1, "c": 2, "New York": 3}, 2)
        assert numbers.tolist() == [1, 0, 3], name
        np.testing.assert_array_equal(vectors, np.array([[1, -2.5], [0.3, 4], [5, 6]], np.float32))
    numbers, vectors = read_vectors(str(tmp_path / "counted"), {"nothing": 0}, 2)
    assert numbers.shape == (0,) and vectors.shape == (0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("2 3\na 1 2 3\n", "v.txt: its vectors have 3 numbers, but those of the network have 2"),
        ("a 1 2 3\n", "v.txt: its vectors have 3 numbers, but those of the network have 2"),
        ("1 2\na 1 b\n", "v.txt:2: 'a 1 b' is not a word with 2 finite numbers"),
        ("1 2\na 1 inf\n", "v.txt:2: 'a 1 inf' is not a word with 2 finite numbers"),
        ("1 2\na 1\n", "v.txt:2: 'a 1' is not a word with 2 finite numbers"),
        ("1 2\na 1 \0\n", "v.txt:2: character 5 is a NUL; this is no text file"),
    ],
)
def test_a_file_that_holds_no_vectors(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_vectors(str(tmp_path / "v.txt"), {"a": 0}, 2)
