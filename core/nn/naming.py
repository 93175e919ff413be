"""Names that are unique within a process: ``linear_0`` for a layer, ``linear_0.w_0`` for its first weight."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional, Union


class NameGenerator:
    """Counts how often each key was asked for.

    Args:
        prefix: Text put before every generated name.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.counts: defaultdict[str, int] = defaultdict(int)

    def __call__(self, key: str) -> str:
        """Return the key with its number.

        Args:
            key: What is to be numbered.
        """
        number = self.counts[key]
        self.counts[key] += 1
        return f"{self.prefix}{key}_{number}"


_current = NameGenerator()


def generate(key: str) -> str:
    """Return ``key`` followed by the number of earlier calls with it, such as ``conv2d_3``."""
    return _current(key)


def generate_with_ignorable_key(key: str) -> str:
    """Return a unique name as :func:`generate` does (Paddle's name for keys that may be replaced by a scope's)."""
    return generate(key)


def switch(
    new_generator: Optional[NameGenerator] = None, new_para_name_checker: Any = None
) -> tuple[NameGenerator, None]:
    """Count with another generator from now on.

    Args:
        new_generator: What an earlier call returned first; a new one, counting from zero, when it is None.
        new_para_name_checker: What an earlier call returned second; parameters' names are not checked.

    Returns:
        The generator until now, and None.
    """
    global _current
    previous = _current
    _current = NameGenerator() if new_generator is None else new_generator
    return previous, None


@contextmanager
def guard(new_generator: Union[str, NameGenerator, None] = None) -> Iterator[None]:
    """Start counting from zero inside a ``with`` block, so that two models built alike get the same names.

    Args:
        new_generator: A prefix for the names made inside the block, or a generator.
    """
    generator = new_generator if isinstance(new_generator, NameGenerator) else NameGenerator(new_generator or "")
    previous, _ = switch(generator)
    try:
        yield
    finally:
        switch(previous)


def snake_case(class_name: str) -> str:
    """Return a class name in lower case with underscores: ``Conv2DTranspose`` becomes ``conv2d_transpose``."""
    separated = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", class_name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", separated).lower()
