"""Data sets of text in the file formats of their publishers, under the names of ``paddle.text.datasets``."""

from __future__ import annotations

from core.text.datasets.conll05 import Conll05st
from core.text.datasets.imdb import Imdb
from core.text.datasets.imikolov import Imikolov
from core.text.datasets.movielens import Movielens
from core.text.datasets.uci_housing import UCIHousing
from core.text.datasets.wmt14 import WMT14
from core.text.datasets.wmt16 import WMT16

__all__ = ["WMT14", "WMT16", "Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing"]
