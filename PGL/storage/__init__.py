"""Graphs and features on disk."""

from __future__ import annotations

from PGL.storage.graphs import Feature as Feature
from PGL.storage.graphs import StoredGraph as StoredGraph
from PGL.storage.graphs import create as create
from PGL.storage.graphs import load as load
from PGL.storage.graphs import save as save
from PGL.storage.streaming import store_stream as store_stream
