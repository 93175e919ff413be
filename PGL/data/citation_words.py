"""Papers and the words that they contain, as a heterogeneous graph, from a citation graph's files."""

from __future__ import annotations

from typing import Optional

import numpy as np

from PGL.data.planetoid import CitationDataset
from PGL.heter_graph import HeterGraph

NODE_TYPES = ("paper", "word")


class CitationWordsDataset:
    """A citation graph whose words are nodes too: "cites" leads from paper to paper, in both directions, "contains"
    from papers to words, and "contained" back. Papers come first, in the order of :class:`PGL.data.CitationDataset`.

    Args:
        name: "cora", "citeseer" or "pubmed".
        root: the folder of the files ``ind.NAME.x`` and so on; None: they are fetched once.

    Attributes:
        graph: the :class:`PGL.HeterGraph`, with types of nodes.
        y: each paper's class, -1 for words, int64 of shape [nodes].
        num_classes: how many classes there are.
        train_index: the labelled papers of the public split, int64.
        val_index: the validation papers.
        test_index: the test papers.

    Raises:
        FileNotFoundError: files are missing; names them, and where they come from.
        ValueError: the name is unknown, or a file is damaged or hostile.
        ConnectionError: a file cannot be fetched.
    """

    def __init__(self, name: str = "cora", root: Optional[str] = None) -> None:
        read = CitationDataset(name, symmetry_edges=True, self_loop=False, root=root)
        words = read.graph.node_feat["words"]
        papers, count = read.graph.num_nodes, words.shape[1]
        contains = np.argwhere(words)
        contains[:, 1] += papers
        edges = {"cites": read.graph.edges, "contains": contains, "contained": contains[:, ::-1]}
        types = np.repeat(np.array(NODE_TYPES, object), (papers, count))
        self.graph = HeterGraph(edges, papers + count, types)
        self.y = np.concatenate([read.y, np.full(count, -1)])
        self.num_classes = read.num_classes
        self.train_index, self.val_index, self.test_index = read.train_index, read.val_index, read.test_index
