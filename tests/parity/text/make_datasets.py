"""Store what Paddle's own readers make of small archives of text.

    REFERENCE_PYTHON tests/parity/text/make_datasets.py

REFERENCE_PYTHON has paddlepaddle 2.6.2. Where Paddle numbers things in the order of a set, which differs from run
to run, the names are stored.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

PARITY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PARITY / "text"))
HOME = tempfile.TemporaryDirectory()
os.environ["HOME"] = HOME.name  # where Paddle writes dictionaries

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import scipy  # noqa: E402, F401
import tiny_archives  # noqa: E402
from paddle.dataset import wmt16  # noqa: E402
from paddle.text import datasets  # noqa: E402

TARGET = PARITY / "text" / "datasets.json"


def plain(value: object) -> object:
    """Return arrays as lists with their type."""
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return [str(value.dtype), list(value.shape), value.ravel().tolist()] if isinstance(value, np.ndarray) else value


def samples(dataset: object) -> list[object]:
    """Return all samples."""
    return [plain(dataset[number]) for number in range(len(dataset))]


def words(table: dict[object, int]) -> list[str]:
    """Return words in the order of their numbers; bytes begin with ``b:``."""
    ordered = sorted(table, key=table.get)
    return [f"b:{word.decode()}" if isinstance(word, bytes) else word for word in ordered]


def main() -> None:
    """Write the samples by their case."""
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = tiny_archives.imdb(folder)
        for mode in ("train", "test"):
            data = datasets.Imdb(archive, mode, cutoff=1)
            found[f"imdb {mode}"] = [words(data.word_idx), samples(data)]

        archive = tiny_archives.imikolov(folder)
        for kind, window in (("NGRAM", 3), ("SEQ", -1), ("SEQ", 5)):
            for mode in ("train", "test"):
                data = datasets.Imikolov(archive, kind, window, mode, min_word_freq=2)
                found[f"imikolov {kind} {window} {mode}"] = [words(data.word_idx), samples(data)]

        data = datasets.Conll05st(*tiny_archives.conll05(folder))
        labels = words(data.get_dict()[2])
        found["conll05"] = [
            [*plain(sample[:-1]), [labels[number] for number in sample[-1]]]
            for sample in (data[number] for number in range(len(data)))
        ]

        archive = tiny_archives.wmt14(folder)
        for mode in ("train", "test", "gen"):
            found[f"wmt14 {mode}"] = samples(datasets.WMT14(archive, mode, dict_size=9))

        archive = tiny_archives.wmt16(folder)
        (Path(HOME.name) / ".cache/paddle/dataset/wmt16").mkdir(parents=True, exist_ok=True)
        for lang in ("en", "de"):
            for mode in ("train", "test", "val"):
                read = wmt16.reader_creator(archive, f"wmt16/{mode}", 8, 7, lang)
                found[f"wmt16 {lang} {mode} of paddle.dataset"] = list(read())
        for path in (Path(HOME.name) / ".cache/paddle/dataset/wmt16").iterdir():
            path.unlink()
        for lang, mode in (("en", "train"), ("de", "val")):
            data = datasets.WMT16(archive, mode, 8, 7, lang)
            found[f"wmt16 {lang} {mode} sources"] = [sample[0] for sample in samples(data)]
            for path in (Path(HOME.name) / ".cache/paddle/dataset/wmt16").iterdir():
                path.unlink()

        archive = tiny_archives.movielens(folder)
        for mode in ("train", "test"):
            data = datasets.Movielens(archive, mode, test_ratio=0.3, rand_seed=7)
            categories, titles = words(data.categories_dict), words(data.movie_title_dict)
            found[f"movielens {mode}"] = [
                [
                    *plain(sample[:5]),
                    [categories[i] for i in sample[5]],
                    [titles[i] for i in sample[6]],
                    plain(sample[7]),
                ]
                for sample in (data[number] for number in range(len(data)))
            ]

        archive = tiny_archives.uci_housing(folder)
        for mode in ("train", "test"):
            found[f"uci_housing {mode}"] = samples(datasets.UCIHousing(archive, mode))
    TARGET.write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
