"""The preview of a graph: what there is to learn from, and how many edges end at how many nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.vision import read_image
from PGL import preview, previewing
from PGL.data import BlogCatalogDataset, CitationWordsDataset, CoraDataset, UMLSDataset
from tests.PGL.small_sets import write_blog_catalog, write_cora, write_triples

CONFIGS = Path(__file__).resolve().parents[2] / "PGL" / "configs"


def cora(data: str) -> list[np.ndarray]:
    return [CoraDataset(root=data).graph.edges]


def words(data: str) -> list[np.ndarray]:
    graph = CitationWordsDataset(root=data).graph
    return [graph[kind].edges for kind in graph.edge_types]


def bloggers(data: str) -> list[np.ndarray]:
    return [BlogCatalogDataset(root=data).graph.edges]


def clock(data: str) -> list[np.ndarray]:
    return [UMLSDataset(root=data).graph.edges]


@pytest.mark.parametrize(
    ("config", "write", "edges", "expected_text"),
    [
        ("cora_gcn", write_cora, cora, "CoraDataset: 90 nodes, 752 edges, 24 features (mostly 0, kept sparse)"),
        ("cora_metapath2vec", write_cora, words, "CitationWordsDataset: 114 nodes, 671 cites, 415 contains"),
        ("blogcatalog_deepwalk", write_blog_catalog, bloggers, "BlogCatalogDataset: 60 nodes, 500 edges, 4 groups"),
        ("umls_rotate", write_triples, clock, "UMLSDataset: 12 entities, 3 relations"),
    ],
)
def test_degrees_are_counted(
    config: str, write: Any, edges: Any, expected_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    data, target, drawn = write(tmp_path / "data"), tmp_path / "picture.png", []
    plot = previewing.loglog_plot
    monkeypatch.setattr(previewing, "loglog_plot", lambda *given: drawn.append(given) or plot(*given))
    line = ["-c", str(CONFIGS / f"{config}.yaml"), "--data", str(data), "--output", str(target)]
    assert preview.main(line) == 0
    ends = np.concatenate(edges(str(data)))[:, 1]
    ((degrees, counts, across, up, title),) = drawn
    shift = int("+ 1" in across)
    expected = np.bincount(np.bincount(ends, minlength=counts.sum()))
    np.testing.assert_array_equal(np.flatnonzero(expected) + shift, degrees)
    np.testing.assert_array_equal(expected[expected > 0], counts)
    assert across == "edges that end at a node" and up == "nodes" and title.endswith(f"Dataset: {counts.sum()} nodes")
    printed = capsys.readouterr().out
    assert printed.startswith(expected_text)
    assert printed.endswith(f"wrote {target}: {degrees[0]} to {degrees[-1]} edges end at a node\n")
    picture = np.asarray(read_image(target))
    assert picture.ndim == 3 and (picture != 255).any()


def test_nodes_without_edges_are_drawn_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n0 2\n3 2\n")
    drawn: list[Any] = []
    monkeypatch.setattr(previewing, "loglog_plot", lambda *given: drawn.append(given) or np.zeros((2, 2, 3), np.uint8))
    line = ["-c", str(CONFIGS / "blogcatalog_deepwalk.yaml"), "--data", str(tmp_path)]
    line += ["-o", "data.dataset={name: EdgeListDataset, file: edges.txt}"]
    assert preview.main([*line, "--output", str(tmp_path / "picture.png")]) == 0
    ((degrees, counts, across, _, title),) = drawn
    assert degrees.tolist() == [1, 2, 3] and counts.tolist() == [2, 1, 1]  # of 0, 1 and 2 edges
    assert across == "edges that end at a node, + 1" and title == "EdgeListDataset: 4 nodes"


def test_what_does_not_concern_a_graph_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--split", "--images", "--versions"):
        with pytest.raises(SystemExit):
            preview.main(["-c", str(CONFIGS / "cora_gcn.yaml"), option, "1"])
        assert f"unrecognized arguments: {option} 1" in capsys.readouterr().err
    with pytest.raises(NotADirectoryError, match="no folder '.*nowhere'; say where the data is with --data FOLDER"):
        preview.main(["-c", str(CONFIGS / "cora_gcn.yaml"), "-o", "data.root=nowhere"])
