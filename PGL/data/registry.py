"""The one table of data sets that a config may name."""

from __future__ import annotations

from core.train.table import Table

DATASETS = Table(
    "dataset",
    {
        "ArXivDataset": "PGL.data.arxiv:ArXivDataset",
        "BlogCatalogDataset": "PGL.data.blog_catalog:BlogCatalogDataset",
        "CitationDataset": "PGL.data.planetoid:CitationDataset",
        "CoraDataset": "PGL.data.planetoid:CoraDataset",
        "EdgeListDataset": "PGL.data.edge_list_dataset:EdgeListDataset",
        "RedditDataset": "PGL.data.reddit:RedditDataset",
        "TriplesDataset": "PGL.data.triples:TriplesDataset",
    },
    provided=("root",),
)
