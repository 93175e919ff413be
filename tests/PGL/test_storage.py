"""Graphs on disk: the values come back, the sizes are as promised, and damage of any kind is one clear line."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil

import numpy as np
import pytest

import PGL as pgl
from PGL.storage import graphs as storage
from PGL.storage.features import ScaledArray, scale_to_int8

EDGES = np.array([(0, 1), (1, 2), (3, 4), (0, 2), (0, 2), (2, 2)])
X = np.arange(12, dtype=np.float32).reshape(6, 2)


def graph() -> pgl.Graph:
    return pgl.Graph(EDGES, 6, {"x": X, "half/../x": X.astype(np.float16)}, {"w": np.arange(6)})


def written(folder) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.parametrize("mode", ["r", "c", None])
@pytest.mark.parametrize("both", [False, True])
def test_a_graph_comes_back(mode, both, tmp_path):
    made = graph()
    if both:
        made.indegree()
    made.dump(tmp_path / "graph")
    loaded = pgl.Graph.load(tmp_path / "graph", mmap_mode=mode)
    assert loaded.edges.tolist() == EDGES.tolist() and (loaded.num_nodes, loaded.num_graph) == (6, 1)
    assert loaded.node_feat["x"].tolist() == X.tolist() and loaded.node_feat["half/../x"].dtype == np.float16
    assert loaded.edge_feat["w"].tolist() == [0, 1, 2, 3, 4, 5]
    assert [ends.tolist() for ends in loaded.predecessor()] == [ends.tolist() for ends in made.predecessor()]
    assert loaded.edges_at([5, 0]).tolist() == [[2, 2], [0, 1]]
    assert os.listdir(tmp_path) == ["graph"]
    loaded.tensor()
    assert loaded.send_u_recv(loaded.node_feat["x"]).numpy()[2].tolist() == (X[1] + 2 * X[0] + X[2]).tolist()


def test_modes_of_mapping(tmp_path):
    graph().dump(tmp_path / "graph")
    loaded = pgl.Graph.load(tmp_path / "graph")
    with pytest.raises(ValueError, match="read-only"):
        loaded.node_feat["x"][0] = 1
    changed = pgl.Graph.load(tmp_path / "graph", mmap_mode="c")
    changed.node_feat["x"][0] = 7
    assert loaded.node_feat["x"][0].tolist() == [0, 1]
    with pytest.raises(ValueError, match="mmap_mode must be 'r', 'c' or None, not 'w'"):
        pgl.Graph.load(tmp_path / "graph", mmap_mode="w")


def test_a_tensor_graph_and_a_batch_come_back(tmp_path):
    batch = pgl.Graph.batch([graph(), graph()]).tensor()
    loaded = batch.to_mmap(tmp_path / "graph")
    assert not loaded.is_tensor() and loaded.num_graph == 2
    assert loaded.graph_node_id.tolist() == [0] * 6 + [1] * 6
    assert loaded.edges.tolist() == batch.edges.numpy().tolist()


def test_bytes_an_edge_and_a_node(tmp_path):
    nodes, edges = 3000, 40_000
    with storage.create(tmp_path / "one", nodes, edges):
        pass
    assert written(tmp_path / "one") <= 8 * nodes + 4.5 * edges
    with storage.create(tmp_path / "two", nodes, edges, storage.DIRECTIONS, edge_ids=True):
        pass
    assert written(tmp_path / "two") <= 2 * (8 * nodes + 8.5 * edges)


def test_a_writer_fills_the_arrays_in_place(tmp_path):
    scale = np.array([0.5, 2], np.float32)
    tables = {"x": storage.Feature((3,), "float16"), "small": storage.Feature((2,), "int8", scale)}
    with storage.create(tmp_path / "graph", 4, 5, features={"node_feat": tables}) as made:
        made.outgoing.indptr[:] = [0, 2, 2, 4, 5]
        made.outgoing.indices[:] = [3, 1, 0, 0, 2]
        made.features["node_feat"]["x"][2] = [1, 2, 3]
        made.features["node_feat"]["small"][1] = [3, -4]
        assert not (tmp_path / "graph").exists()
    loaded = pgl.Graph.load(tmp_path / "graph")
    assert [ids.tolist() for ids in loaded.predecessor(return_eids=True)[1]] == [[2, 3], [1], [4], [0]]
    assert loaded.edges.tolist() == [[0, 3], [0, 1], [2, 0], [2, 0], [3, 2]]
    assert loaded.edges_at([3, 1]).tolist() == [[2, 0], [0, 1]] and loaded.successor([2], True)[1][0].tolist() == [2, 3]
    assert loaded.node_feat["x"][2].tolist() == [1, 2, 3]
    assert loaded.node_feat["small"][np.array([1, 0])].tolist() == [[1.5, -8], [0, 0]]
    assert loaded.tensor().node_feat["small"].numpy()[1].tolist() == [1.5, -8]


def test_the_other_direction_and_wide_ids(tmp_path):
    with storage.create(tmp_path / "graph", 2**31 + 1, 2, ["incoming"], num_targets=1) as made:
        assert made.incoming.indices.dtype == np.int64
        made.incoming.indptr[:], made.incoming.indices[:] = [0, 2], [2**31, 5]
    loaded = pgl.BiGraph.load(tmp_path / "graph")
    assert loaded.predecessor([0])[0].tolist() == [2**31, 5]
    assert loaded.edges.tolist() == [[2**31, 0], [5, 0]] and loaded.edges_at([1]).tolist() == [[5, 0]]


def test_two_directions_without_edge_ids_are_no_graph(tmp_path):
    with storage.create(tmp_path / "graph", 2, 1, storage.DIRECTIONS) as made:
        for direction, indptr, other in ((made.outgoing, [0, 1, 1], 1), (made.incoming, [0, 0, 1], 0)):
            direction.indptr[:], direction.indices[:] = indptr, other
    assert storage.load(tmp_path / "graph").incoming.neighbors(1).tolist() == [0]
    with pytest.raises(
        ValueError, match="holds the edges in two directions without edge ids, so that its edges cannot be disti"
    ):
        pgl.Graph.load(tmp_path / "graph")


def test_int8_features_are_off_by_half_a_step(tmp_path):
    table = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32) * [1, 10, 0, 0.1]
    small = scale_to_int8(table.astype(np.float32))
    assert (np.abs(np.asarray(small) - table) <= small.scale / 2 + 1e-6).all() and small.scale[2] == 1
    made = pgl.Graph([], 50, {"x": small})
    loaded = made.to_mmap(tmp_path / "graph")
    np.testing.assert_array_equal(loaded.node_feat["x"][:], np.asarray(small))
    assert len(loaded.node_feat["x"]) == 50 and loaded.node_feat["x"].dtype == np.float32
    with pytest.raises(ValueError, match="scale_to_int8: features with NaN or infinity have no scale"):
        scale_to_int8(np.array([[np.nan]]))
    with pytest.raises(
        ValueError, match="ScaledArray: values must be int8 and scale float32 of its rows' shape, not int8 of"
    ):
        ScaledArray(np.zeros((2, 3), np.int8), np.ones(2, np.float32))


def test_a_stored_graph_is_replaced_and_nothing_else(tmp_path):
    graph().dump(tmp_path / "graph")
    held = pgl.Graph.load(tmp_path / "graph")
    pgl.Graph([(0, 1)], 2).dump(tmp_path / "graph")
    assert pgl.Graph.load(tmp_path / "graph").num_nodes == 2 and held.edges.tolist() == EDGES.tolist()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("dear")
    for name in ("mine", "file"):
        with pytest.raises(FileExistsError, match="holds something else than a stored graph; choose another folder"):
            graph().dump(tmp_path / name)
    (tmp_path / "empty").mkdir()
    graph().dump(tmp_path / "empty")
    assert sorted(os.listdir(tmp_path)) == ["empty", "file", "graph", "mine"]


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    graph().dump(tmp_path / "graph")
    with pytest.raises(KeyError), storage.create(tmp_path / "graph", 2, 1):
        raise KeyError("stop")
    with pytest.raises(ValueError, match="a stored graph holds no arrays of complex64"):
        pgl.Graph([], 1, {"x": np.ones((1, 1), np.complex64)}).dump(tmp_path / "other")
    with pytest.raises(ValueError, match="directions must be of 'outgoing', 'incoming', not \\['up'\\]"):
        storage.create(tmp_path / "other", 1, 1, ["up"]).__enter__()
    with pytest.raises(OSError, match=r"cannot reserve 4,611,686,018,427,387,904 bytes for .*\(.*\); free disk space"):
        storage.create(tmp_path / "other", 1, 2**60, features={}).__enter__()
    assert os.listdir(tmp_path) == ["graph"] and pgl.Graph.load(tmp_path / "graph").num_nodes == 6


def test_a_mapped_graph_goes_to_another_process_by_name(tmp_path):
    large = np.zeros((100_000, 2), np.float32)
    loaded = pgl.Graph(EDGES, 100_000, {"x": large, "small": scale_to_int8(large)}).to_mmap(tmp_path / "graph")
    sent = pickle.dumps(loaded)
    assert len(sent) < 3000
    received = pickle.loads(sent)
    assert received.edges.tolist() == EDGES.tolist() and received.node_feat["x"].shape == (100_000, 2)
    assert received.node_feat["small"][:2].tolist() == [[0, 0], [0, 0]]


def damaged(folder, name, change):
    path = folder / name
    path.write_bytes(change(path.read_bytes()))


def header(change):
    def apply(content: bytes) -> bytes:
        said = json.loads(content)
        change(said)
        return json.dumps(said).encode()

    return apply


def int_at(place: int, value: int, width: int):
    return lambda content: content[:place] + value.to_bytes(width, "little", signed=True) + content[place + width :]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("outgoing.indices.npy", lambda c: c[:-1], "has 151 bytes where 152 are announced: it is truncated or foreign"),
        ("outgoing.indices.npy", lambda c: c + b"x", "has 153 bytes where 152 are announced"),
        ("outgoing.indices.npy", lambda c: c[:20], "is not the int32 array of shape \\[6\\] that graph.json announces"),
        ("outgoing.indices.npy", lambda c: b"", "is not the int32 array of shape"),
        ("outgoing.indptr.npy", lambda c: b"PK" + c[2:], "is not the int64 array of shape \\[7\\]"),
        ("outgoing.indptr.npy", int_at(128, 1, 8), "outgoing.indptr does not rise from 0 to 6"),
        ("outgoing.indptr.npy", int_at(128 + 16, 6, 8), "outgoing.indptr does not rise from 0 to 6"),
        ("outgoing.indptr.npy", int_at(128 + 48, 7, 8), "outgoing.indptr does not rise from 0 to 6"),
        (
            "outgoing.indices.npy",
            int_at(128 + 8, 6, 4),
            "outgoing.indices holds ids outside 0 to 5; store the graph again",
        ),
        ("outgoing.indices.npy", int_at(128, -1, 4), "outgoing.indices holds ids outside 0 to 5"),
        ("outgoing.edge_ids.npy", int_at(128, 6, 4), "outgoing.edge_ids holds ids outside 0 to 5"),
        ("graph.json", lambda c: c[: len(c) // 2], "is damaged: it is not JSON"),
        ("graph.json", lambda c: b"\xff\xfe", "is damaged: it is not JSON"),
        ("graph.json", lambda c: b"[" * 100_000, "is damaged: it is not JSON"),
        ("graph.json", lambda c: b"[1]", "does not describe a stored graph"),
        ("graph.json", header(lambda s: s.update(format="other")), "does not describe a stored graph"),
        ("graph.json", header(lambda s: s.update(version=2)), "is of version 2, and this program reads version 1"),
        ("graph.json", header(lambda s: s.update(num_edges=-1)), "lacks the numbers of nodes and edges"),
        ("graph.json", header(lambda s: s.update(num_edges=True)), "lacks the numbers of nodes and edges"),
        (
            "graph.json",
            header(lambda s: s.update(num_edges=7)),
            "'outgoing/indices' of int32 and shape \\[6\\] does not fit",
        ),
        ("graph.json", header(lambda s: s.pop("files")), "lacks the numbers of nodes and edges, or the list of arrays"),
        ("graph.json", header(lambda s: s["files"][0].update(name="../x")), "describes an array in an unknown form"),
        ("graph.json", header(lambda s: s["files"][0].update(dtype="object")), "describes an array in an unknown form"),
        ("graph.json", header(lambda s: s["files"][0].update(key=[])), "describes an array in an unknown form"),
        ("graph.json", header(lambda s: s["files"].append(s["files"][0])), "describes an array twice"),
        ("graph.json", header(lambda s: s.update(files=[])), "describes no edges"),
        ("graph.json", header(lambda s: s["files"].pop(0)), "does not fit 6 nodes and 6 edges"),
        ("graph.json", header(lambda s: s["files"][3].update(shape=[5, 2])), "does not fit 6 nodes"),
        ("graph.json", header(lambda s: s["files"][1].update(dtype="float32")), "does not fit 6 nodes"),
        ("graph.json", lambda c: b" " * (1 << 24) + c, "is too long for the description of a stored graph"),
    ],
)
def test_damage_is_reported(name, change, message, tmp_path):
    graph().dump(tmp_path / "graph")
    damaged(tmp_path / "graph", name, change)
    with pytest.raises(ValueError, match=message) as caught:
        pgl.Graph.load(tmp_path / "graph")
    assert "\n" not in str(caught.value) and str(tmp_path / "graph") in str(caught.value)


def test_missing_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no stored graph: it has no graph.json"):
        pgl.Graph.load(tmp_path)
    graph().dump(tmp_path / "graph")
    (tmp_path / "graph" / "node_feat.0.npy").unlink()
    with pytest.raises(ValueError, match="node_feat.0.npy' cannot be read .*; the stored graph is damaged"):
        pgl.Graph.load(tmp_path / "graph")


def test_a_graph_of_another_kind(tmp_path):
    graph().dump(tmp_path / "graph")
    pgl.BiGraph(EDGES, 6, 7, {"x": X}).dump(tmp_path / "bigraph")
    with pytest.raises(ValueError, match="does not hold a BiGraph: it is another kind of graph"):
        pgl.BiGraph.load(tmp_path / "graph")
    with pytest.raises(ValueError, match="does not hold a Graph: it is another kind of graph"):
        pgl.Graph.load(tmp_path / "bigraph")
    batch = pgl.Graph.batch([graph(), graph()])
    batch.dump(tmp_path / "batch")
    array = next(path for path in (tmp_path / "batch").iterdir() if path.name == "array.0.npy")
    damaged(tmp_path / "batch", array.name, int_at(128 + 16, 11, 8))
    with pytest.raises(ValueError, match="is damaged: its graphs do not divide 12 nodes; store it again"):
        pgl.Graph.load(tmp_path / "batch")


def test_no_damage_escapes_the_reader(tmp_path):
    """Whatever is changed, the graph is read whole or refused in one line, and its ids can be followed."""
    made = graph()
    made.indegree()
    made.node_feat["small"] = scale_to_int8(X)
    made.dump(tmp_path / "whole")
    generator = random.Random(11)
    names = sorted(path.name for path in (tmp_path / "whole").iterdir())
    refused = 0
    for turn in range(300):
        folder = tmp_path / "damaged"
        shutil.copytree(tmp_path / "whole", folder)
        path = folder / generator.choice([*names, "graph.json", "graph.json"])
        content = bytearray(path.read_bytes())
        if turn % 5 == 0:
            content = content[: generator.randrange(len(content))]
        for _ in range(generator.randrange(1, 4)):
            if content:
                content[generator.randrange(len(content))] = generator.choice(b'0123456789-,:"[]{}\x00\xff')
        path.write_bytes(content)
        try:
            loaded = pgl.Graph.load(folder)
            loaded.outgoing.edges(0)
            loaded.predecessor()
            loaded.sample_successor(None, 1, seed=0)
        except (ValueError, FileNotFoundError) as error:
            assert "\n" not in str(error) and ("damaged" in str(error) or "no edge has the id" in str(error))
            refused += 1
        shutil.rmtree(folder)
    assert refused > 100
