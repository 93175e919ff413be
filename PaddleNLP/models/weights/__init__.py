"""The manifest: what was published for each encoder. Settings and addresses are facts of paddlenlp 2.8.1's own lists
(``pretrained_init_configuration`` and ``pretrained_resource_files_map`` of each family), and of the READMEs of the 1.x
releases.

No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every record: a
downloaded file's length can be checked, its identity cannot. Loading says so in the log.
"""

from __future__ import annotations

from PaddleNLP.models.weights import albert, bert, electra, ernie, ernie_later, others, roberta, xlnet

_FAMILIES = (ernie, ernie_later, bert, roberta, electra, xlnet, albert, others)

CHECKPOINTS = {name: one for family in _FAMILIES for name, one in family.CHECKPOINTS.items()}
"""Name of a checkpoint to what is known about it, families together."""

ALIASES = roberta.ALIASES
"""Other names of checkpoints."""
