"""A reader that gives vectors: what a trained encoder makes of texts, for use elsewhere."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

import core
from core.train.runner.experiment import open_run, opens_exported
from PaddleNLP.config import TOOLKIT
from PaddleNLP.readers.base import Text, WholeTextReader


@dataclasses.dataclass
class Features:
    """The vectors of a text.

    Attributes:
        sentence: of the whole text, float32 (hidden_size,): the encoder's pooled vector; where no pooler was trained,
            as with a tagger, the first token's.
        tokens: of each token, special ones included, float32 (tokens, hidden_size); of a network on words another size.
        offsets: of each token the first character in the text and the one behind its last; (0, 0) for special ones.
    """

    sentence: np.ndarray
    tokens: np.ndarray
    offsets: list[tuple[int, int]]


class FeatureReader(WholeTextReader):
    """Texts to vectors."""

    placed = True

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Features:
        """Return the vectors of a text; see :meth:`WholeTextReader.decode`."""
        tokens = outputs[0][: len(columns["input_ids"])]
        return Features(outputs[1] if self.settings["pooled"] else tokens[0], tokens, list(columns["offset_mapping"]))


def open_encoder(
    path: Union[str, os.PathLike[str]], checkpoint: str = "best", overrides: Sequence[str] = ()
) -> FeatureReader:
    """Open the encoder of a run of any task, pretraining included: an object whose ``predict`` gives :class:`Features`.

    Args:
        path: the run's folder.
        checkpoint: which one.
        overrides: changes of keys of the run's config.

    Raises:
        FileNotFoundError: it is no run, or there is no such checkpoint.
        ValueError: it is an exported folder, which holds a head's results only.
    """
    if opens_exported(path):
        message = "is an exported folder, which gives a head's results and no vectors"
        raise ValueError(f"{os.fspath(path)!r} {message}: name the folder of the run")
    task, folder = open_run(TOOLKIT, os.fspath(path), checkpoint, overrides)
    encoder = task.network.encoder
    layer = getattr(encoder, "pooler", encoder)  # some families take a token's vector instead
    pooled = layer is encoder or (layer is not None and task.network.uses_pooler)

    def run(arrays: dict[str, np.ndarray]) -> Sequence[np.ndarray]:
        with core.no_grad():
            given = [core.to_tensor(arrays[name]) for name in ("input_ids", "token_type_ids") if name in arrays]
            return [tensor.numpy() for tensor in encoder(*given)[: 1 + pooled]]

    token_size = getattr(encoder, "token_size", encoder.hidden_size)
    settings = {"hidden_size": encoder.hidden_size, "token_size": token_size, "pooled": pooled}
    return FeatureReader(folder.path, run, task.tokenizer, task.config.tokenizer.max_length, (), settings)
