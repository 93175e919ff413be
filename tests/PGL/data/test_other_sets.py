"""BlogCatalog, Reddit, ca-AstroPh, triples: small sets written here, damage, the real ones where they are at hand."""

from __future__ import annotations

import io
import random
import tarfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import PGL as pgl
from PGL.data import ArXivDataset, BlogCatalogDataset, RedditDataset, TriplesDataset
from PGL.data.registry import DATASETS
from tests import hostile_files
from tests.fuzz import bounds

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data"
needs_real_data = pytest.mark.skipif(not SHARED.is_dir(), reason="the real data sets of ../shared/data are not here")


def write(folder: Path, **files) -> str:
    for name, content in files.items():
        (folder / name.replace("__", "-").replace("_", ".")).write_text(content)
    return str(folder)


BLOGS = {
    "nodes_csv": "1\n2\n3\n4\n",
    "groups_csv": "1\n2\n3\n",
    "edges_csv": "1,2\n3,2\n",
    "group__edges_csv": "1,3\n1,1\n4,2\n",
}


def test_blog_catalog(tmp_path):
    dataset = BlogCatalogDataset(root=write(tmp_path, **BLOGS))
    assert dataset.graph.edges.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]] and dataset.graph.num_nodes == 4
    assert dataset.y.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert dataset.num_classes == dataset.num_groups == 3
    assert sorted([*dataset.train_index, *dataset.test_index]) == [0, 1, 2, 3] and len(dataset.train_index) == 2
    assert dataset.val_index.shape == (0,)
    assert dataset.train_index.tolist() == BlogCatalogDataset(root=str(tmp_path)).train_index.tolist()
    orders = {tuple(BlogCatalogDataset(seed=seed, root=str(tmp_path)).test_index) for seed in range(5)}
    assert len(orders) > 1
    one = BlogCatalogDataset(False, True, 0.75, root=str(tmp_path))
    assert one.graph.edges.tolist() == [[0, 0], [0, 1], [1, 1], [2, 1], [2, 2], [3, 3]] and len(one.test_index) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes_csv": "1\n3\n"}, "nodes.csv' must list the ids from 1 on, one a line"),
        ({"edges_csv": "1,9\n"}, "edges.csv' must hold pairs of ids from 1 to 4 and from 1 to 4"),
        ({"edges_csv": "0,1\n"}, "edges.csv' must hold pairs of ids from 1 to 4"),
        ({"group__edges_csv": "1,4\n"}, "group-edges.csv' must hold pairs of ids from 1 to 4 and from 1 to 3"),
        ({"edges_csv": "1;2\n"}, "edges.csv', line 1: 1 columns where 2 belong"),
    ],
)
def test_damaged_blog_catalog(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        BlogCatalogDataset(root=write(tmp_path, **{**BLOGS, **changes}))


def test_missing_blog_catalog(tmp_path):
    (tmp_path / "nodes.csv").write_text("1\n")
    with pytest.raises(
        FileNotFoundError, match="lacks edges.csv, group-edges.csv, groups.csv; the files come from https://raw"
    ):
        BlogCatalogDataset(root=str(tmp_path))
    with pytest.raises(ValueError, match="train_ratio must be between 0 and 1, not 1"):
        BlogCatalogDataset(train_ratio=1, root=str(tmp_path))


@needs_real_data
def test_the_real_blog_catalog():
    dataset = BlogCatalogDataset(root=str(SHARED / "blogcatalog"))
    assert (dataset.graph.num_nodes, dataset.graph.num_edges) == (10312, 2 * 333983)
    assert dataset.y.shape == (10312, 39) and dataset.y.sum() == 14476 and len(dataset.train_index) == 5156


FEATURES = np.array([[1, 5], [3, 5], [8, 6], [2, 4]], np.float64)


def write_reddit(folder: Path, adjacency=None, **changes) -> str:
    arrays = {
        "feats": FEATURES, "train_index": np.array([0, 1]), "val_index": np.array([3]), "test_index": np.array([2]),
        "y_train": np.array([4, 40]), "y_val": np.array([0]), "y_test": np.array([7]),
    }  # fmt: skip
    np.savez(folder / "reddit.npz", **{**arrays, **changes})
    if adjacency is None:
        adjacency = scipy.sparse.csr_matrix(([1.0, 2.0, 1.0], ([0, 2, 3], [1, 0, 3])), (4, 4))
    scipy.sparse.save_npz(folder / "reddit_adj.npz", adjacency)
    return str(folder)


@pytest.mark.parametrize("form", ["csr", "coo"])
def test_reddit(form, tmp_path):
    adjacency = scipy.sparse.csr_matrix(([1.0, 2.0, 1.0], ([0, 2, 3], [1, 0, 3])), (4, 4)).asformat(form)
    dataset = RedditDataset(root=write_reddit(tmp_path, adjacency))
    assert dataset.graph.edges.tolist() == [[0, 1], [0, 2], [1, 0], [2, 0], [3, 3]]
    assert dataset.y.tolist() == [4, 40, 7, 0] and dataset.num_classes == 41
    assert dataset.train_index.tolist() == [0, 1] and dataset.train_label.tolist() == [4, 40]
    assert (dataset.val_label.tolist(), dataset.test_label.tolist()) == ([0], [7])
    assert dataset.feature.tolist() == [[-1, 0], [1, 0], [6, 1], [0, -1]] and dataset.feature.dtype == np.float32
    assert dataset.graph.node_feat["feature"] is dataset.feature
    plain = RedditDataset(normalize=False, symmetry=False, root=str(tmp_path))
    assert plain.feature.tolist() == FEATURES.tolist() and plain.graph.edges.tolist() == [[0, 1], [2, 0], [3, 3]]


def pickled() -> np.ndarray:
    return np.array([{}, None], object)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feats": pickled()}, "reddit.npz' is no .npz file of plain arrays, or damaged"),
        ({"feats": np.array(["a"])}, "reddit.npz': feats is no table of numbers"),
        ({"y_val": np.array([0, 1])}, "reddit.npz': val_index and y_val do not fit 4 nodes"),
        ({"test_index": np.array([4])}, "reddit.npz': test_index and y_test do not fit 4 nodes"),
        ({"y_test": np.array([41])}, "reddit.npz' has a class outside 0 to 40"),
        ({"adjacency": scipy.sparse.csr_matrix((3, 3))}, "reddit_adj.npz' does not hold the rows of 4 nodes"),
        (
            {"adjacency": scipy.sparse.coo_matrix(([1.0], ([0], [5])), (6, 6))},
            "reddit_adj.npz' links nodes outside 0 to 3",
        ),
        (
            {"adjacency": scipy.sparse.dia_matrix((4, 4))},
            "reddit_adj.npz' holds no sparse matrix of rows or of coordinates",
        ),
    ],
)
def test_damaged_reddit(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message) as caught:
        RedditDataset(root=write_reddit(tmp_path, **changes))
    assert "\n" not in str(caught.value)


