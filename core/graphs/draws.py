"""Random draws that follow from a key alone: the same for any number of threads and processes."""

from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np

from core.graphs.adjacency import Adjacency
from core.graphs.checks import FLOAT32, FLOATS, INT64, check_array, checked_ids, checked_integer, checked_key
from core.kernels.graphs.graph_results import AliasTables


def random_key(*numbers: int) -> np.uint64:
    """Return the key of some integers, from which draws follow.

    Args:
        *numbers: integers: a seed, then an epoch, a step, a layer ...; they count modulo 2^64.

    Returns:
        64 bits that look random; the same integers in the same order give the same ones.

    Raises:
        TypeError: a number is no integer.
    """
    from core.kernels.numeric.draws import key_of  # numba loads with the first use

    try:
        return key_of(*map(operator.index, numbers))
    except TypeError:
        raise TypeError(f"random_key: keys follow from integers, not from {numbers!r}") from None


def alias_tables(weights: np.ndarray, indptr: Optional[np.ndarray] = None) -> AliasTables:
    """Build tables from which entries are drawn in proportion to their weights, each draw in constant time.

    (Walker, "An efficient method for generating discrete random variables with general distributions", 1977)

    Args:
        weights: float32 or float64 (entries,), finite and ≥ 0.
        indptr: int64 (rows + 1,): where the entries of each row begin, for a table of each; None: there is one row.

    Returns:
        float32 chances and int32 other entries, each (entries,).

    Raises:
        TypeError: an argument is no array.
        ValueError: an array is of another type or shape, a weight is negative or not finite, or rows do not lie one
            behind another.
    """
    owner = "alias_tables"
    check_array(weights, owner, "weights", FLOATS, [None])
    if weights.size and not (np.isfinite(weights).all() and weights.min() >= 0):
        raise ValueError(f"{owner}: weights must be finite and not negative")
    if indptr is not None:
        check_array(indptr, owner, "indptr", INT64, [None])
        if not len(indptr) or indptr[0] != 0 or indptr[-1] != len(weights) or (np.diff(indptr) < 0).any():
            raise ValueError(f"{owner}: indptr must rise from 0 to {len(weights)}, the number of weights")
    from core.kernels.graphs.alias import alias_tables as build  # numba loads with the first use

    return build(weights, indptr)


def check_tables(tables: Any, entries: Optional[int], owner: str, name: str = "tables") -> None:
    """Check alias tables.

    Args:
        tables: the argument.
        entries: how many entries they must have; None: any number.
        owner: the function that they are given to, for the message.
        name: the argument's name.

    Raises:
        TypeError: they are no tables.
        ValueError: they are of another size.
    """
    if not isinstance(tables, AliasTables):
        raise TypeError(f"{owner}: {name} must be what alias_tables returns, not {type(tables).__name__}")
    check_array(tables.chances, owner, f"{name}.chances", FLOAT32, [entries])
    check_array(tables.others, owner, f"{name}.others", (np.dtype(np.int32),), [len(tables.chances)])


def draw_alias(tables: AliasTables, count: int, key: np.uint64) -> np.ndarray:
    """Draw entries of the only row of alias tables.

    Args:
        tables: what :func:`alias_tables` returned without ``indptr``.
        count: how many are drawn, 0 or more; an entry may be drawn several times.
        key: what the draws follow from, see :func:`random_key`.

    Returns:
        int64 (count,).

    Raises:
        TypeError: ``tables`` are none.
        ValueError: there is no entry with a weight, or another argument is out of range.
    """
    owner = "draw_alias"
    check_tables(tables, None, owner)
    number, bits = checked_integer(count, 0, owner, "count"), checked_key(key, owner)
    if number and (not len(tables.others) or tables.others[0] < 0):
        raise ValueError(f"{owner}: the tables have no entry with a weight above 0 to draw")
    from core.kernels.graphs.alias import draw_alias as draw  # numba loads with the first use

    return draw(tables, number, bits)


def draw_negatives(
    excluded: Adjacency, sources: Any, count: int, weights: np.ndarray, tables: AliasTables, key: np.uint64
) -> np.ndarray:
    """Draw nodes for each source that are not among those excluded for it.

    Args:
        excluded: for each source, a row, the nodes that are not drawn; as :meth:`Adjacency.sorted` returns them.
        sources: integers (n,): rows of ``excluded``.
        count: how many nodes are drawn for each source; one may be drawn several times.
        weights: float64 (nodes,): the nodes are drawn in proportion to them.
        tables: what :func:`alias_tables` returned for these weights.
        key: what the draws follow from, see :func:`random_key`.

    Returns:
        int64 (n, count); -1 where every node with a weight is excluded.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: a source does not exist, or an argument is out of range or of another shape than the others.
    """
    owner = "draw_negatives"
    rows, number = checked_ids(sources, excluded.rows, owner, "sources"), checked_integer(count, 1, owner, "count")
    check_array(weights, owner, "weights", (np.dtype(np.float64),), [excluded.columns])
    check_tables(tables, excluded.columns, owner)
    bits = checked_key(key, owner)
    from core.kernels.graphs.negatives import draw_negatives as draw  # numba loads with the first use

    return draw(excluded.indptr, excluded.indices, rows, number, weights, tables, bits)
