"""Gradient descent on the few rows of two tables that skip-gram's windows touch."""

from __future__ import annotations

import numpy as np

from core.kernels.dispatch.dispatcher import memory_written
from core.kernels.dtypes import float32
from core.kernels.engine.engine import view, wait_all
from core.tensor import Tensor

BLOCK_SHARE = 64
"""Nodes for each window of a block: where few nodes share many windows, the sum of the gradients would leap too far."""


def skip_gram_descent(
    sources: Tensor,
    targets: Tensor,
    centers: np.ndarray,
    starts: np.ndarray,
    contexts: np.ndarray,
    negatives: np.ndarray,
    learning_rate: float,
) -> float:
    """Move two tables against the gradient of skip-gram's loss with negative sampling, in place.

    The loss of a window is the sum over its contexts of -log σ(s · t) and, for each context, over its negatives of
    -log σ(-s · t), with the row s of its node in ``sources`` and rows t of ``targets``. Only rows that occur are read
    and written. The result does not depend on the number of threads.

    Args:
        sources: float32 [nodes, size], on the CPU; may be ``targets`` itself.
        targets: float32 [nodes, size].
        centers: [windows]: the windows' nodes.
        starts: [windows + 1]: where the contexts of each begin; from 0, not falling, to the number of contexts.
        contexts: [contexts]: the nodes near them.
        negatives: [windows, negatives]: nodes that were drawn.
        learning_rate: The step.

    Returns:
        The mean loss of a context.

    Raises:
        TypeError: a table is not float32.
        ValueError: the shapes do not fit, or a node is outside the tables.
    """
    for table in (sources, targets):
        if table.dtype is not float32 or table.ndim != 2 or table.shape != sources.shape:
            kind = TypeError if table.dtype is not float32 else ValueError
            raise kind(
                f"skip-gram: the tables must be float32 of one shape [nodes, size], not {sources.dtype.name}"
                f"{sources.shape} and {targets.dtype.name}{targets.shape}"
            )
    count = len(centers)
    rising = starts.shape == (count + 1,) and starts[0] == 0 and starts[-1] == len(contexts)
    if not rising or (np.diff(starts) < 0).any() or negatives.ndim != 2 or len(negatives) != count:
        raise ValueError(
            f"skip-gram: {count} windows need {count + 1} starts that rise from 0 to the {len(contexts)} contexts, and "
            f"{count} rows of negatives, not starts {list(starts.shape)} and negatives {list(negatives.shape)}"
        )
    nodes = sources.shape[0]
    for name, ids in (("node", centers), ("context", contexts), ("negative", negatives)):
        if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < nodes:
            wrong = int(ids.max()) if ids.min() >= 0 else int(ids.min())
            raise ValueError(f"skip-gram: the {name} {wrong} is outside the tables of {nodes} rows")
    if not len(contexts):
        return 0.0
    from core.kernels.graphs.skip_gram import BLOCK, descend  # numba loads with the first use

    wait_all()
    memory_written()
    first, second = [view(table._value.array, table._value.meta[0], float32) for table in (sources, targets)]
    places = np.ascontiguousarray(starts, np.int64)
    nodes_of, near, others = [np.ascontiguousarray(ids, np.int32) for ids in (centers, contexts, negatives)]
    block = max(1, min(BLOCK, nodes // BLOCK_SHARE))
    return descend(first, second, nodes_of, places, near, others, learning_rate, block) / len(contexts)
