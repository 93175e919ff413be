"""Building a language model, with or without weights."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from core.train.config.table import nearest
from core.weights import load_weights
from PaddleNLP.models.registry import MODELS, head_of
from PaddleNLP.models.weights import CHECKPOINTS

Pretrained = Union[None, bool, str, "os.PathLike[str]"]
"""None or False for fresh weights, True for the official ones, or a file's path."""


def build(
    name: str,
    task: str,
    num_classes: int,
    pretrained: Pretrained,
    dropout: Optional[float],
    settings: Mapping[str, Any],
) -> Any:
    """Return a model, as :func:`PaddleNLP.create_model` describes it.

    Args:
        name: of the model.
        task: what the head is for.
        num_classes: results of a head that classifies.
        pretrained: which weights.
        dropout: of the head.
        settings: of the encoder.
    """
    model = network(name, task, num_classes, dropout, settings)
    if pretrained:
        load_weights(model, os.fspath(pretrained), adapt_head=list(getattr(model, "head_names", ())) or False)
    return model


def network(name: str, task: str, num_classes: int, dropout: Optional[float], settings: Mapping[str, Any]) -> Any:
    """Return a model with fresh weights; arguments are those of :func:`build`.

    Raises:
        ValueError: there is no such model or task.
        TypeError: the encoder takes no such setting.
    """
    encoder_class: Any = MODELS.resolve(name)
    checkpoint = CHECKPOINTS.get(MODELS.find(name))
    known = inspect.signature(encoder_class).parameters
    for key in settings:
        if key not in known:
            raise TypeError(f"{name} takes no setting {key!r}; the nearest is {nearest(key, list(known))!r}")
    head = head_of(encoder_class, task)
    encoder = encoder_class(**{**(checkpoint.settings if checkpoint else {}), **settings})
    if head is None:
        return encoder
    classes = {"num_classes": num_classes} if "num_classes" in inspect.signature(head).parameters else {}
    return head(encoder, dropout=dropout, **classes)
