"""Lists, tuples and dictionaries within each other, as one flat list and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable


def is_sequence(seq: Any) -> bool:
    """Return whether something is a list, tuple or dictionary, or the like; text is not.

    Args:
        seq: anything.
    """
    return isinstance(seq, Mapping) or (isinstance(seq, Sequence) and not isinstance(seq, str))


def to_sequence(nest: Any) -> Any:
    """Return what is a sequence, and anything else as a list of one.

    Args:
        nest: anything.
    """
    return nest if is_sequence(nest) else [nest]


def _items(nest: Any) -> Iterator[Any]:
    return iter([nest[key] for key in sorted(nest)]) if isinstance(nest, Mapping) else iter(nest)


def flatten(nest: Any) -> list[Any]:
    """Return everything in a structure as one list, dictionaries in the order of their sorted keys.

    Args:
        nest: lists, tuples and dictionaries within each other, or a single thing.
    """
    if not is_sequence(nest):
        return [nest]
    return [leaf for item in _items(nest) for leaf in flatten(item)]


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """Put the things of a list into a structure; undoes :func:`flatten`.

    Args:
        structure: the structure; what it holds is replaced.
        flat_sequence: as many things.

    Raises:
        TypeError: ``flat_sequence`` is no sequence.
        ValueError: their number differs.
    """
    if not is_sequence(flat_sequence):
        raise TypeError(f"pack_sequence_as: flat_sequence must be a list, not {type(flat_sequence).__name__}")
    wanted = len(flatten(structure))
    if len(flat_sequence) != wanted:
        raise ValueError(f"pack_sequence_as: the structure holds {wanted} things, flat_sequence {len(flat_sequence)}")
    return _packed(structure, iter(flat_sequence))


def _packed(structure: Any, flat: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(flat)
    items = [_packed(item, flat) for item in _items(structure)]
    if isinstance(structure, Mapping):
        values = dict(zip(sorted(structure), items))
        return type(structure)((key, values[key]) for key in structure)  # type: ignore[call-arg]  # as Paddle makes it
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items) if isinstance(structure, (list, tuple)) else items


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """Return a structure of a function's results.

    Args:
        func: the function; it gets a thing of each structure.
        *structure: structures of the same form.

    Raises:
        TypeError: the kinds of sequences differ.
        ValueError: their sizes differ, or there is no structure.
    """
    if not structure:
        raise ValueError("map_structure: give at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    results = [func(*things) for things in zip(*[flatten(nest) for nest in structure])]
    return pack_sequence_as(structure[0], results)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Refuse structures of different forms.

    Args:
        nest1: one structure.
        nest2: the other.
        check_types: whether a list differs from a tuple.

    Raises:
        TypeError: the kinds of sequences differ.
        ValueError: their sizes or keys differ, or a sequence meets a single thing.
    """
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueError(f"the structures differ: {nest1!r} against {nest2!r}")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"the structures differ: a {type(nest1).__name__} against a {type(nest2).__name__}")
    if len(nest1) != len(nest2) or (isinstance(nest1, Mapping) and set(nest1) != set(nest2)):
        raise ValueError(f"the structures differ: {nest1!r} against {nest2!r}")
    for first, second in zip(_items(nest1), _items(nest2)):
        assert_same_structure(first, second, check_types)


def convert_to_list(value: Any, n: int, name: str, dtype: type = int) -> list[Any]:
    """Return a number repeated, or a sequence as a list.

    Args:
        value: a number, or a sequence of n numbers.
        n: how many.
        name: the name of the argument, for the message.
        dtype: the class of the numbers.

    Raises:
        ValueError: the sequence has another length, or something in it is no such number.
    """
    values = [value] * n if isinstance(value, dtype) else value
    try:
        values = list(values)
        if len(values) != n:
            raise TypeError
        return [dtype(item) for item in values]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {n} times {dtype.__name__}, not {value!r}") from None
