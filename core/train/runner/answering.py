"""What the inference commands share: one source after the other is answered, and what cannot be read is reported."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Protocol, TypeVar, Union

from tqdm import tqdm

from core.jit.exported.file import is_exported
from core.train.logs.run_folder import OutputError
from core.weights.atomic import atomic_write

PREDICTIONS = "predictions.json"
"""The file of an inference's answers."""


class Named(Protocol):
    """What is asked about."""

    @property
    def name(self) -> str:
        """Its path, or what it is called."""
        ...


Source = TypeVar("Source", bound=Named)


def predictions_folder(path: Union[str, Path], output: Optional[str] = None) -> Path:
    """Return where an inference writes: in a run's folder, or beside an exported one, which stays as it is.

    Args:
        path: the folder of the run, or the exported one.
        output: another folder that was asked for.
    """
    if output:
        return Path(output)
    return Path(f"{path}_predictions") if is_exported(path) else Path(path) / "predictions"


def answer_each(
    sources: Sequence[Source],
    answer: Callable[[Source], dict[str, Any]],
    line: Callable[[dict[str, Any]], str],
    kind: Callable[[Source], str],
) -> Iterator[dict[str, Any]]:
    """Yield a record for each source, and print its line; of one that cannot be read the reason, on standard error.

    Args:
        sources: what to answer; a terminal shows a progress bar over them.
        answer: returns what is known of a source; an OSError or ValueError says why it cannot.
        line: returns a record's line.
        kind: returns what a source is: "image", "video".

    Yields:
        What ``answer`` returns, or the source's name under its kind and "error", one line.

    Raises:
        OutputError: a result cannot be written.
    """
    unit = kind(sources[0]) if sources else ""
    for source in tqdm(sources, unit=unit, dynamic_ncols=True, disable=not sys.stderr.isatty()):
        try:
            record = answer(source)
        except OutputError:
            raise
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            record = {kind(source): source.name, "error": reason}
            tqdm.write(f"error: {reason}", file=sys.stderr)
        else:
            tqdm.write(line(record))
        yield record


def write_predictions(folder: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write the records of an inference as JSON, whole or not at all.

    Args:
        folder: where to.
        records: what was found.
    """
    text = json.dumps(list(records), indent=1, ensure_ascii=False) + "\n"
    with atomic_write(folder / PREDICTIONS) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))
