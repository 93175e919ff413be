"""The file that ActivityNet's server and its scripts read: the intervals that were found in each video."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.weights.atomic import atomic_write

SUBMISSION = "submission.json"


def rows_of(found: np.ndarray, class_names: Sequence[str]) -> list[dict[str, Any]]:
    """Return intervals as a submission has them.

    Args:
        found: class, score, begin and end in seconds, (M, 4).
        class_names: the classes; of proposals there is one, which is left out.
    """
    return [
        {
            **({"label": class_names[int(kind)]} if len(class_names) > 1 else {}),
            "score": float(score),
            "segment": [float(begin), float(end)],
        }
        for kind, score, begin, end in found
    ]


def write_submission(folder: Path, results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Write submission.json into a folder; return its name.

    Args:
        folder: where to.
        results: intervals by the name of the video; a leading ``v_``, which the data set's files have, is left out.
    """
    named = {name[2:] if name.startswith("v_") else name: rows for name, rows in results.items()}
    whole = {"version": "VERSION 1.3", "results": named, "external_data": {}}
    with atomic_write(folder / SUBMISSION) as stream:
        stream.write((json.dumps(whole, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
    return SUBMISSION
