"""PaddleNLP: language models and what is fine-tuned from them: classification, matching, tagging, reading, pretraining.

>>> import PaddleNLP
>>> PaddleNLP.list_models("ernie-3.0*")
>>> model = PaddleNLP.create_model("ernie", num_classes=3, hidden_size=256, num_attention_heads=4)
>>> tokenizer = PaddleNLP.create_tokenizer("ErnieTokenizer", vocab_file="vocab.txt")
>>> reader = PaddleNLP.open_reader("runs/drawn_reviews_ernie")
>>> reader.predict("虽然房间很小，但是服务员很热情").label

Importing this package loads no engine: a data loader's worker process may import it freely.
"""

from __future__ import annotations

import importlib
from typing import Any

from PaddleNLP.lexical.analyser import LAC
from PaddleNLP.models.registry import create_model, list_models
from PaddleNLP.tokenizing import create_tokenizer

__all__ = ["LAC", "create_model", "create_tokenizer", "list_models", "open_reader"]


def open_reader(path: Any, checkpoint: str = "best") -> Any:
    """Open the folder of a run, or an exported one: an object whose ``predict`` reads texts.

    Args:
        path: the folder.
        checkpoint: which one of a run.

    Returns:
        A :class:`PaddleNLP.readers.base.TextReader`.

    Raises:
        FileNotFoundError: it is neither.
    """
    return importlib.import_module("PaddleNLP.readers.opening").open_reader(path, checkpoint)  # loads the engine
