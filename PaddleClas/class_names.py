"""The classes' names in the folder of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.train.run_folder import RunFolder
from core.weights.atomic import atomic_write

CLASS_NAMES = "classes.json"


def write_class_names(folder: RunFolder, names: Sequence[str]) -> None:
    """Write the classes' names into a run's folder.

    Args:
        folder: the run's folder.
        names: the names, in the order of their numbers.
    """
    with atomic_write(folder.path / CLASS_NAMES) as stream:
        stream.write(json.dumps(list(names), ensure_ascii=False).encode("utf-8"))


def read_class_names(folder: RunFolder, class_num: int) -> list[str]:
    """Read the classes' names from a run's folder; classes without a name get their number.

    Args:
        folder: the run's folder.
        class_num: how many classes the network has.
    """
    file = folder.path / CLASS_NAMES
    names: list[Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return [*names, *(str(number) for number in range(len(names), class_num))]