def test_missing_reddit(tmp_path):
    for root, message in (
        (None, "RedditDataset: give root, the folder of reddit.npz, reddit_adj.npz; the files come from"),
        (str(tmp_path), "lacks reddit.npz, reddit_adj.npz; the files come from https://github.com/matenure"),
    ):
        with pytest.raises(FileNotFoundError, match=message):
            RedditDataset(root=root)
    root = write_reddit(tmp_path)
    (tmp_path / "reddit.npz").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match="reddit.npz' is no .npz file of plain arrays, or damaged"):
        RedditDataset(root=root)
    np.savez(tmp_path / "reddit.npz", feats=FEATURES)
    with pytest.raises(ValueError, match="reddit.npz' lacks train_index, val_index, test_index, y_train"):
        RedditDataset(root=root)


def test_no_damage_escapes_the_reader_of_reddit(tmp_path):
    root = write_reddit(tmp_path)
    generator = random.Random(5)
    whole = {name: (tmp_path / name).read_bytes() for name in ("reddit.npz", "reddit_adj.npz")}
    refused = 0
    for _ in range(150):
        name = generator.choice(list(whole))
        content = bytearray(whole[name])
        for _ in range(generator.randrange(1, 6)):
            content[generator.randrange(len(content))] = generator.randrange(256)
        (tmp_path / name).write_bytes(content[: generator.choice([len(content), generator.randrange(len(content))])])
        try:
            RedditDataset(root=root)
        except ValueError as error:
            assert "\n" not in str(error) and "reddit" in str(error)
            refused += 1
        (tmp_path / name).write_bytes(whole[name])
    assert refused > 75


