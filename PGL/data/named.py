"""Published data sets that differ from another only in their name, as a config names them."""

from __future__ import annotations

from typing import Optional

from PGL.data.planetoid import CitationDataset
from PGL.data.triples import TriplesDataset


class CiteseerDataset(CitationDataset):
    """Citeseer: 3,327 papers in 6 classes; see :class:`PGL.data.CitationDataset`.

    Args:
        symmetry_edges: whether each citation is an edge in both directions.
        self_loop: whether each node has an edge to itself.
        root: the folder of the files ``ind.citeseer.x`` and so on; None: they are fetched once.
    """

    def __init__(self, symmetry_edges: bool = True, self_loop: bool = True, root: Optional[str] = None) -> None:
        super().__init__("citeseer", symmetry_edges, self_loop, root)


class PubmedDataset(CitationDataset):
    """Pubmed: 19,717 papers in 3 classes; see :class:`PGL.data.CitationDataset`.

    Args:
        symmetry_edges: whether each citation is an edge in both directions.
        self_loop: whether each node has an edge to itself.
        root: the folder of the files ``ind.pubmed.x`` and so on; None: they are fetched once.
    """

    def __init__(self, symmetry_edges: bool = True, self_loop: bool = True, root: Optional[str] = None) -> None:
        super().__init__("pubmed", symmetry_edges, self_loop, root)


class UMLSDataset(TriplesDataset):
    """UMLS: 135 medical terms, 46 relations; see :class:`PGL.data.TriplesDataset`.

    Args:
        root: as of TriplesDataset.
    """

    def __init__(self, root: Optional[str] = None) -> None:
        super().__init__("umls", root)


class NationsDataset(TriplesDataset):
    """Nations: 14 countries, 55 relations; see :class:`PGL.data.TriplesDataset`.

    Args:
        root: as of TriplesDataset.
    """

    def __init__(self, root: Optional[str] = None) -> None:
        super().__init__("nations", root)


class FB15k237Dataset(TriplesDataset):
    """FB15k-237: 14,541 entities of Freebase, 237 relations; see :class:`PGL.data.TriplesDataset`.

    Args:
        root: as of TriplesDataset.
    """

    def __init__(self, root: Optional[str] = None) -> None:
        super().__init__("FB15k-237", root)
