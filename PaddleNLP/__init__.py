"""PaddleNLP: language models and what is fine-tuned from them: classification, matching, tagging, reading, pretraining.

>>> import PaddleNLP
>>> PaddleNLP.list_models("ernie-3.0*")
>>> model = PaddleNLP.create_model("ernie", num_classes=3, num_hidden_layers=4, hidden_size=256)

Importing this package loads no engine: a data loader's worker process may import it freely.
"""

from __future__ import annotations

from PaddleNLP.models.registry import create_model, list_models

__all__ = ["create_model", "list_models"]
