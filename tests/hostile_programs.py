"""Exported programs of a few kilobytes that ask for gigabytes, or for ever: each must be refused in one line, at once.

``BOMBS`` names them; a bomb gives the text of a ``program.json`` whose program has no weights and one input ``x``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.hostile_tensors import MADE, TENSORS
from tests.program_texts import (
    BIG,
    Bomb,
    bushy,
    chain,
    content,
    deep,
    full,
    loop,
    made_by,
    operation,
    region,
    replaced,
    sized,
    with_guard,
)


def _object(keys: Sequence[str]) -> str:
    return "{" + ", ".join([f'"{key}": 0' for key in keys]) + "}"


def _doubled_of_x(read: str, name: str, number: int) -> Any:
    return operation("concat", [read, read], name, [None, 3 * 2 ** (number + 1)], axis=1)


_TAKEN = "it makes .* MB out of such inputs, up to "
_DEEP = "nested (more than 400 levels|too) deep"
_BOUND = "beyond 2\\*\\*31"

BOMBS: dict[str, Bomb] = {
    # comparisons and sizes that take for ever to work out
    "powers": Bomb(lambda: with_guard(sized(["**", ["**", 9, 9], 8])), "must be an arithmetic operation, not '\\*\\*'"),
    "a power of floats": Bomb(lambda: with_guard(sized(["power", 9.0, 999999])), "a size is worked out as 9.0 .. 99"),
    "a large number": Bomb(lambda: with_guard(sized(["+", 2**31 + 1, 1])), _BOUND),
    "a large number to compare with": Bomb(lambda: with_guard(1, -(2**40)), _BOUND),
    "products": Bomb(lambda: with_guard(sized(deep(40, "*", 2**20))), _BOUND),
    "products of products": Bomb(lambda: with_guard(sized(bushy(12, "*", 2**30))), _BOUND),
    "a large product of floats": Bomb(lambda: with_guard(sized(["scaled", 2**30, 1e300])), "convert float infinity"),
    "a float that becomes whole": Bomb(lambda: with_guard(sized(["scaled", 2**30, 1e9])), _BOUND),
    "a division by nothing": Bomb(lambda: with_guard(sized(["//", 1, ["-", ["size", "x", 0], 1]])), "1 // 0"),
    "a deep expression": Bomb(lambda: with_guard(sized(deep(65))), "of more than 10,000 parts or 64 levels"),
    "a very deep expression": Bomb(lambda: with_guard(sized(deep(450))), _DEEP),
    "a deep expression to the right": Bomb(lambda: with_guard(sized(deep(65, to_the_left=False))), "or 64 levels"),
    "a bushy expression": Bomb(lambda: with_guard(sized(bushy(14, "+", 0))), "of more than 10,000 parts"),
    "a size of 2**40 axes": Bomb(lambda: with_guard(sized(["size", "x", 2**40])), "the name of a value and an axis"),
    # JSON
    "a number of many digits": Bomb(replaced("9" * 1_000_000), "holds a whole number of 1000000 digits"),
    "an infinite number": Bomb(replaced("1e999"), "holds the number 1e999, which is infinite"),
    "no number": Bomb(replaced("NaN"), "holds NaN, which is not JSON"),
    "Infinity": Bomb(replaced("-Infinity"), "holds -Infinity, which is not JSON"),
    "lists in lists": Bomb(replaced("[" * 100_000 + "]" * 100_000), _DEEP),
    "objects in objects": Bomb(replaced('{"a":' * 100_000 + "1" + "}" * 100_000), _DEEP),
    "lists in lists, less deep": Bomb(replaced("[" * 500 + "]" * 500, "preprocessing", "null"), _DEEP),
    "a key twice": Bomb(lambda: _object([str(i) for i in [*range(20_000), 7]]), "the key '7' occurs twice"),
    "a key of a megabyte twice": Bomb(lambda: _object(["k" * 2**20] * 2), "the key 'kkk.* occurs twice"),
    # examples, and what grows from a small input
    "an example": Bomb(made_by(examples=[[[BIG, 3]]]), "examples\\[0\\] gives the input 'x' the shape .* of 3,072 MB"),
    "another example": Bomb(made_by(examples=[[[1, 3]], [[BIG, 3]]]), "examples\\[1\\] gives the input 'x' the shape"),
    "an input repeated": Bomb(
        made_by(operation("broadcast_to", ["x"], "w", [2**26, 3], shape=[2**26, 3])), f"{_TAKEN}broadcast_to"
    ),
    "an input doubled": Bomb(
        lambda: json.dumps(
            content(chain(27, _doubled_of_x, [operation("relu", ["x"], "v", [None, 3])]))
        ),
        f"{_TAKEN}concat",
    ),
    # regions
    "a branch": Bomb(made_by(region(1, operation("broadcast_to", ["x"], "w", [2**26, 3], shape=[2**26, 3]))), _TAKEN),
    "a constant in a branch": Bomb(made_by(region(3, full("v", [2**26]))), f"{MADE}full"),
    "branches in branches": Bomb(made_by(region(90, full("v", [2]))), _DEEP),
    "a loop that grows": Bomb(
        made_by(loop([operation("concat", ["x", "x"], "w", [None, 3], axis=0)], "w", [None, 3])),
        "the body changes a variable's shape",
    ),
    "a loop over a constant": Bomb(
        made_by(
            loop(
                [
                    full("v", [2**26]),
                    operation("sum", ["v"], "s", [], axis=[0], keepdims=False),
                    operation("add", ["x", "s"], "w", [None, 3]),
                ],
                "w",
                [None, 3],
            )
        ),
        f"{MADE}full",
    ),
    **TENSORS,
}  # fmt: skip
