"""The manifest: what PaddlePaddle published for each network. Addresses and figures are facts of its documents.

No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every record: a
downloaded file's length can be checked, its identity cannot. Loading says so in the log.
"""

from __future__ import annotations

from core.weights import WeightRecord

WEIGHTS: dict[str, WeightRecord] = {}
"""Official weight files by the name of the network."""
