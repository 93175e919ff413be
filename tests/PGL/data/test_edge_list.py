"""Edge lists of every kind, seeded damage, and the errors' lines."""

from __future__ import annotations

import gzip
import random

import numpy as np
import pytest

import PGL as pgl
from PGL.data import EdgeListDataset, read_edge_list, read_node_types
from tests import hostile_files
from tests.fuzz import bounds

PLAIN = "# a graph\n0 1\n\n1\t2  # why\n 0   1\n3 3\n"


def file(tmp_path, content, name="edges.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_plain_and_gzipped(pack, ends, tmp_path):
    read = read_edge_list(file(tmp_path, pack(PLAIN.replace("\n", ends).encode())))
    assert read.edges.tolist() == [[0, 1], [1, 2], [0, 1], [3, 3]] and read.edges.dtype == np.int64
    assert read.weights is read.types is read.type_names is read.node_names is None


def test_weights_and_types(tmp_path):
    read = read_edge_list(file(tmp_path, "0 1 0.5 likes\n2 0 -3e1 knows\n1 1 2 likes\n"), weighted=True, typed=True)
    assert read.edges.tolist() == [[0, 1], [2, 0], [1, 1]] and read.weights.tolist() == [0.5, -30, 2]
    assert read.types.tolist() == [0, 1, 0] and read.type_names == ["likes", "knows"]
    assert {name: edges.tolist() for name, edges in read.edges_by_type().items()} == {
        "likes": [[0, 1], [1, 1]], "knows": [[2, 0]],
    }  # fmt: skip
    weighted = read_edge_list(file(tmp_path, "0,1,2.5\n"), weighted=True, delimiter=",")
    assert weighted.weights.tolist() == [2.5] and weighted.weights.dtype == np.float32
    typed = read_edge_list(file(tmp_path, "0,1, has part\n"), typed=True, delimiter=",")
    assert typed.type_names == ["has part"]
    with pytest.raises(ValueError, match="read without types: give typed=True"):
        weighted.edges_by_type()


def test_ids_with_gaps(tmp_path):
    path = file(tmp_path, "900 5\n5 70000000000\n")
    assert read_edge_list(path).edges.tolist() == [[900, 5], [5, 70000000000]]
    read = read_edge_list(path, renumber=True)
    assert read.edges.tolist() == [[1, 0], [0, 2]] and read.node_names.tolist() == [5, 900, 70000000000]


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
@pytest.mark.parametrize("typed", [False, True])
def test_no_edges(content, typed, tmp_path):
    assert read_edge_list(file(tmp_path, content), typed=typed).edges.shape == (0, 2)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("0 1\n# x\n1\n", {}, "edges.txt', line 3: 1 columns where 2 belong: source, target"),
        ("0 1 2\n", {}, "line 1: 3 columns where 2 belong: source, target"),
        ("0 1\n", {"weighted": True}, "line 1: 2 columns where 3 belong: source, target, weight"),
        (
            "0 1 2\n",
            {"weighted": True, "typed": True},
            "line 1: 3 columns where 4 belong: source, target, weight, type",
        ),
        ("0 1\n-1 2\n", {}, "line 2: source must be a whole number of at least 0, below 2\\^63, not '-1'"),
        ("0 1\n1 2.5\n", {}, "line 2: target must be a whole number of at least 0, below 2\\^63, not '2.5'"),
        ("0 a\n", {}, "line 1: target must be a whole number of at least 0, below 2\\^63, not 'a'"),
        ("0 9223372036854775808\n", {}, "line 1: target must be a whole number of at least 0, below 2\\^63"),
        ("0 1 heavy\n", {"weighted": True}, "line 1: weight must be a finite number, not 'heavy'"),
        ("0 1 nan\n", {"weighted": True}, "line 1: weight must be a finite number, not 'nan'"),
        ("0 1 1e99\n", {"weighted": True}, "line 1: weight must be a finite number, not '1e99'"),
        ("0 x knows\n", {"typed": True}, "line 1: target must be a whole number of at least 0"),
        ("1_0 2\n", {}, "line 1: source must be a whole number of at least 0, below 2\\^63, not '1_0'"),
        ("0 1_0 a\n", {"typed": True}, "line 1: target must be a whole number of at least 0"),
        ("0,1\n", {}, "line 1: 1 columns where 2 belong"),
        (b"\xff\xfe0 1\n", {}, "edges.txt' is a file of other than UTF-8 text"),
        (gzip.compress(b"0 1\n" * 99, mtime=0)[:-9], {}, "edges.txt' is a damaged gzip file"),
        (b"\x1f\x8bnothing", {}, "edges.txt' is a damaged gzip file"),
    ],
)
def test_the_first_wrong_line_is_reported(content, options, message, tmp_path):
    with pytest.raises(ValueError, match=message) as caught:
        read_edge_list(file(tmp_path, content), **options)
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file '.*none.txt'"):
        read_edge_list(tmp_path / "none.txt")


