"""Many small arrays in one small file: one flat array for each type, and an index of names, types and shapes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).with_name("references")
REFUSED = FOLDER / "refused.txt"


def save(family: str, arrays: Mapping[str, np.ndarray]) -> Path:
    """Write the arrays of a family and return the file's path."""
    index = [(name, array.dtype.name, list(array.shape)) for name, array in sorted(arrays.items())]
    parts: dict[str, list[np.ndarray]] = {}
    for name, dtype, _ in index:
        parts.setdefault(dtype, []).append(arrays[name].ravel())
    flat = {dtype: np.concatenate(values) for dtype, values in sorted(parts.items())}
    text = np.frombuffer(json.dumps(index, separators=(",", ":")).encode(), np.uint8)
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{family}.npz", index=text, **flat)
    return FOLDER / f"{family}.npz"


def load(family: str) -> dict[str, np.ndarray]:
    """Read the arrays of a family."""
    with np.load(FOLDER / f"{family}.npz") as archive:
        flat = {name: archive[name] for name in archive.files}
    found = {}
    offsets = dict.fromkeys(flat, 0)
    for name, dtype, shape in json.loads(flat["index"].tobytes()):
        start = offsets[dtype]
        offsets[dtype] = start + math.prod(shape)
        found[name] = flat[dtype][start : offsets[dtype]].reshape(shape)
    return found


def save_refused(family: str, lines: list[str]) -> None:
    """Replace a family's lines in the list of what Paddle refuses: "family | case | types | reason"."""
    others = [line for line in REFUSED.read_text().splitlines() if line] if REFUSED.exists() else []
    kept = [line for line in others if line.split(" | ")[0] != family]
    REFUSED.write_text("".join(f"{line}\n" for line in sorted(kept + lines)))


def load_refused() -> set[tuple[str, str, str]]:
    """Return what Paddle refuses: (family, case, type)."""
    found = set()
    for line in REFUSED.read_text().splitlines():
        family, case, types, _ = line.split(" | ", 3)
        found.update((family, case, dtype) for dtype in types.split())
    return found
