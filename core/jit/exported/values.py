"""The values that a program's file holds, read strictly: attributes, sizes, forms, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.jit.exported.program import SizeExpression
from core.kernels.dtypes import BY_NAME
from core.kernels.sizes.dimension import ARITHMETIC, LARGEST
from core.kernels.sizes.size_expression import MAXIMUM_DEPTH, MAXIMUM_PARTS

KINDS = ("parameter", "buffer", "constant")
MAXIMUM_RANK = 64
_FLOATS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


class DamagedProgram(ValueError):
    """A file that is no sound program; the message says where."""


def require(good: bool, place: str, wanted: str, found: Any) -> None:
    """Raise DamagedProgram unless something is as it must be."""
    if not good:
        raise DamagedProgram(f"{place} must be {wanted}, not {repr(found)[:60]}: the file is damaged")


def check_keys(entry: Any, kinds: Mapping[str, type], place: str) -> None:
    """Make sure that an entry is a JSON object with exactly these keys, each of its kind."""
    require(isinstance(entry, dict), place, "an object", entry)
    for key in entry:
        if key not in kinds:
            raise DamagedProgram(f"{place} has the unknown key {key[:60]!r}: the file is damaged")
    for key, kind in kinds.items():
        if key not in entry:
            raise DamagedProgram(f"{place} lacks the key {key!r}: the file is damaged")
        value = entry[key]
        good = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
        wanted = {"str": "text", "dict": "an object", "int": "an int"}.get(kind.__name__, f"a {kind.__name__}")
        require(good, f"{place}.{key}", wanted, value)


def read_attribute(value: Any, place: str) -> Any:
    """Return an operator's attribute from its JSON form."""
    if isinstance(value, list):
        return tuple([read_attribute(item, place) for item in value])
    if isinstance(value, dict):
        require(len(value) == 1, place, "one tagged value", value)
        ((tag, content),) = value.items()
        if tag == "dtype":
            require(isinstance(content, str) and content in BY_NAME, place, "a known dtype", content)
            return BY_NAME[content]
        if tag == "float":
            require(isinstance(content, str) and content in _FLOATS, place, "inf, -inf or nan", content)
            return _FLOATS[content]
        require(tag == "size", place, "a number, text, a list, or a dtype, float or size", value)
        return read_size(value, place)
    return value


def read_size(value: Any, place: str) -> Any:
    """Return a number or SizeExpression from its JSON form."""
    if isinstance(value, dict):
        require(list(value) == ["size"], place, "a size", value)
        return SizeExpression(_expression(value["size"], place))
    return _number(value, place)


def _number(value: Any, place: str) -> Any:
    require(type(value) in (int, float), place, "a number or a size", value)
    if type(value) is int:
        check_whole(value, place)
    return value


def check_whole(number: int, place: str) -> None:
    """Make sure that a whole number in a size or comparison is within bounds."""
    if abs(number) > LARGEST:
        raise DamagedProgram(f"{place} holds the whole number {number:.7g}, beyond 2**31: the file is damaged")


def _expression(value: Any, place: str) -> Any:
    """Return nested tuples from the nested lists of an expression of sizes, which may be of any form and size."""
    depths: list[tuple[Any, int]] = [(value, 1)]
    for count, (part, depth) in enumerate(depths, 1):  # the list grows while it is read
        if count > MAXIMUM_PARTS or (isinstance(part, list) and depth > MAXIMUM_DEPTH):
            raise DamagedProgram(
                f"{place} is an expression of more than {MAXIMUM_PARTS:,} parts or {MAXIMUM_DEPTH} levels: the file is"
                " damaged"
            )
        if not isinstance(part, list):
            _number(part, place)
            continue
        require(len(part) == 3, place, "an expression of sizes", part)
        sign, first, second = part
        if sign == "size":
            good = isinstance(first, str) and type(second) is int and 0 <= second < MAXIMUM_RANK
            require(good, place, "the name of a value and an axis", part)
        else:
            require(isinstance(sign, str) and sign in ARITHMETIC, place, "an arithmetic operation", sign)
            depths += [(first, depth + 1), (second, depth + 1)]
    return _tuples(value)


def _tuples(value: Any) -> Any:
    return tuple([_tuples(part) for part in value]) if isinstance(value, list) else value


def read_form(value: Any, place: str) -> Any:
    """Return a form (see core.jit.forms) from its JSON form."""
    require(isinstance(value, dict) and len(value) == 1, place, "one tagged form", value)
    ((kind, content),) = value.items()
    if kind == "tensor":
        require(type(content) is int and content >= 0, place, "a tensor's number", content)
        return (kind, content)
    if kind in ("list", "tuple"):
        require(isinstance(content, list), place, "a list of forms", content)
        return (kind, [read_form(part, f"{place}[{i}]") for i, part in enumerate(content)])
    if kind == "dict":
        good = isinstance(content, list) and all(
            isinstance(pair, list) and len(pair) == 2 and type(pair[0]) in (str, int) for pair in content
        )
        require(good, place, "a list of pairs", content)
        return (kind, [(key, read_form(part, f"{place}[{key!r:.60}]")) for key, part in content])
    require(kind == "constant", place, "a tensor, list, tuple, dict or constant", kind)
    content = read_attribute(content, place)
    require(content is None or type(content) in (bool, int, float, str), place, "a plain constant", content)
    return (kind, content)
