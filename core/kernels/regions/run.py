"""Running one step of a region on all threads: one kernel for all steps, which is compiled once."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.regions import depthwise, joins, pointwise, stem
from core.kernels.regions.fields import FIELDS

PACK, POINTWISE, POINTWISE_BACK, DEPTHWISE, DEPTHWISE_BACK, STEM, STEM_BACK, SUMS, ADD_PARTS = range(9)
ADD_UP, PASS_GRADIENT, IMAGE_SUMS, TO_LAST, TO_PLAIN = range(9, 14)
"""What a step does; the functions of these names say what each reads."""

NO_VALUE = (np.zeros(FIELDS, np.int64), np.zeros(2, np.float32))
NO_WINDOW = np.zeros(3, np.int64)
NO_ARRAY = np.empty(0, np.float32)

_pack, _add_parts, _gradient_sums = pointwise.pack, pointwise.add_parts, pointwise.gradient_sums
_pointwise, _pointwise_back = pointwise.forward, pointwise.backward
_depthwise, _depthwise_back = depthwise.forward, depthwise.backward
_stem, _stem_back = stem.forward, stem.backward
_add_up, _pass_gradient, _image_sums = joins.add_up, joins.pass_gradient, joins.image_sums
_to_last, _to_plain = joins.to_last, joins.to_plain


def run(
    kind: int,
    memory: np.ndarray,
    places: np.ndarray,
    scratch: tuple[int, int] = (0, 0),
    source: tuple[np.ndarray, np.ndarray] = NO_VALUE,
    target: tuple[np.ndarray, np.ndarray] = NO_VALUE,
    window: np.ndarray = NO_WINDOW,
    array: np.ndarray = NO_ARRAY,
) -> None:
    """Run a step.

    Args:
        kind: See above.
        memory: Everything, flat.
        places: See :mod:`core.kernels.regions.fields`.
        scratch: Where in memory each thread has room, and how much.
        source, target: Values, likewise.
        window: Of a convolution, see its module.
        array: Images or a weight, flat.
    """
    given = (kind, memory, places, *scratch, *source, *target, window, array)
    _run(*given, np.zeros(1, np.int64), number_of_threads())


@compiled
def _run(
    kind: int,
    memory: np.ndarray,
    places: np.ndarray,
    scratch: int,
    room: int,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    target_numbers: np.ndarray,
    window: np.ndarray,
    array: np.ndarray,
    counter: np.ndarray,
    workers: int,
) -> None:
    for worker in threads(workers):
        own = scratch + worker * room
        _work(
            kind,
            memory,
            places,
            own,
            source,
            source_numbers,
            target,
            target_numbers,
            window,
            array,
            counter,
        )


@serial
def _work(
    kind: int,
    memory: np.ndarray,
    places: np.ndarray,
    own: int,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    target_numbers: np.ndarray,
    window: np.ndarray,
    array: np.ndarray,
    counter: np.ndarray,
) -> None:
    """Do what one thread gets to do of a step."""
    if kind == PACK:
        _pack(array, memory, window, places, counter)
    elif kind == POINTWISE:
        _pointwise(memory, source, source_numbers, target, window, places, own, counter)
    elif kind == POINTWISE_BACK:
        _pointwise_back(memory, source, source_numbers, target, target_numbers, window, places, own, counter)
    elif kind == DEPTHWISE:
        _depthwise(memory, source, source_numbers, target, window, places, own, counter)
    elif kind == DEPTHWISE_BACK:
        _depthwise_back(memory, source, source_numbers, target, target_numbers, window, places, own, counter)
    elif kind == STEM:
        _stem(array, memory, target, window, places, own, counter)
    elif kind == STEM_BACK:
        _stem_back(array, memory, target, target_numbers, window, places, own, counter)
    elif kind == SUMS:
        _gradient_sums(memory, source, source_numbers, window, places, counter)
    elif kind == ADD_PARTS:
        _add_parts(memory, array, window, places, counter)
    elif kind == ADD_UP:
        _add_up(memory, source, source_numbers, target, target_numbers, places, counter)
    elif kind == PASS_GRADIENT:
        _pass_gradient(memory, source, source_numbers, places, counter)
    elif kind == IMAGE_SUMS:
        _image_sums(memory, source, source_numbers, places, counter)
    elif kind == TO_LAST:
        _to_last(array, memory, source, window, places, counter)
    elif kind == TO_PLAIN:
        _to_plain(array, memory, source, window, places, counter)
