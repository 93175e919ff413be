"""Weights of a network: official ones, one network's file, or a checkpoint of ppgan, of which one network is taken."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from core.train.config.table import check_weights
from core.weights import fetch, file_format, load_weights, read_pickle
from PaddleGAN.models.weights import CHECKPOINTS, own_checkpoint

Pretrained = Union[bool, str, "os.PathLike[str]", None]
"""False or None for fresh weights, True for the official ones, the name of a published checkpoint, or a file's path."""

PREFIXES = {"generator": ("netG", "net_gen", "gen"), "discriminator": ("netD", "net_des", "dis")}
"""How ppgan's checkpoints name their networks: ``netG``, or ``netG_A`` and ``netG_B``, and so on; ``net_gen`` and
``net_des`` those of PhotoPen; ``gen``, ``genA2B``, ``generator`` and so on those of later models."""

_NETWORKS = ("net", "gen", "dis", "style_encoder", "mapping_network")
"""How the entries of ppgan's checkpoints begin that are networks."""

_logger = logging.getLogger(__name__)


def build(table: Any, name: str, pretrained: Pretrained, part: Optional[str], arguments: Mapping[str, Any]) -> Any:
    """Return a network, with weights where they are asked for.

    Args:
        table: of generators, or of discriminators.
        name: of the network.
        pretrained: False or None, True (the official weights), the name of one of
            :data:`PaddleGAN.models.weights.CHECKPOINTS`, or the path of a weight file.
        part: which network of a file with several; None for the only one of the kind.
        arguments: of the network; what an official file was made with need not be given.

    Raises:
        TypeError: ``pretrained`` is something else, or the network takes no such argument, or lacks one.
        ValueError: no weights are published, or the file does not fit.
        FileNotFoundError: there is no such file.
        ConnectionError: the official file is neither in the cache nor within reach.
    """
    name = table.find(name)
    if pretrained is None or pretrained is False:
        if part is not None:
            raise ValueError(f"part={part!r} names a network of a file, and pretrained names no file")
        return table.resolve(name)(**arguments)
    if not isinstance(pretrained, (bool, str, os.PathLike)):
        raise TypeError(f"pretrained must be a bool, a checkpoint's name or a path, not {pretrained!r}")
    chosen = own_checkpoint(name) if isinstance(pretrained, bool) else os.fspath(pretrained)
    if chosen is None:
        raise ValueError(f"no weights are published for {name}: pass pretrained=PATH with a file of your own")
    checkpoint = CHECKPOINTS.get(chosen)
    if checkpoint is None:
        check_weights(chosen, [key for key, one in CHECKPOINTS.items() if one.network == name])
        network = table.resolve(name)(**arguments)
        load(network, chosen, part, table.kind)
        return network
    if checkpoint.network != name:
        raise ValueError(f"the checkpoint {chosen!r} is of the network {checkpoint.network}, not {name}")
    network = table.resolve(name)(**{**checkpoint.arguments, **arguments})
    if checkpoint.record.sha256 is None:
        _logger.warning(
            "the SHA-256 of %s is not known: that the file is the published one could not be verified",
            checkpoint.record.url,
        )
    load(network, fetch(checkpoint.record), part or checkpoint.part, table.kind)
    return network


def load(network: Any, path: Union[str, os.PathLike[str]], part: Optional[str], kind: str) -> None:
    """Load a file's weights into a network; nothing is written unless all of them fit.

    Args:
        network: a Layer.
        path: the file.
        part: which network of a checkpoint; None for the only one of the kind.
        kind: ``"generator"`` or ``"discriminator"``.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file does not fit, has no such part, or has several and none is named.
    """
    content = read_pickle(path) if file_format(path) == "paddle" else {}
    parts = {
        name: value for name, value in content.items() if name.startswith(_NETWORKS) and isinstance(value, Mapping)
    }
    if not parts:
        if part is not None:
            raise ValueError(f"{os.fspath(path)!r} holds one network, so there is no part {part!r} to take")
        load_weights(network, path)
        return
    choices = [name for name in parts if name.startswith(PREFIXES[kind])] if part is None else [part]
    if len(choices) != 1 or choices[0] not in parts:
        asked = f"no {part!r}" if part is not None else f"{len(choices)} of a {kind}"
        raise ValueError(f"{os.fspath(path)!r} has the parts {', '.join(parts)}, {asked}; choose one with part=")
    arrays = {key: value[1] if isinstance(value, tuple) else value for key, value in parts[choices[0]].items()}
    try:
        load_weights(network, {key: value for key, value in arrays.items() if hasattr(value, "shape")})
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)!r}, {choices[0]}: {error}") from None
