"""Weight files: one network's, or a checkpoint of ppgan with several networks, of which one is taken."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from core.weights import file_format, load_weights, read_pickle

PREFIXES = {"generator": ("netG", "net_gen"), "discriminator": ("netD", "net_des")}
"""How ppgan's checkpoints name their networks: ``netG``, or ``netG_A`` and ``netG_B``, and so on; ``net_gen`` and
``net_des`` those of PhotoPen."""


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
        name: value for name, value in content.items() if name.startswith("net") and isinstance(value, Mapping)
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
    load_weights(network, {key: value for key, value in arrays.items() if hasattr(value, "shape")})
