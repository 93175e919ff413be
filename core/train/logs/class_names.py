"""The classes' names in the folder of a run."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pydantic

from core.train.logs.run_folder import RunFolder
from core.weights.atomic import atomic_write

CLASS_NAMES = "classes.json"
_NAMES = pydantic.TypeAdapter(list[str], config=pydantic.ConfigDict(strict=True))


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

    Raises:
        ValueError: the file holds something else.
    """
    file = folder.path / CLASS_NAMES
    try:
        names = _NAMES.validate_json(file.read_bytes()) if file.is_file() else []
    except pydantic.ValidationError as error:
        (first, *_) = error.errors(include_url=False, include_input=False)
        place = "".join(f"entry {number}: " for number in first["loc"])
        raise ValueError(f"{str(file)!r} should be a list of the classes' names: {place}{first['msg']}") from None
    return [*names, *(str(number) for number in range(len(names), class_num))]
