"""The form of each value of a channels-last network: float32, bfloat16 in mixed precision, or bytes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.jit.passes.channels_last_steps import Step
from core.kernels.engine import matrix_extensions


def can_halve() -> bool:
    """Return whether our kernels multiply bfloat16 here, and faster than the engine's.

    Where matrix registers are granted the engine uses them, and ours do not.
    """
    from core.kernels.channels_last.forms import HAS_BFLOAT16_PRODUCTS  # numba loads with the first use

    return HAS_BFLOAT16_PRODUCTS and not matrix_extensions.used


def gains_by_halves(steps: Sequence[Step]) -> bool:
    """Return whether most multiplications are by 16-bit weights that our kernels multiply."""
    from core.kernels.channels_last.weights import multiplications  # numba loads with the first use

    products = [step for step in steps if step.kind == "product"]
    every = sum(multiplications(step.weight, step.pixels) for step in products)
    halves = sum(multiplications(step.weight, step.pixels) for step in products if step.is_half)
    return 2 * halves > every and can_halve()


def choose_halves(steps: Sequence[Step], results: Collection[Step]) -> None:
    """Let values be bfloat16, but for those that a reader takes in float32 alone.

    Those are factors of channels, what float32 layers multiply, results of the network that no layer reads, and what
    is joined with such values.
    """
    from core.kernels.channels_last.forms import BFLOAT16, FLOAT32  # numba loads with the first use
    from core.kernels.channels_last.weights import is_product

    wide: set[int] = {id(step) for step in results if not any(step is reader.source for reader in steps)}
    for step in steps:
        if step.scale is not None:
            wide.add(id(step.scale))
        multiplies = step.kind in ("product", "row")
        able = step.kind == "row" or (multiplies and is_product(step.weight, step.groups, BFLOAT16))
        if multiplies and step.source is not None and not (step.is_half and able):
            wide.add(id(step.source))
        step.side = 0  # of 16-bit numbers plain products are as fast
    joins = [step for step in steps if step.parts]
    for _ in joins:
        for step in joins:
            whole = [step, *[part for part, _ in step.parts]]
            if any(id(part) in wide or part.channels % 2 for part in whole):
                wide.update(map(id, whole))
    for step in steps:
        step.form = FLOAT32 if id(step) in wide else BFLOAT16


def gains_by_bytes(steps: Sequence[Step]) -> bool:
    """Return whether most multiplications are of bytes."""
    from core.kernels.channels_last.weights import multiplications  # numba loads with the first use

    products = [step for step in steps if step.kind == "product"]
    every = sum(multiplications(step.weight, step.pixels) for step in products)
    return 2 * sum(multiplications(step.weight, step.pixels) for step in products if _counts(step)) > every


def _counts(step: Step) -> bool:
    """Return whether a convolution may multiply bytes."""
    from core.kernels.channels_last.forms import BYTES  # numba loads with the first use
    from core.kernels.channels_last.weights import is_product

    if step.source is None or step.source.grid is None or step.counted is None:
        return False
    return step.kind == "row" or is_product(step.weight, step.groups, BYTES)


def choose_bytes(steps: Sequence[Step], results: Collection[Step]) -> None:
    """Let values that are rounded to a grid be bytes, but for those that a reader takes in float32 alone.

    Those stay as exact as they are.
    """
    from core.kernels.channels_last.forms import BYTES, FLOAT32  # numba loads with the first use

    if all(step.grid is None for step in steps):
        return

    for step in steps:
        source = step.source
        if step.kind != "maximum" or source is None or source.grid is not None or source in results:
            continue
        if sum(source in reader.reads for reader in steps) == 1:
            source.grid = step.grid  # the largest of rounded numbers is the largest one, rounded
    wide: set[int] = set()
    for step in steps:
        if step.scale is not None:
            wide.add(id(step.scale))
        if step.kind in ("product", "row") and step.source is not None and not _counts(step):
            wide.add(id(step.source))
        wide.update(id(part) for part, _ in step.parts)
        step.side = 0  # few multiplications of float32 take longer than all of bytes
    for step in steps:
        step.form = BYTES if step.grid is not None and id(step) not in wide else FLOAT32
