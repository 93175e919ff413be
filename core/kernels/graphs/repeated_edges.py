"""Edges that come again: whoever sends along the same two tensors with each step has them grouped once.

Indices as Paddle takes them do not say which edges meet, so that a first call goes through them edge by edge. From the
second one on they are kept grouped: a fact about the two values, freed with that of the sources.
"""

from __future__ import annotations

import weakref
from typing import Any, Callable, NamedTuple, Optional, TypeVar

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value

FEWEST_EDGES = 2**12
"""Below it, grouping gains nothing."""
MOST_EDGES = 2**31
"""From here on, they cannot be grouped: their numbers would not be int32."""

Grouped = TypeVar("Grouped")


class _Met(NamedTuple):
    """What was met together with a value of sources, and the edges once they came again."""

    target: weakref.ref[Value]
    nodes: tuple[int, int]
    writes: int
    edges: Any


_met: weakref.WeakKeyDictionary[Value, _Met] = weakref.WeakKeyDictionary()


def met_before(
    source: Value, target: Value, nodes: tuple[int, int], group: Callable[[], Grouped]
) -> Optional[Grouped]:
    """Return grouped edges if just these came before; None the first time, for few or too many, and while tracing.

    Args:
        source: Integers, [edges]: where each edge begins.
        target: Integers, [edges]: where it ends.
        nodes: Number of nodes from which edges may come, and to which they may lead.
        group: Checks the edges and groups them.
    """
    if dispatcher.state.trace is not None or not FEWEST_EDGES <= source.meta[0][0] < MOST_EDGES:
        return None
    met, writes = _met.get(source), dispatcher.indices_written()
    if met is None or met.target() is not target or (met.nodes, met.writes) != (nodes, writes):
        _met[source] = _Met(weakref.ref(target), nodes, writes, None)
        return None
    if met.edges is None:
        with dispatcher.gradient_mode(False):
            met = met._replace(edges=group())
        _met[source] = met
    return met.edges
