"""Errors of the dispatcher: one clear line, with the path of the layers that were running."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

_LIBRARIES = (str(Path(__file__).parents[2]), str(Path(np.__file__).parent))


class OperatorError(ValueError):
    """A wrong shape, value or attribute given to an operator.

    Layers append their names while the error travels up, so that the message ends with the path to the failing layer.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.layers: list[str] = []

    def __str__(self) -> str:
        if not self.layers:
            return self.message
        return f"{self.message} [in {' > '.join(reversed(self.layers))}]"


class UnknownSizeError(OperatorError):
    """A program is traced, or run, in a way that holds for some of its unknown sizes only."""


class OperatorTypeError(OperatorError, TypeError):
    """A wrong element type or Python type given to an operator."""


class OperatorIndexError(OperatorError, IndexError):
    """An index outside the axis or table that it addresses."""


def user_line() -> str:
    """Return ``file:line`` of the innermost caller outside core and numpy."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