def test_arxiv(tmp_path):
    draw = np.random.default_rng(0)
    pairs = sorted({tuple(sorted(pair)) for pair in draw.integers(0, 40, (120, 2)).tolist() if pair[0] != pair[1]})
    lines = [f"{u * 7 + 3}\t{v * 7 + 3}\n{v * 7 + 3}\t{u * 7 + 3}\n" for u, v in pairs]
    (tmp_path / "ca-AstroPh.txt").write_text("# co-authors\n" + "".join(lines))
    dataset = ArXivDataset(root=str(tmp_path))
    names = dataset.node_names
    assert names.tolist() == sorted({node * 7 + 3 for pair in pairs for node in pair})
    kept = {tuple(sorted(edge)) for edge in names[dataset.graph.edges].tolist()}
    taken = {tuple(edge) for edge in names[dataset.pos_edges].tolist()}
    assert kept | taken == {(u * 7 + 3, v * 7 + 3) for u, v in pairs} and not kept & taken
    assert len(taken) == len(pairs) // 2 and dataset.graph.num_edges == 2 * len(kept)
    others = {tuple(edge) for edge in names[dataset.neg_edges].tolist()}
    assert len(others) == len(taken) and not others & (kept | taken) and all(u < v for u, v in others)
    (tmp_path / "ca-AstroPh.txt").write_text("0 1\n1 2\n0 2\n")
    with pytest.raises(ValueError, match="3 of all pairs of 3 nodes are edges; too few others are left"):
        ArXivDataset(root=str(tmp_path))


TRIPLES = {"train": "a\tlikes\tb\nb\tknows\ta\n\n", "valid": "c\tlikes\ta\n", "test": "a\tis\tc\n"}


def check_triples(dataset: TriplesDataset) -> None:
    assert dataset.entities == ["a", "b", "c"] and dataset.relations == ["likes", "knows", "is"]
    assert dataset.train.tolist() == [[0, 0, 1], [1, 1, 0]] and dataset.valid.tolist() == [[2, 0, 0]]
    assert dataset.test.tolist() == [[0, 2, 2]] and (dataset.num_entities, dataset.num_relations) == (3, 3)
    assert isinstance(dataset.graph, pgl.Graph) and dataset.graph.num_nodes == 3
    assert dataset.graph.edges.tolist() == [[0, 1], [1, 0]] and dataset.graph.edge_feat["relation"].tolist() == [0, 1]


@pytest.mark.parametrize("where", [".", "tiny"])
def test_triples_in_a_folder(where, tmp_path):
    (tmp_path / where).mkdir(exist_ok=True)
    for split, content in TRIPLES.items():
        (tmp_path / where / f"{split}.txt").write_text(content)
    check_triples(TriplesDataset("tiny", root=str(tmp_path)))


def archive(path: Path, files: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as packed:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content.encode()))


@pytest.mark.parametrize("folder", ["", "tiny/", "../../outside/"])
def test_triples_in_an_archive_are_read_and_not_unpacked(folder, tmp_path):
    archive(
        tmp_path / "tiny.tar.gz",
        {"readme.txt": "x", **{f"{folder}{split}.txt": text for split, text in TRIPLES.items()}},
    )
    check_triples(TriplesDataset("tiny", root=str(tmp_path)))
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.tar.gz"]


