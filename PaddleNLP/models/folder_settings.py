"""Settings in a folder of weights: paddlenlp's and Hugging Face's ``config.json``, and the files of older releases."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic_core import PydanticCustomError

from core.train.config.signatures import check_argument

FILES = ("config.json", "model_config.json", "ernie_config.json", "bert_config.json")
"""Of paddlenlp since 2.5 and Hugging Face; of paddlenlp before; of Fluid 1.x."""

OLDER = {"sent_type_vocab_size": "type_vocab_size"}
"""Names in files of Fluid 1.x to today's."""

LARGEST = 1_000_000
"""Bytes of such a file; real ones have a few thousand."""


def folder_settings(folder: Path, parameters: Mapping[str, inspect.Parameter], fluid: bool) -> dict[str, Any]:
    """Return an encoder's settings from the file of a folder; none where there is no such file.

    Args:
        folder: the folder.
        parameters: what the encoder's class takes; the file's other entries are not read.
        fluid: whether its weights are of Fluid 1.x, whose layer normalisation adds 1e-5 where the file does not say.

    Raises:
        ValueError: the file is none of JSON, or a setting in it is of another type.
    """
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    found = {} if path is None else _read(path)
    settings = {name: value for name, value in found.items() if name in parameters and value is not None}
    for name, value in settings.items():
        try:
            check_argument(str(path), name, value, parameters[name].annotation)
        except PydanticCustomError as error:
            raise ValueError(str(error)) from None
    return {"layer_norm_eps": 1e-5, **settings} if fluid and "layer_norm_eps" in parameters else settings


def _read(path: Path) -> dict[str, Any]:
    """Return the entries of a file under today's names."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{os.fspath(path)!r} has more than {LARGEST:,} bytes, which no file of settings has")
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ValueError(f"cannot read the settings in {os.fspath(path)!r}: {reason}") from None
    while isinstance(content, dict) and isinstance(content.get("init_args"), (list, tuple)):
        inner = next((one for one in content["init_args"] if isinstance(one, dict)), {})  # the encoder's, in a head's
        content = {**{name: value for name, value in content.items() if name != "init_args"}, **inner}
    if not isinstance(content, dict):
        raise ValueError(f"cannot read the settings in {os.fspath(path)!r}: it holds no settings by name")
    return {str(OLDER.get(name, name)): value for name, value in content.items()}
