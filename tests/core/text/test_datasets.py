"""Data sets of text against what Paddle 2.6.2 reads of the same archives, and damaged archives."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import pickle
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.io.published import Source
from core.text import WMT14, WMT16, Conll05st, Imdb, Imikolov, Movielens, UCIHousing
from tests.engine import ENGINE
from tests.parity.text import tiny_archives

OFFICIAL = json.loads((Path(tiny_archives.__file__).parent / "datasets.json").read_text(encoding="utf-8"))


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return [str(value.dtype), list(value.shape), value.ravel().tolist()]


def samples(data: Any) -> list[Any]:
    assert data[-1] is not None and len(pickle.loads(pickle.dumps(data))) == len(data)
    return [plain(data[number]) for number in range(len(data))]


def words(table: dict[Any, int]) -> list[str]:
    assert sorted(table.values()) == list(range(len(table)))
    return [f"b:{word.decode()}" if isinstance(word, bytes) else word for word in sorted(table, key=lambda w: table[w])]


@pytest.mark.parametrize("mode", ["train", "test"])
def test_imdb(mode: str, tmp_path: Path) -> None:
    data = Imdb(tiny_archives.imdb(tmp_path), mode.upper(), cutoff=1)
    assert [words(data.word_idx), samples(data)] == OFFICIAL[f"imdb {mode}"]
    assert [document.tolist() for document in data.docs[:2]] == [data[0][0].tolist(), data[1][0].tolist()]


def test_imdb_without_frequent_words(tmp_path: Path) -> None:
    data = Imdb(tiny_archives.imdb(tmp_path), cutoff=1000)
    assert data.word_idx == {"<unk>": 0} and set(data[0][0].tolist()) == {0}


@pytest.mark.parametrize(("kind", "window"), [("NGRAM", 3), ("SEQ", -1), ("SEQ", 5)])
@pytest.mark.parametrize("mode", ["train", "test"])
def test_imikolov(kind: str, window: int, mode: str, tmp_path: Path) -> None:
    data = Imikolov(tiny_archives.imikolov(tmp_path), kind, window, mode, min_word_freq=2)
    assert [words(data.word_idx), samples(data)] == OFFICIAL[f"imikolov {kind} {window} {mode}"]


def test_conll05(tmp_path: Path) -> None:
    paths = tiny_archives.conll05(tmp_path)
    data = Conll05st(*paths)
    labels = words(data.get_dict()[2])
    assert labels == (tmp_path / "targetDict.txt").read_text().split()
    found = [[*sample[:-1], [labels[number] for number in sample[-1][-1]]] for sample in samples(data)]
    assert found == OFFICIAL["conll05"]
    assert data.get_embedding() == paths[-1] and data.get_dict()[1] == {"run": 0, "hide": 1, "see": 2, "rain": 3}


@pytest.mark.parametrize("mode", ["train", "test", "gen"])
def test_wmt14(mode: str, tmp_path: Path) -> None:
    data = WMT14(tiny_archives.wmt14(tmp_path), mode, dict_size=9)
    assert samples(data) == OFFICIAL[f"wmt14 {mode}"]
    assert data.get_dict()[0]["film"] == 5 and data.get_dict(reverse=True)[1][3] == "der"


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("mode", ["train", "test", "val"])
def test_wmt16(mode: str, lang: str, tmp_path: Path) -> None:
    data = WMT16(tiny_archives.wmt16(tmp_path), mode, 8, 7, lang)
    found = samples(data)
    assert [[part[2] for part in sample] for sample in found] == OFFICIAL[f"wmt16 {lang} {mode} of paddle.dataset"]
    assert [sample[0] for sample in found] == OFFICIAL.get(f"wmt16 {lang} {mode} sources", [s[0] for s in found])
    german = data.get_dict("de", reverse=True)
    assert len(german) == (8 if lang == "de" else 7) and german[3] == "der" and data.get_dict("en")["<unk>"] == 2


@pytest.mark.parametrize("mode", ["train", "test"])
def test_movielens(mode: str, tmp_path: Path) -> None:
    np.random.seed(3)  # noqa: NPY002  # the global generator must stay untouched
    expected = np.random.RandomState(3).random_sample()
    data = Movielens(tiny_archives.movielens(tmp_path), mode, test_ratio=0.3, rand_seed=7)
    categories, titles = words(data.categories_dict), words(data.movie_title_dict)
    found = [
        [*sample[:5], [categories[i] for i in sample[5][2]], [titles[i] for i in sample[6][2]], sample[7]]
        for sample in samples(data)
    ]
    assert found == OFFICIAL[f"movielens {mode}"] and data[0][5].dtype == np.int64
    assert categories == ["Animation", "Children's", "Comedy", "Drama"]
    assert np.random.random_sample() == expected  # noqa: NPY002


@pytest.mark.parametrize("mode", ["train", "test"])
def test_uci_housing(mode: str, tmp_path: Path) -> None:
    path = tiny_archives.uci_housing(tmp_path)
    for (features, price), official in zip(UCIHousing(path, mode), OFFICIAL[f"uci_housing {mode}"]):
        np.testing.assert_allclose(features, official[0][2], rtol=1e-6, atol=1e-7)
        assert plain(price) == official[1] and plain(features)[:2] == official[0][:2]
    assert len(UCIHousing(path, mode)) == len(OFFICIAL[f"uci_housing {mode}"])
    core.set_default_dtype("float64")
    try:
        assert UCIHousing(path)[0][0].dtype == np.float64
    finally:
        core.set_default_dtype("float32")


def test_a_column_without_extent_is_zero(tmp_path: Path) -> None:
    rows = [["7", *(str(row * column) for column in range(13))] for row in range(5)]
    (tmp_path / "h").write_text("\n".join(" ".join(row) for row in rows))
    features = np.array([UCIHousing(str(tmp_path / "h"))[i][0] for i in range(4)])
    assert (features[:, :2] == 0).all() and np.isfinite(features).all()


def test_the_published_file_is_fetched_once_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    with pytest.raises(ValueError, match=r"UCIHousing: data_file is not given and download=False; fetch http://paddle"):
        UCIHousing(download=False)
    path = Path(tiny_archives.uci_housing(tmp_path))
    place = tmp_path / "mirror" / "paddlemodels.bj.bcebos.com" / "uci_housing"
    place.mkdir(parents=True)
    path.rename(place / "housing.data")
    digest = hashlib.md5((place / "housing.data").read_bytes()).hexdigest()
    with pytest.raises(ValueError, match=r"UCIHousing: .* is not the file of http://.*: its MD5 differs; remove it"):
        UCIHousing()
    monkeypatch.setattr(UCIHousing, "source", Source(UCIHousing.source.url, digest))
    assert len(UCIHousing()) == 8 and len(UCIHousing(mode="test", download=False)) == 3


def test_reading_needs_no_engine() -> None:
    program = f"import sys, core.text.datasets; sys.exit('{ENGINE}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def zipped(path: Path, **files: str) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"ml-1m/{name}.dat", content)
    return str(path)


MOVIE, USER, RATING = "1::A (1990)::Drama\n", "2::F::18::3::x\n", "2::1::4::0\n"
PTB = {part: f"./simple-examples/data/ptb.{part}.txt" for part in ("train", "valid", "test")}
RELEASE = "conll05st-release/test.wsj/"


def conll(folder: Path, words_text: str, props: str, **others: Any) -> Conll05st:
    paths = tiny_archives.conll05(folder)
    files = {"words/test.wsj.words.gz": words_text, "props/test.wsj.props.gz": props}
    archive = tiny_archives.tar(
        folder / "c.tgz", {RELEASE + name: gzip.compress(text.encode("latin-1")) for name, text in files.items()}
    )
    return Conll05st(archive, *paths[1:], **others)


def wmt(folder: Path, **files: Any) -> str:
    names = {"src": "w/src.dict", "trg": "w/trg.dict", "train": "w/train/train", "pairs": "wmt16/train"}
    return tiny_archives.tar(folder / "w.tgz", {names[key]: content for key, content in files.items()})


DICTIONARY = "<s>\n<e>\n<unk>\na\n"
WRONG: list[tuple[str, Callable[[Path], Any], str]] = [
    ("mode", lambda folder: Imdb(mode="dev"), "Imdb: mode must be one of 'train', 'test', not 'dev'"),
    ("type", lambda folder: Imikolov(data_type="BAG"), "Imikolov: data_type must be 'NGRAM' or 'SEQ', not 'BAG'"),
    ("window", lambda folder: Imikolov(), "Imikolov: n-grams need a window_size of at least 1, not -1"),
    ("size", lambda folder: WMT14(), "WMT14: dict_size must be positive, not -1: how many words have numbers"),
    ("size16", lambda folder: WMT16(src_dict_size=9), "WMT16: trg_dict_size must be at least 3, not -1"),
    ("lang", lambda folder: WMT16(None, "val", 9, 9, "fr"), "WMT16: lang must be 'en' or 'de', not 'fr'"),
    ("gone", lambda folder: WMT14("gone.tgz", dict_size=3), r"WMT14: no file 'gone.tgz' \(data_file\); it is publ"),
    (
        "other archive",
        lambda folder: Imdb(tiny_archives.wmt16(folder)),
        r"Imdb: .*wmt16.tar.gz' cannot be read: it holds no aclImdb/train/pos/\*.txt; is it another data set's",
    ),
    (
        "member",
        lambda folder: Imikolov(tiny_archives.tar(folder / "a.tgz", {PTB["train"]: "a\n"}), window_size=2),
        "Imikolov: .*a.tgz' cannot be read: it holds no member simple-examples/data/ptb.valid.txt",
    ),
    (
        "few sentences",
        lambda folder: Imikolov(tiny_archives.imikolov(folder), "SEQ"),
        "Imikolov: .* has too few sentences for min_word_freq=50",
    ),
    (
        "long line",
        lambda folder: Imikolov(tiny_archives.tar(folder / "a.tgz", {PTB["train"]: "\na" + " " * (1 << 20)}), "SEQ"),
        "Imikolov: .*a.tgz', simple-examples/data/ptb.train.txt, line 2: it is longer than 1,048,576 bytes",
    ),
    (
        "bomb",
        lambda folder: Imdb(tiny_archives.tar(folder / "a.tgz", {"aclImdb/train/pos/1.txt": " " * 70_000_000})),
        "Imdb: .*a.tgz' cannot be read: .* unpacks to more than 67,108,864 bytes; if you trust it, pass a larger",
    ),
    (
        "big review",
        lambda folder: Imdb(tiny_archives.tar(folder / "a.tgz", {"aclImdb/train/pos/1.txt": " " * 20_000_000})),
        "Imdb: .*a.tgz', aclImdb/train/pos/1.txt: a review of 20,000,000 bytes is none",
    ),
    (
        "UTF-8",
        lambda folder: WMT14(wmt(folder, src=DICTIONARY, trg=DICTIONARY, train=b"a\ta\nb\t\xff\n"), dict_size=4),
        "WMT14: .*w.tgz', w/train/train, line 2: it is not UTF-8; convert the file",
    ),
    (
        "no marks",
        lambda folder: WMT14(wmt(folder, src=DICTIONARY, trg="a\nb\n", train="a\ta\n"), dict_size=4),
        "WMT14: .*: <s> is not among the first 4 words of trg.dict",
    ),
    (
        "no dictionary",
        lambda folder: WMT14(wmt(folder, src=DICTIONARY, train="a\ta\n"), dict_size=4),
        "WMT14: .*: it holds no trg.dict; is it another data set's archive",
    ),
    (
        "no part",
        lambda folder: WMT16(wmt(folder, pairs="a\tb\n"), "val", 4, 4),
        "WMT16: .*: it holds no member wmt16/val; is it another data set's archive",
    ),
    (
        "columns",
        lambda folder: conll(folder, "Run\nIt\n\n", "run (V*)\n-\n\n"),
        f"Conll05st: .*c.tgz', {RELEASE}props, line 2: the sentence's lines differ in their columns",
    ),
    (
        "bracket",
        lambda folder: conll(folder, "Run\nIt\n\n", "run (V*)\n- V\n\n"),
        f"{RELEASE}props, line 2: 'V' is none of",
    ),
    (
        "predicates",
        lambda folder: conll(folder, "Run\nIt\n\n", "run (V*)\nsee *\n\n"),
        f"{RELEASE}props, line 2: the sentence has 2 predicates but 1 columns of arguments",
    ),
    (
        "no verb",
        lambda folder: conll(folder, "Run\nIt\n\n", "run (A0*)\n- *\n\n"),
        f"{RELEASE}props, line 2: no .* in the column of 'run'",
    ),
    (
        "no line",
        lambda folder: conll(folder, "Run\n\n", "run (V*)\n- *\n\n"),
        f"{RELEASE}, line 2: a word without columns, or columns without a word",
    ),
    (
        "unknown verb",
        lambda folder: conll(folder, "Go\n\n", "go (V*)\n\n"),
        "Conll05st: .*: the predicate 'go' is not in '.*verbDict.txt'",
    ),
    (
        "unknown label",
        lambda folder: conll(folder, "Run\nIt\n\n", "run (V*)\n- (A9*)\n\n"),
        "Conll05st: .*: the label 'B-A9' is not in '.*targetDict.txt'",
    ),
    (
        "inner bomb",
        lambda folder: conll(folder, "a\n" * 300_000, "-\n" * 300_000, maximum_bytes=400_000),
        "Conll05st: .*c.tgz' unpacks to more than 400,000 bytes",
    ),
    (
        "title",
        lambda folder: Movielens(zipped(folder / "m.zip", movies="1::A::Drama\n", users=USER, ratings=RATING)),
        "Movielens: .*m.zip', ml-1m/movies.dat, line 1: the title 'A' has no year at its end",
    ),
    (
        "age",
        lambda folder: Movielens(zipped(folder / "m.zip", movies=MOVIE, users="2::F::19::3::x\n", ratings=RATING)),
        r"ml-1m/users.dat, line 1: the age 19 is none of \(1, 18",
    ),
    (
        "rating",
        lambda folder: Movielens(zipped(folder / "m.zip", movies=MOVIE, users=USER, ratings=RATING + "2::1::4\n")),
        "ml-1m/ratings.dat, line 2: it has not the columns of this file",
    ),
    (
        "unknown film",
        lambda folder: Movielens(zipped(folder / "m.zip", movies=MOVIE, users=USER, ratings="2::8::4::0\n")),
        "Movielens: .*: there is a rating of film 8, which the archive does not describe",
    ),
    (
        "no ratings",
        lambda folder: Movielens(zipped(folder / "m.zip", movies=MOVIE, users=USER)),
        "Movielens: .*: it holds no member ml-1m/ratings.dat",
    ),
]


@pytest.mark.parametrize(("act", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_is_wrong_is_named(act: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=message) as caught:
        act(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [("1 x", "line 2: 'x' is no number"), ("1 2", "holds 2 numbers, not 14")])
def test_numbers_that_are_none(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "h").write_text("\n" + text)
    with pytest.raises(ValueError, match=f"UCIHousing: .*h'.* ?{message}"):
        UCIHousing(str(tmp_path / "h"))


def test_an_archive_that_is_cut_off(tmp_path: Path) -> None:
    path = Path(tiny_archives.wmt14(tmp_path))
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=r"WMT14: .*wmt14.tgz' cannot be read: "):
        WMT14(str(path), dict_size=9)
    (tmp_path / "no").write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"Imdb: .*no' cannot be read: "):
        Imdb(str(tmp_path / "no"))


def test_lines_without_two_columns_are_left_out_with_one_warning(tmp_path: Path) -> None:
    archive = wmt(tmp_path, pairs="a b\tc\nno columns\n\na\tb\tc\na\tc\n")
    with pytest.warns(UserWarning, match=r"2 lines have not two columns and are .* first wmt16/train, line 2") as seen:
        data = WMT16(archive, "train", 5, 4)
    assert len(seen) == 1 and samples(data)[1] == plain([np.array([0, 3, 1]), np.array([0, 3]), np.array([3, 1])])


def test_links_and_folders_in_an_archive_are_no_samples(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        for name, kind in (("aclImdb/train/pos/l.txt", tarfile.SYMTYPE), ("aclImdb/train/neg/d.txt", tarfile.DIRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        member = tarfile.TarInfo("./aclImdb/train/neg/1.txt")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"bad"))
    assert samples(Imdb(str(tmp_path / "a.tgz"), cutoff=0)) == [plain((np.array([0]), np.array([1])))]