def test_damaged_triples(tmp_path):
    with pytest.raises(
        FileNotFoundError, match="lacks train.txt, valid.txt and test.txt, a folder 'tiny' of them, and tiny.tar.gz"
    ):
        TriplesDataset("tiny", root=str(tmp_path))
    with pytest.raises(
        ValueError, match="name must be one of 'FB15k-237', 'nations', 'umls', or give root; it is 'tiny'"
    ):
        TriplesDataset("tiny")
    archive(tmp_path / "tiny.tar.gz", {"train.txt": "a\tb\tc\n"})
    with pytest.raises(ValueError, match="tiny.tar.gz' lacks valid.txt, test.txt"):
        TriplesDataset("tiny", root=str(tmp_path))
    whole = (tmp_path / "tiny.tar.gz").read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"\x1f\x8b\x08"):
        (tmp_path / "tiny.tar.gz").write_bytes(content)
        with pytest.raises(ValueError, match="tiny.tar.gz' (is no .tar.gz archive, or damaged|lacks)"):
            TriplesDataset("tiny", root=str(tmp_path))
    for split, content in {**TRIPLES, "valid": "a\tlikes\tb\na\tb\n"}.items():
        (tmp_path / f"{split}.txt").write_text(content)
    with pytest.raises(ValueError, match="'tiny/valid.txt', line 2: 2 columns where head, relation and tail belong"):
        TriplesDataset("tiny", root=str(tmp_path))
    (tmp_path / "valid.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="'tiny/valid.txt' is no UTF-8 text"):
        TriplesDataset("tiny", root=str(tmp_path))


def test_fetched_archives_hold_the_published_files(tmp_path, monkeypatch):
    home = tmp_path / "raw.githubusercontent.com" / "TimDettmers" / "ConvE" / "f3c0eb286025410fa5b4c04696c918264163d0ca"
    home.mkdir(parents=True)
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path))
    archive(home / "umls.tar.gz", {f"{split}.txt": text for split, text in TRIPLES.items()})
    with pytest.raises(ValueError, match="the archive at https://.*umls.tar.gz holds other files than published"):
        TriplesDataset("umls")
    if SHARED.is_dir():
        folder = SHARED / "kg-fb15k237-umls-nations" / "nations"
        archive(home / "nations.tar.gz", {f"{split}.txt": (folder / f"{split}.txt").read_text() for split in TRIPLES})
        assert TriplesDataset("nations").num_relations == 55


@needs_real_data
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("umls", (135, 46, 5216, 652, 661)),
        pytest.param("FB15k-237", (14541, 237, 272115, 17535, 20466), marks=pytest.mark.exhaustive),
    ],
)
def test_the_real_triples(name, sizes):
    dataset = TriplesDataset(name, root=str(SHARED / "kg-fb15k237-umls-nations"))
    found = dataset.num_entities, dataset.num_relations, len(dataset.train), len(dataset.valid), len(dataset.test)
    assert found == sizes


def test_every_data_set_of_the_table_is_there():
    assert {DATASETS.resolve(name).__name__ for name in DATASETS.entries} == set(DATASETS.entries)
    assert set(DATASETS.entries) <= set(dir(pgl.dataset))
    with pytest.raises(AttributeError, match="PGL.data has no attribute 'Nothing'"):
        pgl.data.Nothing  # noqa: B018


def test_archives_that_unpack_to_too_much(tmp_path):
    too_much = "unpacks to more than 2,000,000,000 bytes; if you trust it, pass a larger maximum_bytes"
    hostile_files.sparse_archive(tmp_path, "own/train.txt").rename(tmp_path / "own.tar.gz")
    with bounds(10, 256):
        with pytest.raises(ValueError, match=f"own.tar.gz' {too_much}"):
            TriplesDataset("own", str(tmp_path))
        for name in ("reddit.npz", "reddit_adj.npz"):
            hostile_files.announced_zip(tmp_path, "feats.npy").rename(tmp_path / name)
        with pytest.raises(ValueError, match=f"reddit.npz' {too_much}"):
            RedditDataset(root=str(tmp_path))
