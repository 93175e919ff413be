"""How often something happens in training, as a config says it: every so many epochs, steps or minutes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Optional, Union

from pydantic_core import core_schema

from core.train.config.table import nearest
from core.train.config.yaml_file import shortened

LARGEST = 1_000_000_000
"""Of epochs, steps and minutes: far beyond what anybody trains."""


@dataclasses.dataclass(frozen=True)
class Interval:
    """Every so many epochs, steps or minutes; where several are given, at each of them.

    Args:
        epochs: at the end of every so many epochs.
        steps: after every so many steps.
        minutes: after so many minutes of training since it last happened.

    Raises:
        ValueError: nothing is given, or a number is not positive.
    """

    epochs: Optional[int] = None
    steps: Optional[int] = None
    minutes: Optional[float] = None

    def __post_init__(self) -> None:
        if self.epochs is self.steps is self.minutes is None:
            raise ValueError(f"an interval has at least one of the keys {', '.join(KEYS)}")
        for name, value in self.given.items():
            whole = name != "minutes"
            good = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
            if not good or not 0 < value <= LARGEST:
                kind = "whole number from 1" if whole else "number above 0 and up"
                raise ValueError(f"{name} must be a {kind} to {LARGEST:,}, not {shortened(value)}")

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name}: {value}' for name, value in self.given.items())}}}"

    @property
    def given(self) -> dict[str, Any]:
        """The keys that are given, with their numbers."""
        return {name: value for name, value in vars(self).items() if value is not None}


KEYS = tuple(field.name for field in dataclasses.fields(Interval))


@dataclasses.dataclass(frozen=True)
class ShortForm:
    """How a config writes an interval: an integer is a number of epochs, anything else has keys.

    Args:
        minutes: what an integer stands for beside the epochs; None: nothing.
    """

    minutes: Optional[float] = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Return the schema that reads and writes both forms."""
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(self.write)
        )

    def read(self, value: Any) -> Interval:
        """Return the interval that a config's value means.

        Args:
            value: an integer, a mapping, or an Interval.

        Raises:
            ValueError: it means none.
        """
        if isinstance(value, Interval):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return Interval(epochs=value, minutes=self.minutes)
        if not isinstance(value, Mapping):
            raise ValueError(
                f"must be a number of epochs, or keys of {', '.join(KEYS)}, as in {{steps: 1000}}, "
                f"not {shortened(value)}"
            )
        unknown = [key for key in value if key not in KEYS]
        if unknown:
            raise ValueError(
                f"unknown key {shortened(unknown[0])}; the nearest valid key is {nearest(str(unknown[0]), KEYS)!r} "
                f"(valid here: {', '.join(KEYS)})"
            )
        return Interval(**value)

    def write(self, interval: Interval) -> Union[int, dict[str, Any]]:
        """Return what :meth:`read` reads back to the same interval: an integer where one says it.

        Args:
            interval: the interval.
        """
        if interval.epochs is not None and interval == Interval(interval.epochs, minutes=self.minutes):
            return interval.epochs
        return interval.given
