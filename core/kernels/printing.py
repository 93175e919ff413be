"""How a tensor's elements are shown as text."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

_options: dict[str, Any] = {"precision": 8, "threshold": 200, "edgeitems": 3, "linewidth": 75, "sci_mode": None}
_LEAST = {"precision": 0, "threshold": 0, "edgeitems": 1, "linewidth": 1}


def set_printoptions(
    precision: Optional[int] = None,
    threshold: Optional[int] = None,
    edgeitems: Optional[int] = None,
    sci_mode: Optional[bool] = None,
    linewidth: Optional[int] = None,
) -> None:
    """Choose how tensors are shown; what is None stays as it is.

    Args:
        precision: digits after the point.
        threshold: with more elements than this, only the outer ones are shown.
        edgeitems: how many of them at each end of an axis.
        sci_mode: whether numbers are shown with an exponent; as they need it, unless this is ever set.
        linewidth: characters of a line.

    Raises:
        TypeError: an argument is no integer, or ``sci_mode`` no bool.
        ValueError: an argument is too small.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise TypeError(f"set_printoptions: {name} must be an int, not {value!r}")
        if value is not None and value < _LEAST[name]:
            raise ValueError(f"set_printoptions: {name} must be at least {_LEAST[name]}, not {value}")
    if sci_mode is not None and not isinstance(sci_mode, bool):
        raise TypeError(f"set_printoptions: sci_mode must be a bool, not {sci_mode!r}")
    given["sci_mode"] = sci_mode
    _options.update({name: value for name, value in given.items() if value is not None})


def elements_text(array: np.ndarray) -> str:
    """Return an array's elements as indented text, as :func:`set_printoptions` expects them."""
    exponent, digits = _options["sci_mode"], _options["precision"]
    formatter: Any = None
    if exponent is not None:
        formatter = {"float_kind": lambda number: f"{number:.{digits}{'e' if exponent else 'f'}}"}
    return np.array2string(
        array,
        separator=", ",
        prefix=" " * 7,
        precision=digits,
        threshold=_options["threshold"],
        edgeitems=_options["edgeitems"],
        max_line_width=_options["linewidth"],
        formatter=formatter,
    )
