"""Helpers around models (paddle.utils): structures of tensors, names, versions, downloads. It loads no engine."""

from __future__ import annotations

import importlib
from typing import Any

from core.utils import download, unique_name
from core.utils.environment import deprecated, require_version, try_import
from core.utils.structures import (
    assert_same_structure,
    convert_to_list,
    flatten,
    is_sequence,
    map_structure,
    pack_sequence_as,
    to_sequence,
)

__all__ = [
    "assert_same_structure", "convert_to_list", "deprecated", "download", "flatten", "is_sequence", "map_structure",
    "pack_sequence_as", "require_version", "run_check", "to_sequence", "try_import", "unique_name",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "run_check":
        return importlib.import_module("core.utils.check").run_check
    raise AttributeError(f"core.utils has no attribute {name!r}")
