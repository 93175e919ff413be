"""The preprocessing that an exported folder stores, for what runs it without the toolkit's config."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Union

from core.train.config.table import Component, Table


def stored_transforms(
    path: Union[str, os.PathLike[str]], toolkit: str, stored: Any, tables: Mapping[str, Table]
) -> dict[str, list[Component]]:
    """Return the transforms that an exported folder stores, checked, so that they can be built.

    Args:
        path: the folder, for messages.
        toolkit: whose export command writes such folders: "PaddleClas".
        stored: lists of transforms by key, as they were read; they may be anything.
        tables: the transforms that there are, by key.

    Raises:
        ValueError: a key is missing or surplus, holds no list, or names what cannot be built.
    """
    lists = isinstance(stored, dict) and set(stored) == set(tables)
    if not lists or not all(isinstance(part, list) for part in stored.values()):
        raise ValueError(f"{os.fspath(path)!r} was not exported by {toolkit}/export.py: it has no preprocessing")
    try:
        return {
            key: [table.check(Component.model_validate(part)) for part in stored[key]] for key, table in tables.items()
        }
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"the preprocessing in {os.fspath(path)!r} cannot be built: {reason}") from None
