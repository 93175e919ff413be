"""Whether an experiment reaches what its config expects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Optional

from core.train.runner.config import ExpectSection

ROUNDING = 1e-12


def numbers_in(details: Mapping[str, Any]) -> dict[str, float]:
    """Return those of an evaluator's details that are numbers."""
    return {name: value for name, value in details.items() if isinstance(value, float)}


def shown(numbers: Mapping[str, float]) -> str:
    """Return numbers by name, as they are printed."""
    return ", ".join(f"{spaced(name)} {digits(value)}" for name, value in numbers.items())


def spaced(name: str) -> str:
    """Return a number's name as it is printed."""
    return name.replace("_", " ")


def digits(value: float) -> str:
    """Return a number with four digits behind the point; a large one with four digits in all."""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.4g}"


def require_known(expect: Optional[ExpectSection], names: Iterable[str]) -> None:
    """Refuse the name of a number that no evaluation gives.

    Args:
        expect: the section of the config.
        names: of the numbers that one may give; none: that is not known.

    Raises:
        ValueError: the section has another name.
    """
    known = list(names)
    if expect is None or not known:
        return
    for key, wanted in (("at_least", expect.at_least), ("at_most", expect.at_most), ("near", expect.near)):
        for name in wanted:
            if name not in known:
                raise ValueError(f"expect.{key}: the evaluation gives {', '.join(known)}, not {name!r}")


def meets_expectation(expect: Optional[ExpectSection], results: Mapping[str, Mapping[str, float]]) -> bool:
    """Compare results with what a config expects, and say so.

    Args:
        expect: the section of the config.
        results: numbers of each evaluated split.

    Returns:
        False when the expected split was evaluated and fell short, or drifted further than the tolerance.

    Raises:
        ValueError: the evaluation gives no number of an expected name.
    """
    if expect is None or expect.split not in results:
        return True
    numbers, good = results[expect.split], True
    require_known(expect, numbers)
    for name, bound in expect.at_least.items():
        good &= _report(expect.split, name, numbers, f"at least {digits(bound)}", numbers[name] >= bound, "BELOW")
    for name, bound in expect.at_most.items():
        good &= _report(expect.split, name, numbers, f"at most {digits(bound)}", numbers[name] <= bound, "ABOVE")
    for name, near in expect.near.items():
        text = f"{digits(near.value)} within {digits(near.tolerance)}"
        met = abs(numbers[name] - near.value) <= near.tolerance + ROUNDING
        good &= _report(expect.split, name, numbers, text, met, "DRIFTED from")
    return good


def _report(split: str, name: str, numbers: Mapping[str, float], wanted: str, met: bool, wrong: str) -> bool:
    result = "as expected" if met else f"{wrong} what the config expects"
    print(f"{split} {spaced(name)} {digits(numbers[name])}, expected {wanted}: {result}")
    return met
