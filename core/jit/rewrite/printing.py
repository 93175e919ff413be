"""Text with tensors in it, which are filled in when the program runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

from core.jit.control_flow.conditionals import note
from core.jit.control_flow.operators import Print
from core.kernels.dispatch.errors import OperatorError
from core.tensor import Tensor


class Text(str):
    """A text with tensors in it, whose values only a run of the program will know."""

    pieces: list[Optional[str]]
    tensors: list[Tensor]

    def __new__(cls, pieces: list[Optional[str]], tensors: list[Tensor]) -> Text:
        """Return the text; as a str it shows the tensors as they are while they are traced."""
        remaining = iter(tensors)
        made = super().__new__(cls, "".join([str(next(remaining)) if piece is None else piece for piece in pieces]))
        made.pieces, made.tensors = pieces, tensors
        return made


def spell(item: Any, text: Callable[[Any], str]) -> tuple[list[Optional[str]], list[Tensor]]:
    """Return an object as printed, in pieces: text, and None in the place of each tensor."""
    pieces: list[Optional[str]] = []
    tensors: list[Tensor] = []

    def walk(part: Any, text: Callable[[Any], str]) -> None:
        if isinstance(part, Tensor):
            pieces.append(None)
            tensors.append(part)
        elif isinstance(part, Text):
            pieces.extend(part.pieces)
            tensors.extend(part.tensors)
        elif type(part) in (list, tuple):
            left, right = "[]" if isinstance(part, list) else ("(", ",)" if len(part) == 1 else ")")
            walk_all(left, [(None, item) for item in part], right)
        elif type(part) is dict:
            walk_all("{", list(part.items()), "}")
        else:
            pieces.append(text(part))

    def walk_all(left: str, items: Sequence[tuple[Any, Any]], right: str) -> None:
        pieces.append(left)
        for i, (key, part) in enumerate(items):
            pieces.append((", " if i else "") + ("" if left != "{" else f"{key!r}: "))
            walk(part, repr)
        pieces.append(right)

    walk(item, text)
    return pieces, tensors


def traced_print(*items: Any, sep: Optional[str] = " ", end: Optional[str] = "\n", **options: Any) -> None:
    """Print, when the program runs if a tensor is among the items, otherwise now."""
    pieces: list[Optional[str]] = []
    tensors: list[Tensor] = []
    for i, item in enumerate(items):
        if i:
            pieces.append(" " if sep is None else sep)
        more, found = spell(item, str)
        pieces += more
        tensors += found
    if not tensors:
        print(*items, sep=sep, end=end, **options)
        return
    if options.get("file") is not None:
        raise OperatorError("print: a compiled program prints tensors to standard output only: leave file out")
    pieces.append("\n" if end is None else end)
    note(Print({}, {"pieces": pieces}), [tensor._value for tensor in tensors], [])
