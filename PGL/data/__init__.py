"""Graphs from files: published data sets under pgl's names, and readers of their formats; nothing loads the engine."""

from __future__ import annotations

import importlib
from typing import Any

NAMES = {
    "ArXivDataset": "PGL.data.arxiv",
    "BlogCatalogDataset": "PGL.data.blog_catalog",
    "CitationDataset": "PGL.data.planetoid",
    "CitationWordsDataset": "PGL.data.citation_words",
    "CiteseerDataset": "PGL.data.named",
    "CoraDataset": "PGL.data.planetoid",
    "DrawnGraphs": "PGL.data.drawn_graphs",
    "DrawnTextGraph": "PGL.data.text_graph",
    "EdgeListDataset": "PGL.data.edge_list_dataset",
    "FB15k237Dataset": "PGL.data.named",
    "NationsDataset": "PGL.data.named",
    "PubmedDataset": "PGL.data.named",
    "RedditDataset": "PGL.data.reddit",
    "TUDataset": "PGL.data.tu_dataset",
    "TextGraphDataset": "PGL.data.text_graph",
    "TripleListDataset": "PGL.data.triple_list",
    "TriplesDataset": "PGL.data.triples",
    "UMLSDataset": "PGL.data.named",
    "normalize_rows": "PGL.data.planetoid",
    "read_edge_list": "PGL.data.edge_list",
    "read_node_types": "PGL.data.edge_list",
    "read_features": "PGL.data.node_tables",
    "read_labels": "PGL.data.node_tables",
    "read_planetoid": "PGL.data.planetoid",
    "read_splits": "PGL.data.node_tables",
    "read_triples": "PGL.data.triples",
    "read_tu_graphs": "PGL.data.tu_files",
}
__all__ = [*NAMES]


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"PGL.data has no attribute {name!r}")
    found = getattr(importlib.import_module(NAMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})