def test_types_of_nodes(tmp_path):
    assert read_node_types(file(tmp_path, "1 item\n0 user # me\n")) == [(1, "item"), (0, "user")]
    with pytest.raises(ValueError, match="line 1: id must be a whole number of at least 0, below 2\\^63, not '-1'"):
        read_node_types(file(tmp_path, "-1 item\n"))
    with pytest.raises(ValueError, match="line 2: 1 columns where 2 belong: id, type"):
        read_node_types(file(tmp_path, "1 item\n2\n"))


def test_no_damage_escapes_the_reader(tmp_path):
    whole = {"weighted": "0 1 0.5\n20 3 -1e3\n# end\n" * 4, "typed": "0 1 a\n2 3 b\n" * 4, "plain": PLAIN * 3}
    generator = random.Random(3)
    refused = 0
    for turn in range(300):
        kind = generator.choice(list(whole))
        content = bytearray(whole[kind].encode())
        for _ in range(generator.randrange(1, 4)):
            content[generator.randrange(len(content))] = generator.choice(b"0123456789 -.eE\t\n#,x\xff\x00\r\"'")
        packed = gzip.compress(bytes(content)) if turn % 3 == 0 else bytes(content)
        if turn % 9 == 0:
            middle = generator.randrange(2, len(packed))
            packed = packed[:middle] + bytes([generator.randrange(256)]) + packed[middle + 1 :]
        if turn % 7 == 0:
            packed = packed[: generator.randrange(len(packed))]
        try:
            read = read_edge_list(file(tmp_path, packed), kind == "weighted", kind == "typed")
            assert read.edges.dtype == np.int64 and read.edges.shape[1] == 2 and (read.edges >= 0).all()
        except ValueError as error:
            assert "\n" not in str(error) and "edges.txt'" in str(error) and "no edge list" not in str(error)
            refused += 1
    assert 50 < refused < 290


def test_data_set(tmp_path):
    file(tmp_path, "7 9 0.5\n9 9 2\n")
    made = EdgeListDataset(weighted=True, symmetry_edges=True, renumber=True, root=str(tmp_path))
    assert made.graph.edges.tolist() == [[0, 1], [1, 1], [1, 0]] and made.node_names.tolist() == [7, 9]
    assert made.graph.edge_feat["weight"].tolist() == [0.5, 2, 0.5]
    assert EdgeListDataset(weighted=True, root=str(tmp_path)).graph.num_nodes == 10


def test_typed_data_set(tmp_path):
    file(tmp_path, "0 1 1.5 likes\n2 0 2 knows\n")
    file(tmp_path, "0 user\n1 item\n2 user\n3 item\n", "nodes.txt")
    made = EdgeListDataset(weighted=True, typed=True, node_types="nodes.txt", root=str(tmp_path)).graph
    assert isinstance(made, pgl.HeterGraph) and made.num_nodes == 4 and made.num_nodes_by_type("user") == 2
    assert made["knows"].edges.tolist() == [[2, 0]] and made["knows"].edge_feat["weight"].tolist() == [2]
    assert EdgeListDataset(weighted=True, typed=True, root=str(tmp_path)).graph.num_nodes == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"root": None}, "EdgeListDataset: give root, the folder of 'edges.txt'"),
        (
            {"typed": True, "symmetry_edges": True},
            "typed edges keep their direction; leave symmetry_edges and self_loop out",
        ),
        ({"node_types": "nodes.txt"}, "node_types belongs to typed edges; give typed=True"),
        ({"typed": True, "node_types": "n", "renumber": True}, "so that nodes cannot be renumbered"),
        ({"typed": True}, "edges.txt' has no edges, and so no types of them"),
    ],
)
def test_settings_that_do_not_go_together(arguments, message, tmp_path):
    file(tmp_path, "")
    with pytest.raises(ValueError, match=message):
        EdgeListDataset(**{"root": str(tmp_path), **arguments})


def test_lines_that_unpack_to_too_much_are_never_in_memory(tmp_path):
    path = hostile_files.gzip_lines(tmp_path, 40_000_000)
    with bounds(20, 100):
        for read in (read_edge_list, read_node_types):
            with pytest.raises(ValueError, match="edges.txt.gz' unpacks to more than 20,000,000 bytes"):
                read(path, maximum_bytes=20_000_000)
        with pytest.raises(ValueError, match="unpacks to more than 20,000,000 bytes"):
            EdgeListDataset(path.name, root=str(tmp_path), maximum_bytes=20_000_000)


@pytest.mark.parametrize("node", [2_000_000_000, 2**63 - 1])
def test_a_huge_node_takes_no_memory(node, tmp_path):
    file(tmp_path, f"0 {node}\n1 0\n")
    with pytest.raises(ValueError, match=f"edges.txt' names node {node}, and every number below .* give renumber=True"):
        EdgeListDataset(root=str(tmp_path))
    assert EdgeListDataset(root=str(tmp_path), renumber=True).graph.num_nodes == 3
