"""The one table of data sets that a config may name."""

from __future__ import annotations

from core.train.config.table import Table

DATASETS = Table(
    "dataset",
    {
        "ArXivDataset": "PGL.data.arxiv:ArXivDataset",
        "BlogCatalogDataset": "PGL.data.blog_catalog:BlogCatalogDataset",
        "CitationWordsDataset": "PGL.data.citation_words:CitationWordsDataset",
        "CiteseerDataset": "PGL.data.named:CiteseerDataset",
        "CoraDataset": "PGL.data.planetoid:CoraDataset",
        "DrawnGraphs": "PGL.data.drawn_graphs:DrawnGraphs",
        "DrawnTextGraph": "PGL.data.text_graph:DrawnTextGraph",
        "EdgeListDataset": "PGL.data.edge_list_dataset:EdgeListDataset",
        "FB15k237Dataset": "PGL.data.named:FB15k237Dataset",
        "NationsDataset": "PGL.data.named:NationsDataset",
        "PubmedDataset": "PGL.data.named:PubmedDataset",
        "RedditDataset": "PGL.data.reddit:RedditDataset",
        "TUDataset": "PGL.data.tu_dataset:TUDataset",
        "TextGraphDataset": "PGL.data.text_graph:TextGraphDataset",
        "TripleListDataset": "PGL.data.triple_list:TripleListDataset",
        "UMLSDataset": "PGL.data.named:UMLSDataset",
    },
    provided=("root",),
)
