"""Files that evaluators write: rows kept on disk while they are gathered, and put into place as a whole."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Optional

import numpy as np

from core.train.logs.run_folder import OutputError, writing
from core.weights.atomic import atomic_write

_JOINS = {".jsonl": (b"", b"\n", b"\n"), ".json": (b"[\n", b",\n", b"\n]\n")}


class ResultFile:
    """Rows of JSON that an evaluator appends batch by batch, and writes into a folder at the end.

    Until then they are in a file without a name in the system's folder for temporary files (``TMPDIR``), which goes
    with the process, however it ends: a large test set takes no memory, an interrupted evaluation leaves nothing.

    Args:
        name: the file's name. ``.jsonl``: each row is a line; ``.json``: the rows are one array, as in COCO's results.

    Raises:
        ValueError: the name is no plain file name that ends so.
    """

    def __init__(self, name: str) -> None:
        if os.path.basename(name) != name or Path(name).suffix not in _JOINS:
            raise ValueError(f"a result file's name is NAME.json or NAME.jsonl, without a folder, not {name!r}")
        self.name = name
        self._rows: Optional[IO[bytes]] = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, row: Any) -> None:
        """Add a row.

        Args:
            row: what JSON can hold, with numpy numbers and arrays in it.

        Raises:
            ValueError: JSON cannot hold it.
            OutputError: the disk of temporary files is full.
        """
        try:
            text = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_plain)
        except (TypeError, ValueError) as error:
            raise ValueError(f"row {self._count} of {self.name} cannot be written as JSON: {error}") from None
        with self._temporary():
            if self._rows is None:
                self._rows = tempfile.TemporaryFile("a+b")
                weakref.finalize(self, _close, self._rows)
            opening, between, _ = _JOINS[Path(self.name).suffix]
            self._rows.write((between if self._count else opening) + text.encode("utf-8", "backslashreplace"))
        self._count += 1

    def write(self, folder: Path) -> str:
        """Write the rows so far into a folder, all of them or, when that fails, none.

        Args:
            folder: where to; an older file of the name is replaced.

        Returns:
            The file's name.

        Raises:
            OutputError: there is no room for it; names the file.
        """
        path = Path(folder) / self.name
        opening, _, closing = _JOINS[path.suffix]
        if self._rows is not None:
            with self._temporary():
                self._rows.seek(0)
        with writing(path), atomic_write(path) as target:
            if self._rows is not None:
                shutil.copyfileobj(self._rows, target, 1 << 20)
                target.write(closing)
            elif opening:
                target.write(b"[]\n")
        return self.name

    @contextlib.contextmanager
    def _temporary(self) -> Iterator[None]:
        """Say, when the system refuses it, that the rows have no room before they are put into place."""
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"cannot keep the rows of {self.name!r} in {tempfile.gettempdir()!r}: {error.strerror or error}; "
                "set TMPDIR to a folder with more room"
            ) from None


def _plain(value: Any) -> Any:
    """Return numpy's numbers and arrays as Python's."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"it holds a {type(value).__name__}")


def _close(rows: IO[bytes]) -> None:
    with contextlib.suppress(OSError):  # what is still to be written has no room
        rows.close()
