"""Building a language model with or without weights: from a file of the user's, or from an official one, of any age."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy

from core import LazyGuard
from core.train.config.signatures import signature_of
from core.train.config.table import check_weights, nearest
from core.weights import fetch, load_weights, read_weights
from PaddleNLP.models.folder_settings import folder_settings
from PaddleNLP.models.registry import MODELS, head_of
from PaddleNLP.models.weights import CHECKPOINTS, fluid, hugging_face

Pretrained = Union[None, bool, str, "os.PathLike[str]"]
"""None or False for fresh weights, True for the official ones, a checkpoint's name, or the path of a file or folder."""

FILES = ("model_state.pdparams", "model.safetensors", "pytorch_model.bin")
"""What a folder of paddlenlp or Hugging Face has weights in; another folder is one of Fluid 1.x."""

_logger = logging.getLogger(__name__)


def build(
    name: str,
    task: str,
    num_classes: int,
    pretrained: Pretrained,
    dropout: Optional[float],
    settings: Mapping[str, Any],
) -> Any:
    """Return a model, with weights if they are asked for.

    All parameters of the encoder must be in the file and fit. A head that the file lacks, or has for another number of
    classes, stays fresh, as does a pooler that it lacks; each is named in the log. Heads of other tasks are left out.

    Args:
        name: of the model.
        task: what the head is for.
        num_classes: results of a head that classifies.
        pretrained: which weights.
        dropout: of the head.
        settings: of the encoder.

    Raises:
        TypeError: ``pretrained`` is something else, or the encoder takes no such setting.
        ValueError: there is no such model or task, no weights are published, or the file does not fit the encoder.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    if not isinstance(pretrained, (type(None), bool, str, os.PathLike)):
        raise TypeError(f"pretrained must be a bool, a checkpoint's name or a path, not {pretrained!r}")
    if pretrained is None or pretrained is False:
        return network(name, task, num_classes, dropout, settings)
    source = _source(MODELS.find(name), pretrained)
    settings = {**_settings_of(MODELS.find(name), pretrained, Path(source)), **settings}
    with LazyGuard():  # the parameters get the file's values without being drawn first
        model = network(name, task, num_classes, dropout, settings)
    load(model, source)
    return model.materialize()


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


def load(model: Any, source: Union[str, os.PathLike[str]]) -> None:
    """Load weights of any origin into a model, as :func:`build` says.

    Args:
        model: an encoder, or a head with one.
        source: a file, a folder or an archive.

    Raises:
        ValueError: the file does not fit the encoder.
        FileNotFoundError: there is no such file.
    """
    path = _file(Path(source))
    shapes = {key: list(tensor.shape) for key, tensor in model.state_dict().items()}
    head_names = tuple(getattr(model, "head_names", ()))
    encoder = model.encoder if head_names else model
    prefix = f"{model.base_model_prefix}." if head_names else ""
    older = list(encoder.official_names()) if hasattr(encoder, "official_names") else fluid.older(shapes)
    values = todays(read_weights(path, older), encoder, prefix, head_names)
    own = tuple(f"{name}." for name in (*([prefix[:-1]] if prefix else parts_of(encoder)), *head_names))
    has_pooler = any(key.startswith(f"{prefix}pooler.") for key in shapes)
    if not has_pooler:
        values = {key: value for key, value in values.items() if not key.startswith(f"{prefix}pooler.")}
    kept = {key: value for key, value in values.items() if key in shapes or key.startswith(own)}
    if values.keys() - kept.keys():
        _logger.info("%s: of another task, not used: %s", path, ", ".join(sorted(values.keys() - kept.keys())))
    _check_vocabulary(path, prefix, kept, shapes)
    fresh = list(head_names)
    if has_pooler and not any(key.startswith(f"{prefix}pooler.") for key in kept):
        fresh.append(f"{prefix}pooler")
    load_weights(model, os.fspath(path), adapt_head=fresh, rename=lambda _: kept, names=older)


def todays(
    values: Mapping[str, numpy.ndarray], encoder: Any, prefix: str, head_names: Sequence[str] = ()
) -> dict[str, numpy.ndarray]:
    """Return the entries of a file of any origin under the names that they have here.

    Args:
        values: name to array, as in the file.
        encoder: whose file it is; a family whose older or foreign names are not BERT's has ``renamed``.
        prefix: what precedes the encoder's names here: "ernie."; "" for an encoder alone.
        head_names: layers on top.
    """
    if hasattr(encoder, "renamed"):
        values = encoder.renamed(values)
    elif fluid.is_fluid(values):
        values = fluid.renamed(values)
    elif hugging_face.is_hugging_face(values):
        values = hugging_face.renamed(values)
    parts = parts_of(encoder)
    found = {}
    for name, value in values.items():
        name = name.replace("predictions.decoder_weight", "predictions.decoder.weight")  # paddlenlp before 2.4
        first, _, rest = name.partition(".")
        if first in parts:
            name = prefix + name
        elif first not in head_names and rest.partition(".")[0] in parts:
            name = prefix + rest
        found[name] = value
    return found


def parts_of(encoder: Any) -> set[str]:
    """Return the names of an encoder's layers, and the pooler's, by which its entries are known in a file.

    Args:
        encoder: the encoder.
    """
    return {name.partition(".")[0] for name in encoder.state_dict()} | {"pooler"}


def _source(name: str, pretrained: Any) -> str:
    """Return the local path of weights, which are downloaded on first use if they are official ones."""
    wanted = name if pretrained is True else os.fspath(pretrained)
    checkpoint = CHECKPOINTS.get(MODELS.aliases.get(wanted, wanted))
    if checkpoint is None:
        if pretrained is True:
            raise ValueError(
                f"{name} stands for networks of any size, for which no weights are published: name a"
                " checkpoint of PaddleNLP.list_models(), or pass pretrained=PATH with a file of your own"
            )
        check_weights(wanted, CHECKPOINTS)
        return wanted
    family = CHECKPOINTS[name].family if name in CHECKPOINTS else name
    if checkpoint.family != family:
        raise ValueError(f"the checkpoint {wanted!r} is of the family {checkpoint.family}, not {family}")
    if checkpoint.record.sha256 is None:
        _logger.warning(
            "the SHA-256 of %s is not known: that the file is the published one could not be verified",
            checkpoint.record.url,
        )
    return os.fspath(fetch(checkpoint.record))


def _settings_of(name: str, pretrained: Any, source: Path) -> dict[str, Any]:
    """Return what the weights say of the size of a network that has none of its own."""
    wanted = CHECKPOINTS.get(MODELS.aliases.get(str(pretrained), str(pretrained)))
    if name in CHECKPOINTS:
        return {}
    if wanted is not None:
        return dict(wanted.settings)
    if not source.is_dir():
        return {}
    return folder_settings(source, signature_of(MODELS.resolve(name)).parameters, fluid=_file(source) == source)


def _file(path: Path) -> Path:
    """Return the file of weights in a folder; the path itself of another one."""
    return next((path / name for name in FILES if (path / name).is_file()), path)


def _check_vocabulary(path: Path, prefix: str, values: Mapping[str, Any], shapes: Mapping[str, Any]) -> None:
    """Refuse a table of words of another vocabulary."""
    for table in (f"{prefix}embeddings.word_embeddings.weight", f"{prefix}word_embeddings.weight"):
        if table in values and table in shapes and values[table].shape[0] != shapes[table][0]:
            rows = values[table].shape[0]
            raise ValueError(
                f"{os.fspath(path)!r} is of a vocabulary of {rows} tokens, the model has {shapes[table][0]}: pass"
                f" vocab_size={rows}, and the vocabulary file that belongs to these weights"
            )
